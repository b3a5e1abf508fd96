"""Answers as figures: `AloneResult` in, a row a query, model and metric out, and one for the means.

Every figure is first one of a query in a run. The mean over the queries of a corpus is taken run by run, so
that `sd` says how much the seed matters, as in the tables. A query that one of the rows refuses has no
ranking there, so it counts for no row: all are measured by the same queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from qdtm.evaluation.bench.alone.cells import AloneCell, AloneResult
from qdtm.evaluation.bench.alone.measuring import N_SHOWN_WORDS
from qdtm.evaluation.bench.alone.rows import REFERENCE, RETRIEVAL, TOGETHER

AloneMetric = Literal[
    "answered",
    "precision_at_k",
    "precision_by_share",
    "margin",
    "below_share",
    "true_share",
    "prevalence",
    "size_ratio",
    "size_ok",
    "count_ratio",
    "inside",
    "width",
    "calibration_error",
    "own_words",
    "n_background",
    "cohesion",
    "same_words",
    "same_documents",
]
"""In the order of the rows. `answered` is the number of queries that the row does not refuse,
`precision_by_share` P@K by p(z|d), `margin` that of P@K over ranking by the share of concept words,
`below_share` whether it is negative, `size_ok` whether the size ratio is from 0.5 to 2. `count_ratio` is the
number of documents that are said to be about the query over the true one, `inside` whether the interval has
that, and `width` the interval's upper end over its lower one (of all queries: the median). `own_words` is the
share of the topic's ten words that are among the category's fifty. `same_words` and `same_documents` are what
the answer has in common with that to the same query asked together with all others: of the 20 most probable
words, and of the K first documents."""

SIZE_BOUNDS = (0.5, 2.0)


@dataclass(frozen=True)
class AloneSummary:
    """A figure of a model on a corpus: the mean over queries and runs.

    Attributes
    ----------
    table, dataset, model, metric, mean, sd, runs, paper, seconds
        As in the tables' `Summary`; the paper asked no query alone.
    """

    table: Literal["alone"]
    dataset: str
    model: str
    metric: AloneMetric
    mean: float
    sd: float
    runs: int
    paper: None
    seconds: float


@dataclass(frozen=True)
class QuerySummary(AloneSummary):
    """The same of one query.

    Attributes
    ----------
    query : str
    words : tuple of str
        The ten most probable words of its topic in the first run.
    """

    query: str
    words: tuple[str, ...] = ()


def summarise_alone(results: Sequence[AloneResult]) -> tuple[AloneSummary, ...]:
    """Put runs together: for each data set and model the means, then the queries, in the order they come."""
    answers = {_key(result.cell, result.cell.model): result for result in results}
    refused = {_key(result.cell, "") for result in results if not result.answered}
    summaries: list[AloneSummary] = []
    for rows in _grouped(results, lambda cell: (cell.dataset, cell.model)):
        figures = [(result, _figures(result, answers, refused)) for result in rows]
        for metric in get_args(AloneMetric):
            summaries += _means(metric, figures)
        for of_query in _grouped(rows, lambda cell: cell.query):
            figures = [(result, _figures(result, answers, refused)) for result in of_query]
            for metric in get_args(AloneMetric):
                summaries += _of_query(metric, figures)
    return tuple(summaries)


Figures = Mapping[AloneMetric, float]
Key = tuple[str, int, int, str]
Answers = Mapping[Key, AloneResult]


def _figures(result: AloneResult, answers: Answers, refused: Collection[Key]) -> Figures:
    """Work out the figures of a query in a run; those that the model does not have are left out."""
    figures: dict[AloneMetric, float] = {"answered": float(result.answered)}
    if result.precision_at_k is None or _key(result.cell, "") in refused:
        return figures
    figures["precision_at_k"] = result.precision_at_k
    share = answers.get(_key(result.cell, REFERENCE))
    if share is not None and share is not result and share.precision_at_k is not None:
        margin = result.precision_at_k - share.precision_at_k
        figures |= {"margin": margin, "below_share": float(margin < 0)}
    known: dict[AloneMetric, float | None] = {
        "precision_by_share": result.precision_by_share,
        "count_ratio": result.count_ratio,
        "inside": result.is_inside,
        "width": result.width,
        "calibration_error": result.calibration_error,
        "own_words": result.own_words,
        "n_background": result.n_background,
        "cohesion": result.cohesion,
    }
    figures |= {metric: float(value) for metric, value in known.items() if value is not None}
    if result.prevalence is not None and result.size_ratio is not None:
        low, high = SIZE_BOUNDS
        figures |= {
            "true_share": result.true_share,
            "prevalence": result.prevalence,
            "size_ratio": result.size_ratio,
            "size_ok": float(low <= result.size_ratio <= high),
        }
    together = answers.get(_key(result.cell, TOGETHER))
    if together is not None and result.documents and together is not result:
        figures |= {
            "same_words": _overlap(result.words, together.words),
            "same_documents": _overlap(result.documents, together.documents),
        }
    return figures


def _key(cell: AloneCell, model: str) -> Key:
    """What names the answer of a model to a cell's query in its run."""
    return cell.dataset, cell.query, cell.seed, model


def _overlap(ours: Sequence[object], theirs: Sequence[object]) -> float:
    """The share of ours that is among theirs."""
    return len(set(ours) & set(theirs)) / max(len(ours), 1)


_AGGREGATES: Mapping[AloneMetric, Callable[[Sequence[float]], Any]] = {"answered": sum, "width": np.median}
"""What is not averaged over the queries."""


def _means(metric: AloneMetric, figures: Sequence[tuple[AloneResult, Figures]]) -> list[AloneSummary]:
    """Put queries together, mostly by their mean, and average over the runs."""
    runs: dict[int, list[float]] = defaultdict(list)
    for result, of_result in figures:
        if metric in of_result:
            runs[result.cell.seed].append(of_result[metric])
    if not runs:
        return []
    aggregate = _AGGREGATES.get(metric, np.mean)
    values = [float(aggregate(run)) for run in runs.values()]
    cell, seconds = figures[0][0].cell, _seconds(figures)
    return [AloneSummary("alone", cell.dataset, cell.model, metric, *spread(values), None, seconds)]


def _of_query(metric: AloneMetric, figures: Sequence[tuple[AloneResult, Figures]]) -> list[AloneSummary]:
    """Average over the runs of one query."""
    values = [of_result[metric] for _, of_result in figures if metric in of_result]
    if not values:
        return []
    first = figures[0][0]
    return [
        QuerySummary(
            "alone", first.cell.dataset, first.cell.model, metric, *spread(values), None, _seconds(figures),
            first.phrase, first.words[:N_SHOWN_WORDS],
        )
    ]  # fmt: skip


def spread(values: Sequence[float]) -> tuple[float, float, int]:
    """Return mean, sample standard deviation and number."""
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), sd, len(values)


def _seconds(figures: Sequence[tuple[AloneResult, Figures]]) -> float:
    return float(np.mean([result.seconds for result, _ in figures]))


def _grouped(results: Iterable[AloneResult], key: Callable[[AloneCell], Hashable]) -> list[list[AloneResult]]:
    groups: dict[Hashable, list[AloneResult]] = defaultdict(list)
    for result in results:
        groups[key(result.cell)].append(result)
    return list(groups.values())


# --- looking them up -------------------------------------------------------------------------------------


def queries_of(rows: Sequence[AloneSummary]) -> list[str]:
    """Return the queries that rows are measured by, in order."""
    return _asked(row for row in rows if row.metric != "answered")


def left_out(rows: Sequence[AloneSummary]) -> list[str]:
    """Return the queries that were asked, and that a row refused in every run."""
    measured = queries_of(rows)
    return [query for query in _asked(rows) if query not in measured]


def _asked(rows: Iterable[AloneSummary]) -> list[str]:
    return list(dict.fromkeys(row.query for row in rows if isinstance(row, QuerySummary)))


def answered_of(rows: Sequence[AloneSummary], model: str) -> tuple[float, int] | None:
    """Return how many queries a row answered (a mean over runs), and how many it was asked."""
    own = [row for row in rows if (row.model, row.metric) == (model, "answered")]
    number = mean_of(own, model, "answered")
    return None if number is None else (number, len(_asked(own)))


def best_retrieval(rows: Sequence[AloneSummary]) -> tuple[str, float] | None:
    """Return which of BM25, query likelihood and RM3 has the highest P@K, and that; None without them."""
    models = [model for model in RETRIEVAL if model != REFERENCE]
    means = [(model, mean_of(rows, model, "precision_at_k")) for model in models]
    known = [(model, mean) for model, mean in means if mean is not None]
    return max(known, key=lambda pair: pair[1]) if known else None


def mean_of(
    rows: Iterable[AloneSummary], model: str, metric: AloneMetric, query: str | None = None
) -> float | None:
    """Return a figure of a query, or that of all if None; None if there is no such figure."""
    for row in rows:
        asked = row.query if isinstance(row, QuerySummary) else None
        if (row.model, row.metric, asked) == (model, metric, query):
            return row.mean
    return None


def words_of(rows: Iterable[AloneSummary], model: str, query: str) -> tuple[str, ...]:
    """Return the words of a query's topic."""
    found = (row for row in rows if isinstance(row, QuerySummary))
    return next((row.words for row in found if (row.model, row.query) == (model, query)), ())
