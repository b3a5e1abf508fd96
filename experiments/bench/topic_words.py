"""The paper's word tables (2, 4, B1, B2) beside ours: a cell is a run of a row on a data set.

In: rows and data sets. Out: `WordComparison`, a topic as the paper prints it and as we find it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from experiments.bench.paper_tables import run_table, table_options, top_words
from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.cells import Bench, Cell
from experiments.harness.report import Part, Table
from experiments.harness.summary import grouped
from experiments.harness.workbench import Workbench
from experiments.paper import TABLE_4, PaperTopic, paper_topics
from experiments.systems.registry import Outcome, SubtopicGroup, System

WITH_SUBTOPICS = "20news"
"""The data set whose subtopics the paper prints, in Table 4."""

RARE_CONCEPT = ExperimentConcept("business", "and", "", (), "business")
"""The query of Table 4 that 20 Newsgroups seldom has; it is asked alone."""

_PRINTED_IN = {"20news": "table B1", "tagmynews": "table 2", "searchsnippets": "table B2"}

Words = tuple[str, ...]


@dataclass(frozen=True)
class TopicWords:
    """The top ten words of a concept's topic and of its subtopics, largest first."""

    phrase: str
    words: Words
    subtopics: tuple[Words, ...] = ()


@dataclass(frozen=True)
class WordResult:
    """The topics that a run found, and the seconds that the model took."""

    cell: Cell
    topics: tuple[TopicWords, ...]
    seconds: float


def measure_words(cells: tuple[Cell, ...], system: System, workbench: Workbench) -> list[WordResult]:
    """Collect the words of a data set's topics; on 20 Newsgroups also those of the rare query."""
    [cell] = cells
    dataset, is_deep = workbench.dataset(cell.dataset), cell.dataset == WITH_SUBTOPICS
    asked = [dataset, replace(dataset, concepts=(RARE_CONCEPT,))] if is_deep else [dataset]
    words: list[TopicWords] = []
    seconds = 0.0
    for each in asked:
        start = time.perf_counter()
        outcome = system.fit(each, cell.seed, subtopics=is_deep)
        seconds += time.perf_counter() - start
        words += topic_words(outcome, each)
    return [WordResult(cell, tuple(words), seconds)]


def topic_words(outcome: Outcome, dataset: Dataset) -> tuple[TopicWords, ...]:
    """Return the words that the word tables show, one entry a concept."""
    if outcome.topics is None:
        return ()
    vocabulary = dataset.corpus.vocabulary
    groups = outcome.subtopics or (None,) * len(dataset.concepts)
    return tuple(
        TopicWords(concept.phrase, words, _subtopic_words(group, vocabulary))
        for concept, words, group in zip(
            dataset.concepts, top_words(outcome.topics, vocabulary), groups, strict=True
        )
    )


def _subtopic_words(group: SubtopicGroup | None, vocabulary: Sequence[str]) -> tuple[Words, ...]:
    """Return the words of all subtopics, the rare ones too: a rare concept has no others."""
    if group is None or not len(group.probabilities):
        return ()
    return tuple(top_words(group.probabilities, vocabulary))


# --- summing up ------------------------------------------------------------------------------------------


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
    paper: Words
    ours: Words
    overlap: float
    runs: int
    paper_subtopics: tuple[Words, ...] = ()
    our_subtopics: tuple[Words, ...] = ()
    subtopic_overlap: float | None = None


def compare_words(results: Sequence[WordResult]) -> tuple[WordComparison, ...]:
    """Set the topics of all runs beside the paper's, table by table."""
    return tuple(
        _compare(table, topic, runs)
        for runs in grouped(results, lambda result: (result.cell.dataset, result.cell.model))
        for table, topics in _printed(runs[0].cell.dataset)
        for topic in topics
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
    return [*tables, ("table 4", TABLE_4)] if dataset == WITH_SUBTOPICS else tables


def _compare(table: str, topic: PaperTopic, runs: Sequence[WordResult]) -> WordComparison:
    found = [next(each for each in run.topics if each.phrase == topic.phrase) for run in runs]
    deep = bool(topic.subtopics)
    shares = [subtopic_overlap(topic.subtopics, ours.subtopics) for ours in found] if deep else []
    return WordComparison(
        table=table,
        dataset=runs[0].cell.dataset,
        model=runs[0].cell.model,
        phrase=topic.phrase,
        paper=topic.words,
        ours=found[0].words,
        overlap=float(np.mean([overlap(topic.words, ours.words) for ours in found])),
        runs=len(runs),
        paper_subtopics=topic.subtopics,
        our_subtopics=found[0].subtopics if deep else (),
        subtopic_overlap=float(np.mean(shares)) if shares else None,
    )


# --- showing ---------------------------------------------------------------------------------------------


def report_words(comparisons: Sequence[WordComparison]) -> Iterator[Part]:
    """Yield a section for each word table: a row a topic, words of both sides bold; then subtopics."""
    for rows in grouped(comparisons, lambda row: (row.table, row.dataset, row.model)):
        first, mean = rows[0], sum(row.overlap for row in rows) / len(rows)
        runs = "1 run" if first.runs == 1 else f"{first.runs} runs"
        yield f"### {first.dataset}, {first.table}, `{first.model}`"
        yield f"{runs}, mean overlap {mean:.0%}."
        yield Table.of(("concept", "overlap", "paper", "ours"), map(_topic_line, rows))
        for row in rows:
            if row.subtopic_overlap is not None:
                share = f"{row.subtopic_overlap:.0%}"
                yield f"{row.phrase}: {share} of a subtopic of the paper is in one of ours."
                yield Table.of(("subtopic", "words"), _subtopic_lines(row))


def _topic_line(row: WordComparison) -> tuple[str, ...]:
    return row.phrase, f"{row.overlap:.0%}", _marked(row.paper, row.ours), _marked(row.ours, row.paper)


def _subtopic_lines(row: WordComparison) -> Iterator[tuple[str, str]]:
    for side, subtopics in (("paper", row.paper_subtopics), ("ours", row.our_subtopics)):
        yield from ((side, " ".join(words)) for words in subtopics)


def _marked(words: Sequence[str], others: Sequence[str]) -> str:
    """Return words in a line, those of the other side in bold."""
    return " ".join(f"**{word}**" if word in others else word for word in words)


def describe(result: WordResult) -> str:
    """Say how many topics a result has."""
    return f", {len(result.topics)} topics"


TOPICS = Bench(
    "topics", "Tables 2, 4, B1 and B2: words of topics", WordResult, lambda _: WordComparison,
    measure_words, compare_words, report_words, describe,
)  # fmt: skip


@click.command()
@table_options
def topics(**options: Any) -> None:
    """Show the words of the topics beside the paper's (Tables 2, 4, B1 and B2).

    With 20 Newsgroups comes the query "business", which that corpus seldom has, asked alone.
    """
    run_table(TOPICS, "topics", options)
