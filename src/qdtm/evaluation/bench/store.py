"""Finished cells, kept on disk so that none is run twice.

In: a cell with everything that decides about its result. Out: its `CellResult`, if it was run before. A
result is known by the cell, the model's settings, the corpus and the code itself: whatever changes, the cell
is run anew. Each is a small JSON file, written whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import qdtm
from qdtm.cache import atomic_path, cache_directory
from qdtm.evaluation.bench.cells import Cell, CellResult, Figure, TopicWords
from qdtm.evaluation.systems import System

_PACKAGES = ("numpy", "numba", "scipy", "scikit-learn")
_SHOWS_ONLY = ("cli", "report", "app")
"""Parts of the package that show results and decide about none."""


class CellStore:
    """A folder of finished cells.

    Parameters
    ----------
    folder : Path, optional
        By default `bench` in the cache folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_directory() / "bench"

    def find(self, cell: Cell, system: System, corpus_fingerprint: str) -> CellResult | None:
        """Return the result of a cell, or None if it was not run, or its file is damaged."""
        try:
            return _from_json(
                cell, json.loads(self._path(cell, system, corpus_fingerprint).read_text("utf-8"))
            )
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def keep(self, result: CellResult, system: System, corpus_fingerprint: str) -> None:
        """Keep a result."""
        with atomic_path(self._path(result.cell, system, corpus_fingerprint)) as temporary:
            temporary.write_text(json.dumps(asdict(result), indent=1), encoding="utf-8")

    def _path(self, cell: Cell, system: System, corpus_fingerprint: str) -> Path:
        key = cell_key(cell, system.settings, corpus_fingerprint)
        return self.folder / f"{cell.table}-{cell.dataset}-{cell.model}-{cell.seed}-{key[:16]}.json"


def cell_key(cell: Any, settings: Mapping[str, Any], corpus_fingerprint: str) -> str:
    """Return a digest of everything that decides about a cell's result."""
    parts = [asdict(cell), dict(settings), corpus_fingerprint, code_digest()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@cache
def code_digest() -> str:
    """Return a digest of the package's code, but for what only shows results, and of what it stands on."""
    home = Path(qdtm.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        inside = path.relative_to(home)
        if inside.parts[0] not in _SHOWS_ONLY:
            digest.update(inside.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for package in _PACKAGES:
        digest.update(f"{package} {version(package)}\0".encode())
    return digest.hexdigest()


def _from_json(cell: Cell, kept: Mapping[str, Any]) -> CellResult:
    """Read a result back; it must be of the cell that was asked for."""
    if Cell(**kept["cell"]) != cell:
        raise ValueError("a result of another cell")
    return CellResult(
        cell=cell,
        figures=tuple(Figure(figure["metric"], float(figure["value"])) for figure in kept["figures"]),
        topics=tuple(
            TopicWords(topic["phrase"], tuple(topic["words"]), tuple(map(tuple, topic["subtopics"])))
            for topic in kept["topics"]
        ),
        seconds=float(kept["seconds"]),
    )
