"""A result in, what a person looks for in it out: documents found, filtered and sorted, and explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import QdtmError
from qdtm.present.report_builder import Limits, ViewBuilder
from qdtm.present.report_view import DocumentView, QueryView
from qdtm.results.dates import read_dates
from qdtm.results.documents import order_by
from qdtm.results.explain import ExplainedToken, Explanation, explain_document
from qdtm.results.relevance import QueryScores
from qdtm.results.result import Result
from qdtm.results.trends import column_values

Sort = Literal["relevance", "newest", "oldest"]
SORTS: tuple[Sort, ...] = ("relevance", "newest", "oldest")

_EXCERPT = 420
_MOST_SEARCHED = 20_000  # documents that are searched for a word, the most relevant first
_BATCH = 500


@dataclass(frozen=True)
class DocumentFilter:
    """Which documents of a query a person wants to see.

    Attributes
    ----------
    subtopic : str or None
        Only those whose main subtopic it is, or is below it.
    search : str
        Only those with all of these words, wherever they stand.
    sort : {"relevance", "newest", "oldest"}
    n : int
        How many to show.
    """

    subtopic: str | None = None
    search: str = ""
    sort: Sort = "relevance"
    n: int = 10


@dataclass(frozen=True)
class FoundDocuments:
    """The documents that pass a filter: those shown, with their rows, and how many there are in all."""

    rows: tuple[int, ...]
    views: tuple[DocumentView, ...]
    n_found: int


@dataclass(frozen=True)
class Carrier:
    """A word of a document and what it carries of its share in the topic, all its tokens together.

    Attributes
    ----------
    word : str
    count : int
        Its tokens.
    share : float
        Of what the document has of the topic.
    is_concept : bool
    pulled_by : str or None
        The concept word that pulled it in, if one did and it is none itself.
    """

    word: str
    count: int
    share: float
    is_concept: bool
    pulled_by: str | None


class Explorer:
    """Looks into one result; remembers what it has worked out. Safe to use from several threads.

    Parameters
    ----------
    result : Result
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        self._builder = ViewBuilder(result, Limits(documents=0, excerpt=_EXCERPT, typical=2))
        self._scores: dict[int, QueryScores] = {}
        self._views: dict[int, QueryView] = {}
        self._lock = RLock()

    def scores(self, q: int) -> QueryScores:
        """Return how all documents score against a query."""
        with self._lock:
            if q not in self._scores:
                self._scores[q] = self.result.scores(q)
            return self._scores[q]

    def view(self, q: int) -> QueryView:
        """Return everything about a query but its documents."""
        with self._lock:
            if q not in self._views:
                self._views[q] = self._builder.query(q)
            return self._views[q]

    @property
    def notes(self) -> Sequence[str]:
        """What is to be known about the columns of dates and groups."""
        return tuple(dict.fromkeys(self._builder.notes))

    @cached_property
    def days(self) -> NDArray[np.datetime64] | None:
        """The day of each document, (D,); None without a column of dates."""
        presentation = self.result.fit.presentation
        if presentation.time_column is None:
            return None
        values = column_values(self.result, presentation.time_column)
        try:
            return read_dates(values, presentation.date_format, presentation.time_column).days
        except QdtmError:
            return None

    def find(self, q: int, wanted: DocumentFilter) -> FoundDocuments:
        """Find the documents of a query that pass a filter."""
        with self._lock:
            rows = self._matching(q, wanted)
            shown = np.array(rows[: wanted.n], np.int64)
            views = self._builder.documents(shown, q, self.scores(q), self.result.reasons(q), _EXCERPT)
        return FoundDocuments(tuple(shown.tolist()), tuple(views), len(rows))

    def explain(self, q: int, row: int) -> Explanation:
        """Say what became of each token of a document."""
        with self._lock:
            return explain_document(self.result, row, q)

    def _matching(self, q: int, wanted: DocumentFilter) -> list[int]:
        """Return the rows that pass, in the order that is asked for."""
        rows = self._relevant(q, wanted.subtopic)
        words = wanted.search.casefold().split()
        if words:
            rows = np.array(list(self._with_words(rows, words)), np.int64)
        if wanted.sort != "relevance" and self.days is not None:
            rows = _by_day(rows, self.days[rows], newest=wanted.sort == "newest")
        return [int(row) for row in rows]

    def _relevant(self, q: int, subtopic: str | None) -> NDArray[np.int64]:
        """Return the documents that are taken to be about a query, best first."""
        scores = self.scores(q)
        rows = order_by(scores.relevance, self.result.corpus.document_lengths)
        rows = rows[self.result.relevance(q).about[rows]]
        if subtopic in scores.ids:
            rows = rows[scores.mainly_in(scores.ids.index(subtopic))[rows]]
        return np.asarray(rows, np.int64)

    def _with_words(self, rows: NDArray[np.int64], words: Sequence[str]) -> Iterator[int]:
        documents = self.result.corpus.documents
        for start in range(0, min(len(rows), _MOST_SEARCHED), _BATCH):
            for document in documents.select(rows[start : start + _BATCH].tolist()):
                text = " ".join([document.id, document.text, *document.fields.values()]).casefold()
                if all(word in text for word in words):
                    yield document.index


def _by_day(rows: NDArray[np.int64], days: NDArray[np.datetime64], *, newest: bool) -> NDArray[np.int64]:
    """Sort rows by day, equal ones as they were; those without a day come last."""
    unknown = np.isnat(days)
    number = days.astype("datetime64[D]").astype(np.int64)
    order = np.lexsort((np.arange(len(rows)), -number if newest else number, unknown))
    return rows[order]


def carriers(explanation: Explanation) -> list[Carrier]:
    """Return the words of a document, those that carry most of its share in the topic first."""
    tokens: dict[str, list[ExplainedToken]] = {}
    for token in explanation.tokens:
        tokens.setdefault(token.word, []).append(token)
    words = [
        Carrier(
            word,
            len(each),
            sum(token.share for token in each),
            each[0].is_concept,
            None if each[0].is_concept else next((t.pulled_by for t in each if t.pulled_by), None),
        )
        for word, each in tokens.items()
    ]
    return sorted(words, key=lambda word: (-word.share, word.word))
