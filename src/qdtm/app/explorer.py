"""A result in, what a person looks for in it out: documents found, filtered and sorted, and explained."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from threading import RLock
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import column_values
from qdtm.errors import QdtmError
from qdtm.present.report_builder import Limits, ViewBuilder
from qdtm.present.report_view import DocumentView, QueryView
from qdtm.results.codes import Codes
from qdtm.results.dates import read_dates
from qdtm.results.distributions import FloatArray
from qdtm.results.documents import VIEWS, CopyGroups, View, in_view, order_by
from qdtm.results.explain import Explanation, explain_document
from qdtm.results.query_scores import QueryScores
from qdtm.results.relevance import Relevance
from qdtm.results.result import Result
from qdtm.results.trends import Groups, Trends, groups_of

Sort = Literal["relevance", "newest", "oldest", "edge"]
SORTS: tuple[Sort, ...] = ("relevance", "newest", "oldest", "edge")

_EXCERPT = 420
_BATCH = 500
_MOST_FOLDED = 2**25  # characters of documents that are remembered between two searches

MOST_SEARCHED = 20_000
"""Documents that are searched for a word, the most relevant first."""

# --- what is asked for --------------------------------------------------------------------------------------

LONGEST = 200
"""Characters of a text in an address: a search, a group, a word, a tag."""

_SUBTOPIC = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6}){1,8}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"[01](\.[0-9]{1,9})?")
T = TypeVar("T")
Text = TypeVar("Text", bound=str)


@dataclass(frozen=True)
class DocumentFilter:
    """Which documents of a query a person wants to see; the address of a page says it.

    Attributes
    ----------
    query : int
        The position of the query.
    view : {"about", "below", "named-out", "unnamed-in", "near", "all"}
        See `qdtm.results.documents.in_view`.
    subtopic : str or None
        Only those whose main subtopic it is, or is below it.
    search : str
        Only those with all of these words, wherever they stand.
    first, last : date or None
        Only those from this day on, and up to this day; `from` and `to` in an address.
    group : str
        Only those of this group.
    word, tag : str
        Only those that have this word of the vocabulary, or this tag.
    least, most : float
        Only those whose relevance is between these, the ends included.
    sort : {"relevance", "newest", "oldest", "edge"}
        By relevance, day, or how near the relevance is to the cut-off.
    n : int
        How many to show; not in the address.
    """

    query: int = 0
    view: View = "about"
    subtopic: str | None = None
    search: str = ""
    first: date | None = None
    last: date | None = None
    group: str = ""
    word: str = ""
    tag: str = ""
    least: float = 0.0
    most: float = 1.0
    sort: Sort = "relevance"
    n: int = 10

    @classmethod
    def from_query(cls, params: Mapping[str, str]) -> DocumentFilter:
        """Read the parameters of an address; what makes no sense is as if it were not there."""
        return cls(
            query=_whole(params.get("query")),
            view=_one_of(VIEWS, params.get("view")),
            subtopic=_matching(_SUBTOPIC, params.get("subtopic")),
            first=_day(params.get("from")),
            last=_day(params.get("to")),
            least=_number(params.get("least"), 0.0),
            most=_number(params.get("most"), 1.0),
            sort=_one_of(SORTS, params.get("sort")),
            search=as_parameter(params.get("search")),
            group=as_parameter(params.get("group")),
            word=as_parameter(params.get("word")),
            tag=as_parameter(params.get("tag")),
        )

    def to_params(self) -> dict[str, str]:
        """Return what an address has to say, without what goes without saying."""
        values = {
            "query": str(self.query) if self.query else "",
            "view": self.view if self.view != "about" else "",
            "subtopic": self.subtopic or "",
            "search": self.search,
            "from": "" if self.first is None else self.first.isoformat(),
            "to": "" if self.last is None else self.last.isoformat(),
            "group": self.group,
            "word": self.word,
            "tag": self.tag,
            "least": f"{self.least:.9g}" if self.least > 0 else "",
            "most": f"{self.most:.9g}" if self.most < 1 else "",
            "sort": self.sort if self.sort != "relevance" else "",
        }
        return {name: value for name, value in values.items() if value}

    def to_query(self) -> str:
        """Return the parameters of an address that asks for this."""
        return urlencode(self.to_params())

    def changed(self, values: Mapping[str, str]) -> DocumentFilter:
        """Return the same with other values of some parameters, checked like those of an address."""
        return replace(self.from_query({**self.to_params(), **values}), n=self.n)

    def within(self, n_queries: int) -> DocumentFilter:
        """Return the same for a result with so many queries: the first, if there is no such query."""
        return self if self.query < n_queries else replace(self, query=0)


def as_parameter(value: str | None) -> str:
    """Return a text on one line that can stand in an address, cut where it is too long."""
    clean = (value or "").encode("utf-8", "ignore").decode().replace("\0", "")
    return " ".join(clean.split())[:LONGEST].rstrip()


def _matching(pattern: re.Pattern[str], value: str | None) -> str | None:
    return value if value and len(value) <= 80 and pattern.fullmatch(value) else None


def _whole(value: str | None) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) <= 6 else 0


def _number(value: str | None, otherwise: float) -> float:
    """Read a relevance; one beyond its ends is none."""
    found = _matching(_NUMBER, value)
    return float(found) if found is not None and float(found) <= 1.0 else otherwise


def _day(value: str | None) -> date | None:
    try:
        return date.fromisoformat(_matching(_DAY, value) or "")
    except ValueError:
        return None


def _one_of(known: Sequence[Text], value: str | None) -> Text:
    """Return the value if it is known, else the first that is."""
    return next((each for each in known if each == value), known[0])


# --- what is found ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FoundDocuments:
    """The documents that pass a filter: those shown, with their rows, and how many there are in all.

    Of `n_found` documents `n_listed` stand for themselves and their copies.
    """

    rows: tuple[int, ...]
    views: tuple[DocumentView, ...]
    n_found: int
    n_listed: int


@dataclass(frozen=True, eq=False)
class Counts:
    """How many documents there would be, were one part of a filter another.

    Attributes
    ----------
    views : mapping of str to int
        In each view.
    relevance : ndarray of float64
        The relevance of all documents, whatever it is and in whatever view.
    periods : ndarray of int64, shape (B,)
        In each period of the topics over time; empty without dates.
    groups : ndarray of int64, shape (G,)
        In each group; empty without groups.
    """

    views: Mapping[str, int]
    relevance: FloatArray
    periods: NDArray[np.int64]
    groups: NDArray[np.int64]


class Explorer:
    """Looks into one result; remembers what it has worked out. Safe to use from several threads.

    Parameters
    ----------
    result : Result
    codes : callable, optional
        Returns the tags and notes as they are now; by default those of the result.
    """

    def __init__(self, result: Result, codes: Callable[[], Codes] | None = None) -> None:
        self.result = result
        self.codes = codes or (lambda: result.codes)
        self._builder = ViewBuilder(result, Limits(documents=0, excerpt=_EXCERPT, typical=2))
        self._kept: dict[tuple[str, object], Any] = {}
        self._folded: dict[int, str] = {}
        self._n_folded = 0
        self._lock = RLock()

    def _keep(self, what: str, of: object, make: Callable[[], T]) -> T:
        """Return what is known of something; work it out the first time."""
        with self._lock:
            if (what, of) not in self._kept:
                self._kept[what, of] = make()
            kept: T = self._kept[what, of]
            return kept

    def scores(self, q: int) -> QueryScores:
        """Return how all documents score against a query."""
        return self._keep("scores", q, lambda: self.result.scores(q))

    def relevance(self, q: int) -> Relevance:
        """Return how likely all documents are to be about a query."""
        return self._keep("relevance", q, lambda: self.result.relevance(q))

    def view(self, q: int) -> QueryView:
        """Return everything about a query but its documents."""
        return self._keep("view", q, lambda: self._builder.query(q))

    @property
    def notes(self) -> Sequence[str]:
        """What is to be known about the columns of dates and groups."""
        return tuple(dict.fromkeys(self._builder.notes))

    @property
    def over_time(self) -> Trends | None:
        """The topics over time, if there are dates."""
        return self._keep("over time", None, lambda: self._builder.over_time)

    @cached_property
    def days(self) -> NDArray[np.datetime64] | None:
        """The day of each document, (D,); None without a column of dates."""
        presentation = self.result.fit.presentation
        if presentation.time_column is None:
            return None
        values = column_values(self.result.corpus.documents, presentation.time_column)
        try:
            return read_dates(values, presentation.date_format, presentation.time_column).days
        except QdtmError:
            return None

    @cached_property
    def groups(self) -> Groups | None:
        """The group of each document; None without a column of groups."""
        try:
            return groups_of(self.result) if self.result.fit.presentation.group_column else None
        except QdtmError:
            return None

    # --- documents ---------------------------------------------------------------------------------------

    def find(self, wanted: DocumentFilter) -> FoundDocuments:
        """Find the documents of a query that pass a filter."""
        q = wanted.query
        with self._lock:
            passes, rows = self._passing(wanted), self.rows(wanted)
            shown = rows[: wanted.n]
            reasons = self._keep("reasons", q, lambda: self.result.reasons(q))
            views = self._builder.documents(shown, q, self.scores(q), reasons, _EXCERPT)
        return FoundDocuments(tuple(shown.tolist()), tuple(views), int(passes.sum()), len(rows))

    def rows(self, wanted: DocumentFilter) -> NDArray[np.int64]:
        """Return the rows of the documents that pass a filter, in the order that is asked for.

        One of several copies stands for them all.
        """
        rows, passes = self._ranked(wanted.query), self._passing(wanted)
        rows = rows[passes[rows]]
        if wanted.sort == "edge":
            relevance = self.relevance(wanted.query)
            rows = rows[np.argsort(np.abs(relevance.scores[rows] - relevance.cutoff), kind="stable")]
        elif wanted.sort != "relevance" and self.days is not None:
            rows = _by_day(rows, self.days[rows], newest=wanted.sort == "newest")
        return CopyGroups(self.scores(wanted.query), self.result.corpus.first_copy).first(rows)

    def _passing(self, wanted: DocumentFilter) -> NDArray[np.bool_]:
        return _all_of(self._parts(wanted).values(), self.result.corpus.n_documents)

    def counts(self, wanted: DocumentFilter) -> Counts:
        """Count the documents that pass all of a filter but one part of it, for each value of that part."""
        parts, n = self._parts(wanted), self.result.corpus.n_documents
        relevance = self.relevance(wanted.query)

        def without(*names: str) -> NDArray[np.bool_]:
            return _all_of((mask for name, mask in parts.items() if name not in names), n)

        others = without("view")
        periods, groups = np.zeros(0, np.int64), np.zeros(0, np.int64)
        if self.over_time is not None and self.over_time.starts is not None and self.days is not None:
            periods = _counted(_period_of(self.over_time.starts, self.days), without("time"), self.over_time)
        if self.groups is not None:
            found = self.groups.position[without("group") & (self.groups.position >= 0)]
            groups = np.bincount(found, minlength=len(self.groups.names))
        return Counts(
            views={view: int((others & in_view(relevance, view)).sum()) for view in VIEWS},
            relevance=relevance.scores[without("view", "relevance")],
            periods=periods,
            groups=groups,
        )

    def explain(self, q: int, row: int) -> Explanation:
        """Say what became of each token of a document."""
        with self._lock:
            return explain_document(self.result, row, q)

    def _ranked(self, q: int) -> NDArray[np.int64]:
        """Return all rows, the most relevant first."""
        lengths = self.result.corpus.document_lengths
        return self._keep("ranked", q, lambda: order_by(self.relevance(q).scores, lengths))

    def _parts(self, wanted: DocumentFilter) -> dict[str, NDArray[np.bool_]]:
        """Return which documents pass each part of a filter that asks for something, (D,) each."""
        relevance, scores = self.relevance(wanted.query), self.scores(wanted.query)
        parts = {"view": in_view(relevance, wanted.view)}
        if wanted.least > 0 or wanted.most < 1:
            parts["relevance"] = (relevance.scores >= wanted.least) & (relevance.scores <= wanted.most)
        if wanted.subtopic is not None:
            known = wanted.subtopic in scores.ids
            parts["subtopic"] = (
                scores.mainly_in(scores.ids.index(wanted.subtopic)) if known else _none(scores)
            )
        if wanted.first is not None or wanted.last is not None:
            parts["time"] = _none(scores) if self.days is None else _between(self.days, wanted)
        if wanted.group:
            parts["group"] = _none(scores) if self.groups is None else self._members(wanted.group)
        if wanted.word:
            parts["word"] = self._having(wanted.word)
        if wanted.tag:
            parts["tag"] = self._tagged(wanted.tag)
        if wanted.search:
            parts["search"] = self._searched(wanted.query, wanted.search)
        return parts

    def _members(self, group: str) -> NDArray[np.bool_]:
        """Return which documents are of a group, given as it stands in an address."""
        groups = self.groups
        assert groups is not None
        if group in groups.names or len(group) < LONGEST:
            return groups.members(group)
        return np.array([as_parameter(text) == group for text in groups.texts], np.bool_)

    def _having(self, word: str) -> NDArray[np.bool_]:
        """Return which documents have a word of the vocabulary."""
        corpus = self.result.corpus
        has = np.zeros(corpus.n_documents, np.bool_)
        w = corpus.word_index.get(word)
        if w is not None:
            has[np.searchsorted(corpus.offsets, np.flatnonzero(corpus.tokens == w), side="right") - 1] = True
        return has

    def _tagged(self, tag: str) -> NDArray[np.bool_]:
        """Return which documents have a tag now, in whatever case it is given."""
        codes, has = self.codes(), np.zeros(self.result.corpus.n_documents, np.bool_)
        known = {each.casefold(): each for each in codes.tags}.get(tag.casefold())
        if known is not None:
            has[codes.rows(known)] = True
        return has

    # --- search ------------------------------------------------------------------------------------------

    def _searched(self, q: int, text: str) -> NDArray[np.bool_]:
        """Return which documents have all words of a text, wherever they stand; the last search is kept."""
        with self._lock:
            last, found = self._kept.get(("search", None), (None, None))
            if last != (q, text) or found is None:
                found = np.zeros(self.result.corpus.n_documents, np.bool_)
                found[list(self._with_words(self._ranked(q)[:MOST_SEARCHED], text.casefold().split()))] = True
                self._kept["search", None] = (q, text), found
            return np.array(found)

    def _with_words(self, rows: NDArray[np.int64], words: Sequence[str]) -> Iterator[int]:
        for start in range(0, len(rows), _BATCH):
            for row, text in self._folded_texts(rows[start : start + _BATCH].tolist()):
                if all(word in text for word in words):
                    yield row

    def _folded_texts(self, rows: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield all that documents say, folded; as much as has room is remembered."""
        unknown = [row for row in rows if row not in self._folded]
        for document in self.result.corpus.documents.select(unknown):
            shown = [document.id, document.title, document.text, *document.fields.values()]
            text = "\n".join(shown).casefold()
            if self._n_folded + len(text) <= _MOST_FOLDED:
                self._folded[document.index] = text
                self._n_folded += len(text)
            else:
                yield document.index, text
        yield from ((row, self._folded[row]) for row in rows if row in self._folded)


def _all_of(masks: Iterable[NDArray[np.bool_]], n: int) -> NDArray[np.bool_]:
    """Return which of `n` documents are in all of some sets."""
    passes = np.ones(n, np.bool_)
    for mask in masks:
        passes &= mask
    return passes


def _none(scores: QueryScores) -> NDArray[np.bool_]:
    return np.zeros(len(scores.about), np.bool_)


def _between(days: NDArray[np.datetime64], wanted: DocumentFilter) -> NDArray[np.bool_]:
    """Return which days are between those asked for; those that are not known are not."""
    passes = ~np.isnat(days)
    if wanted.first is not None:
        passes &= days >= np.datetime64(wanted.first)
    if wanted.last is not None:
        passes &= days <= np.datetime64(wanted.last)
    return passes


def _period_of(starts: NDArray[np.datetime64], days: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """Return the period of each day, -1 for none."""
    return np.where(np.isnat(days), -1, np.searchsorted(starts, days, side="right") - 1)


def _counted(position: NDArray[np.int64], passes: NDArray[np.bool_], trends: Trends) -> NDArray[np.int64]:
    return np.bincount(position[passes & (position >= 0)], minlength=len(trends.bins))


def _by_day(rows: NDArray[np.int64], days: NDArray[np.datetime64], *, newest: bool) -> NDArray[np.int64]:
    """Sort rows by day, equal ones as they were; those without a day come last."""
    unknown = np.isnat(days)
    number = days.astype("datetime64[D]").astype(np.int64)
    order = np.lexsort((np.arange(len(rows)), -number if newest else number, unknown))
    return rows[order]
