"""How likely each document is to be about each query: a fit and other views in, probabilities out.

The topic speaks first: p(z|d) and the log odds of the document's words. A second look by meaning corrects it,
twice. Documents that name the query, or are very like those that do, come first whatever the topic says: of
a rare query they are the surest. Several queries compete, with each other and with the rest of the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.relevance.calibration import calibrate
from qdtm.relevance.second_look import second_look
from qdtm.relevance.views import centred, mean_log_odds, mean_word_vectors, standardised, topic_share
from qdtm.results.distributions import FloatArray, topic_shares

ROUNDS = 2
"""Second looks, each at the verdict that the one before has corrected."""

WORDS_WEIGHT, ENCODER_WEIGHT = 1.0, 2.0
"""Of the second look beside the topic's two views: by mean word vectors, and by a document encoder."""

SURE = 2.0
"""Documents so many standard deviations above the mean of their likeness to those that name the query..."""

SURE_WEIGHT = 1.5
"""... gain this for each one more."""

COMPETITION = 2.0
"""The weight of a document's share among the queries."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What else is known of the documents.

    Parameters
    ----------
    reach_scores : sequence of ndarray of shape (D,)
        For each query how much a document is like those that name it; -inf if it cannot be about it.
    word_vectors : ndarray of float32, shape (V, d), optional
        Of length 1.
    document_vectors : ndarray of float32, shape (D, e), optional
        By a document encoder; it takes the place of word vectors.
    """

    reach_scores: Sequence[FloatArray]
    word_vectors: NDArray[np.float32] | None = None
    document_vectors: NDArray[np.float32] | None = None


def judge_documents(counts: Any, word_topic: NDArray[np.float32], evidence: Evidence) -> FloatArray:
    """Say how likely each document is to be about each query.

    Parameters
    ----------
    counts : scipy CSR matrix, shape (D, V)
    word_topic : ndarray of shape (V, K)
        Tokens of each word in each topic; the queries' come first.
    evidence : Evidence

    Returns
    -------
    ndarray of float64, shape (D, Q)
        Between 0 and 1; 0 for a document without known words, or with words that the user excluded.
    """
    # DEVIATION(9): the paper ranks by p(z|d) alone.
    n_queries = len(evidence.reach_scores)
    possible = np.isfinite(np.column_stack(evidence.reach_scores))  # (D, Q)
    share = topic_share(counts, word_topic, n_queries)
    first = standardised(share) + standardised(mean_log_odds(counts, word_topic, n_queries))
    first += _sureness(evidence.reach_scores)
    n_about = np.maximum(1, np.round(topic_shares(word_topic)[:n_queries] * len(share))).astype(np.int64)
    vectors, weight = _meaning(counts, evidence)
    scores, looked, verdict = first, share, _verdict(first, possible, n_about)
    if vectors is not None:
        for _ in range(ROUNDS):
            verdict = _verdict(scores, possible, n_about)
            looked = second_look(vectors, verdict)
            scores = first + weight * standardised(looked)
    scores = _compete(scores)
    judged = np.column_stack(
        [calibrate(scores[:, q], looked[:, q], verdict[:, q]) for q in range(n_queries)]
    )  # (D, Q)
    return np.asarray(np.where(possible, judged, 0.0))


def _sureness(reach_scores: Sequence[FloatArray]) -> FloatArray:
    """What documents gain that are very like those that name the query, shape (D, Q)."""
    finite = [np.where(np.isfinite(s), s, s[np.isfinite(s)].min(initial=0.0)) for s in reach_scores]
    return SURE_WEIGHT * np.maximum(standardised(np.column_stack(finite)) - SURE, 0.0)


def _meaning(counts: Any, evidence: Evidence) -> tuple[FloatArray | None, float]:
    """What a second look goes by, shape (D, d), and its weight."""
    if evidence.document_vectors is not None:
        return centred(evidence.document_vectors), ENCODER_WEIGHT
    if evidence.word_vectors is not None:
        return centred(mean_word_vectors(counts, evidence.word_vectors)), WORDS_WEIGHT
    return None, 0.0


def _verdict(
    scores: FloatArray, possible: NDArray[np.bool_], n_about: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Take each query's best documents, as many as its topic is large, that no other wants more; (D, Q)."""
    own = possible & (scores >= scores.max(axis=1, keepdims=True))
    verdict = np.zeros(scores.shape, np.bool_)
    for q, n in enumerate(n_about.tolist()):
        candidates = np.flatnonzero(own[:, q])
        best = candidates[np.argsort(-scores[candidates, q], kind="stable")[:n]]
        verdict[best, q] = True
    return verdict


def _compete(scores: FloatArray) -> FloatArray:
    """Let several queries compete for a document, with each other and with the rest of the corpus; (D, Q)."""
    if scores.shape[1] == 1:
        return scores
    rivals = np.column_stack([scores, np.zeros(len(scores))])  # (D, Q + 1); the rest is average
    odds = np.exp(rivals - rivals.max(axis=1, keepdims=True))
    won = odds[:, :-1] / odds.sum(axis=1, keepdims=True)
    return np.asarray(scores + COMPETITION * standardised(won))
