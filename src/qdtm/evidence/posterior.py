"""The probability that a document is about a query, given the evidence and the fitted topics: its relevance.

In: the evidence of each query, and which tokens its parent topic has. Out: how likely each document is to be
about each query.

The topic is one more look at the documents, worth as much as it tells those that name the query from others
without having seen the name: a document's share in the topic is taken from what other documents made of its
words, the query's own words left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.breadth import DOUBT, at_least_context, kept_apart
from qdtm.evidence.corpus_views import CorpusViews
from qdtm.evidence.evidence import Evidence, combine, probabilities, worths
from qdtm.evidence.views import FloatArray, standardised

# --- what topics add ----------------------------------------------------------------------------------------


def revise(evidence: Evidence, seen_topic: FloatArray, unseen_topic: FloatArray) -> Evidence:
    """Put the evidence of a query and the looks of its topic together."""
    heard = evidence.strength if evidence.counted is None else evidence.strength * evidence.counted
    n_named = float(heard.sum())
    of_evidence, of_topic = worths([evidence.unseen, unseen_topic], heard)
    weights = [of_evidence, of_topic * n_named / (n_named + DOUBT)]  # few names tell little of its worth
    unseen = combine([evidence.unseen, unseen_topic], weights)
    seen = combine([evidence.seen, seen_topic], weights)
    given = (evidence.strength, evidence.possible)
    p_j = kept_apart(
        probabilities(seen, unseen, *given, counted=evidence.counted, named_share=evidence.named_share)
    )
    return replace(evidence, probability=p_j, seen=seen, unseen=unseen, bounded=p_j)


# --- queries that cover the corpus --------------------------------------------------------------------------
#
# Relevance of queries that cover a corpus together: each document is about one of them, or about the rest.
#
# In: the share of each document in each query's topic, and the views of the corpus. Out: how likely each
# document is to be about each query.
#
# The topics were fitted side by side and know their bounds, so they speak first. The views look at what they
# say (self-training), and the queries compete for each document; one that names a query is as relevant as it
# would be alone.

ROUNDS = 2
"""Looks at what was said so far."""

VIEWS_WEIGHT = 2.0
"""Of the views together, beside the topic."""

ENCODED_WEIGHT = 2.0
"""Of each of the two views by a sentence encoder, the ridge and the neighbours, beside 1 for each other. On
the three corpora of the paper, seen: 2 and 3 differ by at most 0.001."""

LEAST_SHARE = 1e-4
"""Shares in a topic are kept this far from 0 and 1 before their log odds are taken."""


def competing_posteriors(
    views: CorpusViews,
    shares: FloatArray,
    strength: FloatArray,
    possible: NDArray[np.bool_],
    query_vectors: NDArray[np.float32] | None = None,
) -> FloatArray:
    """Say how likely each document is to be about each query, (D, Q).

    Parameters
    ----------
    views : CorpusViews
    shares : ndarray of float64, shape (D, Q)
        p(z|d) of the queries' topics.
    strength : ndarray of float64, shape (D, Q)
        How much each document names each query.
    possible : ndarray of bool, shape (D, Q)
        Which documents can be about each query at all; for the others it does not compete.
    query_vectors : ndarray of float32, shape (Q, e), optional
        What a sentence encoder makes of each query.
    """
    bounded = np.clip(shares, LEAST_SHARE, 1.0 - LEAST_SHARE)
    topics = _standardised_columns(np.log(bounded / (1.0 - bounded)))
    near, p_jq = _nearness(views, query_vectors), np.where(possible, shares, 0.0)
    seeing: list[Callable[[FloatArray], FloatArray]] = [*views.views]
    weights = [ENCODED_WEIGHT if view is views.encoded else 1.0 for view in views.views]
    if views.neighbours is not None:
        seeing, weights = [*seeing, views.neighbours], [*weights, ENCODED_WEIGHT]
    weights += [1.0] * len(near)
    for _ in range(ROUNDS):
        looks = [np.stack([view(labels) for labels in p_jq.T], axis=1) for view in seeing] + near
        seen = np.average([_standardised_columns(look) for look in looks], axis=0, weights=weights)
        p_jq = _compete(np.where(possible, topics + VIEWS_WEIGHT * seen, -np.inf))
    return np.where(strength > 0, at_least_context(p_jq, strength), p_jq)


def _nearness(views: CorpusViews, query_vectors: NDArray[np.float32] | None) -> list[FloatArray]:
    """How near each document is to each query by a sentence encoder, (D, Q); an empty list without one."""
    if views.encoded is None or query_vectors is None:
        return []
    return [np.stack([views.encoded.near(vector) for vector in query_vectors], axis=1)]


def _standardised_columns(scores: FloatArray) -> FloatArray:
    return np.stack([standardised(column) for column in scores.T], axis=1)


def _compete(scores: FloatArray) -> FloatArray:
    """The softmax over the queries and the rest of the corpus, whose score is 0; (D, Q)."""
    highest = np.maximum(scores.max(axis=1, keepdims=True), 0.0)
    odds = np.exp(scores - highest)
    return np.asarray(odds / (odds.sum(axis=1, keepdims=True) + np.exp(-highest)))
