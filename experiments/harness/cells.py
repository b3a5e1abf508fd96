"""A cell: one run of one model, the unit that is run, kept and never repeated.

In: what a bench asks of whom. Out: `Cell`, and `Bench`, which says how cells are measured and what becomes of
their results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from experiments.datasets.concepts import ExperimentConcept
from experiments.harness.report import Part
from experiments.harness.workbench import Workbench
from qdtm.errors import ParameterError


@dataclass(frozen=True)
class Cell:
    """One run of one model on one data set, for all its concepts or for one query.

    Attributes
    ----------
    bench, dataset, model : str
    seed : int
        Of this run.
    query : int or None
        Its place among the data set's concepts, from 0; None if all are asked.
    text : str
        What is asked, where the data set does not say it.
    level : float or None
        The share of the documents to which the query's category is thinned before.
    kind : str
        What is to be expected of the query.
    subtopics : bool
        Whether the parent topic is split, where that is a matter of choice.
    """

    bench: str
    dataset: str
    model: str
    seed: int
    query: int | None = None
    text: str = ""
    level: float | None = None
    kind: str = ""
    subtopics: bool = False

    @property
    def place(self) -> int:
        """The query's place, of a cell that has one."""
        assert self.query is not None
        return self.query


class Result(Protocol):
    """What came of a cell; a frozen dataclass."""

    @property
    def cell(self) -> Cell:
        """The cell."""
        ...

    @property
    def seconds(self) -> float:
        """That the model took."""
        ...


class Model(Protocol):
    """A model that cells name; its kind is a matter of the bench."""

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Everything that decides about the result beside data and seed."""
        ...


ResultT = TypeVar("ResultT", bound=Result)
RowT = TypeVar("RowT")


def alone(cell: Cell, model: Any) -> Hashable:  # noqa: ARG001
    """Every cell is on its own: no two are measured by one fit."""
    return cell


@dataclass(frozen=True)
class Bench(Generic[ResultT, RowT]):
    """What is measured, and how it is shown.

    Attributes
    ----------
    name : str
        That of its command and of its file in docs/results.
    title : str
        Of its page.
    result : type
        The dataclass of its results.
    row : callable
        Says of a row of its JSON of which dataclass it is.
    measure : callable
        A function of a module that measures a batch of cells of one model.
    summarise : callable
        Makes rows of results.
    report : callable
        Makes a report of rows.
    describe : callable
        Says in short what a result is: for people who watch.
    batch : callable
        Cells of one model with the same key are measured by one fit.
    """

    name: str
    title: str
    result: type[ResultT]
    row: Callable[[Mapping[str, Any]], type[RowT]]
    measure: Callable[[tuple[Cell, ...], Any, Workbench], list[ResultT]]
    summarise: Callable[[Sequence[ResultT]], Sequence[RowT]]
    report: Callable[[Sequence[RowT]], Iterable[Part]]
    describe: Callable[[ResultT], str]
    batch: Callable[[Cell, Any], Hashable] = alone


def seeds(first: int, runs: int) -> range:
    """Return the seeds of runs: run r has the seed `first + r`."""
    return range(first, first + runs)


# --- which queries are asked -----------------------------------------------------------------------------


Concepts = Mapping[str, Sequence[ExperimentConcept]]
"""What each data set can be asked."""


def choose_queries(concepts: Concepts, wanted: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Find the queries that are wanted in each data set, by number or by name; all if none is named.

    Raises
    ------
    ParameterError
        If no data set has one of them.
    """
    for text in wanted:
        if not any(True for asked in concepts.values() for _ in _matching(asked, [text])):
            names = ", ".join(concept.phrase for asked in concepts.values() for concept in asked)
            raise ParameterError(f"There is no query {text!r}. Give its number, from 0, or one of: {names}.")
    found = {dataset: tuple(_matching(asked, wanted)) for dataset, asked in concepts.items()}
    return {dataset: numbers for dataset, numbers in found.items() if numbers}


def _matching(asked: Sequence[ExperimentConcept], wanted: Sequence[str]) -> Iterator[int]:
    texts = {text.lower() for text in wanted}
    for q, concept in enumerate(asked):
        names = {str(q), *map(str.lower, (concept.phrase, concept.query, concept.category))}
        if not texts or texts & names:
            yield q
