"""Answers to rare queries as figures: `RareResult` in, a row a level, model and metric out, and one a query.

The mean over the queries of a corpus is taken run by run, so that `sd` says how much the seed matters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from qdtm.evaluation.bench.alone.summary import spread
from qdtm.evaluation.bench.rare.cells import RareResult

RareMetric = Literal["precision_at_k", "recall_at_2k", "words_share", "size_ratio", "answered"]
"""In the order of the rows; `answered` is the share of queries whose words the thinned corpus still has."""


@dataclass(frozen=True)
class RareSummary:
    """A figure of a model at a level: the mean over queries and runs.

    Attributes
    ----------
    table, dataset, model, metric, mean, sd, runs, seconds
        As in the tables' `Summary`.
    level : float
        The share of the documents to which the category of each query was thinned.
    n_queries : int
        How many queries were asked.
    """

    table: Literal["rare"]
    dataset: str
    model: str
    level: float
    metric: RareMetric
    mean: float
    sd: float
    runs: int
    n_queries: int
    seconds: float


@dataclass(frozen=True)
class RareQuerySummary(RareSummary):
    """The same of one query.

    Attributes
    ----------
    query : str
    n_relevant : int
        K of the first run.
    words : tuple of str
        The ten most probable words of its topic in the first run.
    """

    query: str
    n_relevant: int
    words: tuple[str, ...] = ()


def summarise_rare(results: Sequence[RareResult]) -> tuple[RareSummary, ...]:
    """Put runs together: for each data set, level and model the means, then the queries."""
    summaries: list[RareSummary] = []
    groups: dict[tuple[str, float, str], list[RareResult]] = defaultdict(list)
    for result in results:
        groups[result.cell.dataset, result.cell.level, result.cell.model].append(result)
    for group in groups.values():
        of_query: dict[int, list[RareResult]] = defaultdict(list)
        for result in group:
            of_query[result.cell.query].append(result)
        for metric in get_args(RareMetric):
            summaries += _mean(metric, group, len(of_query))
        for rows in of_query.values():
            for metric in get_args(RareMetric):
                summaries += _of_query(metric, rows)
    return tuple(summaries)


def _figures(result: RareResult) -> Mapping[RareMetric, float]:
    """Return the figures of a query in a run; those that the model does not have are left out."""
    figures: dict[RareMetric, float] = {
        "precision_at_k": result.precision_at_k,
        "recall_at_2k": result.recall_at_2k,
        "answered": float(result.answered),
    }
    if result.words_share is not None:
        figures["words_share"] = result.words_share
    if result.size_ratio is not None:
        figures["size_ratio"] = result.size_ratio
    return figures


def _mean(metric: RareMetric, results: Sequence[RareResult], n_queries: int) -> list[RareSummary]:
    """Average over queries, then over runs."""
    runs: dict[int, list[float]] = defaultdict(list)
    for result in results:
        if metric in (figures := _figures(result)):
            runs[result.cell.seed].append(figures[metric])
    if not runs:
        return []
    mean, sd, n_runs = spread([float(np.mean(run)) for run in runs.values()])
    cell = results[0].cell
    return [RareSummary("rare", cell.dataset, cell.model, cell.level, metric, mean, sd, n_runs, n_queries,
                        _seconds(results))]  # fmt: skip


def _of_query(metric: RareMetric, results: Sequence[RareResult]) -> list[RareSummary]:
    """Average over the runs of one query."""
    values = [figures[metric] for result in results if metric in (figures := _figures(result))]
    if not values:
        return []
    mean, sd, n_runs = spread(values)
    first, cell = results[0], results[0].cell
    return [RareQuerySummary("rare", cell.dataset, cell.model, cell.level, metric, mean, sd, n_runs, 1,
                             _seconds(results), first.phrase, first.n_relevant, first.words)]  # fmt: skip


def _seconds(results: Sequence[RareResult]) -> float:
    return float(np.mean([result.seconds for result in results]))


# --- looking them up -------------------------------------------------------------------------------------


def levels_of(rows: Iterable[RareSummary]) -> list[float]:
    """Return the levels that rows are about, rising."""
    return sorted({row.level for row in rows})


def models_of(rows: Iterable[RareSummary]) -> list[str]:
    """Return the models that rows are about, in order."""
    return list(dict.fromkeys(row.model for row in rows))


def find(
    rows: Iterable[RareSummary], model: str, level: float, metric: RareMetric, query: str | None = None
) -> RareSummary | None:
    """Return the figure of a query, or that of all if None; None if there is no such figure."""
    for row in rows:
        asked = row.query if isinstance(row, RareQuerySummary) else None
        if (row.model, row.level, row.metric, asked) == (model, level, metric, query):
            return row
    return None
