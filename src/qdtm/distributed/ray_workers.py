"""`Workers` that are processes of a Ray cluster: those of the engine, which sweep later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qdtm.cluster.engine import RayEngine
from qdtm.distributed.workers import Memory, OnWorker, attempt

_SMALL = (int, float, str, bool, type(None))


class RayWorkers:
    """The workers of an engine.

    Parameters
    ----------
    engine : RayEngine
        To be closed by whoever opened it.
    """

    def __init__(self, engine: RayEngine) -> None:
        self._engine = engine
        self.n_workers = engine.n_workers

    def call(self, worker: int, function: OnWorker, *arguments: Any, n_results: int | None = None) -> Any:
        """Start a function on a worker; return a reference to its outcome, or so many."""
        run = self._engine.worker(worker).run.options(num_returns=n_results or 1)
        answer = run.remote(_attempt, function, n_results, *arguments)
        return [answer] if n_results == 1 else answer

    def share(self, value: Any) -> Any:
        """Put a value where all workers can take it from."""
        small = isinstance(value, _SMALL) or callable(value)
        return value if small else self._engine.broadcast(value)

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        """Bring results here."""
        return [outcome.unwrap() for outcome in self._engine.get(list(handles))]

    def close(self) -> None:
        """Nothing to do: the engine is closed by whoever opened it."""


def _attempt(memory: Memory, function: OnWorker, n_results: int | None, *arguments: Any) -> Any:
    outcome = attempt(function, memory, arguments, n_results)
    return outcome[0] if n_results == 1 else outcome
