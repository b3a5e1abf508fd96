"""Codes: the acts of a journal in, the user's own tags and notes on documents and passages out.

A code is a tag on a whole document or on a passage of it; a note is a text on either. Acts of four kinds make
them (`qdtm.results.journal`), applied in order, so that whatever was done can be undone:

- "tag", "untag": `row`, `tag`, and for a passage `start` and `end`, characters of the document's text;
- "note": `row`, `text` (empty: none any more), and for a passage `start` and `end`;
- "code": `tag`, and `to`, what it is called from now on; where that is a tag already, both become one; an
  empty one removes the tag everywhere.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError, QueryError
from qdtm.results.journal import Act
from qdtm.results.passages import Span

TAG, UNTAG, NOTE, CODE = KINDS = "tag", "untag", "note", "code"
"""The kinds of acts that are about codes; a journal may have others."""

MAX_TAG, MAX_NOTE = 100, 10_000
"""Characters of a tag, and of a note."""


class Place(NamedTuple):
    """What is coded: a document, or a passage of it."""

    row: int
    span: Span | None = None


@dataclass(frozen=True)
class Code:
    """A tag on a document or a passage.

    Attributes
    ----------
    tag : str
    row : int
        The document's row in the corpus.
    span : (int, int) or None
        The first character of the passage in the document's text, and the one after its last; None for the
        whole document.
    by : str
        Who says so, if that is known.
    at : str
        When, in UTC.
    """

    tag: str
    row: int
    span: Span | None
    by: str
    at: str


@dataclass(frozen=True)
class Note:
    """A note on a document or a passage; see `Code`."""

    text: str
    row: int
    span: Span | None
    by: str
    at: str


@dataclass(frozen=True)
class CodeCount:
    """A line of the codebook.

    Attributes
    ----------
    tag : str
    n_documents : int
        That have it, as a whole or in a passage.
    n_passages : int
        That have it.
    """

    tag: str
    n_documents: int
    n_passages: int


@dataclass(frozen=True)
class Codes:
    """All codes and notes that are in force.

    Attributes
    ----------
    codes : tuple of Code
        In the order in which they were given.
    notes : tuple of Note
    """

    codes: tuple[Code, ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, acts: Iterable[Act], n_documents: int) -> Codes:
        """Apply acts in order; what is of another kind, or makes no sense here, is passed over."""
        coding = _Coding()
        for act in acts:
            if act.kind == CODE:
                coding.recode(act.values)
            place = place_of(act.values, n_documents) if act.kind in (TAG, UNTAG, NOTE) else None
            if place is not None and act.kind == NOTE:
                coding.note(place, act)
            elif place is not None:
                coding.tag(place, act)
        return cls(tuple(coding.codes.values()), tuple(coding.notes.values()))

    def __bool__(self) -> bool:
        return bool(self.codes or self.notes)

    @cached_property
    def book(self) -> tuple[CodeCount, ...]:
        """The codebook: each tag with its counts, in alphabetical order."""
        rows: dict[str, set[int]] = {}
        passages: dict[str, int] = {}
        for code in self.codes:
            rows.setdefault(code.tag, set()).add(code.row)
            passages[code.tag] = passages.get(code.tag, 0) + (code.span is not None)
        tags = sorted(rows, key=lambda tag: (tag.casefold(), tag))
        return tuple(CodeCount(tag, len(rows[tag]), passages[tag]) for tag in tags)

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags, in alphabetical order."""
        return tuple(count.tag for count in self.book)

    def tag(self, name: str) -> str:
        """Return a tag as it is written in the codebook, in whatever case it is given.

        Raises
        ------
        QueryError
            If there is none.
        """
        known = {tag.casefold(): tag for tag in self.tags}
        wanted = " ".join(str(name).split()).casefold()
        if wanted in known:
            return known[wanted]
        closest = difflib.get_close_matches(wanted, known, n=1)
        hint = f" Closest: {known[closest[0]]!r}." if closest else "" if known else " It has no tags yet."
        raise QueryError(f"There is no tag {name!r} in this result.{hint}")

    def rows(self, tag: str) -> NDArray[np.int64]:
        """Return the rows of the documents that have a tag, or have it in a passage, in order."""
        return np.array(sorted({code.row for code in self.codes if code.tag == tag}), np.int64)

    def tags_of(self, row: int) -> tuple[str, ...]:
        """Return the tags of a document and of its passages, each once."""
        return tuple(dict.fromkeys(code.tag for code in self._by_row.get(row, ((), ()))[0]))

    def codes_of(self, row: int) -> tuple[Code, ...]:
        """Return the codes of a document, then of its passages, in the order of the text."""
        return tuple(sorted(self._by_row.get(row, ((), ()))[0], key=lambda code: code.span or (-1, -1)))

    def notes_of(self, row: int) -> tuple[Note, ...]:
        """Return the notes on a document, then on its passages, in the order of the text."""
        return tuple(sorted(self._by_row.get(row, ((), ()))[1], key=lambda note: note.span or (-1, -1)))

    @cached_property
    def coded_rows(self) -> tuple[int, ...]:
        """The rows of all documents with a code or a note, in order."""
        return tuple(sorted(self._by_row))

    @cached_property
    def _by_row(self) -> dict[int, tuple[list[Code], list[Note]]]:
        found: dict[int, tuple[list[Code], list[Note]]] = {}
        for code in self.codes:
            found.setdefault(code.row, ([], []))[0].append(code)
        for note in self.notes:
            found.setdefault(note.row, ([], []))[1].append(note)
        return found


class _Coding:
    """Codes and notes while acts are applied; a tag is written as it was first, in whatever case it comes."""

    def __init__(self) -> None:
        self.codes: dict[tuple[Place, str], Code] = {}
        self.notes: dict[Place, Note] = {}
        self._written: dict[str, str] = {}

    def tag(self, place: Place, act: Act) -> None:
        tag = self._known(act.values.get("tag"))
        if act.kind == UNTAG:
            self.codes.pop((place, tag), None)
        elif tag:
            self._written.setdefault(tag.casefold(), tag)
            self.codes.setdefault((place, tag), Code(tag, *place, act.by, act.at))

    def note(self, place: Place, act: Act) -> None:
        self.notes.pop(place, None)
        text = _text(act.values.get("text"))[:MAX_NOTE]
        if text.strip():
            self.notes[place] = Note(text, *place, act.by, act.at)

    def recode(self, values: Mapping[str, Any]) -> None:
        """Rename a tag, make it one with another, or remove it."""
        old = self._known(values.get("tag"))
        self._written.pop(old.casefold(), None)
        new = self._known(values.get("to"))
        if new:
            self._written.setdefault(new.casefold(), new)
        before, self.codes = self.codes, {}
        for (place, tag), code in before.items():
            now = new if tag == old else tag
            if now:
                self.codes.setdefault((place, now), replace(code, tag=now))

    def _known(self, tag: Any) -> str:
        given = _text(tag)[:MAX_TAG]
        return self._written.get(given.casefold(), given)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


# --- what a person says -------------------------------------------------------------------------------------


def tag_values(row: int, span: Span | None, tag: str) -> dict[str, Any]:
    """Return the values of an act that tags a document or a passage, or takes the tag away.

    Raises
    ------
    ParameterError
        If the tag is empty, too long, or the passage none.
    """
    return {**_place_values(row, span), "tag": clean_tag(tag)}


def note_values(row: int, span: Span | None, text: str) -> dict[str, Any]:
    """Return the values of an act that puts a note on a document or a passage; an empty one takes it away.

    Raises
    ------
    ParameterError
        If it is too long, or the passage none.
    """
    if len(text) > MAX_NOTE:
        raise ParameterError(f"The note has {len(text):,} characters; give at most {MAX_NOTE:,}.")
    kept = text.encode("utf-8", "replace").decode().replace("\0", "")
    return {**_place_values(row, span), "text": kept.strip()}


def code_values(tag: str, to: str = "") -> dict[str, Any]:
    """Return the values of an act that renames a tag, makes it one with another, or (empty) removes it."""
    return {"tag": clean_tag(tag), "to": clean_tag(to) if to.strip() else ""}


def clean_tag(tag: str) -> str:
    """Return a tag on one line, without needless blanks.

    Raises
    ------
    ParameterError
        If it is empty, or too long.
    """
    letters = (" " if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") else each for each in tag)
    kept = unicodedata.normalize("NFC", " ".join("".join(letters).split()))
    if not 0 < len(kept) <= MAX_TAG:
        said = "is empty" if not kept else f"has {len(kept):,} characters"
        raise ParameterError(f"The tag {said}; give 1 to {MAX_TAG} characters.")
    return kept


def _place_values(row: int, span: Span | None) -> dict[str, Any]:
    if span is None:
        return {"row": int(row)}
    start, end = span
    if not 0 <= start < end:
        raise ParameterError(f"The passage is from character {start} to {end}; select at least one.")
    return {"row": int(row), "start": int(start), "end": int(end)}


def place_of(values: Mapping[str, Any], n_documents: int) -> Place | None:
    """Return what an act is about; None if that is nothing in a corpus of so many documents."""
    row, start, end = (values.get(name) for name in ("row", "start", "end"))
    if type(row) is not int or not 0 <= row < n_documents:
        return None
    if start is None and end is None:
        return Place(row)
    return Place(row, (start, end)) if type(start) is type(end) is int and 0 <= start < end else None
