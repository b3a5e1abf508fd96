"""All targets by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qdtm.storage.folders import MANIFEST

from . import seeds
from .file_targets import DuckdbTarget, FileTarget, FolderTarget, JsonTarget, SeveralTarget, VectorsTarget
from .saved_targets import (
    ChecksTarget,
    ConceptTarget,
    CorpusTarget,
    EncoderTarget,
    JournalTarget,
    ModelTarget,
    PartsTarget,
    ReportTarget,
    UnfinishedTarget,
    WorkspaceTarget,
)
from .target import Target


def make_target(name: str, home: Path) -> Target | None:
    """Return a target by its name, with its valid files in a folder; None if a package for it is missing."""
    home.mkdir(parents=True, exist_ok=True)
    if name in _FILES:
        return _FILES[name](home)
    return _FOLDERS[name](home)


def _with_package(suffix: str, files: Callable[[], tuple[bytes, ...]]) -> Callable[[Path], Target | None]:
    """Return what makes a target whose valid files a package writes, if it is there."""
    return lambda home: FileTarget(home, suffix, valid) if (valid := files()) else None


def _document(suffix: str) -> Callable[[Path], Target]:
    """Return what makes the target of a kind of document or bibliography."""
    ending = ".csv.gz" if suffix == ".gz" else suffix
    return lambda home: FileTarget(home, ending, seeds.documents()[suffix])


_FILES = {
    **{
        name: _document(f".{name}")
        for name in (
            "docx", "odt", "epub", "pdf", "zip", "db", "html", "md", "rtf", "ris", "nbib", "ciw", "enw",
            "bib", "gz",
        )
    },
    "json": lambda home: JsonTarget(home, ".json", seeds.documents()[".json"]),
    "csv": lambda home: FileTarget(
        home, ".csv", (seeds.delimited(","), seeds.delimited(";", "cp1252"), seeds.delimited(",", "utf-16"))
    ),
    "tsv": lambda home: FileTarget(home, ".tsv", (seeds.delimited("\t"), seeds.delimited("|"))),
    "jsonl": lambda home: JsonTarget(home, ".jsonl", (seeds.json_lines(),)),
    "txt": lambda home: FileTarget(home, ".txt", (seeds.lines(), seeds.lines("utf-16"))),
    "xlsx": lambda home: FileTarget(home, ".xlsx", (seeds.workbook(),)),
    "parquet": _with_package(".parquet", seeds.parquet_files),
    "arrow": _with_package(".arrow", seeds.arrow_files),
    "duckdb": lambda home: DuckdbTarget(home, ".duckdb", valid) if (valid := seeds.duckdb_file()) else None,
    "vectors": lambda home: VectorsTarget(home, ".vec", seeds.vector_files()),
}  # fmt: skip
_FOLDERS = {
    "folder": FolderTarget,
    "several": SeveralTarget,
    "corpus": lambda home: CorpusTarget(home, seeds.saved_corpus(home)),
    "distinct": lambda home: CorpusTarget(home, seeds.saved_corpus(home), ("distinct.safetensors",)),
    "parts": lambda home: PartsTarget(home, seeds.index_in_parts(home)),
    "encoder": lambda home: EncoderTarget(home, valid) if (valid := seeds.encoder(home)) else None,
    "workspace": lambda home: WorkspaceTarget(home, seeds.workspace(home)),
    "model": lambda home: ModelTarget(home, seeds.saved_model(home)),
    "report": lambda home: ReportTarget(home, seeds.saved_model(home), (MANIFEST,)),
    "unfinished": lambda home: UnfinishedTarget(home, seeds.unfinished_fit(home)),
    "checks": ChecksTarget,
    "concepts": ConceptTarget,
    "journal": JournalTarget,
}
TARGETS = (*_FILES, *_FOLDERS)
"""The names of all targets."""
