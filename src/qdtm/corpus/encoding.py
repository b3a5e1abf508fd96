"""A file in, its lines as text out, whatever its encoding.

A byte order mark decides; without one a file that is valid UTF-8 is UTF-8. A file that is UTF-8 but for a few
broken bytes stays UTF-8, with those replaced; anything else is taken as Windows-1252 (or Latin-1 where that
has no character), and the user is told.
"""

from __future__ import annotations

import codecs
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from qdtm.corpus.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning, Meter
from qdtm.errors import CorpusError, ParameterError

_MARKS = (  # the longer ones first: UTF-16's begins UTF-32's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PIECE = 2**20
_NOT_IN_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True)
class Encoding:
    """How to decode a file.

    Attributes
    ----------
    name : str
        The codec.
    errors : str
        What to do with bytes that it cannot decode.
    note : str
        What the user should know about the choice; empty if there is nothing.
    """

    name: str
    errors: str = "strict"
    note: str = ""


def find_encoding(path: Path, wanted: str | None = None) -> Encoding:
    """Find out how a file is encoded, or check that `wanted` is an encoding."""
    if wanted is not None:
        try:
            "".encode(wanted)  # finds it, and that it is one of texts, which "zlib" is not
            return Encoding(codecs.lookup(wanted).name)
        except (LookupError, ValueError) as error:
            raise ParameterError(
                f"There is no encoding {wanted!r}; try 'utf-8', 'cp1252' or 'utf-16'."
            ) from error
    with path.open("rb") as file:
        head = file.read(4096)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, "replace")
    if head[1::2].count(0) > 0.8 * len(head[1::2]) and 0 not in head[::2]:
        return Encoding("utf-16-le", "replace")
    if head[::2].count(0) > 0.8 * len(head[::2]) and 0 not in head[1::2]:
        return Encoding("utf-16-be", "replace")
    return Encoding("utf-8") if _is_utf8(path) else _second_choice(path)


@contextmanager
def open_text(
    path: Path, wanted: str | None, meter: Meter, *, newline: str | None = None
) -> Iterator[TextIO]:
    """Open a file as text, warning of a doubtful encoding; what goes wrong becomes a `CorpusError`."""
    with reading_errors(path):
        encoding = find_encoding(path, wanted)
        if encoding.note:
            warnings.warn(f"{path.name!r} {encoding.note}", CorpusWarning, stacklevel=2)
        with path.open("rb") as raw:
            meter.watch(raw, path.stat().st_size)
            yield io.TextIOWrapper(raw, encoding=encoding.name, errors=encoding.errors, newline=newline)


def bounded_lines(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the lines of a file; NUL characters become spaces, and a line that has no end is refused."""
    number = 0
    while line := file.readline(MAX_TEXT + 1):
        number += 1
        if len(line) > MAX_TEXT:
            raise CorpusError(f"Line {number:,} of {str(path)!r} is longer than {MAX_TEXT_MB} MB; split it.")
        yield line.replace("\0", " ") if "\0" in line else line


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Turn the errors of opening and decoding a file into one clear line."""
    try:
        yield
    except UnicodeError as error:
        reason = str(error).replace("\n", " ")
        raise CorpusError(f"{str(path)!r} is not in the encoding that was given: {reason}.") from error
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise CorpusError(f"Cannot read {str(path)!r}: {reason}.") from error


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _second_choice(path: Path) -> Encoding:
    """Choose between broken UTF-8, Windows-1252 and Latin-1 for a file that is not valid UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    n_broken = n_other = 0
    in_cp1252 = True
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            text = decoder.decode(piece)
            broken = text.count("\ufffd")
            n_broken += broken
            n_other += sum(1 for _ in _NOT_ASCII.finditer(text)) - broken
            in_cp1252 = in_cp1252 and not _NOT_IN_CP1252.search(piece)
    if n_other > 5 * n_broken:
        return Encoding(
            "utf-8", "replace", f"is UTF-8 with {n_broken:,} broken characters, which were replaced."
        )
    name = "cp1252" if in_cp1252 else "latin-1"
    advice = "if letters look wrong, save it as UTF-8 or pass its encoding."
    return Encoding(name, "strict", f"is not UTF-8 and was read as {name} (Western European); {advice}")
