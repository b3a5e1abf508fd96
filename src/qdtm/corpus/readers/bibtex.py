"""A BibTeX file in, records out.

Read in pieces that begin with a line such as "@article{", with braces counted: an entry that is never closed
is left out, and said, and takes no other with it.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

from qdtm.corpus.readers.csv_files import require_size
from qdtm.corpus.readers.encoding import bounded_lines, open_text
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning, Meter, ReadOptions, Record
from qdtm.corpus.readers.references import arranged, reference
from qdtm.errors import CorpusError

_ENTRY = re.compile(r"@\s{0,9}([A-Za-z]{1,40})\s{0,9}[{(]")
_FIRST_LINE = re.compile(r"[ \t]{0,20}@\s{0,9}[A-Za-z]{1,40}\s{0,9}[{(]")
_KEY = re.compile(r"\s*([^\s,{}]{0,300})\s*,")
_FIELD = re.compile(r"[\s,]*([A-Za-z][\w:.+-]{0,100})\s*=\s*")
_BARE = re.compile(r"[^\s,{}#\"]{1,1000}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_QUOTE = re.compile(r'\\.|[{}"]', re.DOTALL)

_MAX_MACROS, _MAX_MACRO = 10_000, 1_000

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł",
    "L": "Ł", "i": "i", "j": "j", "textendash": "–", "textemdash": "—", "textquoteright": "’", "ldots": "…",
    "textquoteleft": "‘", "textquotedblleft": "“", "textquotedblright": "”", "dots": "…", "par": "\n\n",
    "textbraceleft": "\ufdd0", "textbraceright": "\ufdd1", "textasciitilde": "\ufdd2",
    "textasciicircum": "^", "textbackslash": "\ufdd3",
}  # fmt: skip
_LITERAL = {"{": "\ufdd0", "}": "\ufdd1", "~": "\ufdd2", **{sign: sign for sign in "&%$#_^"}}
_KEPT = str.maketrans("\ufdd0\ufdd1\ufdd2\ufdd3", "{}~\\")
"""What stands for itself is no character until what has a meaning is gone."""

_ACCENTED = re.compile(
    r"""\\(?:([`'^~"=.])\s{0,3}|([uvHckrdb])(?:\s{1,3}|(?=\{)))(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))"""
)
_COMMAND = re.compile(r"\\([A-Za-z]{1,30})\s{0,3}(?:\{\})?")
_FORMULA = re.compile(r"(?<!\\)\$([^$]{1,200})(?<!\\)\$")  # "CO$_{2}$" is CO2
_RAISED = re.compile(r"[_^](?=[{\w])")
_FORMAT = re.compile(
    r"\\(?:text(?:it|bf|rm|sc|tt|sf|sl|up|md|subscript|superscript)|emph|math(?:rm|it|bf))\s{0,3}(?=\{)"
)
_SINGLE = re.compile(r"\\([^A-Za-z\s])")


def read_bibtex(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the entries of a .bib file."""
    n_entries = 0

    def records() -> Iterator[Record]:
        nonlocal n_entries
        for n_entries, values in enumerate(_all_entries(_pieces(file, path), path), start=1):
            yield reference(values, str(n_entries))

    with open_text(path, options.encoding, meter) as file:
        yield from arranged(records(), options, path)
    if not n_entries:
        raise CorpusError(f"{str(path)!r} has no entry of a bibliography in it.")


def _pieces(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the lines from one that begins an entry to the next."""
    lines: list[str] = []
    size = 0
    for line in bounded_lines(file, path):
        if lines and _FIRST_LINE.match(line):
            yield "".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
        if size > MAX_TEXT:
            raise CorpusError(f"An entry of {str(path)!r} has more than {MAX_TEXT_MB} MB.")
    yield "".join(lines)


class _Macros:
    """What @string entries stand for: a bounded number, each of bounded length, named within bounds."""

    def __init__(self, path: Path) -> None:
        self._path, self._values, self._n_named = path, dict[str, str](), 0

    def define(self, fields: Mapping[str, str]) -> None:
        """Keep the values of an @string entry."""
        if len(self._values) < _MAX_MACROS:
            self._values |= {name: value[:_MAX_MACRO] for name, value in fields.items()}

    def value(self, name: str) -> str:
        """Return what a bare word stands for, or itself; "a # a # ..." may come to 500 times its length."""
        value = self._values.get(name.lower(), name)
        self._n_named += len(value)
        require_size(self._n_named, self._path)
        return value


def _all_entries(pieces: Iterable[str], path: Path) -> Iterator[dict[str, str]]:
    macros = _Macros(path)
    n_broken = 0
    for piece in pieces:
        for entry in _entries(piece.replace("\0", " "), macros):
            n_broken += entry is None
            if entry is not None:
                yield entry
    if n_broken:
        message = f"{n_broken:,} entries of {path.name!r} have no key or no field; they were passed over."
        warnings.warn(message, CorpusWarning, stacklevel=2)


def _entries(source: str, macros: _Macros) -> Iterator[dict[str, str] | None]:
    """Yield the fields of each entry; None for one that is broken."""
    at = 0
    while found := _ENTRY.search(source, at):
        kind = found[1].lower()
        at = found.end()
        if kind in ("comment", "preamble"):
            continue
        key = None if kind == "string" else _KEY.match(source, at)
        fields, at = _fields(source, key.end() if key else at, macros)
        if kind == "string":
            macros.define(fields)
        elif key is None or not fields:
            yield None
        else:
            plain = {name: unlatex(value) for name, value in fields.items()}
            plain["authors"] = plain.pop("author", plain.pop("editor", "")).replace(" and ", "; ")
            yield {"id": key[1], "entrytype": kind, **plain}


def _fields(source: str, at: int, macros: _Macros) -> tuple[dict[str, str], int]:
    """Return the fields of an entry, and where it ends."""
    fields: dict[str, str] = {}
    while found := _FIELD.match(source, at):
        value, at = _value(source, found.end(), macros)
        if value is None:
            break
        fields.setdefault(found[1].lower(), value)
    return fields, at


def _value(source: str, at: int, macros: _Macros) -> tuple[str | None, int]:
    """Return a value, which may be several joined by "#", and where it ends; None if it has no end."""
    pieces: list[str] = []
    while True:
        opening = source[at : at + 1]
        if opening in ("{", '"') and opening:
            end = _closing(source, at + 1, _BRACE if opening == "{" else _QUOTE)
            if end is None:
                return None, len(source)
            pieces.append(source[at + 1 : end])
            at = end + 1
        elif bare := _BARE.match(source, at):
            pieces.append(macros.value(bare[0]))
            at = bare.end()
        else:
            return None, at
        joined = re.compile(r"\s*#\s*").match(source, at)
        if joined is None:
            return "".join(pieces), at
        at = joined.end()


def _closing(source: str, at: int, pattern: re.Pattern[str]) -> int | None:
    """Return where the brace or quotation mark is that closes a value."""
    depth = 0
    for mark in pattern.finditer(source, at):
        if mark[0] == "{":
            depth += 1
        elif depth == 0 and mark[0] in ("}", '"'):
            return None if mark[0] == "}" and pattern is _QUOTE else mark.start()
        elif mark[0] == "}":
            depth -= 1
    return None


def unlatex(text: str) -> str:
    r"""Return a value of BibTeX as plain text.

    Examples
    --------
    >>> unlatex(r'The {N}eural M{\"u}ller \& sons -- 50\% {\o}re \{~\textasciitilde{}\}')
    'The Neural Müller & sons – 50% øre { ~}'
    """
    text = _FORMULA.sub(lambda m: _RAISED.sub("", m[1]), text)
    if "\\" in text:
        text = _FORMAT.sub("", text)
        text = _ACCENTED.sub(_accented, text)
        text = _COMMAND.sub(
            lambda m: _LETTERS.get(m[1], " " if m[1].islower() and len(m[1]) > 2 else ""), text
        )
        text = _SINGLE.sub(lambda m: _LITERAL.get(m[1], " "), text)
    text = text.replace("{", "").replace("}", "").replace("---", "—").replace("--", "–").replace("~", " ")
    return re.sub(r"[ \t]+", " ", text).translate(_KEPT).strip()


def _accented(found: re.Match[str]) -> str:
    letter = found[3] or found[4]
    return unicodedata.normalize("NFC", letter + _ACCENTS[found[1] or found[2]])
