"""Which subtopics were opened, beside a result: it never changes, and opening gives the same again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from qdtm.app.workspace import read_json, write_json
from qdtm.errors import QueryError
from qdtm.results.result import Result

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
