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

from qdtm.evidence.breadth import DOUBT
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
    n_named = float(evidence.strength.sum())
    of_evidence, of_topic = worths([evidence.unseen, unseen_topic], evidence.strength)
    weights = [of_evidence, of_topic * n_named / (n_named + DOUBT)]  # few names tell little of its worth
    unseen = combine([evidence.unseen, unseen_topic], weights)
    seen = combine([evidence.seen, seen_topic], weights)
    p_j = probabilities(seen, unseen, evidence.strength, evidence.possible)
    return replace(evidence, probability=p_j, seen=seen, unseen=unseen)


def topic_looks(
    counts: Any,
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    in_topic: NDArray[np.bool_],
    words: Sequence[int],
) -> tuple[FloatArray, FloatArray]:
    """Log odds of a document's share in a topic, by others' use of its words: with the query's, without."""
    n_documents, n_words = counts.shape
    row = np.repeat(np.arange(n_documents), np.diff(counts.indptr))  # (nnz,)
    document = np.repeat(np.arange(n_documents), np.diff(offsets))[in_topic]
    place = np.searchsorted(row * n_words + counts.indices, document * n_words + tokens[in_topic])
    own = np.bincount(place, minlength=counts.nnz)  # (nnz,): tokens of the topic, where `counts` has all
    n_w = np.bincount(counts.indices, counts.data, minlength=n_words)[counts.indices]
    n_zw = np.bincount(counts.indices, own, minlength=n_words)[counts.indices]
    usual = float(in_topic.mean()) if len(in_topic) else 0.0
    p_zw = (n_zw - own + usual) / (n_w - counts.data + 1.0)  # what the others made of the word
    visible = np.where(np.isin(counts.indices, list(words)), 0, counts.data)
    seen, unseen = (_log_odds(row, n, p_zw, n_documents, usual) for n in (counts.data, visible))
    return seen, unseen


def _log_odds(row: Any, n: Any, p_zw: FloatArray, n_documents: int, usual: float) -> FloatArray:
    total = np.bincount(row, n * p_zw, minlength=n_documents)
    length = np.bincount(row, n, minlength=n_documents)
    share = np.where(length > 0, total / np.maximum(length, 1e-12), usual)
    bounded = np.clip(share, 1.0 - SURE, SURE)
    return np.asarray(np.log(bounded / (1.0 - bounded)))
