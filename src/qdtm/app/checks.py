"""What people said about documents, beside a result: it grows with every answer, the result never changes."""

from __future__ import annotations

from pathlib import Path

from qdtm.results.checks.files import read_checks
from qdtm.results.result import Result
from qdtm.storage import CHECK


def check_stamp(folder: Path) -> int:
    """Return what changes with every answer; 0 if nobody has answered."""
    path = folder / CHECK
    return path.stat().st_mtime_ns if path.is_file() else 0


def with_checks(folder: Path, result: Result) -> Result:
    """Return a result with what was said about its documents.

    Raises
    ------
    StorageError
        If the file is damaged, or of another result.
    """
    for check in read_checks(folder, result.corpus.n_documents):
        result = result.with_check(check)
    return result
