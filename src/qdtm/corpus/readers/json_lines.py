"""A .jsonl file in, records out: one JSON object (or string) a line."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from qdtm.corpus.readers.csv_files import peek
from qdtm.corpus.readers.encoding import bounded_lines, open_text
from qdtm.corpus.readers.records import (
    N_PEEKED,
    Meter,
    ReadOptions,
    Record,
    check_width,
    find_id_column,
    find_text_column,
)
from qdtm.errors import CorpusError

_Line = tuple[int, dict[str, Any]]


def read_json_lines(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the objects of a .jsonl file; every key but those of the text and the name becomes a field.

    A line that is a string is a text. A text that is null or absent is empty, a list of strings is joined.
    """
    with open_text(path, options.encoding, meter) as file:
        objects = _objects(bounded_lines(file, path), path)
        peeked = peek(objects, N_PEEKED, lambda line: sum(len(str(value)) for value in line[1].values()))
        if not peeked:
            raise CorpusError(f"{str(path)!r} is empty.")
        names = list(dict.fromkeys(key for _, entry in peeked for key in entry))
        rows = [[_as_text(entry.get(name)) for name in names] for _, entry in peeked]
        source = repr(path.name)
        text_key = names[find_text_column(names, rows, options.text_column, source)]
        id_position = find_id_column(names, options.id_column, source)
        id_key = None if id_position is None else names[id_position]
        apart = () if options.all_fields else (text_key, id_key)
        for number, entry in itertools.chain(peeked, objects):
            yield _record(number, entry, text_key, id_key, apart, path)


def _objects(lines: Iterable[str], path: Path) -> Iterator[_Line]:
    """Yield the number and the object of each line that is not blank."""
    keys: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=lambda _: None)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "it is nested too deeply or holds too long a number")
            hint = (
                " A .jsonl file has one object a line." if number == 1 and line.strip() in ("[", "{") else ""
            )
            raise CorpusError(f"Line {number:,} of {str(path)!r} is not JSON: {reason}.{hint}") from error
        if isinstance(value, str):
            value = {"text": value}
        if not isinstance(value, dict) or not value:
            raise CorpusError(f"Line {number:,} of {str(path)!r} is not a JSON object with a text in it.")
        keys.update(value)
        check_width(len(keys), repr(path.name))
        yield number, value


def _record(
    number: int,
    entry: dict[str, Any],
    text_key: str,
    id_key: str | None,
    apart: Collection[str | None],
    path: Path,
) -> Record:
    text = entry.get(text_key)
    if isinstance(text, dict):
        raise CorpusError(f"Line {number:,} of {str(path)!r}: {text_key!r} is an object, not a text.")
    identity = _as_text(entry.get(id_key)) if id_key is not None else ""
    fields = {key: _as_text(value) for key, value in entry.items() if key not in apart}
    return Record(identity or str(number), _as_text(text), fields, id_key or "")


def _as_text(value: object) -> str:
    """Return a JSON value as the text to show for it; what is nested stays JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # it was just not too deep to be read
        raise CorpusError("A value is nested too deeply to be shown; take it out of the file.") from None
