"""What each view of a document says about the queries: a fit in, a score of each document out.

A document is looked at from several sides: how much of it is in the query's topic, how much likelier its
words are in the topic than elsewhere, how much it is like the documents that name the query, and where it
stands among all documents by its meaning. No view is right alone; they err on different documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import (
    FloatArray,
    average_over_tokens,
    topic_shares,
    word_topic_probabilities,
)

SMOOTHING = 25.0
"""Tokens of the corpus at large that are mixed into a topic and into the rest, before they are compared."""


def topic_share(counts: Any, word_topic: NDArray[np.float32], n_queries: int) -> FloatArray:
    """Return p(z|d) of the queries' topics, shape (D, Q)."""
    weights = word_topic_probabilities(word_topic)[:, :n_queries]
    return average_over_tokens(counts, weights, topic_shares(word_topic)[:n_queries])


def mean_log_odds(counts: Any, word_topic: NDArray[np.float32], n_queries: int) -> FloatArray:
    """Return how much likelier a document's words are in a query's topic than in the rest, shape (D, Q).

    The mean over the tokens of log p(w | topic) / p(w | rest). Where p(z|d) counts how many words are the
    query's, this also counts how much each of them is.
    """
    return average_over_tokens(counts, word_log_odds(word_topic, n_queries), np.zeros(n_queries))


def word_log_odds(word_topic: NDArray[np.float32], n_queries: int) -> FloatArray:
    """Return log p(w | topic) / p(w | rest) for the queries' topics, shape (V, Q)."""
    n_wk = word_topic.astype(np.float64)
    n_w = n_wk.sum(axis=1, keepdims=True)  # (V, 1)
    own = n_wk[:, :n_queries]  # (V, Q)
    usual = SMOOTHING * (n_w + 1.0) / (n_w.sum() + len(n_w))

    def log_share(n: FloatArray) -> FloatArray:
        return np.asarray(np.log((n + usual) / (n.sum(axis=0) + SMOOTHING)))

    return log_share(own) - log_share(n_w - own)


def mean_word_vectors(counts: Any, vectors: NDArray[np.float32]) -> FloatArray:
    """Return the mean vector of each document's words, rare words counting more, shape (D, d).

    Parameters
    ----------
    counts : scipy CSR matrix, shape (D, V)
    vectors : ndarray of shape (V, d)
        Of length 1; 0 for a word without one.
    """
    n_documents = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])  # (V,)
    rarity = np.log((1.0 + n_documents) / (1.0 + frequency)) + 1.0
    weighted = counts.astype(np.float64)
    weighted.data = 1.0 + np.log(weighted.data)
    return np.asarray(weighted @ (rarity[:, None] * vectors.astype(np.float64)))


def unit_rows(vectors: NDArray[Any]) -> FloatArray:
    """Give each row the length 1; a row of zeros stays."""
    rows = np.asarray(vectors, np.float64)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def centred(vectors: NDArray[Any], common: FloatArray | None = None) -> FloatArray:
    """Take off what all documents have in common, and give each the length 1; shape (D, d).

    `common`, shape (d,), is the mean of the rows unless it is given: queries are seen as the documents are.
    """
    rows = unit_rows(vectors)
    return unit_rows(rows - (rows.mean(axis=0) if common is None else common))


def standardised(scores: FloatArray) -> FloatArray:
    """Put scores on a common scale: mean 0 and variance 1 in each column; a constant one is 0."""
    spread = scores.std(axis=0)
    return np.asarray((scores - scores.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0))
