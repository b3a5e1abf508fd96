"""What each document has to do with each query: a fit and word counts in, `DocumentScores` out.

Only the queries' columns are worked out, never the whole (D, K) array, so that the documents of a large
corpus can be ranked and written without holding it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import (
    BLOCK,
    FloatArray,
    average_over_tokens,
    topic_shares,
    word_subtopic_probabilities,
    word_topic_probabilities,
)
from qdtm.results.fit import ModelFit


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """The relevance and the main subtopic of each document, for each query.

    Attributes
    ----------
    relevance : ndarray of float64, shape (D, Q)
        p(z|d) of the queries' parent topics.
    subtopic : ndarray of int32, shape (D, Q)
        The subtopic that has the largest share of the document, counted from 0. -1 if there is none, or if
        the document is no more about the query than the corpus at large: its subtopic would mean nothing.
    subtopic_share : ndarray of float64, shape (D, Q)
        The share of the document in that subtopic; 0 without.
    n_tokens : ndarray of int64, shape (D,)
        The known tokens of each document.
    """

    relevance: FloatArray
    subtopic: NDArray[np.int32]
    subtopic_share: FloatArray
    n_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n_tokens)


def score_documents(fit: ModelFit, counts: Any) -> DocumentScores:
    """Score documents against the queries of a fit.

    Parameters
    ----------
    fit : ModelFit
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word of the fit's vocabulary.

    Returns
    -------
    DocumentScores
    """
    n_documents, n_queries = counts.shape[0], fit.n_queries
    weights, unknown = _weights(fit)  # (V, Q + S), (Q + S,)
    relevance = np.empty((n_documents, n_queries))
    subtopic = np.full((n_documents, n_queries), -1, np.int32)
    share = np.zeros((n_documents, n_queries))
    for start in range(0, n_documents, BLOCK):
        rows = slice(start, start + BLOCK)
        block = average_over_tokens(counts[rows], weights, unknown)  # (b, Q + S)
        relevance[rows] = block[:, :n_queries]
        for q, columns in enumerate(_subtopic_columns(fit)):
            subtopic[rows, q], share[rows, q] = main_subtopics(block[:, columns], block[:, q], unknown[q])
    n_tokens = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
    return DocumentScores(relevance, subtopic, share, n_tokens)


def _weights(fit: ModelFit) -> tuple[FloatArray, FloatArray]:
    """Return what a token of each word adds to each query and each subtopic, and what no token adds."""
    n_queries = fit.n_queries
    of_queries = word_topic_probabilities(fit.word_topic)[:, :n_queries]  # (V, Q)
    of_subtopics = [
        word_subtopic_probabilities(fit.word_topic, counts, q) for q, counts in enumerate(fit.subtopic_counts)
    ]  # (V, S_q) each
    weights = np.hstack([of_queries, *of_subtopics])
    unknown = np.zeros(weights.shape[1])
    unknown[:n_queries] = topic_shares(fit.word_topic)[:n_queries]
    return weights, unknown


def _subtopic_columns(fit: ModelFit) -> Iterator[slice]:
    """Yield where the subtopics of each query stand among the weights."""
    start = fit.n_queries
    for counts in fit.subtopic_counts:
        yield slice(start, start + counts.shape[1])
        start += counts.shape[1]


def main_subtopics(
    shares: FloatArray, relevance: FloatArray, prevalence: float
) -> tuple[NDArray[np.int32], FloatArray]:
    """Return the subtopic that has the largest share of each document, where that means something.

    Parameters
    ----------
    shares : ndarray of shape (D, S)
        Of each document in each subtopic.
    relevance : ndarray of shape (D,)
        Of each document to the query.
    prevalence : float
        The query's share of the corpus; a document that is no more about the query than this has no main
        subtopic.

    Returns
    -------
    subtopic : ndarray of int32, shape (D,)
        Counted from 0; -1 for none.
    share : ndarray of float64, shape (D,)
        Its share of the document; 0 for none.
    """
    n_documents, n_subtopics = shares.shape
    if n_subtopics == 0:
        return np.full(n_documents, -1, np.int32), np.zeros(n_documents)
    best = shares.argmax(axis=1)
    share = shares[np.arange(n_documents), best]
    has_one = (share > 0) & (relevance > prevalence)
    return np.where(has_one, best, -1).astype(np.int32), np.where(has_one, share, 0.0)
