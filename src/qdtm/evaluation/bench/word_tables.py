"""The paper's word tables (2, 4, B1, B2) beside ours: cell results in, `WordComparison` out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.evaluation.bench.cells import CellResult, TopicWords
from qdtm.evaluation.paper import TABLE_4, PaperTopic, paper_topics

_PRINTED_IN = {"20news": "table B1", "tagmynews": "table 2", "searchsnippets": "table B2"}
_HAS_TABLE_4 = "20news"


@dataclass(frozen=True)
class WordComparison:
    """A topic as the paper prints it and as we find it.

    Attributes
    ----------
    table : str
        "table 2", "table 4", "table B1" or "table B2".
    dataset, model, phrase : str
    paper, ours : tuple of str
        Top ten words; ours are those of the first run.
    overlap : float
        Share of the paper's words that are among ours, averaged over the runs.
    runs : int
    paper_subtopics, our_subtopics : tuple of tuple of str
        Top ten words of the subtopics (Table 4).
    subtopic_overlap : float or None
        For each of the paper's subtopics the share of its words in the subtopic of ours that has most of
        them, averaged over subtopics and runs.
    """

    table: str
    dataset: str
    model: str
    phrase: str
    paper: tuple[str, ...]
    ours: tuple[str, ...]
    overlap: float
    runs: int
    paper_subtopics: tuple[tuple[str, ...], ...] = ()
    our_subtopics: tuple[tuple[str, ...], ...] = ()
    subtopic_overlap: float | None = None


def compare_words(results: Iterable[CellResult]) -> tuple[WordComparison, ...]:
    """Set the topics of all runs beside the paper's, table by table."""
    rows: dict[tuple[str, str], list[CellResult]] = {}
    for result in results:
        rows.setdefault((result.cell.dataset, result.cell.model), []).append(result)
    return tuple(
        comparison
        for (dataset, model), runs in rows.items()
        for table, topics in _printed(dataset)
        for comparison in (_compare(table, dataset, model, topic, runs) for topic in topics)
    )


def overlap(paper: Sequence[str], ours: Sequence[str]) -> float:
    """Return the share of the paper's words that are among ours."""
    return len(set(paper) & set(ours)) / len(set(paper))


def subtopic_overlap(paper: Sequence[Sequence[str]], ours: Sequence[Sequence[str]]) -> float:
    """Return the overlap of each of the paper's subtopics with the best of ours, averaged; 0 without ours."""
    return float(np.mean([max((overlap(words, mine) for mine in ours), default=0.0) for words in paper]))


def _printed(dataset: str) -> list[tuple[str, tuple[PaperTopic, ...]]]:
    """Return the word tables of a data set."""
    tables = [(_PRINTED_IN[dataset], paper_topics(dataset))]
    return [*tables, ("table 4", TABLE_4)] if dataset == _HAS_TABLE_4 else tables


def _compare(
    table: str, dataset: str, model: str, topic: PaperTopic, runs: Sequence[CellResult]
) -> WordComparison:
    found = [_find(run, topic.phrase) for run in runs]
    deep = bool(topic.subtopics)
    shares = [subtopic_overlap(topic.subtopics, ours.subtopics) for ours in found] if deep else []
    return WordComparison(
        table=table,
        dataset=dataset,
        model=model,
        phrase=topic.phrase,
        paper=topic.words,
        ours=found[0].words,
        overlap=float(np.mean([overlap(topic.words, ours.words) for ours in found])),
        runs=len(runs),
        paper_subtopics=topic.subtopics,
        our_subtopics=found[0].subtopics if deep else (),
        subtopic_overlap=float(np.mean(shares)) if shares else None,
    )


def _find(run: CellResult, phrase: str) -> TopicWords:
    return next(topic for topic in run.topics if topic.phrase == phrase)
