"""A .jsonl file in, records out: one JSON object (or string) a line."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from qdtm.corpus.readers.csv_files import peek
from qdtm.corpus.readers.encoding import bounded_lines, open_text
from qdtm.corpus.readers.records import (
    N_PEEKED,
    Meter,
    ReadOptions,
    Record,
    check_width,
    find_roles,
    join_texts,
)
from qdtm.corpus.readers.references import arranged, is_reference, reference_of_json
from qdtm.errors import CorpusError

_MAX_DEPTH, _MAX_NESTED = 6, 64
"""Objects that are deeper, or have more keys, stay JSON: they are no columns but data."""

_Line = tuple[int, dict[str, Any]]


def read_json_lines(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the objects of a .jsonl file; every key but those of text, name and title becomes a field.

    A line that is a string is a text. A text that is null or absent is empty, a list of strings is joined.
    """
    with open_text(path, options.encoding, meter) as file:
        yield from records_of_objects(_objects(bounded_lines(file, path), path), options, path)


def records_of_objects(objects: Iterator[_Line], options: ReadOptions, path: Path) -> Iterator[Record]:
    """Yield a record for each numbered object; entries of a bibliography are known by their keys."""
    peeked = peek(objects, N_PEEKED, lambda line: sum(len(str(value)) for value in line[1].values()))
    if not peeked:
        raise CorpusError(f"{str(path)!r} is empty.")
    n_references = sum(is_reference(entry) for _, entry in peeked)
    if options.text_column is None and 2 * n_references >= len(peeked):
        found = (reference_of_json(entry, str(n)) for n, entry in itertools.chain(peeked, objects))
        yield from arranged(found, options, path)
        return
    flat = _flattened(itertools.chain(peeked, objects), path)
    peeked = list(itertools.islice(flat, len(peeked)))
    names = list(dict.fromkeys(key for _, entry in peeked for key in entry))
    rows = [[_as_text(entry.get(name)) for name in names] for _, entry in peeked]
    roles = find_roles(names, rows, options, repr(path.name))
    called = roles.names(names)
    keys = _Keys(
        tuple(names[c] for c in roles.text),
        called["id_name"],
        called["title_name"],
        frozenset() if options.all_fields else frozenset(names[c] for c in roles.apart),
        called,
    )
    for number, entry in itertools.chain(peeked, flat):
        yield _record(number, entry, keys, path)


class _Keys(NamedTuple):
    """Which keys are what."""

    text: tuple[str, ...]
    id: str
    title: str
    apart: frozenset[str]
    names: dict[str, str]


def _objects(lines: Iterable[str], path: Path) -> Iterator[_Line]:
    """Yield the number and the object of each line that is not blank."""
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
        yield number, value


def _flattened(objects: Iterable[_Line], path: Path) -> Iterator[_Line]:
    """Yield the objects with what is nested under names such as "body.text"."""
    keys: set[str] = set()
    for number, entry in objects:
        flat: dict[str, Any] = {}
        _flatten(entry, "", _MAX_DEPTH, flat)
        keys.update(flat)
        check_width(len(keys), repr(path.name))
        yield number, flat


def _flatten(entry: dict[str, Any], before: str, depth: int, flat: dict[str, Any]) -> None:
    for key, value in entry.items():
        if isinstance(value, dict) and value and depth and len(value) <= _MAX_NESTED:
            _flatten(value, f"{before}{key}.", depth - 1, flat)
        else:
            flat.setdefault(before + key, value)


def _record(number: int, entry: dict[str, Any], keys: _Keys, path: Path) -> Record:
    for key in keys.text:
        if isinstance(entry.get(key), dict) or any(each.startswith(f"{key}.") for each in entry):
            raise CorpusError(f"Line {number:,} of {str(path)!r}: {key!r} is an object, not a text.")
    texts = [_as_text(entry.get(key)) for key in keys.text]
    identity, title = (_as_text(entry.get(key)) if key else "" for key in (keys.id, keys.title))
    fields = {key: _as_text(value) for key, value in entry.items() if key not in keys.apart}
    text = texts[0] if len(texts) == 1 else join_texts(texts)
    return Record(identity or str(number), text, fields, title=title, is_numbered=not identity, **keys.names)


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
