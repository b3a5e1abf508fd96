"""What each document has to do with each query: a fit and word counts in, `DocumentScores` out.

Only the queries' columns are worked out, never the whole (D, K) array, so that the documents of a large
corpus can be ranked and written without holding it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import (
    BLOCK,
    FloatArray,
    average_over_tokens,
    topic_shares,
    word_topic_probabilities,
)
from qdtm.results.fit import ModelFit
from qdtm.results.splits import Branch, branches, subtopic_ids, subtopic_weights


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """The relevance and the main subtopic of each document, for each query.

    Attributes
    ----------
    relevance : ndarray of float64, shape (D, Q)
        How likely it is to be about the query; where that was not judged, as for new documents, its share.
    share : ndarray of float64, shape (D, Q)
        p(z|d) of the queries' parent topics.
    subtopic : ndarray of int32, shape (D, Q)
        The subtopic that has the largest share of the document, the deepest where it was opened: its
        position in level order. -1 if there is none, or if the document is no more about the query than the
        corpus at large: its subtopic would mean nothing.
    subtopic_share : ndarray of float64, shape (D, Q)
        The share of the document in that subtopic; 0 without.
    n_tokens : ndarray of int64, shape (D,)
        The known tokens of each document.
    """

    relevance: FloatArray
    share: FloatArray
    subtopic: NDArray[np.int32]
    subtopic_share: FloatArray
    n_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n_tokens)


def score_documents(fit: ModelFit, counts: Any, rows: slice | None = None) -> DocumentScores:
    """Score documents against the queries of a fit.

    Parameters
    ----------
    fit : ModelFit
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word of the fit's vocabulary.
    rows : slice, optional
        Which documents of the fitted corpus they are; None for new ones.

    Returns
    -------
    DocumentScores
    """
    n_documents, n_queries = counts.shape[0], fit.n_queries
    weights, unknown = _weights(fit)  # (V, Q + B), (Q + B,)
    ids = [subtopic_ids(fit, q) for q in range(n_queries)]
    first = n_queries + np.cumsum([0, *map(len, ids)])  # (Q + 1,): where the subtopics of each query begin
    trees = [branches(each) for each in ids]
    share = np.empty((n_documents, n_queries))
    subtopic = np.full((n_documents, n_queries), -1, np.int32)
    subtopic_share = np.zeros((n_documents, n_queries))
    for start in range(0, n_documents, BLOCK):
        at = slice(start, start + BLOCK)
        block = average_over_tokens(counts[at], weights, unknown)  # (b, Q + B)
        share[at] = block[:, :n_queries]
        for q, tree in enumerate(trees):
            shares = block[:, first[q] : first[q + 1]]
            subtopic[at, q], subtopic_share[at, q] = main_subtopics(shares, block[:, q], unknown[q], tree)
    n_tokens = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
    judged = None if rows is None else judged_relevance(fit, rows)
    return DocumentScores(share if judged is None else judged, share, subtopic, subtopic_share, n_tokens)


def judged_relevance(fit: ModelFit, rows: slice = slice(None)) -> FloatArray | None:
    """How likely documents are to be about each query, after what a person said of some, shape (D, Q).

    None if it was not judged.
    """
    if fit.relevance is None:
        return None
    judged = fit.relevance[rows].astype(np.float64)
    by_query = {check.query: check.recalibration for check in fit.checks if check.is_enough}
    for q, concept in enumerate(fit.concepts):
        if concept.name in by_query:
            possible = judged[:, q] > 0
            judged[possible, q] = by_query[concept.name].apply(judged[possible, q])
    return judged


def _weights(fit: ModelFit) -> tuple[FloatArray, FloatArray]:
    """Return what a token of each word adds to each query and each subtopic, and what no token adds."""
    n_queries = fit.n_queries
    of_queries = word_topic_probabilities(fit.word_topic)[:, :n_queries]  # (V, Q)
    of_subtopics = [subtopic_weights(fit, q, of_queries[:, q]) for q in range(n_queries)]  # (V, B_q) each
    weights = np.hstack([of_queries, *of_subtopics])
    unknown = np.zeros(weights.shape[1])
    unknown[:n_queries] = topic_shares(fit.word_topic)[:n_queries]
    return weights, unknown


def main_subtopics(
    shares: FloatArray, about: NDArray[np.bool_], tree: Sequence[Branch]
) -> tuple[NDArray[np.int32], FloatArray]:
    """Return the subtopic that has the largest share of each document that is about the query.

    Parameters
    ----------
    shares : ndarray of shape (D, B)
        Of each document in each subtopic, in level order.
    about : ndarray of bool, shape (D,)
        Which documents are about the query; others have no main subtopic.
    tree : sequence of Branch
        Which subtopics are below which; the one with the largest share is looked for on each level, below
        the one found on the level before.

    Returns
    -------
    subtopic : ndarray of int32, shape (D,)
        Its position; -1 for none.
    share : ndarray of float64, shape (D,)
        Its share of the document; 0 for none.
    """
    main = np.full(len(shares), -1, np.int32)
    share = np.zeros(len(shares))
    for parent, columns in tree:
        rows = np.flatnonzero((main == parent) & about)
        largest = shares[rows, columns].max(axis=1, initial=0.0)
        best = columns.start + shares[rows, columns].argmax(axis=1)
        has_one = largest > 0
        main[rows[has_one]], share[rows[has_one]] = best[has_one], largest[has_one]
    return main, share
