"""Long documents cut into passages, which the model judges one by one.

In: a text and how to split it. Out: where it is cut; and of a whole corpus its `Passages`: which tokens each
has, and which document each is of. Passages follow one another and leave nothing out, so the tokens of a
corpus stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Document, DocumentStore
from qdtm.corpus.markup import readable
from qdtm.corpus.tokenizer import is_unspaced
from qdtm.errors import CorpusError, ParameterError

PARAGRAPHS = "paragraphs"

AUTO = "auto"
"""By paragraphs where documents are long (`how_long`), as a whole where they are not."""

WHOLE = "none"
"""Said by a user who wants documents judged as a whole; a pipeline has None."""

FEWEST, MOST = 50, 300
"""Words of a passage by paragraphs: with fewer it is joined to the next, with more it is cut."""

LEAST_WORDS, MOST_WORDS = 20, 100_000
"""The numbers of words that a passage may be asked to have."""

SENTENCE_END = re.compile(r"[.!?…。！？؟۔।]+[\"'”’»)\]]*\s+|[。！？][”’」』）]*|\n\s*\n")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_NEW_LINE = re.compile(r"\n\s*")
_WORD = re.compile(r"\S+\s*")
_LETTERS = 2  # of a word, in scripts without spaces

Split = str | int
"""`PARAGRAPHS`, or about how many words a passage has."""

Span = tuple[int, int]
"""The first character of a passage, and the one after its last."""

IntArray = NDArray[np.int64]


def check_split(split: object) -> Split | None:
    """Return what was given as a way to split documents; a number may be written as a text.

    Raises
    ------
    ParameterError
        If it is none.
    """
    if split is None or split == WHOLE:
        return None
    if split == PARAGRAPHS:
        return PARAGRAPHS
    if isinstance(split, str) and split.isascii() and split.isdecimal() and len(split) < 10:
        split = int(split)
    is_number = isinstance(split, int | np.integer) and not isinstance(split, bool)
    if is_number and LEAST_WORDS <= split <= MOST_WORDS:  # type: ignore[operator]
        return int(split)  # type: ignore[call-overload, no-any-return]
    raise ParameterError(
        f"Documents cannot be split by {split!r}; give 'auto', 'paragraphs', 'none' or a number of "
        f"words, {LEAST_WORDS} to {MOST_WORDS:,}."
    )


# --- one text -----------------------------------------------------------------------------------------------


def split_text(text: str, split: Split) -> list[Span]:
    """Return where the passages of a text are: one after the other, at least one."""
    ends = _Sentences(text, 0, len(text)).near(int(split)) if split != PARAGRAPHS else _paragraphs(text)
    return list(zip([0, *ends[:-1]], ends, strict=True))


def cut_text(text: str, split: Split) -> list[str]:
    """Return the passages of a text, without HTML if there are several; one alone is the text as it is."""
    shown = readable(text)
    spans = split_text(shown, split)
    return [text] if len(spans) == 1 else [shown[start:end] for start, end in spans]


def _paragraphs(text: str) -> list[int]:
    """Return where passages end that are paragraphs, short ones joined and long ones cut."""
    breaks = _BLANK_LINES if _BLANK_LINES.search(text) else _NEW_LINE
    found = [*(match.end() for match in breaks.finditer(text)), len(text)]
    ends, start, n_words, before = [], 0, 0, 0
    for end in found:
        n_words += _count_words(text, before, end)
        before = end
        if n_words >= FEWEST:
            ends.append(end)
            start, n_words = end, 0
    if start < len(text) or not ends:  # what is left is short
        ends = [*ends[:-1], len(text)]
    cut: list[int] = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        cut += _Sentences(text, start, end).at_most(MOST)
    return cut


class _Sentences:
    """The sentences of a part of a text, and how many words come before the end of each.

    Parameters
    ----------
    text : str
    start, end : int
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._n_words = _count_words(text, start, end)

    def at_most(self, most: int) -> list[int]:
        """Return where passages of equal length end that have at most about so many words."""
        return self._cut(-(-self._n_words // most))

    def near(self, goal: int) -> list[int]:
        """Return where passages of equal length end that have about so many words."""
        return self._cut(round(self._n_words / goal))

    def _cut(self, n: int) -> list[int]:
        if n < 2:
            return [self._end]
        per_passage = self._n_words / n
        ends, counts = self._ends(max(int(per_passage), 1))
        total = np.cumsum(counts)
        wanted = per_passage * np.arange(1, n)
        after = np.minimum(np.searchsorted(total, wanted), len(total) - 1)
        before = np.maximum(after - 1, 0)
        nearest = np.where(wanted - total[before] < total[after] - wanted, before, after)
        chosen = {ends[at] for at in nearest.tolist()}
        return sorted(chosen | {self._end})

    def _ends(self, most: int) -> tuple[list[int], list[int]]:
        """Return where sentences end, and the words of each; what goes on for longer is cut at blanks."""
        ends, counts, start = [], [], self._start
        found = (match.end() for match in SENTENCE_END.finditer(self._text, self._start, self._end))
        for end in (*found, self._end):
            n_words = _count_words(self._text, start, end)
            if n_words > most:
                parts = list(_runs(self._text, start, end, most))
                ends += parts
                counts += [
                    _count_words(self._text, *span) for span in zip([start, *parts], parts, strict=False)
                ]
            elif end > start:
                ends.append(end)
                counts.append(n_words)
            start = end
        return ends, counts


def _count_words(text: str, start: int, end: int) -> int:
    part = text[start:end]
    n_words = len(part.split())
    return max(n_words, len(part) // _LETTERS) if is_unspaced(part) else n_words


def _runs(text: str, start: int, end: int, most: int) -> Iterator[int]:
    """Yield where every so many words of a text end, and its own end."""
    if is_unspaced(text[start:end]):
        yield from range(start + _LETTERS * most, end, _LETTERS * most)
    else:
        for n, word in enumerate(_WORD.finditer(text, start, end), start=1):
            if n % most == 0 and word.end() < end:
                yield word.end()
    yield end


# --- all of a corpus ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Passages:
    """The passages of a corpus.

    Parameters
    ----------
    first : ndarray of int64, shape (D + 1,)
        Those of document `j` are `first[j]` to `first[j + 1]`; each document has one at least.
    offsets : ndarray of int64, shape (P + 1,)
        Passage `p` has the tokens `offsets[p]` to `offsets[p + 1]` of the corpus.
    """

    first: IntArray
    offsets: IntArray

    def check(self, document_offsets: IntArray) -> None:
        """Raise unless they are those of documents with these offsets."""
        first, offsets = self.first, self.offsets
        fits = first.ndim == offsets.ndim == 1 and len(first) == len(document_offsets)
        fits = fits and first[0] == 0 and first[-1] == len(offsets) - 1 and bool((np.diff(first) > 0).all())
        if not fits or (np.diff(offsets) < 0).any() or (offsets[first] != document_offsets).any():
            raise CorpusError("The passages do not fit the documents.")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def document(self) -> IntArray:
        """The document of each passage, (P,)."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def largest(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value of each document's passages, given those of all passages, (D,)."""
        return np.maximum.reduceat(values, self.first[:-1])

    def best(self, values: NDArray[Any]) -> IntArray:
        """Return the passage of each document that has its largest value, of equal ones the first, (D,)."""
        is_best = values == self.largest(values)[self.document]
        rows = np.where(is_best, np.arange(len(values)), len(values))
        return np.asarray(np.minimum.reduceat(rows, self.first[:-1]))

    def span(self, text: str, document: int, passage: int, split: Split) -> Span:
        """Return where a passage is in the text of its document."""
        spans = split_text(text, split)
        return spans[min(passage - int(self.first[document]), len(spans) - 1)]


class PassageDocuments:
    """The passages of documents, as documents of their own.

    Parameters
    ----------
    source : DocumentStore
    passages : Passages
        Of its documents.
    split : Split
        How they were made.
    """

    def __init__(self, source: DocumentStore, passages: Passages, split: Split) -> None:
        self._source, self._passages, self._split = source, passages, split

    @property
    def id_name(self) -> str:
        """What the user calls the ids."""
        return self._source.id_name

    @property
    def title_name(self) -> str | None:
        """What the user calls the titles, if they are from a column."""
        return self._source.title_name

    @property
    def text_name(self) -> str | None:
        """What the user calls the texts, if they are from columns."""
        return self._source.text_name

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields."""
        return self._source.field_names

    def __len__(self) -> int:
        return len(self._passages)

    def __getitem__(self, index: int) -> Document:
        return next(self.select([index]))

    def __iter__(self) -> Iterator[Document]:
        return self.select(range(len(self)))

    def select(self, indices: Iterable[int]) -> Iterator[Document]:
        """Yield the passages at `indices`, in that order; those of one document side by side read it once."""
        wanted = [
            (row, list(rows)) for row, rows in groupby(indices, lambda p: int(self._passages.document[p]))
        ]
        whole = self._source.select([row for row, _ in wanted])
        for document, (row, passages) in zip(whole, wanted, strict=True):
            spans = split_text(document.text, self._split)
            for passage in passages:
                if len(spans) == 1:
                    yield replace(document, index=passage)
                    continue
                start, end = spans[min(passage - int(self._passages.first[row]), len(spans) - 1)]
                text = document.text[start:end]
                yield replace(document, index=passage, text=text, original=text)

    def find(self, id: str) -> int | None:
        """Return the first passage of the document with an id, None if there is none."""
        row = self._source.find(id)
        return None if row is None else int(self._passages.first[row])


# --- who should split ---------------------------------------------------------------------------------------

LONG = 1_000
"""Words from which a document is long."""

MANY = 0.25
"""The share of long documents from which all are split, where that is left to us."""

_N_LOOKED_AT = 200


def some_texts(documents: DocumentStore) -> Iterator[str]:
    """Yield the texts of some documents, evenly all over."""
    n_looked_at = min(_N_LOOKED_AT, len(documents))
    rows = np.linspace(0, len(documents) - 1, n_looked_at).astype(np.int64)
    return (document.text for document in documents.select(rows.tolist()))


def how_long(texts: Iterable[str]) -> str:
    """Say that documents are long, given some of their texts; nothing if they are not."""
    lengths = [_count_words(text, 0, len(text)) for text in texts]
    long = sum(length >= LONG for length in lengths)
    if not lengths or long < MANY * len(lengths):
        return ""
    median = float(np.median(lengths))
    said = f"median {round(median, -2):,.0f} words"
    if median < LONG:
        said = f"{long / len(lengths):.0%} have {LONG:,} words or more"
    return f"The documents are long ({said})"
