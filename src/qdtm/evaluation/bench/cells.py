"""A cell of a table and one run: the unit that is run, kept and never repeated.

In: tables, data sets, models and a number of runs. Out: `Cell`, and `CellResult` once it has been run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qdtm.evaluation.paper import Metric
from qdtm.evaluation.systems.registry import Table


@dataclass(frozen=True)
class Cell:
    """One run of one model on one data set for one table.

    Attributes
    ----------
    table : {"table1", "table3", "topics"}
    dataset : str
    model : str
    seed : int
        Of this run.
    """

    table: Table
    dataset: str
    model: str
    seed: int


@dataclass(frozen=True)
class Figure:
    """A number that a run got."""

    metric: Metric
    value: float


@dataclass(frozen=True)
class TopicWords:
    """The top ten words of a concept's topic and of its subtopics, largest first."""

    phrase: str
    words: tuple[str, ...]
    subtopics: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class CellResult:
    """What a run found.

    Attributes
    ----------
    cell : Cell
    figures : tuple of Figure
        Of tables 1 and 3; a metric that does not exist for the model is not among them.
    topics : tuple of TopicWords
        Of the word tables.
    seconds : float
        That the model took, without its metrics.
    """

    cell: Cell
    figures: tuple[Figure, ...]
    topics: tuple[TopicWords, ...]
    seconds: float


def plan_cells(
    table: Table, datasets: Iterable[str], models: Iterable[str], *, runs: int, seed: int
) -> tuple[Cell, ...]:
    """List the cells of a table; run r has the seed `seed + r`."""
    rows = tuple(models)
    return tuple(
        Cell(table, dataset, model, seed + run)
        for dataset in datasets
        for model in rows
        for run in range(runs)
    )
