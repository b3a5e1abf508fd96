"""The runs of cells as figures: results with their figures in, `Summary` out, and whether a target is met.

The mean over the queries of a corpus is taken run by run, so that `sd` says how much the seed matters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from experiments.harness.cells import Cell, ResultT

T = TypeVar("T")


@dataclass(frozen=True)
class Summary:
    """A figure of a model on a corpus: the mean over queries and runs, or over the runs of one query.

    Attributes
    ----------
    table, dataset, model, metric : str
        The bench, and what was measured.
    mean : float
    sd : float
        Sample standard deviation over the runs; 0 with one run.
    runs : int
    seconds : float
        That the model took for a cell, on average, without its metrics.
    paper : float or None
        The paper's figure; None if it has none.
    level : float or None
        The share of the documents to which the category of each query was thinned.
    n_queries : int or None
        How many queries were asked, where that is told.
    query : str or None
        None of the mean over all queries.
    n_relevant : int or None
        The documents of the query's category in the first run, where that is told.
    words : tuple of str
        The ten most probable words of the query's topic in the first run.
    by_run : tuple of float
        The figure of each run, in the order of the seeds; none with one run.
    """

    table: str
    dataset: str
    model: str
    metric: str
    mean: float
    sd: float
    runs: int
    seconds: float
    paper: float | None = None
    level: float | None = None
    n_queries: int | None = None
    query: str | None = None
    n_relevant: int | None = None
    words: tuple[str, ...] = ()
    by_run: tuple[float, ...] = ()


@dataclass(frozen=True)
class Measured(Generic[ResultT]):
    """A result with its figures; those that the model does not have are left out."""

    result: ResultT
    figures: Mapping[str, float]

    @property
    def cell(self) -> Cell:
        """The result's cell."""
        return self.result.cell


Aggregates = Mapping[str, Callable[[Sequence[float]], Any]]


def means(
    measured: Sequence[Measured[ResultT]], metrics: Iterable[str], aggregates: Aggregates | None = None
) -> Iterator[Summary]:
    """Put the queries of each run together, mostly by their mean, and average over the runs.

    Parameters
    ----------
    measured : sequence of Measured
        Of one data set and model.
    metrics : iterable of str
        In the order of the rows.
    aggregates : mapping of str to callable, optional
        What is not averaged over queries.
    """
    cell = measured[0].cell
    seconds = float(np.mean([each.result.seconds for each in measured]))
    for metric in metrics:
        runs: dict[int, list[float]] = defaultdict(list)
        for each in measured:
            if metric in each.figures:
                runs[each.cell.seed].append(each.figures[metric])
        if runs:
            put_together = (aggregates or {}).get(metric, np.mean)
            by_run = tuple(float(put_together(runs[seed])) for seed in sorted(runs))
            yield Summary(
                cell.bench, cell.dataset, cell.model, metric, *_spread(by_run), seconds, level=cell.level,
                by_run=by_run if len(by_run) > 1 else (),
            )  # fmt: skip


def _spread(values: Sequence[float]) -> tuple[float, float, int]:
    """Return mean, sample standard deviation and number."""
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), sd, len(values)


def grouped(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    """Put items with the same key together, in the order in which keys first come."""
    groups: dict[Hashable, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return list(groups.values())


# --- looking them up -------------------------------------------------------------------------------------


def find(
    rows: Iterable[Summary], model: str, metric: str, query: str | None = None, level: float | None = None
) -> Summary | None:
    """Return the figure of a query, or that of all if None; None if there is no such figure."""
    wanted = (model, metric, query, level)
    return next((row for row in rows if (row.model, row.metric, row.query, row.level) == wanted), None)


def mean_of(rows: Iterable[Summary], model: str, metric: str, query: str | None = None) -> float | None:
    """Return the mean of a figure; None if there is none."""
    found = find(rows, model, metric, query)
    return None if found is None else found.mean


def unique(values: Iterable[T]) -> list[T]:
    """Return values without repetitions, in order."""
    return list(dict.fromkeys(values))


# --- targets ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Whether a target is met.

    Attributes
    ----------
    target : str
        In words.
    value : float
        What there is.
    met : bool
    """

    target: str
    value: float
    met: bool
