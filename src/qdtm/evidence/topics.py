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
from qdtm.evidence.kernels import shares_by_others, tokens_of_topic
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
    own = tokens_of_topic(counts.indptr, counts.indices, tokens, offsets, in_topic)
    hidden = np.zeros(counts.shape[1], np.bool_)
    hidden[list(words)] = True
    usual = float(own.sum()) / max(len(tokens), 1)
    seen, unseen = shares_by_others(counts.indptr, counts.indices, counts.data, own, usual, hidden)
    return _log_odds(seen), _log_odds(unseen)


def _log_odds(share: FloatArray) -> FloatArray:
    bounded = np.clip(share, 1.0 - SURE, SURE)
    return np.asarray(np.log(bounded / (1.0 - bounded)))
