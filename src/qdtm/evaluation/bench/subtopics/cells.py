"""One upper category, asked of one model in one run: the unit that is run, kept and never repeated.

In: data sets, the queries that are wanted, models and a number of runs. Out: `SubtopicsCell`, and
`SubtopicsResult` once it has been run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from qdtm.evaluation.bench.subtopics.scoring import SubtopicScore


@dataclass(frozen=True)
class SubtopicsCell:
    """One upper category, asked of one model in one run.

    Attributes
    ----------
    dataset : str
    query : int
        Its place among the data set's concepts, from 0.
    text : str
        What is asked.
    model : str
    seed : int
    """

    dataset: str
    query: int
    text: str
    model: str
    seed: int
    table: Literal["subtopics"] = "subtopics"


@dataclass(frozen=True)
class SubtopicsResult:
    """What a model made of the documents about the query.

    Attributes
    ----------
    cell : SubtopicsCell
    category : str
        The upper category that is asked for.
    score : SubtopicScore or None
        None if the query was refused: there is nothing to split.
    seconds : float
        Of our row the whole answer; of the others the split alone, once the documents are encoded.
    found_again : float or None
        The share of our subtopics that another seed finds again; None of other rows, or without any.
    """

    cell: SubtopicsCell
    category: str
    score: SubtopicScore | None
    seconds: float
    found_again: float | None = None


def plan_subtopics(
    texts: Mapping[str, Mapping[int, str]], models: Iterable[str], *, runs: int, seed: int
) -> tuple[SubtopicsCell, ...]:
    """List the cells: of each data set its queries by number; run r has the seed `seed + r`.

    Rows of one query stand together, since all of them need the documents that are about it.
    """
    rows: Sequence[str] = tuple(models)
    return tuple(
        SubtopicsCell(dataset, query, text, model, seed + run)
        for dataset, asked in texts.items()
        for run in range(runs)
        for query, text in asked.items()
        for model in rows
    )
