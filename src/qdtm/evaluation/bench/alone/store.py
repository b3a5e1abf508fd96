"""Answers to lone queries as they are kept on disk: an `AloneCell` in, its `AloneResult` out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qdtm.evaluation.bench.alone.cells import AloneCell, AloneResult
from qdtm.evaluation.bench.asking import AnswerStore


class AloneStore(AnswerStore[AloneCell, AloneResult]):
    """A folder of finished answers; see `AnswerStore`."""

    def read(self, cell: AloneCell, kept: Mapping[str, Any]) -> AloneResult:
        """Read a result back; it must be of the cell that was asked for."""
        if AloneCell(**kept["cell"]) != cell:
            raise ValueError("a result of another cell")
        lists = {"words": tuple(kept["words"]), "documents": tuple(kept["documents"])}
        if kept["interval"] is not None:
            lists["interval"] = tuple(kept["interval"])
        return AloneResult(**{**kept, **lists, "cell": cell})
