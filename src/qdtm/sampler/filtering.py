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
    phi: NDArray[np.floating[Any]],
    unit: NDArray[np.float32],
    concept_words: Sequence[NDArray[np.int32]],
    n_representative: int = 10,
) -> NDArray[np.float32]:
    """Sum each topic's representative words, weighted by their probability (inside of eq. 17).

    The representative words of a parent topic are its concept words, of any other its most probable words.

    Parameters
    ----------
    phi : ndarray of shape (K, V)
        Topic-word probabilities; the first Q topics are the parents.
    unit : ndarray of shape (V, d)
        Word vectors of length 1, zero where unknown.

    Returns
    -------
    ndarray of shape (K, d)
    """
    n_parents = len(concept_words)
    directions = np.empty((len(phi), unit.shape[1]), np.float32)  # (K, d)
    for q, words in enumerate(concept_words):
        directions[q] = phi[q, words].astype(np.float32) @ unit[words]
    n_top = min(n_representative, phi.shape[1])
    for k in range(n_parents, len(phi)):
        words = np.argpartition(phi[k], -n_top)[-n_top:]
        directions[k] = phi[k, words].astype(np.float32) @ unit[words]
    return directions


def promotion_probability(
    directions: NDArray[np.float32], unit: NDArray[np.float32], promoting: NDArray[np.int64], n_parents: int
) -> NDArray[np.float32]:
    """Rank the topics for each promoting word by cohesion; the best gets 1, the worst 0 (eq. 17-18).

    Parameters
    ----------
    directions : ndarray of shape (K, d)
        From `topic_directions`.
    unit : ndarray of shape (V, d)
    promoting : ndarray of shape (P,)
        The words that have a related concept word; no other word's lambda is ever used.
    n_parents : int
        Q, the number of parent topics.

    Returns
    -------
    ndarray of shape (V, Q)
        lambda; zero for words that cannot promote.
    """
    n_topics = len(directions)
    probability = np.zeros((len(unit), n_parents), np.float32)  # (V, Q)
    cohesion = unit[promoting] @ directions.T  # (P, K): CV[k, w] of eq. 17
    for q in range(n_parents):
        n_better = (cohesion > cohesion[:, q : q + 1]).sum(axis=1)  # (P,)
        probability[promoting, q] = 1.0 - n_better / max(n_topics - 1, 1)
    return probability
