"""A `ModelFit` in, topics with names, sizes and words out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import subtopic_word_probabilities, topic_word_probabilities
from qdtm.results.fit import ModelFit
from qdtm.results.labels import N_FOR_NAMES, distinctive_words, name_subtopics
from qdtm.results.splits import counts_below
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


def topic_id(k: int, n_queries: int) -> str:
    """Return the id of a topic: "0" for the first query's, "b1" for the first of the background."""
    return str(k) if k < n_queries else f"b{k - n_queries + 1}"


def _name(fit: ModelFit, k: int) -> str:
    return fit.concepts[k].name if k < fit.n_queries else f"background {k - fit.n_queries + 1}"


class _Splitter:
    """Makes the subtopics of one query, and those below the ones that were opened."""

    def __init__(self, fit: ModelFit, q: int, total: float, n_label_words: int) -> None:
        self.fit, self.query, self.total = fit, fit.concepts[q].name, total
        self.n_label_words = n_label_words
        self.counts = dict(counts_below(fit, q))
        self.usual = fit.word_topic.sum(axis=1, dtype=np.float64)  # (V,)

    def below(self, id: str, n_w: NDArray[np.float32], avoid: tuple[int, ...]) -> tuple[Topic, ...]:
        """Make the topics below one, given its tokens of each word (V,) and words that name it already."""
        if id not in self.counts:
            return ()
        counts = self.counts[id]  # (V, S)
        is_parent_word = (n_w > 0) | counts.any(axis=1)  # (V,)
        probabilities = subtopic_word_probabilities(counts, is_parent_word, self.fit.beta)  # (S, V)
        words = distinctive_words(counts, N_FOR_NAMES, avoid, self.usual)
        names = name_subtopics([[self.fit.vocabulary[w] for w in each] for each in words])
        return tuple(
            self._topic(f"{id}.{s + 1}", name, counts[:, s], probabilities[s], each, avoid)
            for s, (name, each) in enumerate(zip(names, words, strict=True))
        )

    def _topic(
        self,
        id: str,
        name: str,
        n_w: NDArray[np.float32],
        probabilities: NDArray[np.float64],
        words: tuple[int, ...],
        avoid: tuple[int, ...],
    ) -> Topic:
        fit, n_tokens = self.fit, float(n_w.sum(dtype=np.float64))
        words = words[: self.n_label_words]
        label_words = tuple(fit.vocabulary[w] for w in words)
        label = fit.presentation.labels.get(id)
        return Topic(
            id=id,
            name=label or f"{self.query}: {name}",
            short_name=label or name,
            n_tokens=n_tokens,
            prevalence=n_tokens / self.total,
            vocabulary=fit.vocabulary,
            probabilities=_frozen(probabilities),
            subtopics=self.below(id, n_w, (*avoid, *words)),
            label_words=label_words,
            label=label,
        )


def _subtopics(fit: ModelFit, q: int, total: float, n_label_words: int) -> tuple[Topic, ...]:
    own = tuple(word.index for word in fit.concepts[q].words if word.origin == "query")
    return _Splitter(fit, q, total, n_label_words).below(str(q), fit.word_topic[:, q], own)


def _frozen(probabilities: NDArray[np.float64]) -> NDArray[np.float32]:
    array = probabilities.astype(np.float32)
    array.flags.writeable = False
    return array
