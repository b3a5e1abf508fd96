"""Counts in, probabilities out: of words in topics, of topics given words, of topics in documents.

Pure functions over arrays; V words, K topics, D documents. Documents are taken a block at a time, so that a
million of them need no more memory than their result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.storage.mapped import blocks, empty_beside

FloatArray = NDArray[np.float64]

#: Documents that are multiplied at a time; their counts are turned to float64 for that.
BLOCK = 16_384


def topic_word_probabilities(
    word_topic: NDArray[np.float32], promoted_mass: NDArray[np.float32], beta: float
) -> FloatArray:
    """Return p(w|z), smoothed: (n_zw + promoted mass + beta) / (n_z + promoted mass + V beta).

    Parameters
    ----------
    word_topic : ndarray of shape (V, K)
        Tokens of each word in each topic.
    promoted_mass : ndarray of shape (V, Q)
        What promotion added to the first Q topics.
    beta : float

    Returns
    -------
    ndarray of float64, shape (K, V)
        Rows sum to 1.
    """
    mass = np.ascontiguousarray(word_topic.T, np.float64) + beta  # (K, V)
    mass[: promoted_mass.shape[1]] += promoted_mass.T
    return _normalised(mass)


def subtopic_word_probabilities(
    subtopic_counts: NDArray[np.float32], is_parent_word: NDArray[np.bool_], beta: float
) -> FloatArray:
    """Return p(w|s), smoothed over the words of the parent topic alone, as phase 2 does (after eq. 13).

    Parameters
    ----------
    subtopic_counts : ndarray of shape (V, S)
    is_parent_word : ndarray of bool, shape (V,)
        Which words the parent topic has; no other has a probability in its subtopics.
    beta : float

    Returns
    -------
    ndarray of float64, shape (S, V)
        Rows sum to 1.
    """
    mass = np.ascontiguousarray(subtopic_counts.T, np.float64) + beta * is_parent_word  # (S, V)
    return _normalised(mass)


def topic_shares(word_topic: NDArray[np.float32]) -> FloatArray:
    """Return p(z), each topic's share of all tokens, shape (K,)."""
    n_z = word_topic.sum(axis=0, dtype=np.float64)
    total = n_z.sum()
    return np.asarray(n_z / total if total > 0 else np.full(len(n_z), 1.0 / len(n_z)), np.float64)


def word_topic_probabilities(word_topic: NDArray[np.float32]) -> FloatArray:
    """Return p(z|w) = n_zw / sum_z n_zw; a word that was never seen gets p(z).

    Returns
    -------
    ndarray of float64, shape (V, K)
        Rows sum to 1.
    """
    n_zw = word_topic.astype(np.float64)  # (V, K)
    n_w = n_zw.sum(axis=1, keepdims=True)
    seen = n_w[:, 0] > 0
    n_zw[seen] /= n_w[seen]
    n_zw[~seen] = topic_shares(word_topic)
    return n_zw


def word_subtopic_probabilities(
    word_topic: NDArray[np.float32], subtopic_counts: NDArray[np.float32], q: int
) -> FloatArray:
    """Return p(q|w) p(s|w,q): how likely a token of a word is to be in each subtopic of query `q`.

    A word that no subtopic has, because those that had it were dropped, is in none of them.

    Returns
    -------
    ndarray of float64, shape (V, S)
        Rows sum to p(q|w) or to 0.
    """
    return share_out(word_topic_probabilities(word_topic)[:, q], subtopic_counts)


def share_out(p_w: FloatArray, counts: NDArray[np.float32]) -> FloatArray:
    """Share what a topic has of each word, p(z|w), out among its subtopics: p(z|w) p(s|w,z).

    Parameters
    ----------
    p_w : ndarray of shape (V,)
    counts : ndarray of shape (V, S)
        Tokens of each word in each subtopic.

    Returns
    -------
    ndarray of float64, shape (V, S)
        Rows sum to `p_w`, or to 0 for a word that no subtopic has.
    """
    n_sw = counts.astype(np.float64)  # (V, S)
    n_w = n_sw.sum(axis=1, keepdims=True)
    p_sw: FloatArray = np.divide(n_sw, n_w, out=np.zeros_like(n_sw), where=n_w > 0)
    p_sw *= p_w[:, None]
    return p_sw


def document_topics(counts: Any, word_topic: NDArray[np.float32]) -> FloatArray:
    """Return p(z|d), proportional to sum_w n_dw p(z|w) (fact 9 of the released program).

    Parameters
    ----------
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word.
    word_topic : ndarray of shape (V, K)

    Returns
    -------
    ndarray of float64, shape (D, K)
        Rows sum to 1; a document without known words gets p(z).
    """
    return average_over_tokens(counts, word_topic_probabilities(word_topic), topic_shares(word_topic))


def document_subtopics(
    counts: Any, word_topic: NDArray[np.float32], subtopic_counts: NDArray[np.float32], q: int
) -> FloatArray:
    """Return the share of each document in each subtopic of query `q`: sum_w n_dw p(q|w) p(s|w,q) / n_d.

    Parameters
    ----------
    counts : scipy CSR matrix, shape (D, V)
    word_topic : ndarray of shape (V, K)
    subtopic_counts : ndarray of shape (V, S)
        Of the kept subtopics of `q`.
    q : int

    Returns
    -------
    ndarray of float64, shape (D, S)
        Rows sum to the document's share in topic `q` at most; 0 for a document without known words.
    """
    p_sw = word_subtopic_probabilities(word_topic, subtopic_counts, q)
    return average_over_tokens(counts, p_sw, np.zeros(p_sw.shape[1]))


def average_over_tokens(counts: Any, of_words: FloatArray, unknown: FloatArray) -> FloatArray:
    """Average a value of words over the tokens of each document.

    Parameters
    ----------
    counts : scipy CSR matrix, shape (D, V)
    of_words : ndarray of shape (V, C)
    unknown : ndarray of shape (C,)
        What a document without tokens gets.

    Returns
    -------
    ndarray of float64, shape (D, C)
    """
    n_documents, of_words = counts.shape[0], np.ascontiguousarray(of_words)
    averages = empty_beside(counts.data, (n_documents, of_words.shape[1]), np.float64)  # (D, C)
    for here in blocks(n_documents, BLOCK):
        block = counts[here].astype(np.float64)  # (b, V)
        n_d = np.asarray(block.sum(axis=1)).reshape(-1, 1)
        sums = block @ of_words  # (b, C)
        averages[here] = np.where(n_d > 0, sums / np.maximum(n_d, 1.0), unknown)
    return averages


def _normalised(rows: FloatArray) -> FloatArray:
    rows /= rows.sum(axis=1, keepdims=True)
    return rows
