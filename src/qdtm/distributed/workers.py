"""Where the parts of a corpus live: a function and a worker's number in, its result out, here or left there.

`Workers` is the seam: a worker remembers things between calls in a dict of its own. `SerialWorkers` keeps
them all in this process; `qdtm.distributed.ray_workers` gives each a process of a Ray cluster. The functions
that run on a worker are the same, so the result is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from qdtm.errors import QdtmError

Memory = dict[str, Any]
"""What a worker remembers."""

OnWorker = Callable[..., Any]
"""A function of a module, whose first argument is a worker's `Memory`."""


class Workers(Protocol):
    """Workers that run functions, each with a memory of its own."""

    @property
    def n_workers(self) -> int:
        """How many there are."""
        ...

    def call(self, worker: int, function: OnWorker, *arguments: Any, n_results: int | None = None) -> Any:
        """Start a function on a worker; return a handle of its result, which stays there.

        Parameters
        ----------
        worker : int
        function : callable
        *arguments
            Values or handles; what a handle stands for is brought to the worker.
        n_results : int, optional
            The function returns so many values; a list of as many handles is returned.
        """
        ...

    def share(self, value: Any) -> Any:
        """Return a handle of a value that many calls need."""
        ...

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        """Bring results here; an error on a worker is raised, its warnings are given."""
        ...

    def close(self) -> None:
        """Let the workers go."""
        ...


def call_all(workers: Workers, function: OnWorker, *arguments: Any) -> list[Any]:
    """Call a function on every worker, and bring the results here in the workers' order."""
    shared = [workers.share(argument) for argument in arguments]
    return workers.fetch([workers.call(w, function, *shared) for w in range(workers.n_workers)])


@dataclass(frozen=True)
class Outcome:
    """What came of a call, in a form that travels: the value, or the error, and what was warned of."""

    value: Any
    error: QdtmError | None
    warned: tuple[tuple[type[Warning], str], ...]

    def unwrap(self) -> Any:
        """Return the value; raise the error, give the warnings."""
        for category, message in self.warned:
            warnings.warn(message, category, stacklevel=2)
        if self.error is not None:
            raise self.error
        return self.value


def attempt(function: OnWorker, memory: Memory, arguments: Sequence[Any], n_results: int | None) -> Any:
    """Run a function on a worker; return its outcome, or a list of so many.

    Arguments may be outcomes of other calls; if one of those went wrong, so has this one.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            results, error = function(memory, *map(value_of, arguments)), None
        except QdtmError as raised:
            results, error = None, raised
    warned = tuple((each.category, str(each.message)) for each in caught)
    if n_results is None:
        return Outcome(results, error, warned)
    values = [None] * n_results if error else results
    return [Outcome(value, error, () if i else warned) for i, value in enumerate(values)]


def value_of(argument: Any) -> Any:
    """Return what an argument stands for: of an outcome the value, or its error is raised."""
    if not isinstance(argument, Outcome):
        return argument
    if argument.error is not None:
        raise argument.error
    return argument.value


class SerialWorkers:
    """Workers that are all this process, one call after the other.

    Parameters
    ----------
    n_workers : int
    """

    def __init__(self, n_workers: int = 1) -> None:
        self.n_workers = n_workers
        self._memories: list[Memory] = [{} for _ in range(n_workers)]

    def call(self, worker: int, function: OnWorker, *arguments: Any, n_results: int | None = None) -> Any:
        """Run a function at once."""
        return attempt(function, self._memories[worker], arguments, n_results)

    def share(self, value: Any) -> Any:
        """Return the value itself."""
        return value

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results."""
        return [handle.unwrap() for handle in handles]

    def close(self) -> None:
        """Forget everything."""
        self._memories = [{} for _ in range(self.n_workers)]
