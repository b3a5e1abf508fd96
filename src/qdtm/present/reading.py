"""A text to be read as a whole: a text, its marks and passages in, blocks of it out.

Blocks are what a browser lays out one by one, so that a long text opens at once. Each knows where it stands
in the text: what a reader selects on a page can be found again. Nothing here is HTML; whoever shows it
escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qdtm.results.passages import Mark, Span, level_of

LONGEST_BLOCK = 4_000
"""Characters of a block at most, about a screen."""

_LONG_ENOUGH = 1_200  # characters after which a block ends with its line
_LINE_END = re.compile(r"\n[^\S\n\f]*\n\s*?(?=\S|\f|$)|\f|\n")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text, all of it shown alike.

    Attributes
    ----------
    text : str
    level : int
        How strongly it is marked, 0 to 3.
    is_concept : bool
    is_reason : bool
        Whether it is of the passage that makes the document relevant.
    passages : tuple of int
        Which of the other passages it is part of, by their place in the list.
    begins : tuple of int
        Which of these begin with it.
    """

    text: str
    level: int
    is_concept: bool
    is_reason: bool
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text.

    Attributes
    ----------
    start : int
        Which character of the text is its first.
    page : int or None
        The page that begins with it, where pages are known.
    stretches : tuple of Stretch
    """

    start: int
    page: int | None
    stretches: tuple[Stretch, ...]


def blocks(
    text: str, marks: Iterable[Mark] = (), reason: Span | None = None, passages: Sequence[Span] = ()
) -> list[Block]:
    """Cut a text into blocks with its words marked.

    Parameters
    ----------
    text : str
    marks : iterable of Mark
        Words that count; of two that overlap the first is marked.
    reason : (int, int), optional
        The passage that makes the document relevant.
    passages : sequence of (int, int)
        Other passages, which may overlap.
    """
    shown = _apart(marks)
    edges = _edges(shown, reason, passages)
    found, page, m, e = [], 1 if "\f" in text else None, 0, 0
    is_new = page is not None
    for start, end in _cuts(text):
        while e < len(edges) and edges[e] <= start:
            e += 1
        bounds = [start]
        while e < len(edges) and edges[e] < end:
            bounds.append(edges[e])
            e += 1
        bounds.append(end)
        stretches = []
        for first, last in pairwise(bounds):
            while m < len(shown) and shown[m].end <= first:
                m += 1
            mark = shown[m] if m < len(shown) and shown[m].start <= first else None
            stretches.append(_stretch(text, (first, last), mark, reason, passages))
        found.append(Block(start, page if is_new else None, tuple(stretches)))
        is_new = page is not None and text[end - 1] == "\f"
        page = page + 1 if page is not None and is_new else page
    return found


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks that are to be seen, in order, none within another."""
    found: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: mark.start):
        if (level_of(mark.weight) or mark.is_concept) and (not found or mark.start >= found[-1].end):
            found.append(mark)
    return found


def _edges(marks: Sequence[Mark], reason: Span | None, passages: Sequence[Span]) -> list[int]:
    """Return all places where something begins or ends, in order."""
    spans = [(mark.start, mark.end) for mark in marks] + [*passages] + ([reason] if reason else [])
    return sorted({edge for span in spans for edge in span})


def _cuts(text: str) -> Iterator[Span]:
    """Yield where blocks begin and end: at pages, at empty lines, at lines; else at a space."""
    start = 0
    for found in _LINE_END.finditer(text):
        end = found.end()
        while end - start > LONGEST_BLOCK:
            cut = _last_space(text, start + LONGEST_BLOCK // 2, start + LONGEST_BLOCK)
            yield start, cut
            start = cut
        if end > start and (len(found[0]) > 1 or found[0] == "\f" or end - start > _LONG_ENOUGH):
            yield start, end
            start = end
    while start < len(text):
        over = len(text) - start > LONGEST_BLOCK
        cut = _last_space(text, start + LONGEST_BLOCK // 2, start + LONGEST_BLOCK) if over else len(text)
        yield start, cut
        start = cut


def _last_space(text: str, first: int, last: int) -> int:
    spaces = [found.end() for found in _SPACE.finditer(text, first, last)]
    return spaces[-1] if spaces else last


def _stretch(
    text: str, span: Span, mark: Mark | None, reason: Span | None, passages: Sequence[Span]
) -> Stretch:
    start, end = span
    inside = tuple(i for i, (first, last) in enumerate(passages) if first <= start and end <= last)
    return Stretch(
        text[start:end],
        0 if mark is None else level_of(mark.weight),
        mark is not None and mark.is_concept,
        reason is not None and reason[0] <= start and end <= reason[1],
        inside,
        tuple(i for i in inside if passages[i][0] == start),
    )
