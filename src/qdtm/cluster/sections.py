"""The parts of an index in the workers of a Ray cluster.

In: an engine, and where the parts are. Out: `RaySections`: each worker holds some parts in a row, which it
reads itself, and answers what the views of them are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qdtm.corpus.parts import Parts

if TYPE_CHECKING:
    from qdtm.cluster.engine import RayEngine


class RaySections:
    """Parts in workers.

    Parameters
    ----------
    engine : RayEngine
    parts : Parts
    n_words : int
        V, of the index.
    """

    def __init__(self, engine: RayEngine, parts: Parts, n_words: int) -> None:
        n_parts = len(parts.bounds) - 1
        n_sections = min(engine.n_workers, n_parts)
        ends = n_parts * np.arange(n_sections + 1) // n_sections
        self._engine, self.bounds = engine, parts.bounds[ends]
        pairs = zip(ends.tolist(), ends[1:].tolist(), strict=False)
        self._specs = [(parts.place, first, last, n_words) for first, last in pairs]
        self.remembered: dict[Any, Any] = {}

    def share(self, value: Any) -> Any:
        """Put something into the object store."""
        return self._engine.broadcast(value)

    def each(self, method: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Call a method of each section, side by side."""
        found: list[Any] = self._engine.get(
            [self._call(s, method, *arguments) for s, arguments in enumerate(calls)]
        )
        return found

    def chains(self, method: str, calls: Sequence[Sequence[Any]], carried: Sequence[Any]) -> list[Any]:
        """Call a method of each section in turn; what is carried goes from worker to worker."""
        last = list(carried)
        for s, arguments in enumerate(calls):
            last = [self._call(s, method, *arguments, each) for each in last]
        found: list[Any] = self._engine.get(last)
        return found

    def _call(self, s: int, method: str, *arguments: Any) -> Any:
        return self._engine.worker(s).section.remote(self._specs[s], method, *arguments)
