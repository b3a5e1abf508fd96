"""Finished answers, kept on disk so that no query is asked twice.

In: a cell with everything that decides about its result. Out: its `AloneResult`, if it was run before. A
result is known by the cell, the row's settings, the corpus and the code, as those of the tables are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qdtm.evaluation.bench.alone.cells import AloneCell, AloneResult
from qdtm.evaluation.bench.alone.rows import AloneRow
from qdtm.evaluation.bench.store import cell_key
from qdtm.evaluation.cache import atomic_path, cache_directory


class AloneStore:
    """A folder of finished answers.

    Parameters
    ----------
    folder : Path, optional
        By default `bench` in the cache folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_directory() / "bench"

    def find(self, cell: AloneCell, row: AloneRow, corpus_fingerprint: str) -> AloneResult | None:
        """Return the result of a cell, or None if it was not run, or its file is damaged."""
        try:
            kept = json.loads(self._path(cell, row, corpus_fingerprint).read_text("utf-8"))
            return _from_json(cell, kept)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def keep(self, result: AloneResult, row: AloneRow, corpus_fingerprint: str) -> None:
        """Keep a result."""
        with atomic_path(self._path(result.cell, row, corpus_fingerprint)) as temporary:
            temporary.write_text(json.dumps(asdict(result)), encoding="utf-8")

    def _path(self, cell: AloneCell, row: AloneRow, corpus_fingerprint: str) -> Path:
        key = cell_key(cell, row.settings, corpus_fingerprint)
        return self.folder / f"alone-{cell.dataset}-{cell.query}-{cell.model}-{cell.seed}-{key[:16]}.json"


def _from_json(cell: AloneCell, kept: Mapping[str, Any]) -> AloneResult:
    """Read a result back; it must be of the cell that was asked for."""
    if AloneCell(**kept["cell"]) != cell:
        raise ValueError("a result of another cell")
    lists = {"words": tuple(kept["words"]), "documents": tuple(kept["documents"])}
    return AloneResult(**{**kept, **lists, "cell": cell})
