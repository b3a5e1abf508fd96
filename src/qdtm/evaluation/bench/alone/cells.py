"""One query asked of one model in one run: the unit that is run, kept and never repeated.

In: data sets, the queries that are wanted, models and a number of runs. Out: `AloneCell`, and `AloneResult`
once it has been run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from qdtm.errors import ParameterError
from qdtm.evaluation.datasets import ExperimentConcept

OURS = "qdtm"
"""The row that all others are there for."""


@dataclass(frozen=True)
class AloneCell:
    """One query, asked of one model in one run.

    Attributes
    ----------
    dataset : str
    query : int
        Its place among the data set's concepts, from 0.
    model : str
    seed : int
    subtopics : bool
        Whether the parent topic is split.
    """

    dataset: str
    query: int
    model: str
    seed: int
    subtopics: bool = False
    table: Literal["alone"] = "alone"


@dataclass(frozen=True)
class AloneResult:
    """What a model answered.

    Attributes
    ----------
    cell : AloneCell
    phrase : str
        The query as the paper prints it.
    n_relevant : int
        K: the documents of the query's category.
    true_share : float
        Their share of the documents.
    precision_at_k : float or None
        None if the query was refused: there is no ranking then.
    prevalence : float or None
        The share of the corpus' tokens that the query's topic has; None if the model has no topics.
    n_background : int or None
        The other topics.
    cohesion : float or None
        Of the subtopics with the topic; None if there are none.
    words : tuple of str
        The topic's most probable words, first to last.
    own_words : float or None
        The share of the topic's ten most probable words that are the category's.
    precision_by_share : float or None
        P@K if documents are ranked by p(z|d).
    count, interval : float or None, tuple of two floats or None
        How many documents the model takes to be about the query, and where it says that number lies.
    calibration_error : float or None
        Of the probabilities that documents are about the query.
    documents : tuple of int
        The K documents that rank first, if they are to be compared with another fit's.
    seconds : float
        That the model took; a fit that answers all queries at once counts whole for each.
    """

    cell: AloneCell
    phrase: str
    n_relevant: int
    true_share: float
    precision_at_k: float | None
    seconds: float
    prevalence: float | None = None
    n_background: int | None = None
    cohesion: float | None = None
    words: tuple[str, ...] = ()
    own_words: float | None = None
    precision_by_share: float | None = None
    count: float | None = None
    interval: tuple[float, float] | None = None
    calibration_error: float | None = None
    documents: tuple[int, ...] = field(default=(), repr=False)

    @property
    def answered(self) -> bool:
        """Whether the query was not refused."""
        return self.precision_at_k is not None

    @property
    def count_ratio(self) -> float | None:
        """The documents that the model takes to be about the query over those that are."""
        return None if self.count is None else self.count / self.n_relevant

    @property
    def is_inside(self) -> bool | None:
        """Whether the interval has the true number of documents."""
        return None if self.interval is None else self.interval[0] <= self.n_relevant <= self.interval[1]

    @property
    def width(self) -> float | None:
        """The interval's upper end over its lower one, neither below one document."""
        return None if self.interval is None else max(self.interval[1], 1.0) / max(self.interval[0], 1.0)

    @property
    def size_ratio(self) -> float | None:
        """The topic's share of the tokens over the category's share of the documents."""
        return None if self.prevalence is None else self.prevalence / self.true_share


def plan_alone(
    queries: Mapping[str, Sequence[int]],
    models: Iterable[str],
    *,
    runs: int,
    seed: int,
    subtopics: bool = False,
) -> tuple[AloneCell, ...]:
    """List the cells: of each data set the queries by number; run r has the seed `seed + r`.

    Subtopics are for our own row; no other is measured by them.
    """
    rows = tuple(models)
    return tuple(
        AloneCell(dataset, query, model, seed + run, subtopics and model == OURS)
        for dataset, numbers in queries.items()
        for model in rows
        for run in range(runs)
        for query in numbers
    )


Concepts = Mapping[str, Sequence[ExperimentConcept]]
"""What each data set is asked."""


def choose_queries(concepts: Concepts, wanted: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Find the queries that are wanted in each data set, by number or by name; all if none is named.

    Raises
    ------
    ParameterError
        If no data set has one of them.
    """
    for text in wanted:
        if not any(_matching(asked, [text]) for asked in concepts.values()):
            names = ", ".join(concept.phrase for asked in concepts.values() for concept in asked)
            raise ParameterError(f"There is no query {text!r}. Give its number, from 0, or one of: {names}.")
    found = {dataset: _matching(asked, wanted) for dataset, asked in concepts.items()}
    return {dataset: numbers for dataset, numbers in found.items() if numbers}


def _matching(asked: Sequence[ExperimentConcept], wanted: Sequence[str]) -> tuple[int, ...]:
    texts = {text.lower() for text in wanted}
    names = [{str(q), *map(str.lower, (concept.phrase, concept.query, concept.category))}
             for q, concept in enumerate(asked)]  # fmt: skip
    return tuple(q for q, known in enumerate(names) if not texts or texts & known)
