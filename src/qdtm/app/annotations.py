"""What people add to a result, kept beside it: names, answers, opened subtopics. The result never changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from qdtm.app.workspace import read_json, write_json
from qdtm.errors import QueryError
from qdtm.results.hand_check.files import read_checks
from qdtm.results.result import Result
from qdtm.storage.folders import CHECK

# --- names --------------------------------------------------------------------------------------------------
#
# The user's names for topics, beside a result: they change often, the result never does.

_LABELS = "labels.json"


def read_labels(folder: Path) -> dict[str, str]:
    """Return the names that were given, by topic id."""
    values = read_json(folder / _LABELS) or {}
    return {str(topic): label for topic, label in values.items() if isinstance(label, str)}


def write_label(folder: Path, result: Result, topic: str, label: str) -> None:
    """Name a topic; an empty name takes it away.

    Raises
    ------
    ParameterError
        If there is no such topic, or the name is too long.
    """
    labelled = result.with_labels({**read_labels(folder), topic: label})
    write_json(folder / _LABELS, dict(labelled.fit.presentation.labels))


# --- hand-checks --------------------------------------------------------------------------------------------
#
# What people said about documents, beside a result: it grows with every answer, the result never changes.


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


# --- opened subtopics ---------------------------------------------------------------------------------------
#
# Which subtopics were opened, beside a result: it never changes, and opening gives the same again.

_OPENED = "opened.json"


def read_opened(folder: Path) -> list[str]:
    """Return the ids of the subtopics that were opened, each after the one above it."""
    values = (read_json(folder / _OPENED) or {}).get("subtopics", [])
    return [id for id in values if isinstance(id, str)] if isinstance(values, list) else []


def open_subtopics(result: Result, ids: Sequence[str]) -> Result:
    """Return a result with subtopics opened; one that cannot be opened any more stays closed."""
    for id in ids:
        with suppress(QueryError):
            result = _open(result, id)
    return result


def _open(result: Result, id: str) -> Result:
    from qdtm.model import QueryDrivenTopicModel  # loads the sampler

    model = QueryDrivenTopicModel.of(result)
    model.drill_down(id)
    return model.result_


def note_opened(folder: Path, result: Result, id: str) -> None:
    """Open one more subtopic of a result, and note it.

    Raises
    ------
    QueryError
        If there is no such subtopic, or it is too small to split.
    """
    _open(result, id)
    write_json(folder / _OPENED, {"subtopics": list(dict.fromkeys([*read_opened(folder), id]))})
