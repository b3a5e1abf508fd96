"""A file in, its lines as text out, whatever its encoding.

A byte order mark decides; without one a file that is valid UTF-8 is UTF-8. A file that is UTF-8 but for a few
broken bytes stays UTF-8, with those replaced. Of anything else charset-normalizer sees a sample. It tells
scripts apart, but hardly the encodings of Latin letters: of those the one wins under which most function
words are spelled right. What stays in doubt is taken as Windows-1252 (or Latin-1 where that has no
character). The user is told which was taken.
"""

from __future__ import annotations

import codecs
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning, Meter
from qdtm.corpus.stop_word_lists import stop_words
from qdtm.errors import CorpusError, ParameterError

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatches

_MARKS = (  # the longer ones first: UTF-16's begins UTF-32's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PIECE = 2**20
_NOT_IN_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_WORD = re.compile(r"\w+")
_OF_WORDS = bytes(range(0x30, 0x100))  # no encoding has other bytes inside a character

_ADVICE = "if letters look wrong, save it as UTF-8 or give its encoding (--encoding, in Python encoding=)."
_SAMPLE_BYTES = 2**15
_STEP_BYTES = 512  # charset-normalizer judges pieces of this size, and by itself five of them only
_MIN_BYTES = 32  # that are not ASCII; a script is not told from fewer ...
_MIN_SHARE = 0.05  # ... nor from a smaller part of the lines, which quotation marks and dashes can make up
_MOST_CHAOS = 0.1  # of what charset-normalizer would accept, the better half

# Those in wide use, and the larger ones where one has another in it: cp932 has Shift-JIS, cp949 EUC-KR,
# gb18030 GBK. Where nothing else decides the first wins.
_LATIN = ("cp1252", "mac_roman", "cp1250", "iso8859_2", "cp1254", "cp850")
_SCRIPTS = (
    "cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic", "cp1253", "iso8859_7", "cp1255", "cp1256",
    "gb18030", "big5", "cp932", "euc_jp", "cp949", "tis_620",
)  # fmt: skip
_LANGUAGES = (
    "catalan", "czech", "danish", "dutch", "finnish", "french", "german", "hungarian", "italian", "norwegian",
    "polish", "portuguese", "romanian", "slovak", "spanish", "swedish", "turkish",
)  # fmt: skip


_OTHER_KINDS = {
    b"%PDF-": "it is a PDF file",
    b"PK\x03\x04": "it is packed, as .docx, .odt, .epub, .xlsx and .zip are",
    b"\xd0\xcf\x11\xe0": "it is of an old Office, or encrypted; save it as .docx or .xlsx",
    b"{\\rtf": "it is Rich Text (.rtf)",
    b"SQLite format 3\0": "it is an SQLite database (.db)",
    b"PAR1": "it is a Parquet file",
    b"\x1f\x8b": "it is packed (.gz)",
    b"\x89PNG": "it is a picture",
    b"\xff\xd8\xff": "it is a picture",
}
"""How files begin that are no text."""

_CONTROLS = bytes({*range(1, 32)} - set(b"\t\n\v\f\r\x1b"))
_LEAST_TEXT = 0.95
"""What of the beginning of a text is no control character; of random bytes it is 0.9."""


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


def is_empty(path: Path) -> bool:
    """Return whether a file has no bytes.

    The system says so of its own files, too (/proc): some of them have no end, and others are waited for.
    """
    with reading_errors(path):
        return path.stat().st_size == 0


def check_encoding(wanted: str) -> str:
    """Return the usual name of an encoding; refuse what is none."""
    try:
        "".encode(wanted)  # finds it, and that it is one of texts, which "zlib" is not
        return codecs.lookup(wanted).name
    except (LookupError, ValueError) as error:
        raise ParameterError(
            f"There is no encoding {wanted!r}; try 'utf-8', 'cp1252' or 'utf-16'."
        ) from error


def find_encoding(path: Path, wanted: str | None = None) -> Encoding:
    """Find out how a file is encoded, or check that `wanted` is an encoding.

    Raises
    ------
    CorpusError
        If it is of a kind that is no text, whatever its ending says.
    """
    with path.open("rb") as file:
        head = file.read(4096)
    kind = next((kind for begins, kind in _OTHER_KINDS.items() if head.startswith(begins)), None)
    if kind is not None:
        raise CorpusError(f"{str(path)!r} has another ending than what is in it: {kind}.")
    if wanted is not None:
        return Encoding(check_encoding(wanted))
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, "replace")
    if (unmarked := _unmarked_utf16(head)) is not None:
        return Encoding(unmarked, "replace")
    if len(head.translate(None, _CONTROLS)) < _LEAST_TEXT * len(head):
        raise CorpusError(f"{str(path)!r} is no text.")
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


def _unmarked_utf16(head: bytes) -> str | None:
    """Return which UTF-16 a file without a mark begins in, if it does.

    Its spaces and line ends have a NUL, as the first byte of two or as the second; charset-normalizer looks
    whether the characters make sense.
    """
    n_even, n_odd = head[::2].count(0), head[1::2].count(0)
    if n_even == n_odd or max(n_even, n_odd) < 2:
        return None
    from charset_normalizer import from_bytes

    name = "utf_16_be" if n_even > n_odd else "utf_16_le"
    found = from_bytes(head[: len(head) & ~1], cp_isolation=[name], enable_fallback=False).best()
    return codecs.lookup(name).name if found is not None else None


def _second_choice(path: Path) -> Encoding:
    """Choose between broken UTF-8 and older encodings for a file that is not valid UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    n_broken = n_other = 0
    in_cp1252 = True
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            text = decoder.decode(piece)
            broken = text.count("\ufffd")
            n_broken += broken
            n_other += len(text) - len(text.encode("ascii", "ignore")) - broken
            in_cp1252 = in_cp1252 and not _NOT_IN_CP1252.search(piece)
    if n_other > 5 * n_broken:
        return Encoding(
            "utf-8", "replace", f"is UTF-8 with {n_broken:,} broken characters, which were replaced."
        )
    found = _detect(_sample(path))
    if found is not None and (found != "cp1252" or in_cp1252):
        name = codecs.lookup(found).name
        note = f"is not UTF-8 and was read as {name}, which fits it best; {_ADVICE}"
        return Encoding(name, "replace", note)
    name = "cp1252" if in_cp1252 else "latin-1"
    note = f"is not UTF-8, is of doubtful encoding and was read as {name} (Western European); {_ADVICE}"
    return Encoding(name, "strict", note)


def _sample(path: Path) -> bytes:
    """Return the first lines of a file that are not ASCII, at most twice `_SAMPLE_BYTES`."""
    lines: list[bytes] = []
    n_bytes = 0
    with path.open("rb") as file:
        while n_bytes < _SAMPLE_BYTES and (line := file.readline(_SAMPLE_BYTES)):
            if not line.isascii():
                lines.append(line if line.endswith(b"\n") else line.rstrip(_OF_WORDS) or line)
                n_bytes += len(line)
    return b"".join(lines)


def _detect(sample: bytes) -> str | None:
    """Return the encoding that fits a sample best; None if that is in doubt."""
    from charset_normalizer import from_bytes

    steps = max(5, len(sample) // _STEP_BYTES)
    padded = sample + b" " * (-len(sample) % steps)  # or a last step of a few letters would count as much
    known = [*_LATIN, *_SCRIPTS]
    matches = from_bytes(padded, steps, _STEP_BYTES, cp_isolation=known, enable_fallback=False)
    best = matches.best()
    if best is None or best.chaos > _MOST_CHAOS:
        return None
    n_bytes = sum(byte > 127 for byte in sample)
    if best.encoding in _SCRIPTS and n_bytes >= _MIN_SHARE * len(sample):
        return _first(_SCRIPTS, best.could_be_from_charset) if n_bytes >= _MIN_BYTES else None
    return _best_of_latin(matches)


def _best_of_latin(matches: CharsetMatches) -> str | None:
    """Return the encoding of Latin letters under which most words are spelled right; None if in doubt."""
    ranked = sorted(
        (
            (_n_function_words(str(match)), -round(match.chaos, 2), -_LATIN.index(name))
            for match in matches
            if (name := _first(_LATIN, match.could_be_from_charset))
        ),
        reverse=True,
    )
    if not ranked:
        return None
    is_tie = len(ranked) > 1 and ranked[0][0] == ranked[1][0]
    name = _LATIN[-ranked[0][2]]
    return None if is_tie and name == "cp1252" else name


def _first(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in names), None)


def _n_function_words(text: str) -> int:
    """Count the function words of any language in a text that have a letter beyond ASCII."""
    words = _function_words()
    return sum(word in words for word in _WORD.findall(text.lower()))


@cache
def _function_words() -> frozenset[str]:
    words = (word for language in _LANGUAGES for word in stop_words(language))
    return frozenset(word for word in words if not word.isascii())
