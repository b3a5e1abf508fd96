"""What an answer is worth: an `Answer` and the labels in, an `AloneResult` out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qdtm.evaluation.bench.alone.cells import OURS, AloneCell, AloneResult
from qdtm.evaluation.bench.alone.rows import TOGETHER, Answer, Judgement
from qdtm.evaluation.bench.words import category_words, share_of
from qdtm.evaluation.datasets import Dataset
from qdtm.evaluation.metrics import precision_at_k, topic_cohesion
from qdtm.evaluation.metrics.calibration import calibration_error
from qdtm.evaluation.metrics.subtopics import top_word_ids
from qdtm.evaluation.systems.baselines import break_ties

N_TOP_WORDS = 20
"""Words of a topic that are kept and compared."""

N_SHOWN_WORDS = 10
"""Those that are shown, and held against the category's."""

COMPARED = (OURS, TOGETHER)
"""Rows whose documents are compared with each other."""


def measure_answer(
    cell: AloneCell, answer: Answer, dataset: Dataset, vectors: NDArray[np.float32] | None = None
) -> AloneResult:
    """Measure the answer to a query; equally good documents are in random order.

    Parameters
    ----------
    cell : AloneCell
    answer : Answer
    dataset : Dataset
        The one that was asked: thinned, if the cell says so.
    vectors : ndarray of shape (V, d), optional
        Word vectors, for cohesion.
    """
    relevant = dataset.labels == cell.query
    n_relevant, true_share = int(relevant.sum()), float(relevant.mean())
    phrase = dataset.concepts[cell.query].phrase
    if not answer.answered:
        return AloneResult(cell, phrase, n_relevant, true_share, None, answer.seconds)
    ranks = break_ties(np.stack(answer.scores, axis=1), cell.seed).T  # (readings, D)
    best = max(ranks, key=lambda scores: precision_at_k(scores, relevant))
    first = np.argsort(-best, kind="stable")[:n_relevant]
    words = _words(answer, dataset)
    result = AloneResult(
        cell=cell,
        phrase=phrase,
        n_relevant=n_relevant,
        true_share=true_share,
        precision_at_k=precision_at_k(best, relevant),
        seconds=answer.seconds,
        prevalence=answer.prevalence,
        n_background=answer.n_background,
        cohesion=_cohesion(answer, vectors),
        words=words,
        own_words=share_of(words[:N_SHOWN_WORDS], category_words(dataset, cell.query)),
        documents=tuple(first.tolist()) if cell.model in COMPARED else (),
    )
    return result if answer.judgement is None else _with_judgement(result, answer.judgement, relevant)


def _with_judgement(result: AloneResult, judgement: Judgement, relevant: NDArray[np.bool_]) -> AloneResult:
    """Add what the probabilities are worth, and what p(z|d) is."""
    share = judgement.topic_share
    if share is not None:
        share = break_ties(share[:, None], result.cell.seed)[:, 0]
    return replace(
        result,
        precision_by_share=None if share is None else precision_at_k(share, relevant),
        count=judgement.count,
        interval=judgement.interval,
        calibration_error=calibration_error(judgement.probability, relevant),
    )


def _cohesion(answer: Answer, vectors: NDArray[np.float32] | None) -> float | None:
    if vectors is None or answer.topic is None or not answer.subtopics:
        return None
    return topic_cohesion(answer.topic, np.stack(answer.subtopics), vectors)


def _words(answer: Answer, dataset: Dataset) -> tuple[str, ...]:
    if answer.topic is None:
        return ()
    [top] = top_word_ids(answer.topic, N_TOP_WORDS)
    return tuple(dataset.corpus.vocabulary[w] for w in top)
