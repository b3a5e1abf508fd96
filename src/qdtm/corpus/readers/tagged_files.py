"""Bibliographies with tagged lines in, records out: RIS, PubMed's, EndNote's, the Web of Science's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from qdtm.corpus.readers.encoding import bounded_lines, is_empty, open_text
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, Meter, ReadOptions, Record
from qdtm.corpus.readers.references import WEB_OF_SCIENCE, arranged, reference
from qdtm.errors import CorpusError

_Entry = dict[str, list[str]]

_TWO_LETTERS = re.compile(r"([A-Z][A-Z0-9])  -(?: (.*)|$)")  # "TY  - JOUR"
_FOUR_LETTERS = re.compile(r"(?=.{4}-)([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*)|$)")  # "PMID- 123"
_SLOPPY = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,4}-(?: (.*)|$)")  # "TY - JOUR"
_PERCENT = re.compile(r"%([0-9A-Z@!&(*+^>\[\]=~#$?])(?: (.*)|$)")  # "%T A title"
_PLAIN = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)")  # "TI A title"
_RIS = {
    "TI": "title", "T1": "title", "CT": "title", "AB": "abstract", "N2": "abstract",
    "AU": "authors", "A1": "authors", "PY": "year", "Y1": "year", "DA": "year",
    "JO": "journal", "JF": "journal", "T2": "journal", "JA": "journal", "DO": "doi",
    "KW": "keywords", "TY": "type", "UR": "url", "LA": "language", "ID": "id",
    "AN": "id",
}  # fmt: skip
_MEDLINE = {
    "PMID": "id", "TI": "title", "AB": "abstract", "FAU": "authors", "DP": "year", "JT": "journal",
    "MH": "keywords",    "OT": "keywords", "PT": "type", "LA": "language",
}  # fmt: skip
_ENDNOTE = {
    "T": "title", "X": "abstract", "A": "authors", "D": "year", "J": "journal", "B": "journal", "R": "doi",
    "K": "keywords", "0": "type", "U": "url", "G": "language", "M": "id",
}  # fmt: skip
_FIRST, _LAST = ("TY", "PMID", "0"), ("ER", "EF")
_LISTS = frozenset({"AU", "AF", "BA", "BE", "CA", "C1", "CR"})
_JOINED = frozenset({"authors", "keywords", "type"})
_DOI = re.compile(r"(10\.\S{1,200}) \[doi\]")


def read_tagged(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the entries of a .ris, .nbib, .enw or .ciw file."""
    with open_text(path, options.encoding, meter) as file:
        records = (
            _record(entry, str(number))
            for number, entry in enumerate(_entries(bounded_lines(file, path), path), start=1)
        )
        first = next(records, None)
        if first is None:
            raise CorpusError(f"{str(path)!r} has no entry of a bibliography in it.")
        yield from arranged(_chained(first, records), options, path)


def is_bibliography(path: Path) -> bool:
    """Return whether a .txt file is an export of the Web of Science, of PubMed, or RIS."""
    if is_empty(path):
        return False
    with path.open("rb") as file:
        head = file.read(400).removeprefix(b"\xef\xbb\xbf").lstrip()
    is_plain = head.startswith(b"FN ") and b"\nVR " in head
    return is_plain or head.startswith((b"PMID- ", b"TY  - ")) or is_tab_delimited(head)


def is_tab_delimited(head: bytes) -> bool:
    """Return whether a file that begins so is the table that the Web of Science exports."""
    return (
        head.replace(b"\0", b"").removeprefix(b"\xff\xfe").startswith((b"PT\tAU\t", b"\xef\xbb\xbfPT\tAU\t"))
    )


def _chained(first: Record, rest: Iterable[Record]) -> Iterator[Record]:
    yield first
    yield from rest


def _entries(lines: Iterable[str], path: Path) -> Iterator[_Entry]:
    """Yield the values of each entry by their tags; a line that has no tag goes on with the one before."""
    entry: _Entry = {}
    last: list[str] = []
    size = 0
    pattern: re.Pattern[str] | None = None
    for line in lines:
        line = line.strip("\ufeff\r\n")
        if pattern is None and line.strip():
            pattern = _pattern(line)
        found = pattern.match(line) if pattern is not None else None
        if found is None:
            if line.strip() and last:
                last.append(line.strip())
                size += len(line)
        else:
            tag = found[1]
            if (tag in _LAST or (tag in _FIRST and tag in entry)) and entry:
                yield entry
                entry, last, size = {}, [], 0
            if tag not in (*_LAST, "FN", "VR"):
                last = entry.setdefault(tag, [])
                last.append(("\n" if last else "") + (found[2] or "").strip())
                size += len(line)
        if size > MAX_TEXT:
            raise CorpusError(f"An entry of {str(path)!r} has more than {MAX_TEXT_MB} MB.")
    if entry:
        yield entry


def _pattern(line: str) -> re.Pattern[str] | None:
    """Return how the tags are written in a file, by a line of its; None if that has no tag."""
    if line.startswith(("FN ", "PT ")):
        return _PLAIN
    patterns = (_TWO_LETTERS, _FOUR_LETTERS, _SLOPPY, _PERCENT)
    return next((each for each in patterns if each.match(line)), None)


def _record(entry: _Entry, number: str) -> Record:
    names: Mapping[str, str] = (
        _MEDLINE
        if "PMID" in entry
        else WEB_OF_SCIENCE
        if "UT" in entry or "PT" in entry
        else _ENDNOTE
        if "T" in entry
        else _RIS
    )
    values: dict[str, str] = {}
    for tag, lines in entry.items():
        name = names.get(tag, tag)
        # A value that goes on in the next line is one value, but for these lists of the Web of Science.
        one_a_line = names is WEB_OF_SCIENCE and tag in _LISTS
        found = ("\n" if one_a_line else " ").join(lines).split("\n")
        value = ("; " if name in _JOINED or name == tag else " ").join(
            each.strip() for each in found if each.strip()
        )
        if name in values and name in _JOINED:
            values[name] += f"; {value}"
        elif not values.get(name):
            values[name] = value
    if names is _MEDLINE:
        doi = _DOI.search(values.get("LID", "") + " " + values.get("AID", ""))
        values |= {"doi": doi[1]} if doi else {}
    return reference(values, number)
