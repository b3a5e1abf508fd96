"""Text with marks on it in, passages that can be shown out: pieces, each marked more or less strongly.

Nothing here is HTML: a `Piece` is plain text with a level, and whoever shows it escapes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LEVELS = (0.25, 0.5, 0.75)
"""How much a word must count to be marked weakly, clearly, strongly."""

_SENTENCE_END = re.compile(r"[.!?…。！？؟۔।]+[\"'”’»)\]]*\s+|[。！？][”’」』）]*|\n\s*\n")
_BREAK = re.compile(r"\s|(?<=[，、；：。！？])")  # where a line may be cut, also in a text without spaces
_LEAD = 120  # characters that may stand before the first mark of an excerpt


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that counts.

    Attributes
    ----------
    start, end : int
        Its first character, and the one after its last.
    weight : float
        How much it counts, 0 to 1.
    is_concept : bool
        Whether it is a concept word.
    """

    start: int
    end: int
    weight: float
    is_concept: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text, all of it marked alike.

    Attributes
    ----------
    text : str
    level : int
        0 for plain text, 1 to 3 for words that count, the more the higher.
    is_concept : bool
    """

    text: str
    level: int = 0
    is_concept: bool = False


@dataclass(frozen=True)
class Passage:
    """A text or a part of it, in pieces.

    Attributes
    ----------
    pieces : tuple of Piece
    cut_before, cut_after : bool
        Whether there is more of the text on either side.
    """

    pieces: tuple[Piece, ...]
    cut_before: bool = False
    cut_after: bool = False

    @property
    def text(self) -> str:
        """The passage without marks."""
        return "".join(piece.text for piece in self.pieces)


def level_of(weight: float) -> int:
    """Return how strongly a word of this weight is marked, 0 to 3."""
    return sum(weight >= least for least in LEVELS)


def whole(text: str, marks: Iterable[Mark]) -> Passage:
    """Return all of a text."""
    return Passage(tuple(_pieces(text, 0, len(text), marks)))


def excerpt(text: str, marks: Sequence[Mark], limit: int = 600) -> Passage:
    """Return the part of a text, at most `limit` characters, in which the words count most together."""
    if len(text) <= limit:
        return whole(text, marks)
    start, end = _best_window(text, marks, limit)
    return Passage(tuple(_pieces(text, start, end, marks)), start > 0, end < len(text))


def sentence_around(text: str, at: int, marks: Sequence[Mark], limit: int = 300) -> Passage:
    """Return the sentence that has the character `at`, cut to `limit` characters around it."""
    first, last = max(0, at - limit), min(len(text), at + limit)
    ends = [match.end() for match in _SENTENCE_END.finditer(text, first, last)]
    start = max((end for end in ends if end <= at), default=first)
    end = min((end for end in ends if end > at), default=last)
    whole_start, whole_end = start in (0, *ends), end in (len(text), *ends)
    if end - start > limit:
        start, whole_start = max(start, _word_start(text, at - limit // 2)), False
        end, whole_end = min(end, start + limit), False
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Passage(tuple(_pieces(text, start, end, marks)), not whole_start, not whole_end)


def _best_window(text: str, marks: Sequence[Mark], limit: int) -> tuple[int, int]:
    """Return where the marks of `limit` characters weigh most; the earliest among equals."""
    best, best_start, total, first = 0.0, 0, 0.0, 0
    for mark in marks:
        total += mark.weight
        while mark.end - marks[first].start > limit - _LEAD:
            total -= marks[first].weight
            first += 1
            if first >= len(marks) or marks[first] is mark:
                break
        if total > best + 1e-9:
            best, best_start = total, marks[first].start
    start = _lead_in(text, best_start)
    end = min(len(text), start + limit)
    if end < len(text):
        breaks = [found.start() for found in _BREAK.finditer(text, start + limit // 2, end)]
        end = breaks[-1] if breaks else _between_letters(text, end)
    return start, end


def _lead_in(text: str, at: int) -> int:
    """Return the start of the sentence at `at` if it is near, else of a word some characters before."""
    earliest = max(0, at - _LEAD)
    ends = [match.end() for match in _SENTENCE_END.finditer(text, earliest, at)]
    return ends[-1] if ends else 0 if earliest == 0 else _word_start(text, earliest)


def _word_start(text: str, at: int) -> int:
    """Return the first place at or soon after `at` where a word begins."""
    if at <= 0:
        return 0
    found = _BREAK.search(text, at, at + 40)
    return _between_letters(text, at) if found is None else found.end()


def _between_letters(text: str, at: int) -> int:
    """Return `at`, or the place before the letter whose combining mark stands there."""
    while 0 < at < len(text) and unicodedata.combining(text[at]):
        at -= 1
    return at


def _pieces(text: str, start: int, end: int, marks: Iterable[Mark]) -> Iterator[Piece]:
    """Yield the text from `start` to `end`, cut where the marking changes."""
    at = start
    for mark in sorted(marks, key=lambda mark: mark.start):
        level = level_of(mark.weight)
        if mark.start < at or mark.end > end or not (level or mark.is_concept):
            continue
        if mark.start > at:
            yield Piece(text[at : mark.start])
        yield Piece(text[mark.start : mark.end], level, mark.is_concept)
        at = mark.end
    if at < end:
        yield Piece(text[at:end])
