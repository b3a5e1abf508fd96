"""Word filtering: how likely a word is to promote under each parent topic (eq. 17 and 18).

In: the topic-word counts, unit word vectors and the concept words. Out: lambda, (V, Q).
Cohesion is a dot product with the topic's weighted sum of representative words, so a refresh is one matrix
product over the words that can promote at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def topic_directions(
    weights: NDArray[np.floating[Any]],
    unit: NDArray[np.float32],
    concept_words: Sequence[NDArray[np.int32]],
    n_representative: int = 10,
) -> NDArray[np.float32]:
    """Sum each topic's representative words by their weight (the inside of eq. 17).

    The representative words of a parent topic are its concept words, of any other its heaviest words.

    Parameters
    ----------
    weights : ndarray of shape (V, K)
        Smoothed counts, or probabilities; the first Q topics are the parents.
    unit : ndarray of shape (V, d)
        Word vectors of length 1, zero where unknown.

    Returns
    -------
    ndarray of shape (K, d)
    """
    n_words, n_topics = weights.shape
    directions = np.empty((n_topics, unit.shape[1]), np.float32)  # (K, d)
    n_top = min(n_representative, n_words)
    for k in range(n_topics):
        if k < len(concept_words):
            words = concept_words[k]
        else:
            words = np.argpartition(weights[:, k], n_words - n_top)[n_words - n_top :].astype(np.int32)
        directions[k] = weights[words, k].astype(np.float32) @ unit[words]
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
    n_topics = len(directions)
    cohesion = unit @ directions.T  # (P, K): CV[k, w] of eq. 17
    n_better = np.stack([(cohesion > cohesion[:, [q]]).sum(axis=1) for q in range(n_parents)], axis=1)
    return (1.0 - n_better / max(n_topics - 1, 1)).astype(np.float32)
