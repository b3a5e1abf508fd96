"""One query of a person, asked of one model in one run, and whether its answer is acceptable.

In: the queries of each corpus, models and a number of runs. Out: `StayingCell`, and `StayingResult` once it
has been run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from qdtm.evaluation.bench.staying.queries import Kind, Queries

LEAST_WITH_WORD, LEAST_OF_TEN, LEAST_FOUND, MOST_TIMES = 0.8, 6, 0.7, 4.0
"""Of a specific query: the share of listed documents that have a word of it; how many of the first ten have
all, where so many documents do; the share of those that name it often that is listed; and how many times as
many as name it are about it."""

MOST_TIMES_IN_PASSING = 1.5
"""Of a query in passing: how many times as many as name it are about it."""

Failure = Literal["refused", "word", "first ten", "found", "count", "unnamed"]
"""What is wrong with an answer. `unnamed`: a document that does not name the query is likelier than not."""


@dataclass(frozen=True)
class StayingCell:
    """One query, asked of one model in one run.

    Attributes
    ----------
    dataset : str
        The corpus.
    query : int
        Its place among the corpus' queries, from 0.
    text : str
        The query as a person types it.
    kind : {"specific", "passing"}
    model : str
    seed : int
    """

    dataset: str
    query: int
    text: str
    kind: Kind
    model: str
    seed: int
    table: Literal["staying"] = "staying"


@dataclass(frozen=True)
class StayingResult:
    """What a model answered; all but the first three are None or 0 if it refused to.

    Attributes
    ----------
    cell : StayingCell
    n_named : int
        Documents that have all words of the query.
    seconds : float
    count : float or None
        Documents that are about the query, as the model says; None if it refused.
    n_listed : int
        Documents from the cut-off up.
    with_word : float or None
        The share of these that have a word of the query; None if there are none.
    first_ten : int
        Of the ten documents that rank first, those that have all its words.
    found : float or None
        Of the documents that name it three times or more the share that is listed; None if none does.
    n_unnamed : int
        Documents that do not name it, and whose relevance is above 0.5.
    """

    cell: StayingCell
    n_named: int
    seconds: float
    count: float | None = None
    n_listed: int = 0
    with_word: float | None = None
    first_ten: int = 0
    found: float | None = None
    n_unnamed: int = 0

    @property
    def times_named(self) -> float | None:
        """The documents that are about it over those that name it; None without either."""
        return None if self.count is None or not self.n_named else self.count / self.n_named

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What is wrong with the answer; nothing if it is acceptable."""
        return tuple(_of_specific(self) if self.cell.kind == "specific" else _of_passing(self))


def _of_specific(result: StayingResult) -> Iterator[Failure]:
    if result.count is None:
        yield "refused"
        return
    if result.with_word is None or result.with_word < LEAST_WITH_WORD:
        yield "word"
    if result.first_ten < min(LEAST_OF_TEN, result.n_named):
        yield "first ten"
    if result.found is not None and result.found < LEAST_FOUND:
        yield "found"
    if result.count > MOST_TIMES * result.n_named:
        yield "count"


def _of_passing(result: StayingResult) -> Iterator[Failure]:
    if result.count is None:
        return
    if result.count > MOST_TIMES_IN_PASSING * result.n_named:
        yield "count"
    if result.n_unnamed:
        yield "unnamed"


def plan_staying(
    queries: Queries, chosen: Mapping[str, Sequence[int]], models: Iterable[str], *, runs: int, seed: int
) -> tuple[StayingCell, ...]:
    """List the cells: of each corpus the queries at some places; run r has the seed `seed + r`."""
    rows = tuple(models)
    return tuple(
        StayingCell(corpus, q, queries[corpus][q].text, queries[corpus][q].kind, model, seed + run)
        for corpus, places in chosen.items()
        for model in rows
        for run in range(runs)
        for q in places
    )
