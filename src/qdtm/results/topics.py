"""A `ModelFit` in, topics with names, sizes and words out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import subtopic_word_probabilities, topic_word_probabilities
from qdtm.results.fit import ModelFit
from qdtm.results.labels import distinctive_words
from qdtm.results.topic import Topic


def build_topics(fit: ModelFit, *, n_label_words: int = 3) -> tuple[tuple[Topic, ...], tuple[Topic, ...]]:
    """Make the topics of a fit.

    Parameters
    ----------
    fit : ModelFit
    n_label_words : int
        How many distinctive words name a subtopic.

    Returns
    -------
    parents : tuple of Topic, length Q
        One a query, in order, with its subtopics.
    background : tuple of Topic, length K - Q
        Largest first.
    """
    probabilities = topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta)  # (K, V)
    user_labels = fit.presentation.labels
    n_z = fit.word_topic.sum(axis=0, dtype=np.float64)  # (K,)
    total = max(float(n_z.sum()), 1.0)
    topics = [
        Topic(
            id=topic_id(k, fit.n_queries),
            name=user_labels.get(topic_id(k, fit.n_queries)) or _name(fit, k),
            label=user_labels.get(topic_id(k, fit.n_queries)),
            n_tokens=float(n_z[k]),
            prevalence=float(n_z[k]) / total,
            vocabulary=fit.vocabulary,
            probabilities=_frozen(probabilities[k]),
            subtopics=_subtopics(fit, k, total, n_label_words) if k < fit.n_queries else (),
        )
        for k in range(fit.n_topics)
    ]
    return tuple(topics[: fit.n_queries]), tuple(topics[fit.n_queries :])


def topic_id(k: int, n_queries: int, subtopic: int | None = None) -> str:
    """Return the id of a topic, or of one of its subtopics (counted from 0)."""
    if k >= n_queries:
        return f"b{k - n_queries + 1}"
    return str(k) if subtopic is None else f"{k}.{subtopic + 1}"


def _name(fit: ModelFit, k: int) -> str:
    return fit.concepts[k].name if k < fit.n_queries else f"background {k - fit.n_queries + 1}"


def _subtopics(fit: ModelFit, q: int, total: float, n_label_words: int) -> tuple[Topic, ...]:
    counts = fit.subtopic_counts[q]  # (V, S)
    is_parent_word = (fit.word_topic[:, q] > 0) | counts.any(axis=1)  # (V,)
    probabilities = subtopic_word_probabilities(counts, is_parent_word, fit.beta)  # (S, V)
    own = [word.index for word in fit.concepts[q].words if word.origin == "query"]
    labels = distinctive_words(counts, n_label_words, avoid=own)
    n_s = counts.sum(axis=0, dtype=np.float64)
    subtopics = []
    for s, words in enumerate(labels):
        id, label_words = topic_id(q, fit.n_queries, s), tuple(fit.vocabulary[w] for w in words)
        label = fit.presentation.labels.get(id)
        topic = Topic(
            id=id,
            name=label or f"{fit.concepts[q].name}: {', '.join(label_words)}",
            n_tokens=float(n_s[s]),
            prevalence=float(n_s[s]) / total,
            vocabulary=fit.vocabulary,
            probabilities=_frozen(probabilities[s]),
            label_words=label_words,
            label=label,
        )
        subtopics.append(topic)
    return tuple(subtopics)


def _frozen(probabilities: NDArray[np.float64]) -> NDArray[np.float32]:
    array = probabilities.astype(np.float32)
    array.flags.writeable = False
    return array
