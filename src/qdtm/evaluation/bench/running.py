"""Run one cell: fit the system, measure what its table reports."""

from __future__ import annotations

import time

from threadpoolctl import threadpool_limits

from qdtm.evaluation.bench.cells import Cell, CellResult, TopicWords
from qdtm.evaluation.bench.measuring import parent_figures, subtopic_figures, topic_words
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.systems import Outcome, System

WITH_SUBTOPICS = "20news"
"""The data set whose subtopics the paper prints, in Table 4."""


def run_cell(cell: Cell, system: System, workbench: Workbench) -> CellResult:
    """Run a cell; linear algebra keeps to one thread, so that figures do not depend on the machine.

    Parameters
    ----------
    cell : Cell
    system : System
        The one that the cell names.
    workbench : Workbench
    """
    with threadpool_limits(1):
        if cell.table == "topics":
            return _run_topics(cell, system, workbench)
        dataset = workbench.dataset(cell.dataset)
        outcome, seconds = _timed_fit(cell, system, workbench, subtopics=cell.table == "table3")
        if cell.table == "table3":
            figures = subtopic_figures(outcome, workbench.vectors(cell.dataset))
        else:
            figures = parent_figures(outcome, dataset, workbench.windows(cell.dataset))
        return CellResult(cell, figures, (), seconds)


def _run_topics(cell: Cell, system: System, workbench: Workbench) -> CellResult:
    """Collect the words of a data set's topics; on 20 Newsgroups also those of the rare query."""
    deep = cell.dataset == WITH_SUBTOPICS
    outcome, seconds = _timed_fit(cell, system, workbench, subtopics=deep)
    words = topic_words(outcome, workbench.dataset(cell.dataset))
    if deep:
        rare, more = _rare_query(cell, system, workbench)
        words, seconds = words + rare, seconds + more
    return CellResult(cell, (), words, seconds)


def _rare_query(cell: Cell, system: System, workbench: Workbench) -> tuple[tuple[TopicWords, ...], float]:
    dataset = workbench.rare_query(cell.dataset)
    start = time.perf_counter()
    outcome = system.fit(dataset, cell.seed, subtopics=True)
    return topic_words(outcome, dataset), time.perf_counter() - start


def _timed_fit(cell: Cell, system: System, workbench: Workbench, *, subtopics: bool) -> tuple[Outcome, float]:
    dataset = workbench.dataset(cell.dataset)
    start = time.perf_counter()
    outcome = system.fit(dataset, cell.seed, subtopics=subtopics)
    return outcome, time.perf_counter() - start
