"""Ask rare queries: cells, rows, a workbench and a store in, a `RareResult` a cell out, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from qdtm.evaluation.bench.alone.rows import AloneRow, Answer
from qdtm.evaluation.bench.asking import AnswerStore, ask_cells
from qdtm.evaluation.bench.rare.cells import RareCell, RareResult
from qdtm.evaluation.bench.rare.thinning import thin
from qdtm.evaluation.bench.rare.words import characteristic_words
from qdtm.evaluation.bench.words import share_of
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.datasets import Dataset
from qdtm.evaluation.metrics import precision_at_k, recall_at
from qdtm.evaluation.metrics.subtopics import top_word_ids
from qdtm.evaluation.systems.baselines import break_ties

N_TOP_WORDS = 10


class RareStore(AnswerStore[RareCell, RareResult]):
    """A folder of finished answers; see `AnswerStore`."""

    def read(self, cell: RareCell, kept: Mapping[str, Any]) -> RareResult:
        """Read a result back; it must be of the cell that was asked for."""
        if RareCell(**kept["cell"]) != cell:
            raise ValueError("a result of another cell")
        return RareResult(**{**kept, "words": tuple(kept["words"]), "cell": cell})


def run_rare(
    cells: Sequence[RareCell],
    rows: Mapping[str, AloneRow],
    workbench: Workbench,
    store: RareStore,
    **options: Any,
) -> list[RareResult]:
    """Run cells, each at most once; `options` are those of `ask_cells`."""
    return ask_cells(cells, rows, workbench, store, run_batch=run_cell, **options)


def run_cell(batch: tuple[RareCell, ...], row: AloneRow, workbench: Workbench) -> list[RareResult]:
    """Thin a category and ask for it; linear algebra keeps to one thread."""
    [cell] = batch
    whole = workbench.dataset(cell.dataset)
    thinned = thin(whole, cell.query, cell.level, cell.seed)
    with threadpool_limits(1):
        [answer] = row.answer(thinned, [cell.query], cell.seed)
    return [measure_rare(cell, answer, thinned, whole)]


def measure_rare(cell: RareCell, answer: Answer, thinned: Dataset, whole: Dataset) -> RareResult:
    """Measure the answer to a rare query; equally good documents are in random order.

    Parameters
    ----------
    cell : RareCell
    answer : Answer
    thinned, whole : Dataset
        The one that was asked, and the one that knows which words are the category's.
    """
    relevant = thinned.labels == cell.query
    n_relevant = int(relevant.sum())
    ranks = break_ties(np.stack(answer.scores, axis=1), cell.seed).T  # (readings, D)
    best = max(ranks, key=lambda scores: precision_at_k(scores, relevant))
    words = top_words(answer, thinned)
    return RareResult(
        cell=cell,
        phrase=whole.concepts[cell.query].phrase,
        n_documents=len(relevant),
        n_relevant=n_relevant,
        precision_at_k=precision_at_k(best, relevant),
        recall_at_2k=recall_at(best, relevant, 2 * n_relevant),
        seconds=answer.seconds,
        answered=answer.answered,
        words_share=share_of(words, characteristic_words(whole, cell.query)),
        prevalence=answer.prevalence,
        words=words,
    )


def top_words(answer: Answer, dataset: Dataset) -> tuple[str, ...]:
    """Return the ten most probable words of an answer's topic; none without a topic."""
    if answer.topic is None:
        return ()
    [top] = top_word_ids(answer.topic, N_TOP_WORDS)
    return tuple(dataset.corpus.vocabulary[w] for w in top)
