"""One query whose category was made rare, asked of one model in one run.

In: data sets, the queries that are wanted, levels, models and a number of runs. Out: `RareCell`, and
`RareResult` once it has been run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

LEVELS = (0.001, 0.0025, 0.005, 0.01, 0.02)
"""The shares of the documents to which a category is thinned."""


@dataclass(frozen=True)
class RareCell:
    """One query, asked of one model in one run.

    Attributes
    ----------
    dataset : str
    query : int
        Its place among the data set's concepts, from 0.
    model : str
    seed : int
        Chooses the documents that stay, and is that of the model.
    level : float
        The share of the documents to which the query's category is thinned before.
    """

    dataset: str
    query: int
    model: str
    seed: int
    level: float
    table: Literal["rare"] = "rare"


@dataclass(frozen=True)
class RareResult:
    """What a model answered.

    Attributes
    ----------
    cell : RareCell
    phrase : str
        The query as the paper prints it.
    n_documents, n_relevant : int
        The documents that are left, and K, those of the query's category among them.
    precision_at_k : float
        The share of the category's documents among the K that rank first.
    recall_at_2k : float
        The share of the category's documents that are among the 2 K that rank first.
    seconds : float
    answered : bool
        Whether the thinned corpus still has the query's words; else documents rank by chance.
    words_share : float or None
        The share of the topic's ten most probable words that are the category's; None without a topic.
    prevalence : float or None
        The topic's share of the tokens.
    words : tuple of str
        The topic's ten most probable words.
    """

    cell: RareCell
    phrase: str
    n_documents: int
    n_relevant: int
    precision_at_k: float
    recall_at_2k: float
    seconds: float
    answered: bool = True
    words_share: float | None = None
    prevalence: float | None = None
    words: tuple[str, ...] = ()

    @property
    def size_ratio(self) -> float | None:
        """The topic's share of the tokens over the category's share of the documents."""
        return None if self.prevalence is None else self.prevalence * self.n_documents / self.n_relevant


def plan_rare(
    queries: Mapping[str, Sequence[int]],
    models: Iterable[str],
    *,
    runs: int,
    seed: int,
    levels: Sequence[float] = LEVELS,
) -> tuple[RareCell, ...]:
    """List the cells; run r has the seed `seed + r`, and comes before run r + 1.

    All models are asked of a thinned corpus before it is thinned anew.
    """
    rows = tuple(models)
    return tuple(
        RareCell(dataset, query, model, seed + run, level)
        for run in range(runs)
        for dataset, numbers in queries.items()
        for level in levels
        for query in numbers
        for model in rows
    )
