"""The user's names for topics, beside a result: they change often, the result never does."""

from __future__ import annotations

from pathlib import Path

from qdtm.app.workspace import read_json, write_json
from qdtm.results.result import Result

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
