"""Topics over time and by group: a column of the user's table in, documents about them with intervals out.

A document counts for a query if it is about it (its relevance is at or above the cut-off), and for the
subtopic that is its main one. So a period or group in which no document is about the query has 0, and all of
them together have as many as are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import as_field, column_values
from qdtm.errors import ParameterError
from qdtm.results.dates import read_dates
from qdtm.results.distributions import FloatArray
from qdtm.results.query_scores import QueryScores
from qdtm.results.result import Result
from qdtm.results.table_formats import data_frame

MAX_BINS = 2_000
MAX_CLASSES = 20

_AUTO_YEARS = 80  # a few old documents must not make decades of all others

_UNITS = {"day": "D", "week": "W", "month": "M", "quarter": "M", "year": "Y", "decade": "Y"}
_STEPS = {"quarter": 3, "decade": 10}
_AUTO_BINS = 40
_OTHER = "(other)"
_WITHIN_95 = 1.96  # standard deviations that hold 95 % of a normal distribution


@dataclass(frozen=True, eq=False, repr=False)
class Trends:
    """The documents about each topic in each bin (a period or a group): B bins, T topics.

    Attributes
    ----------
    kind : {"time", "class"}
    column : str
        Where the bins are from.
    topics : tuple of str, length T
        Ids: each parent topic, followed by its subtopics in level order.
    names : tuple of str, length T
    bins : tuple of str, length B
        What each bin is called: "2001", "2001-03", or a group.
    starts : ndarray of datetime64[D], shape (B,), or None
        The first day of each period; None for groups.
    ends : ndarray of datetime64[D], shape (B,), or None
        Its last day.
    n_documents : ndarray of int64, shape (B,)
        In each bin, whatever they are about.
    about : ndarray of int64, shape (B, T)
        How many of them are about the topic: about the query, or about it and mainly in the subtopic.
    share, low, high : ndarray of float64, shape (B, T)
        The share of the bin's documents that are about it, and the ends of its 95 % interval (see
        `share_interval`); NaN for a bin without documents.
    n_left_out : int
        Documents without a date that can be read, or without a group.
    """

    kind: Literal["time", "class"]
    column: str
    topics: tuple[str, ...]
    names: tuple[str, ...]
    bins: tuple[str, ...]
    starts: NDArray[np.datetime64] | None
    ends: NDArray[np.datetime64] | None
    n_documents: NDArray[np.int64]
    about: NDArray[np.int64]
    share: FloatArray
    low: FloatArray
    high: FloatArray
    n_left_out: int

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row for each bin and topic."""
        n_bins, n_topics = self.share.shape
        columns: dict[str, Any] = {"bin": np.repeat(np.array(self.bins, object), n_topics)}
        if self.starts is not None:
            columns["start"] = np.repeat(self.starts.astype("datetime64[s]"), n_topics)
        return data_frame(
            columns
            | {
                "topic": list(self.topics) * n_bins,
                "name": list(self.names) * n_bins,
                "n_documents": np.repeat(self.n_documents, n_topics),
                "about": self.about.ravel(),
                "share": self.share.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            }
        )

    def __repr__(self) -> str:
        span = f"{self.bins[0]} to {self.bins[-1]}" if self.kind == "time" else ", ".join(self.bins[:5])
        return f"Trends({self.column!r}: {len(self.bins)} bins, {span}; {len(self.topics)} topics)"


def topics_over_time(
    result: Result,
    timestamps: str | Sequence[object] | None = None,
    bins: str | int = "auto",
    *,
    date_format: str | None = None,
) -> Trends:
    """Follow the topics through time.

    Parameters
    ----------
    result : Result
    timestamps : str or sequence, optional
        The user's column with dates, or a date for each document; the column that was named when the model
        was fitted, without.
    bins : {"auto", "day", "week", "month", "quarter", "year", "decade"} or int
        The length of a period, or how many of equal length.
    date_format : str, optional
        As in `datetime.strptime`, where it should not be found out.

    Raises
    ------
    ParameterError
        If there is no such column, or no date in it can be read.
    """
    column, values = _column(result, timestamps, result.fit.presentation.time_column, "timestamps")
    dates = read_dates(values, date_format or result.fit.presentation.date_format, column)
    starts, ends, position, unit = _periods(dates.days, bins)
    names = tuple(_period_name(start, unit) for start in starts)
    left_out = dates.n_missing + dates.n_unreadable
    return _trends(result, "time", column, names, position, left_out, (starts, ends))


def topics_per_class(result: Result, classes: str | Sequence[object] | None = None) -> Trends:
    """Compare the topics between groups of documents.

    Parameters
    ----------
    result : Result
    classes : str or sequence, optional
        The user's column with groups, or a group for each document; the column that was named when the model
        was fitted, without.

    Returns
    -------
    Trends
        The 20 largest groups, largest first; what is smaller is put together as "(other)".
    """
    groups = groups_of(result, classes)
    n_left_out = int((groups.position < 0).sum())
    return _trends(result, "class", groups.column, groups.names, groups.position, n_left_out, None)


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of documents by a column: D documents.

    Attributes
    ----------
    column : str
    names : tuple of str
        The 20 largest, largest first; then "(other)", if there are more.
    position : ndarray of int64, shape (D,)
        The group of each document among these; -1 for none.
    texts : ndarray of object, shape (D,)
        What the column says of each document; empty for nothing.
    """

    column: str
    names: tuple[str, ...]
    position: NDArray[np.int64]
    texts: NDArray[np.object_]

    def members(self, name: str) -> NDArray[np.bool_]:
        """Return which documents are of a group, (D,): one of `names`, or a smaller one."""
        if name in self.names:
            return np.asarray(self.position == self.names.index(name))
        return np.asarray((self.texts == name) & (self.texts != ""))


def groups_of(result: Result, classes: str | Sequence[object] | None = None) -> Groups:
    """Find the groups of documents, see `topics_per_class`.

    Raises
    ------
    ParameterError
        If there is no such column, or it is empty.
    """
    column, values = _column(result, classes, result.fit.presentation.group_column, "classes")
    texts = np.array([" ".join(as_field(value).split()) for value in values], object)
    names, inverse = np.unique(texts.astype(str), return_inverse=True)
    sizes = np.bincount(inverse, minlength=len(names))
    order = [k for k in np.lexsort((names, -sizes)) if names[k]]
    if not order:
        raise ParameterError(f"Column {column!r} is empty; there is nothing to compare.")
    kept, rest = order[:MAX_CLASSES], order[MAX_CLASSES:]
    place = np.full(len(names), -1)
    place[kept] = np.arange(len(kept))
    place[rest] = len(kept)
    shown = (*(str(names[k]) for k in kept), *((_OTHER,) if rest else ()))
    return Groups(column, shown, place[inverse], texts)


def _column(
    result: Result, given: str | Sequence[object] | None, remembered: str | None, what: str
) -> tuple[str, Sequence[object]]:
    """Return the name and the values of what the user gave, or named before."""
    if given is None and remembered is None:
        raise ParameterError(f"There are no {what}; give the name of a column, or a value for each document.")
    if given is None or isinstance(given, str):
        column = given or str(remembered)
        result.check_column(column)
        return column, column_values(result.corpus.documents, column)
    values = list(given)
    if len(values) != result.corpus.n_documents:
        raise ParameterError(
            f"There are {len(values):,} {what} for {result.corpus.n_documents:,} documents; give one each."
        )
    return what, values


# --- periods -----------------------------------------------------------------------------------------------


def _periods(
    days: NDArray[np.datetime64], bins: str | int
) -> tuple[NDArray[np.datetime64], NDArray[np.datetime64], NDArray[np.int64], str]:
    """Cut time into periods.

    Returns the first day of each (B,) and the last (B,), the period of each document (D,), -1 for none, and
    their unit.
    """
    known = days[~np.isnat(days)]
    first, last = known.min(), known.max()
    if isinstance(bins, str):
        unit = _auto_unit(known) if bins == "auto" else bins
        if unit not in _UNITS:
            raise ParameterError(
                f"bins is {bins!r}; give 'auto', {', '.join(map(repr, _UNITS))} or a number."
            )
        starts = _starts(first, last, unit)
        after = _after(starts[-1], unit)
    else:
        if isinstance(bins, bool) or not 1 <= int(bins) <= MAX_BINS:
            raise ParameterError(f"bins is {bins!r}; give a number from 1 to {MAX_BINS}.")
        length = max(1, -(-(int((last - first).astype(int)) + 1) // int(bins)))
        starts, unit = np.arange(first, last + 1, length), "day"
        after = starts[-1] + length
    if len(starts) > MAX_BINS:
        raise ParameterError(f"There would be {len(starts):,} periods ({bins!r}); give longer ones.")
    position = np.searchsorted(starts, days, side="right") - 1
    position[np.isnat(days)] = -1
    return starts, np.append(starts[1:], after) - 1, position, unit


def _auto_unit(days: NDArray[np.datetime64]) -> str:
    """Return the shortest unit of which few enough are needed, or 80 years.

    Dates that are years alone get no months.
    """
    units = list(_UNITS)
    if (days == days.astype("datetime64[Y]")).all():
        units = ["year", "decade"]
    elif (days == days.astype("datetime64[M]")).all():
        units = ["month", "quarter", "year", "decade"]
    most = dict.fromkeys(units, _AUTO_BINS) | {"year": _AUTO_YEARS}
    return next((u for u in units if len(_starts(days.min(), days.max(), u)) <= most[u]), "decade")


def _starts(first: np.datetime64, last: np.datetime64, unit: str) -> NDArray[np.datetime64]:
    """Return the first day of each period from that of `first` to that of `last`."""
    if unit == "week":  # Mondays; the epoch was a Thursday
        monday = first - (first.astype(int) + 3) % 7
        return np.arange(monday, last + 1, 7)
    code, step = _UNITS[unit], _STEPS.get(unit, 1)
    begin = first.astype(f"datetime64[{code}]").astype(int) if code != "D" else first.astype(int)
    end = last.astype(f"datetime64[{code}]").astype(int) if code != "D" else last.astype(int)
    counted = np.arange(begin - begin % step, end + 1, step)
    return counted.astype(f"datetime64[{code}]").astype("datetime64[D]")


def _after(start: np.datetime64, unit: str) -> np.datetime64:
    """Return the day after the period that begins with a day."""
    if unit in ("day", "week"):
        return start + (7 if unit == "week" else 1)
    begin = start.astype(f"datetime64[{_UNITS[unit]}]") + _STEPS.get(unit, 1)
    return np.datetime64(begin, "D")


def _period_name(start: np.datetime64, unit: str) -> str:
    day = str(start)
    if unit == "quarter":
        return f"{day[:4]} Q{(int(day[5:7]) + 2) // 3}"
    return {"year": day[:-6], "decade": day[:-6] + "s", "month": day[:-3]}.get(unit, day)


# --- documents about it ------------------------------------------------------------------------------------


def _trends(
    result: Result,
    kind: Literal["time", "class"],
    column: str,
    names: tuple[str, ...],
    position: NDArray[np.int64],
    n_left_out: int,
    days: tuple[NDArray[np.datetime64], NDArray[np.datetime64]] | None,
) -> Trends:
    topics = [topic for parent in result.topics for topic in (parent, *parent.below())]
    n_documents = np.bincount(position[position >= 0], minlength=len(names))
    counted = [_count(result.scores(q), position, len(names)) for q in range(result.fit.n_queries)]
    about, sure, possible = (np.hstack(each) for each in zip(*counted, strict=True))  # (B, T) each
    share, low, high = share_interval(about, sure, possible, n_documents[:, None])
    return Trends(
        kind=kind,
        column=column,
        topics=tuple(topic.id for topic in topics),
        names=tuple(topic.name for topic in topics),
        bins=names,
        starts=None if days is None else days[0],
        ends=None if days is None else days[1],
        n_documents=n_documents,
        about=about.astype(np.int64),
        share=share,
        low=low,
        high=high,
        n_left_out=n_left_out,
    )


def _count(
    scores: QueryScores, position: NDArray[np.int64], n_bins: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count the documents of each bin about a query and each of its subtopics, (B, 1 + S) each.

    Returns those about it, how many of these their relevances promise, and how many there may be with those
    below the cut-off. What is below has no main subtopic: each gets as much as it has of all documents.
    """
    inside = [scores.about, *(scores.mainly_in(s) for s in range(len(scores.ids)))]
    about = np.stack([_sums(position, mine, n_bins) for mine in inside], axis=1)
    sure = np.stack([_sums(position, mine * scores.relevance, n_bins) for mine in inside], axis=1)
    missed = _sums(position, np.where(scores.about, 0.0, scores.relevance), n_bins)
    parts = np.array([mine.sum() for mine in inside]) / max(int(scores.about.sum()), 1)
    parts[0] = 1.0
    return about, sure, about + missed[:, None] * parts


def _sums(position: NDArray[np.int64], values: NDArray[Any], n_bins: int) -> FloatArray:
    """Add up a value of each document (D,) in the bins they are in, (B,); -1 is no bin."""
    counted = np.bincount(position + 1, weights=values, minlength=n_bins + 1)[1:]
    return np.asarray(counted, np.float64)


def share_interval(
    about: FloatArray, sure: FloatArray, possible: FloatArray, n: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the share of documents that are about it, and the ends of its 95 % interval.

    Two things may be wrong with a count. Some of those counted are not about it, and some of those that are
    not counted are: by their relevances, `sure` of `about` are, and `possible` at most. And a few documents
    say little: the ends are Wilson's of these two numbers (1927), whose binomial spread is at least that of
    documents with unequal probabilities. The share itself always lies between the ends.

    Parameters
    ----------
    about, sure, possible : ndarray of shape (B, T)
        Documents: sure <= about <= possible <= n.
    n : ndarray, broadcast against these
        All documents; where there are none, everything is NaN.
    """
    size = np.where(n > 0, n, np.nan)
    low = _wilson(np.minimum(sure, about) / size, size, -_WITHIN_95)
    high = _wilson(np.maximum(possible, about) / size, size, _WITHIN_95)
    return about / size, np.maximum(low, 0.0), np.minimum(high, 1.0)


def _wilson(p: FloatArray, n: FloatArray, z: float) -> FloatArray:
    """Return an end of Wilson's score interval of a share `p` of `n`, `z` standard deviations away."""
    middle = p + z * z / (2.0 * n)
    spread = np.sqrt(np.maximum(p * (1.0 - p), 0.0) / n + z * z / (4.0 * n * n))
    return (middle + z * spread) / (1.0 + z * z / n)
