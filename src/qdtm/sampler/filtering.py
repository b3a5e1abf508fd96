"""Word filtering: how likely a word is to promote under each parent topic (eq. 17 and 18).

In: topic-word weights, unit word vectors and the concept words. Out: lambda for each word and parent.
Cohesion is a dot product with the topic's weighted sum of representative words, so a refresh is one small
matrix product over the words that can promote at all. It is written out in numba, not left to BLAS: ranks
decide about draws, and a library whose sums depend on the number of threads would change the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.jit import njit

f32 = np.float32


def topic_directions(
    weights: NDArray[np.floating[Any]],
    unit: NDArray[np.float32],
    concept_words: Sequence[NDArray[np.int32]],
    n_representative: int = 10,
    *,
    smoothing: float = 0.0,
    promoted: NDArray[np.float64] | None = None,
) -> NDArray[np.float32]:
    """Sum each topic's representative words by their weight (the inside of eq. 17).

    The representative words of a parent topic are its concept words, of any other its heaviest words.

    Parameters
    ----------
    weights : ndarray of shape (V, K)
        Counts or probabilities; the first Q topics are the parents.
    unit : ndarray of shape (V, d)
        Word vectors of length 1, zero where unknown.
    smoothing : float
        Added to every weight.
    promoted : ndarray of shape (V, Q), optional
        Added to the weights of the parents.

    Returns
    -------
    ndarray of shape (K, d)
    """
    weights = np.asarray(weights, f32)
    n_words, n_topics = weights.shape
    n_top = min(n_representative, n_words)
    directions = np.zeros((n_topics, unit.shape[1]), f32)  # (K, d)
    heaviest = heaviest_words(weights, n_top)  # (K, n_top)
    for k in range(n_topics):
        words = np.asarray(concept_words[k] if k < len(concept_words) else heaviest[k], np.int64)
        weight = weights[words, k] + f32(smoothing)  # (n,)
        if promoted is not None and k < promoted.shape[1]:
            weight += promoted[words, k].astype(f32)
        add_weighted(directions[k], unit, words, weight)
    return directions


def promotion_probability(
    directions: NDArray[np.float32], unit: NDArray[np.float32], n_parents: int
) -> NDArray[np.float32]:
    """Rank the topics for each word by cohesion; the best gets 1, the worst 0, evenly spaced (eq. 17-18).

    Parameters
    ----------
    directions : ndarray of shape (K, d)
        From `topic_directions`, divided by the topics' mass.
    unit : ndarray of shape (P, d)
        The vectors of the words that can promote; no other word's lambda is ever used.
    n_parents : int
        Q; only parent topics promote.

    Returns
    -------
    ndarray of shape (P, Q)
        lambda of eq. 18.
    """
    n_better = rank_parents(np.ascontiguousarray(unit), np.ascontiguousarray(directions.T), n_parents)
    probability: NDArray[np.float32] = (1.0 - n_better / max(len(directions) - 1, 1)).astype(f32)
    return probability


@njit(nogil=True, cache=True)
def heaviest_words(weights: NDArray[np.float32], n_top: int) -> Any:
    """The ``n_top`` heaviest words of each topic, (K, n_top); of equal words the first.

    NumPy: ``np.argsort(-weights, axis=0, kind="stable")[:n_top].T``.
    """
    n_words, n_topics = weights.shape
    words = np.zeros((n_topics, n_top), np.int64)
    best = np.full((n_topics, n_top), -np.inf, f32)
    for w in range(n_words):
        for k in range(n_topics):
            weight = weights[w, k]
            if weight <= best[k, n_top - 1]:
                continue
            place = n_top - 1
            while place > 0 and weight > best[k, place - 1]:
                best[k, place], words[k, place] = best[k, place - 1], words[k, place - 1]
                place -= 1
            best[k, place], words[k, place] = weight, w
    return words


@njit(nogil=True, cache=True)
def add_weighted(
    total: NDArray[np.float32], unit: NDArray[np.float32], words: NDArray[np.int64], weights: Any
) -> None:
    """Add the words' vectors by weight, in the order given: ``total += weights @ unit[words]``."""
    for n in range(words.size):
        for i in range(total.size):
            total[i] += weights[n] * unit[words[n], i]


@njit(nogil=True, cache=True)
def rank_parents(unit: NDArray[np.float32], directions: NDArray[np.float32], n_parents: int) -> Any:
    """How many topics cohere with each word better than each parent does, (P, Q).

    ``directions`` is (d, K). NumPy: ``cv = unit @ directions`` (CV of eq. 17), then
    ``(cv[:, :, None] > cv[:, None, :Q]).sum(axis=1)``.
    """
    n_words, n_dimensions = unit.shape
    n_topics = directions.shape[1]
    n_better = np.zeros((n_words, n_parents), np.int64)
    cohesion = np.zeros(n_topics, f32)
    for w in range(n_words):
        cohesion[:] = f32(0.0)
        for i in range(n_dimensions):
            for k in range(n_topics):
                cohesion[k] += unit[w, i] * directions[i, k]
        for q in range(n_parents):
            for k in range(n_topics):
                n_better[w, q] += cohesion[k] > cohesion[q]
    return n_better
