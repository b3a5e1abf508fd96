"""One metric call for every system: an `Outcome` in, the figures of a table out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.evaluation.bench.cells import Figure, TopicWords
from qdtm.evaluation.datasets import Dataset
from qdtm.evaluation.metrics import (
    WindowCounts,
    c_v,
    classification_accuracy,
    mean_precision_at_k,
    topic_cohesion,
    topic_diversity,
)
from qdtm.evaluation.metrics.subtopics import top_word_ids
from qdtm.evaluation.systems import Outcome, SubtopicGroup
from qdtm.evaluation.systems.outcome import FloatArray

N_TOP_WORDS = 10
MIN_PREVALENCE = 0.005
"""Subtopics with a smaller share of the corpus do not count, as in the paper."""
MIN_SIBLINGS = 2
"""Parents with fewer subtopics do not count: a lone subtopic has nobody to differ from."""


def parent_figures(outcome: Outcome, dataset: Dataset, windows: WindowCounts) -> tuple[Figure, ...]:
    """Measure what Table 1 reports: classification, coherence and retrieval.

    Parameters
    ----------
    outcome : Outcome
    dataset : Dataset
    windows : WindowCounts
        Of the reference corpus, for the data set's vocabulary.

    Returns
    -------
    tuple of Figure
        Of a model with two readings those of both; `summarise` finds the better. Of one that says more than
        Q + 1 numbers about a document the accuracy of both.
    """
    labels, own = dataset.labels, outcome.own
    figures = []
    if own is not None and own.shares is not None:
        assert outcome.shares is not None
        figures.append(Figure("accuracy_own", classification_accuracy(own.shares, labels)))
        figures.append(Figure("accuracy_mixed", classification_accuracy(outcome.shares, labels)))
    elif outcome.shares is not None:
        figures.append(Figure("accuracy", classification_accuracy(outcome.shares, labels)))
    if outcome.all_features is not None:
        every = outcome.all_features
        figures.append(Figure("accuracy_all_features", classification_accuracy(every, labels)))
        figures.append(Figure("n_features", float(every.shape[1])))
    if outcome.topics is not None:
        words = top_words(outcome.topics, dataset.corpus.vocabulary)
        figures.append(Figure("coherence", float(np.mean([c_v(topic, windows) for topic in words]))))
    if own is None:
        figures.append(Figure("precision_at_k", mean_precision_at_k(outcome.scores, labels)))
    else:
        figures.append(Figure("precision_at_k_own", mean_precision_at_k(own.scores, labels)))
        figures.append(Figure("precision_at_k_mixed", mean_precision_at_k(outcome.scores, labels)))
    return tuple(figures)


def subtopic_figures(outcome: Outcome, vectors: NDArray[np.float32]) -> tuple[Figure, ...]:
    """Measure what Table 3 reports, averaged over the parents with two subtopics or more.

    Parameters
    ----------
    outcome : Outcome
    vectors : ndarray of shape (V, d)
        Word vectors of the vocabulary.

    Returns
    -------
    tuple of Figure
        Diversity, cohesion and the mean of their products; empty if no parent has two subtopics.
    """
    if outcome.topics is None or outcome.subtopics is None:
        return ()
    pairs = []
    for parent, group in zip(outcome.topics, outcome.subtopics, strict=True):
        subtopics = prevalent(group)
        if len(subtopics) >= MIN_SIBLINGS:
            pairs.append((topic_diversity(subtopics), topic_cohesion(parent, subtopics, vectors)))
    if not pairs:
        return ()
    diversity, cohesion = np.array(pairs).T  # (n_parents,) each
    return (
        Figure("diversity", float(diversity.mean())),
        Figure("cohesion", float(cohesion.mean())),
        Figure("overall", float((diversity * cohesion).mean())),
    )


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


def prevalent(group: SubtopicGroup) -> FloatArray:
    """Return the subtopics that are not too rare, (S, V)."""
    return group.probabilities[group.prevalence >= MIN_PREVALENCE]


def top_words(topics: FloatArray, vocabulary: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the ten most probable words of each topic, (K, V) to K tuples."""
    return [_words(ids, vocabulary) for ids in top_word_ids(topics, N_TOP_WORDS)]


def _subtopic_words(group: SubtopicGroup | None, vocabulary: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the words of all subtopics, the rare ones too: a rare concept has no others."""
    if group is None or not len(group.probabilities):
        return ()
    return tuple(top_words(group.probabilities, vocabulary))


def _words(ids: Iterable[int], vocabulary: Sequence[str]) -> tuple[str, ...]:
    return tuple(vocabulary[w] for w in ids)
