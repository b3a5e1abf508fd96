"""The documents that are surest to be about a query: what names it and what they mean in, an order out.

How broad a query is cannot always be told: "business" may mean a fifth of a corpus or a hundredth, if its
word mostly stands in documents about other things. The topic then takes in far more than the query means. The
core does not depend on that: it grows from the few documents that name the query most, as retrieval finds
them, to those that mean the same. They go first. If the query is broad they belong to it anyway; if it is
rare they are all there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.relevance.retrieval import query_likelihood_scores
from qdtm.relevance.second_look import Look, look_again
from qdtm.relevance.views import standardised
from qdtm.results.distributions import FloatArray

ROUNDS = 4
"""Looks at the core, each at the one that the last has corrected."""

FEWEST = 5
"""Documents of a core, at least, and as many that it can lift."""

HEAD, HEAD_AMONG_RIVALS = 0.02, 0.01
"""The share of the corpus that the core can lift; less if queries cover it and so bound each other."""

HEAD_START = 5.0
"""How much more a document's place in the core counts than its place in the topic, within that share."""


def naming_scores(
    counts: Any,
    reach_scores: Sequence[FloatArray],
    naming_words: Sequence[Sequence[int]],
    concept_words: Sequence[Sequence[int]],
) -> FloatArray:
    """Say how much each document names each query, shape (D, Q).

    Three ways of naming weigh the same: the words of documents that name it (its reach), and how likely the
    query's own words and its concept words are in the document.
    """
    views = [
        np.column_stack(
            [np.where(np.isfinite(s), s, s[np.isfinite(s)].min(initial=0.0)) for s in reach_scores]
        )
    ]
    for words in (naming_words, concept_words):
        views.append(np.column_stack([query_likelihood_scores(counts, np.array(w, int)) for w in words]))
    return np.asarray(np.sum([standardised(view) for view in views], axis=0))


def core_scores(
    named: FloatArray, looks: Sequence[tuple[float, Look]], possible: NDArray[np.bool_]
) -> FloatArray:
    """Let the core grow from the documents that name a query most to those like them, shape (D, Q).

    In a larger corpus it takes more documents to be sure, but not as many times more.
    """
    size = max(FEWEST, round(0.5 * np.sqrt(len(named))))
    return look_again(named, looks, possible, np.full(named.shape[1], size), ROUNDS).scores


def core_first(judged: FloatArray, scores: FloatArray, core: FloatArray, head: float) -> FloatArray:
    """Give the probabilities to the documents in another order: the core's come first, shape (D, Q).

    Parameters
    ----------
    judged, scores, core : ndarray of float64, shape (D, Q)
        Probabilities; the scores that they are in the order of; and how near each document is to the core.
    head : float
        The share of the corpus that the core can lift, if that is more than a few documents.
    """
    head = max(head, FEWEST / max(len(judged), 1))
    reordered = np.empty_like(judged)
    for q in range(judged.shape[1]):
        ahead = HEAD_START * np.maximum(np.log(head / _rank(core[:, q])), 0.0)
        order = np.argsort(np.log(_rank(scores[:, q])) - ahead, kind="stable")
        reordered[order, q] = np.sort(judged[:, q])[::-1]
    return reordered


def _rank(scores: FloatArray) -> FloatArray:
    """The share of documents from a document's place up, shape (D,)."""
    rank = np.empty(len(scores))
    rank[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1) / len(scores)
    return rank
