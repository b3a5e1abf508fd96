"""What the fitted topics add to the evidence: relevance, the one number about a document and a query.

In: the evidence of each query, and which tokens its parent topic has. Out: how likely each document is to be
about each query.

The topic is one more look at the documents, worth as much as it tells those that name the query from others
without having seen the name: a document's share in the topic is taken from what other documents made of its
words, the query's own words left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.evidence.model import Evidence, combine, probabilities, worths
from qdtm.evidence.views import FloatArray

SURE = 0.999
"""Shares in a topic are kept this far from 0 and 1 before their log odds are taken."""


def with_topics(
    evidence: Sequence[Evidence],
    counts: Any,
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    token_topics: NDArray[np.int32],
) -> list[Evidence]:
    """Add what the topics say.

    Parameters
    ----------
    evidence : sequence of Evidence
        Of each query.
    counts : CSR matrix of shape (D, V)
    tokens, offsets : ndarray of shape (N,) and (D + 1,)
    token_topics : ndarray of int32, shape (N,)
        The topic of each token; query q has topic q.
    """
    return [
        revise(one, *topic_looks(counts, tokens, offsets, token_topics == q, one.words))
        for q, one in enumerate(evidence)
    ]


def revise(evidence: Evidence, seen_topic: FloatArray, unseen_topic: FloatArray) -> Evidence:
    """Put the evidence of a query and the looks of its topic together."""
    possible = evidence.probability > 0
    weights = worths([evidence.unseen, unseen_topic], evidence.strength)
    unseen = combine([evidence.unseen, unseen_topic], weights)
    seen = combine([evidence.seen, seen_topic], weights)
    p_j = probabilities(seen, unseen, evidence.strength, possible)
    return replace(evidence, probability=p_j, seen=seen, unseen=unseen)


def topic_looks(
    counts: Any,
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    in_topic: NDArray[np.bool_],
    words: Sequence[int],
) -> tuple[FloatArray, FloatArray]:
    """Log odds of each document's share in a topic by what others made of its words: with the query's, without."""
    own = _counts_of(counts.shape, tokens, offsets, in_topic)  # (D, V): tokens of the topic
    n_w = np.asarray(counts.sum(axis=0), np.float64).ravel()  # (V,)
    n_zw = np.asarray(own.sum(axis=0), np.float64).ravel()
    usual = float(in_topic.mean()) if len(in_topic) else 0.0
    of_others = np.zeros(counts.nnz)
    # `own` has a subset of the places of `counts`: put it on the same places.
    aligned = sparse.csr_matrix((np.zeros(counts.nnz), counts.indices, counts.indptr), counts.shape) + own
    aligned.sort_indices()
    of_others = n_zw[counts.indices] - aligned.data
    p_zw = (np.maximum(of_others, 0.0) + usual) / (np.maximum(n_w[counts.indices] - counts.data, 0.0) + 1.0)
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    return _log_odds(row, counts.data, p_zw, counts.shape[0], usual), _log_odds(
        row, np.where(np.isin(counts.indices, list(words)), 0, counts.data), p_zw, counts.shape[0], usual
    )


def _counts_of(
    shape: tuple[int, int], tokens: NDArray[np.int32], offsets: NDArray[np.int64], chosen: NDArray[np.bool_]
) -> Any:
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[chosen]
    return sparse.csr_matrix((np.ones(len(document)), (document, tokens[chosen])), shape)


def _log_odds(row: Any, n: Any, p_zw: FloatArray, n_documents: int, usual: float) -> FloatArray:
    total = np.bincount(row, n * p_zw, minlength=n_documents)
    length = np.bincount(row, n, minlength=n_documents)
    share = np.where(length > 0, total / np.maximum(length, 1e-12), usual)
    bounded = np.clip(share, 1.0 - SURE, SURE)
    return np.asarray(np.log(bounded / (1.0 - bounded)))
