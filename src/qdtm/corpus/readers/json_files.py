"""A .json file in, records out: an array of objects, or an object that has one in it.

Read in pieces, an entry at a time, so that a file of any size takes the memory of its largest entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from qdtm.corpus.readers.encoding import open_text
from qdtm.corpus.readers.json_lines import read_json_lines, records_of_objects
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, Meter, ReadOptions, Record
from qdtm.errors import CorpusError

_PIECE = 2**18
_CUT = 16
"""So near to the end of what was read, an error may be of a value that is not yet whole."""

_DEEPEST = 8
"""Objects inside each other in which an array is looked for."""

_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_BLANK = re.compile("[ \t\r\n\ufeff\0]*")


def read_json(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the objects of a .json file; one that has an object a line is read as JSON lines.

    Of an object the longest array in it is read, at any depth ("results", "data.items", ...); or itself, if
    it has none, or more text of its own than that array.
    """
    with open_text(path, options.encoding, meter) as file:
        values = _Values(file, path)
        first = values.peek()
        if first == "[":
            yield from records_of_objects(_numbered(values.all_of_array(), path), options, path)
            return
        if first != "{":
            reason = "has no array of objects in it, one for each document" if first else "is empty"
            raise CorpusError(f"{str(path)!r} {reason}.")
        arrays = values.arrays()
        has_more = bool(values.peek())
        if not has_more:
            file.seek(0)
            longest = max(arrays, key=lambda each: each.n_objects, default=None)
            is_one = longest is None or values.n_own > longest.n_characters
            found = _Values(file, path).array_at(() if is_one or longest is None else longest.keys)
            yield from records_of_objects(_numbered(found, path), options, path)
            return
    yield from read_json_lines(path, options, meter)


def _numbered(found: Iterator[Any], path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, value in enumerate(found, start=1):
        entry = {"text": value} if isinstance(value, str) else value
        if not isinstance(entry, dict) or not entry:
            raise CorpusError(f"Entry {number:,} of {str(path)!r} is not a JSON object with a text in it.")
        yield number, entry


# --- values as they come -----------------------------------------------------------------------------------


class _Array(NamedTuple):
    """An array of objects inside an object: where it is, and how long."""

    keys: tuple[str, ...]
    n_objects: int
    n_characters: int


class _Values:
    """The values of JSON text, taken one after the other from a file.

    Parameters
    ----------
    file : text file
    path : Path
        For messages.
    """

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file, self._path = file, path
        self._text, self._at, self._n_before = "", 0, 0
        self.n_own = 0  # characters of texts beside arrays

    def all_of_array(self) -> Iterator[Any]:
        """Yield the values of the array that comes next, after which nothing may come."""
        yield from self.array()
        if self.peek():
            raise self._broken("there is more after its end")

    def array(self) -> Iterator[Any]:
        """Yield the values of the array that comes next."""
        self._take("[")
        while self.peek() != "]":
            yield self._value()
            if self.peek() != "]":
                self._take(",")
        self._take("]")

    def array_at(self, keys: Sequence[str]) -> Iterator[Any]:
        """Yield the values of the array that is inside the object that comes next; or that object itself."""
        if not keys:
            yield from self.array() if self.peek() == "[" else (self._value(),)
            return
        for name in self._keys():
            if name == keys[0]:
                yield from self.array_at(keys[1:])
                return
            self._value()

    def arrays(self, above: tuple[str, ...] = ()) -> list[_Array]:
        """Return the arrays of objects inside the object that comes next."""
        found: list[_Array] = []
        for name in self._keys():
            kind, keys, start = self.peek(), (*above, name), self._n_before + self._at
            if kind == "{" and len(keys) < _DEEPEST:
                found += self.arrays(keys)
            elif kind == "[":
                n_objects = self._n_objects()
                found += [_Array(keys, n_objects, self._n_before + self._at - start)] if n_objects else []
            else:
                value = self._value()
                self.n_own += len(value) if isinstance(value, str) else 0
        return found

    def _n_objects(self) -> int:
        """Return how many values the array has that comes next, if its first is an object; else 0."""
        n, has_objects = 0, False
        for n, value in enumerate(self.array(), start=1):
            has_objects = has_objects or (n == 1 and isinstance(value, dict))
        return n if has_objects else 0

    def peek(self) -> str:
        """Return the next character that is not blank; nothing at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_on():
                return ""

    def _keys(self) -> Iterator[str]:
        self._take("{")
        while self.peek() != "}":
            name = self._value()
            if not isinstance(name, str):
                raise self._broken("a key is no string")
            self._take(":")
            yield name
            if self.peek() != "}":
                self._take(",")
        self._take("}")

    def _take(self, mark: str) -> None:
        if self.peek() != mark:
            raise self._broken(f"{mark!r} is missing" if self.peek() else "it ends too early")
        self._at += 1

    def _value(self) -> Any:
        self.peek()
        piece = _PIECE
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise CorpusError(f"{str(self._path)!r} is nested too deeply.") from None
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated string") or error.pos > len(self._text) - _CUT
                if not is_cut or not self._read_on(piece):
                    raise self._broken(error.msg) from error
                piece *= 2  # a long value is not begun again for each piece of it
            except ValueError:
                raise self._broken("it holds too long a number") from None
            else:
                if end < len(self._text) or not self._read_on():  # a number may go on
                    self._at = end
                    return value

    def _read_on(self, piece: int = _PIECE) -> bool:
        """Read more; return whether there was any."""
        left = self._text[self._at :]
        self._n_before += self._at
        if len(left) > MAX_TEXT:
            raise CorpusError(f"An entry of {str(self._path)!r} has more than {MAX_TEXT_MB} MB.")
        read = self._file.read(piece)
        self._text, self._at = left + read, 0
        return bool(read)

    def _broken(self, reason: str) -> CorpusError:
        return CorpusError(f"{str(self._path)!r} is not JSON: {reason}.")
