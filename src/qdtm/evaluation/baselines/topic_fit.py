"""What every topic model here gives back: `TopicFit`, and two ways to read documents from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus import Corpus

FloatArray = NDArray[np.float64]

TrainingProgress = Callable[[int, int], object]
"""Called with the sweeps (epochs) done and how many there are in all."""


@dataclass(frozen=True, eq=False)
class TopicFit:
    """Topics and what they say about documents.

    Attributes
    ----------
    vocabulary : tuple of str, length V
    topics : ndarray of shape (K, V)
        p(word | topic); rows sum to 1.
    doc_topics : ndarray of shape (D, K)
        The model's own document distribution p(topic | document); rows sum to 1.
    p_topic_of_word : ndarray of shape (V, K)
        p(topic | word), from counts; rows sum to 1, or are 0 if the word has no token.
    """

    vocabulary: tuple[str, ...]
    topics: FloatArray
    doc_topics: FloatArray
    p_topic_of_word: FloatArray

    @property
    def n_topics(self) -> int:
        """The number of topics, K."""
        return len(self.topics)

    def top_words(self, k: int, n: int = 10) -> list[str]:
        """Return the most probable words of a topic; equal ones in the order of the vocabulary."""
        return [self.vocabulary[w] for w in np.argsort(-self.topics[k], kind="stable")[:n]]

    def mixed_doc_topics(self, corpus: Corpus) -> FloatArray:
        """Return p(topic | document) as the mix of p(topic | word) over the document's tokens, (D, K).

        This is how the query-driven model reads documents. A document without words has equal shares.
        """
        return normalised(np.asarray(corpus.document_term_matrix @ self.p_topic_of_word))


def fit_of_counts(
    vocabulary: tuple[str, ...], word_counts: FloatArray, topics: FloatArray, doc_topics: FloatArray
) -> TopicFit:
    """Make a `TopicFit` of a count model: `word_counts` (V, K) are the tokens of each word in each topic."""
    totals = word_counts.sum(axis=1, keepdims=True)  # (V, 1)
    p_topic_of_word = np.divide(word_counts, totals, out=np.zeros_like(word_counts), where=totals > 0)
    return TopicFit(vocabulary, topics, doc_topics, p_topic_of_word)


def smoothed_topics(word_counts: FloatArray, beta: float) -> FloatArray:
    """Return p(word | topic) of counts (V, K) with a symmetric prior, (K, V)."""
    return np.asarray(((word_counts + beta) / (word_counts + beta).sum(axis=0)).T)


def normalised(rows: FloatArray) -> FloatArray:
    """Return rows that sum to 1; one of zeros has equal shares."""
    totals = rows.sum(axis=1, keepdims=True)
    equal = np.full_like(rows, 1.0 / rows.shape[1])
    return np.asarray(np.divide(rows, totals, out=equal, where=totals > 0))
