"""A .json file in, records out: an array of objects, or an object that has one in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qdtm.corpus.readers.contents import read_text
from qdtm.corpus.readers.json_lines import read_json_lines, records_of_objects
from qdtm.corpus.readers.records import Meter, ReadOptions, Record
from qdtm.errors import CorpusError


def read_json(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the objects of a .json file; one that has an object a line is read as JSON lines."""
    source, _ = read_text(path, options.encoding)
    source = source.strip("\ufeff \n\t")
    if not source:
        raise CorpusError(f"{str(path)!r} is empty.")
    try:
        value = json.loads(source, parse_constant=lambda _: None)
    except RecursionError:
        raise CorpusError(f"{str(path)!r} is nested too deeply.") from None
    except ValueError as error:
        if source.startswith("{") and "\n" in source:
            yield from read_json_lines(path, options, meter)
            return
        reason = getattr(error, "msg", "it holds too long a number")
        raise CorpusError(f"{str(path)!r} is not JSON: {reason}.") from error
    del source
    found = _array(value)
    if not found:
        raise CorpusError(f"{str(path)!r} has no array of objects in it, one for each document.")
    yield from records_of_objects(_numbered(found, path), options, path)
    meter.set(1.0)


def _array(value: Any) -> list[Any]:
    """Return the array of objects in a value: itself, or the longest in it ("results", "items", ...)."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return []
    arrays = [
        each for each in value.values() if isinstance(each, list) and each and isinstance(each[0], dict)
    ]
    return max(arrays, key=len, default=[value])


def _numbered(found: list[Any], path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, value in enumerate(found, start=1):
        entry = {"text": value} if isinstance(value, str) else value
        if not isinstance(entry, dict) or not entry:
            raise CorpusError(f"Entry {number:,} of {str(path)!r} is not a JSON object with a text in it.")
        yield number, entry
