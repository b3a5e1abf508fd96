"""Topics over time and by group: a column of the user's table in, shares with intervals out.

The share of a query in a period is that of the period's documents that are about it: their mean relevance.
That of a subtopic counts the relevance of those whose main subtopic it is. The interval is a bootstrap over
documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.corpus.document_store import as_field, column_values
from qdtm.errors import ParameterError
from qdtm.results.dates import read_dates
from qdtm.results.distributions import FloatArray
from qdtm.results.relevance import QueryScores
from qdtm.results.result import Result
from qdtm.results.table_formats import data_frame

N_BOOTSTRAP = 500
MAX_GROUPS = 500
"""A bin with more documents puts them together at random into so many groups, which are resampled."""
MAX_BINS = 2_000
MAX_CLASSES = 20

_UNITS = {"day": "D", "week": "W", "month": "M", "quarter": "M", "year": "Y", "decade": "Y"}
_STEPS = {"quarter": 3, "decade": 10}
_AUTO_BINS = 24
_OTHER = "(other)"


@dataclass(frozen=True, eq=False, repr=False)
class Trends:
    """The share of documents about each topic in each bin (a period or a group): B bins, T topics.

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
    n_documents : ndarray of int64, shape (B,)
    share, low, high : ndarray of float64, shape (B, T)
        The share of the bin's documents that are about it, and the ends of its 95 % interval; NaN for a bin
        without documents.
    n_left_out : int
        Documents without a date that can be read, or without a group.
    """

    kind: Literal["time", "class"]
    column: str
    topics: tuple[str, ...]
    names: tuple[str, ...]
    bins: tuple[str, ...]
    starts: NDArray[np.datetime64] | None
    n_documents: NDArray[np.int64]
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
    random_state: int = 0,
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
    random_state : int
        Of the bootstrap.

    Raises
    ------
    ParameterError
        If there is no such column, or no date in it can be read.
    """
    column, values = _column(result, timestamps, result.fit.presentation.time_column, "timestamps")
    dates = read_dates(values, date_format or result.fit.presentation.date_format, column)
    starts, position, unit = _periods(dates.days, bins)
    names = tuple(_period_name(start, unit) for start in starts)
    left_out = dates.n_missing + dates.n_unreadable
    return _trends(result, "time", column, names, position, left_out, random_state, starts)


def topics_per_class(
    result: Result, classes: str | Sequence[object] | None = None, *, random_state: int = 0
) -> Trends:
    """Compare the topics between groups of documents.

    Parameters
    ----------
    result : Result
    classes : str or sequence, optional
        The user's column with groups, or a group for each document; the column that was named when the model
        was fitted, without.
    random_state : int
        Of the bootstrap.

    Returns
    -------
    Trends
        The 20 largest groups, largest first; what is smaller is put together as "(other)".
    """
    column, values = _column(result, classes, result.fit.presentation.group_column, "classes")
    texts = [" ".join(as_field(value).split()) for value in values]
    names, inverse = np.unique(
        np.array([text or "" for text in texts], object).astype(str), return_inverse=True
    )
    sizes = np.bincount(inverse, minlength=len(names))
    order = [k for k in np.lexsort((names, -sizes)) if names[k]]
    if not order:
        raise ParameterError(f"Column {column!r} is empty; there is nothing to compare.")
    kept, rest = order[:MAX_CLASSES], order[MAX_CLASSES:]
    place = np.full(len(names), -1)
    place[kept] = np.arange(len(kept))
    place[rest] = len(kept)
    shown = (*(str(names[k]) for k in kept), *((_OTHER,) if rest else ()))
    return _trends(result, "class", column, shown, place[inverse], texts.count(""), random_state, None)


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
) -> tuple[NDArray[np.datetime64], NDArray[np.int64], str]:
    """Cut time into periods.

    Returns the first day of each (B,), the period of each document (D,), -1 for none, and their unit.
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
    else:
        if isinstance(bins, bool) or not 1 <= int(bins) <= MAX_BINS:
            raise ParameterError(f"bins is {bins!r}; give a number from 1 to {MAX_BINS}.")
        length = max(1, -(-(int((last - first).astype(int)) + 1) // int(bins)))
        starts, unit = np.arange(first, last + 1, length), "day"
    if len(starts) > MAX_BINS:
        raise ParameterError(f"There would be {len(starts):,} periods ({bins!r}); give longer ones.")
    position = np.searchsorted(starts, days, side="right") - 1
    position[np.isnat(days)] = -1
    return starts, position, unit


def _auto_unit(days: NDArray[np.datetime64]) -> str:
    """Return the shortest unit of which at most 24 are needed; dates that are years alone get no months."""
    units = list(_UNITS)
    if (days == days.astype("datetime64[Y]")).all():
        units = ["year", "decade"]
    elif (days == days.astype("datetime64[M]")).all():
        units = ["month", "quarter", "year", "decade"]
    return next((u for u in units if len(_starts(days.min(), days.max(), u)) <= _AUTO_BINS), "decade")


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


def _period_name(start: np.datetime64, unit: str) -> str:
    day = str(start)
    if unit == "quarter":
        return f"{day[:4]} Q{(int(day[5:7]) + 2) // 3}"
    return {"year": day[:-6], "decade": day[:-6] + "s", "month": day[:-3]}.get(unit, day)


# --- shares ------------------------------------------------------------------------------------------------


def _trends(
    result: Result,
    kind: Literal["time", "class"],
    column: str,
    names: tuple[str, ...],
    position: NDArray[np.int64],
    n_left_out: int,
    random_state: int,
    starts: NDArray[np.datetime64] | None,
) -> Trends:
    rng = np.random.default_rng(random_state)
    topics = [topic for parent in result.topics for topic in (parent, *parent.below())]
    sums, sizes, bin_of = _group_sums(result, position, len(names), rng)
    share = np.full((len(names), len(topics)), np.nan)
    low, high = share.copy(), share.copy()
    for b in np.unique(bin_of):
        mine = bin_of == b
        share[b], low[b], high[b] = _interval(sums[mine], sizes[mine], rng)
    return Trends(
        kind=kind,
        column=column,
        topics=tuple(topic.id for topic in topics),
        names=tuple(topic.name for topic in topics),
        bins=names,
        starts=starts,
        n_documents=np.bincount(position[position >= 0], minlength=len(names)),
        share=share,
        low=low,
        high=high,
        n_left_out=n_left_out,
    )


def _group_sums(
    result: Result, position: NDArray[np.int64], n_bins: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Add up documents in groups of each bin: about each topic (G, T), in all (G,), and the bin (G,)."""
    group = np.full(len(position), -1)
    bin_of: list[int] = []
    for b in range(n_bins):
        rows = np.flatnonzero(position == b)
        n_groups = min(len(rows), MAX_GROUPS)
        if n_groups:
            group[rng.permutation(rows)] = len(bin_of) + np.arange(len(rows)) % n_groups
        bin_of += [b] * n_groups
    rows = np.flatnonzero(group >= 0)
    shape = (len(bin_of), len(position))
    gather = sparse.csr_array((np.ones(len(rows)), (group[rows], rows)), shape=shape)
    sums = [gather @ _documents_about(result.scores(q)) for q in range(result.fit.n_queries)]
    return np.hstack(sums), np.asarray(gather.sum(axis=1)).ravel(), np.array(bin_of, np.int64)


def _documents_about(scores: QueryScores) -> FloatArray:
    """Return what each document counts for a query and for each of its subtopics, (D, 1 + B)."""
    columns = [scores.mainly_in(s) for s in range(len(scores.ids))]
    return np.stack([scores.relevance, *(scores.relevance * each for each in columns)], axis=1)


def _interval(
    sums: FloatArray, sizes: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the share of each topic and the ends of its 95 % bootstrap interval, (T,) each."""
    n = len(sizes)
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=N_BOOTSTRAP)  # (R, G): how often each group is drawn
    shares = (drawn @ sums) / (drawn @ sizes)[:, None]
    low, high = np.quantile(shares, [0.025, 0.975], axis=0)
    return sums.sum(axis=0) / sizes.sum(), low, high
