"""Work on the parts of a corpus, side by side: by the tasks of a Ray cluster, or one after the other here.

In: a function and what to call it with. Out: what it returns, in order. The same functions run either way, so
the answer is the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from qdtm.cluster.engine import MOST_RESTARTS, RayEngine
from qdtm.progress import check_cancelled

T = TypeVar("T")

WAITING = 2
"""Calls for each worker that are under way: what they carry need not all be in memory."""


class Tasks(Protocol):
    """Calls functions for parts."""

    def map(self, function: Callable[..., T], calls: Iterable[Sequence[Any]]) -> Iterator[T]:
        """Call a function with each of some arguments; yield what it returns, in their order."""
        ...

    def shuffle(
        self,
        split: Callable[..., Sequence[Any]],
        calls: Iterable[Sequence[Any]],
        join: Callable[..., T],
        goals: Sequence[Sequence[Any]],
    ) -> Iterator[T]:
        """Split each part into as many pieces as there are goals, and join the pieces of each goal."""
        ...


class HereTasks:
    """Calls functions in this process."""

    def map(self, function: Callable[..., T], calls: Iterable[Sequence[Any]]) -> Iterator[T]:
        """Call a function with each of some arguments."""
        for arguments in calls:
            check_cancelled()
            yield function(*arguments)

    def shuffle(
        self,
        split: Callable[..., Sequence[Any]],
        calls: Iterable[Sequence[Any]],
        join: Callable[..., T],
        goals: Sequence[Sequence[Any]],
    ) -> Iterator[T]:
        """Split each part, and join the pieces of each goal."""
        pieces = [split(*arguments) for arguments in calls]
        for g, arguments in enumerate(goals):
            check_cancelled()
            yield join(*arguments, *(each[g] for each in pieces))


class RayTasks:
    """Calls functions as tasks of a Ray cluster; those of a worker that died are called again.

    Parameters
    ----------
    engine : RayEngine
        Which is connected.
    """

    def __init__(self, engine: RayEngine) -> None:
        self._engine, self._ray = engine, engine.ray

    def map(self, function: Callable[..., T], calls: Iterable[Sequence[Any]]) -> Iterator[T]:
        """Call a function with each of some arguments."""
        remote, under_way = self._remote(function), deque[Any]()
        for arguments in calls:
            under_way.append(remote.remote(*arguments))
            if len(under_way) >= WAITING * self._engine.n_workers:
                yield self._engine.get(under_way.popleft())
        while under_way:
            yield self._engine.get(under_way.popleft())

    def shuffle(
        self,
        split: Callable[..., Sequence[Any]],
        calls: Iterable[Sequence[Any]],
        join: Callable[..., T],
        goals: Sequence[Sequence[Any]],
    ) -> Iterator[T]:
        """Split each part; the pieces wait in the cluster's object store, which writes to disk if need be."""
        if len(goals) == 1:  # Ray takes what a task returns apart only if it is to return several things
            remote = self._remote(_of_one_piece(split))
            pieces = [[remote.remote(*arguments)] for arguments in calls]
        else:
            remote = self._remote(split, num_returns=len(goals))
            pieces = [remote.remote(*arguments) for arguments in calls]
        joins = ((*arguments, *(each[g] for each in pieces)) for g, arguments in enumerate(goals))
        return self.map(join, joins)

    def _remote(self, function: Callable[..., Any], **options: Any) -> Any:
        own = {"num_cpus": 1, "max_retries": MOST_RESTARTS, "scheduling_strategy": "SPREAD"}
        return self._ray.remote(function).options(**own, **options)


def _of_one_piece(split: Callable[..., Sequence[T]]) -> Callable[..., T]:
    def only_piece(*arguments: Any) -> T:
        (piece,) = split(*arguments)
        return piece

    return only_piece
