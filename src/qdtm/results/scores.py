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

from qdtm.evidence.cutoff import recommended_cutoff
from qdtm.results.distributions import (
    BLOCK,
    FloatArray,
    average_over_tokens,
    topic_shares,
    word_topic_probabilities,
)
from qdtm.results.fit import ModelFit
from qdtm.results.splits import Branch, branches, subtopic_ids, subtopic_weights
from qdtm.sampler.mixture import words_once


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """The relevance and the main subtopic of each document, for each query.

    Attributes
    ----------
    relevance : ndarray of float64, shape (D, Q)
        How likely it is to be about the query.
    about : ndarray of bool, shape (D, Q)
        Whether it is taken to be about the query: from the cut-off up.
    share : ndarray of float64, shape (D, Q)
        p(z|d) of the queries' parent topics.
    subtopic : ndarray of int32, shape (D, Q)
        The subtopic that has the largest share of the document, the deepest where it was opened: its
        position in level order. -1 if there is none, or if the document is not about the query.
    subtopic_share : ndarray of float64, shape (D, Q)
        The share of the document in that subtopic; 0 without.
    n_tokens : ndarray of int64, shape (D,)
        The known tokens of each document.
    """

    relevance: FloatArray
    about: NDArray[np.bool_]
    share: FloatArray
    subtopic: NDArray[np.int32]
    subtopic_share: FloatArray
    n_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n_tokens)


def score_documents(
    fit: ModelFit, counts: Any, relevance: FloatArray, about: NDArray[np.bool_]
) -> DocumentScores:
    """Find the main subtopics of documents that are about the queries of a fit.

    Parameters
    ----------
    fit : ModelFit
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word of the fit's vocabulary.
    relevance : ndarray of float64, shape (D, Q)
    about : ndarray of bool, shape (D, Q)

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
            first_level = first_subtopics(fit, q, counts[at])
            subtopic[at, q], subtopic_share[at, q] = main_subtopics(shares, about[at, q], tree, first_level)
    n_tokens = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
    return DocumentScores(relevance, about, share, subtopic, subtopic_share, n_tokens)


def score_fitted(fit: ModelFit, counts: Any, rows: NDArray[np.int64] | None = None) -> DocumentScores:
    """Score the documents that a model was fitted on, or some of them.

    Parameters
    ----------
    fit : ModelFit
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word.
    rows : ndarray of int64, optional
        Which documents; all by default.
    """
    relevance, about = judged_about(fit)
    if rows is not None:
        counts, relevance, about = counts[rows], relevance[rows], about[rows]
    return score_documents(fit, counts, relevance, about)


def rows_about(fit: ModelFit) -> NDArray[np.int64]:
    """The documents that are about at least one of the queries, in the order of the corpus."""
    return np.flatnonzero(judged_about(fit)[1].any(axis=1))


def judged_about(fit: ModelFit) -> tuple[FloatArray, NDArray[np.bool_]]:
    """How likely documents are to be about each query, and whether they are taken to be, both (D, Q)."""
    relevance = judged_relevance(fit)
    return relevance, relevance >= cutoffs(relevance)


def cutoffs(relevance: FloatArray) -> FloatArray:
    """The cut-off of each query, (Q,), given the relevance of all documents of the corpus, (D, Q)."""
    return np.array([recommended_cutoff(column) for column in relevance.T])


def judged_relevance(fit: ModelFit) -> FloatArray:
    """How likely documents are to be about each query, after what a person said of some, shape (D, Q)."""
    judged = fit.judged.relevance.astype(np.float64)
    for q in range(fit.n_queries):
        judged[:, q] = recalibrated(fit, q, judged[:, q])
    return judged


def recalibrated(fit: ModelFit, q: int, relevance: FloatArray) -> FloatArray:
    """Make the relevance of documents to query `q` agree with a person's answers, if there are enough."""
    name = fit.concepts[q].name
    said = next((check for check in fit.checks if check.query == name and check.is_enough), None)
    if said is None:
        return relevance
    return np.where(relevance > 0, said.recalibration.apply(relevance), 0.0)


def _weights(fit: ModelFit) -> tuple[FloatArray, FloatArray]:
    """Return what a token of each word adds to each query and each subtopic, and what no token adds."""
    n_queries = fit.n_queries
    of_queries = word_topic_probabilities(fit.word_topic)[:, :n_queries]  # (V, Q)
    of_subtopics = [subtopic_weights(fit, q, of_queries[:, q]) for q in range(n_queries)]  # (V, B_q) each
    weights = np.hstack([of_queries, *of_subtopics])
    unknown = np.zeros(weights.shape[1])
    unknown[:n_queries] = topic_shares(fit.word_topic)[:n_queries]
    return weights, unknown


def first_subtopics(fit: ModelFit, q: int, counts: Any) -> FloatArray | None:
    """How much the words of documents (D, V) fit each subtopic of query `q`; None if nobody knows.

    Groups that are not shown as subtopics follow them, (D, S + R).
    """
    mixture = fit.mixtures[q] if fit.mixtures else None
    if mixture is None or not mixture.n_groups:
        return None
    return mixture.log_joint(words_once(counts))


def main_subtopics(
    shares: FloatArray,
    about: NDArray[np.bool_],
    tree: Sequence[Branch],
    first: FloatArray | None = None,
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
    first : ndarray of shape (D, S + R), optional
        What decides on the first level in place of shares; where a group is best that is no subtopic, there
        is none.

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
        if first is not None and parent < 0:
            best = first[rows].argmax(axis=1)
            rows, best = rows[best < columns.stop], best[best < columns.stop]
            main[rows], share[rows] = best, shares[rows, best]
            continue
        largest = shares[rows, columns].max(axis=1, initial=0.0)
        best = columns.start + shares[rows, columns].argmax(axis=1)
        has_one = largest > 0
        main[rows[has_one]], share[rows[has_one]] = best[has_one], largest[has_one]
    return main, share
