"""Passes over the words of all documents that would take many temporary arrays in numpy (numba).

In: a document-term matrix as its arrays (``indptr``, ``indices``, ``data`` of CSR). Out: sums over documents,
or a number a document. Documents are taken in order and sums are double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.jit import njit

Array = np.ndarray[Any, np.dtype[Any]]


@njit(nogil=True, cache=True)
def labels_with(indptr: Array, indices: Array, labels: Array, total: Array) -> None:
    """Add the labels of the documents that have each word to ``total``, (V,).

    NumPy: ``total += np.bincount(indices, np.repeat(labels, np.diff(indptr)), minlength=total.size)``
    """
    for j in range(labels.size):
        label = labels[j]
        if label != 0.0:
            for i in range(indptr[j], indptr[j + 1]):
                total[indices[i]] += label


@njit(nogil=True, cache=True)
def weights_with(indptr: Array, indices: Array, counts: Array, weights: Array, total: Array) -> None:
    """Add the weight of each document, times its count of each word, to ``total``, (V,).

    SciPy: ``total += counts.T @ weights``
    """
    for j in range(weights.size):
        for i in range(indptr[j], indptr[j + 1]):
            total[indices[i]] += counts[i] * weights[j]


@njit(nogil=True, cache=True)
def labels_by_word(starts: Array, documents: Array, labels: Array, total: Array) -> None:
    """The same as `labels_with` for some words in a row, of which each has its documents in order (CSC)."""
    for w in range(total.size):
        own = total[w]
        for i in range(starts[w], starts[w + 1]):
            own += labels[documents[i]]
        total[w] = own


@njit(nogil=True, cache=True)
def weights_by_word(starts: Array, documents: Array, counts: Array, weights: Array, total: Array) -> None:
    """The same as `weights_with` for some words in a row, of which each has its documents in order (CSC)."""
    for w in range(total.size):
        own = total[w]
        for i in range(starts[w], starts[w + 1]):
            own += counts[i] * weights[documents[i]]
        total[w] = own


@njit(nogil=True, cache=True)
def products(indptr: Array, indices: Array, counts: Array, weights: Array, found: Array) -> None:
    """Put the product of each document's counts with the weights of words into ``found``, (D,).

    SciPy: ``found[:] = counts @ weights``
    """
    for j in range(found.size):
        total = 0.0
        for i in range(indptr[j], indptr[j + 1]):
            total += counts[i] * weights[indices[i]]
        found[j] = total


@njit(nogil=True, cache=True)
def mean_vectors(indptr: Array, indices: Array, weights: Array, vectors: Array, found: Array) -> None:
    """Put the direction of the weighted sum of its words' vectors into each document's row of ``found``.

    The first column of ``found`` stays. NumPy: ``unit_rows(matrix @ vectors)``
    """
    n_dimensions = vectors.shape[1]
    total = np.zeros(n_dimensions, np.float64)
    for j in range(found.shape[0]):
        total[:] = 0.0
        for i in range(indptr[j], indptr[j + 1]):
            w, weight = indices[i], weights[i]
            for d in range(n_dimensions):
                total[d] += weight * vectors[w, d]
        length = max(np.sqrt((total * total).sum()), 1e-12)
        for d in range(n_dimensions):
            found[j, 1 + d] = total[d] / length


@njit(nogil=True, cache=True)
def centre(rows: Array, common: Array) -> None:
    """Take off what all rows have in common, and give each the length 1; the first column stays."""
    rest = np.zeros(common.size, np.float64)
    for j in range(rows.shape[0]):
        for d in range(common.size):
            rest[d] = rows[j, 1 + d] - common[d]
        length = max(np.sqrt((rest * rest).sum()), 1e-12)
        for d in range(common.size):
            rows[j, 1 + d] = rest[d] / length


@njit(nogil=True, cache=True)
def tokens_of_topic(indptr: Array, indices: Array, tokens: Array, offsets: Array, in_topic: Array) -> Any:
    """How many tokens of a topic each document has of each of its words, (nnz,); words are in order."""
    own = np.zeros(indices.size, np.int32)
    for j in range(offsets.size - 1):
        start, stop = indptr[j], indptr[j + 1]
        for i in range(offsets[j], offsets[j + 1]):
            if in_topic[i]:
                own[start + np.searchsorted(indices[start:stop], tokens[i])] += 1
    return own


@njit(nogil=True, cache=True)
def counts_of_words(indices: Array, counts: Array, own: Array, n_words: int) -> Any:
    """The tokens of each word, (V,), and those of a topic, (V,), from `tokens_of_topic`."""
    n_w, n_zw = np.zeros(n_words, np.float64), np.zeros(n_words, np.float64)
    for i in range(indices.size):
        n_w[indices[i]] += counts[i]
        n_zw[indices[i]] += own[i]
    return n_w, n_zw


@njit(nogil=True, cache=True)
def shares_by_others(
    indptr: Array, indices: Array, counts: Array, own: Array, usual: float, hidden: Array, n_w: Array,
    n_zw: Array,
) -> Any:  # fmt: skip
    """Each document's share in a topic by what other documents made of its words: with all, and some hidden.

    Parameters
    ----------
    own
        (nnz,): from `tokens_of_topic`.
    usual
        The share of the topic in the corpus.
    hidden
        (V,) bool: words to leave out.
    n_w, n_zw
        From `counts_of_words`, of all documents.

    Returns
    -------
    two arrays of float64, shape (D,)
    """
    n_documents = indptr.size - 1
    seen, unseen = np.full(n_documents, usual), np.full(n_documents, usual)
    for j in range(n_documents):
        total, length, rest, rest_length = 0.0, 0.0, 0.0, 0.0
        for i in range(indptr[j], indptr[j + 1]):
            w, n = indices[i], counts[i]
            share = n * (n_zw[w] - own[i] + usual) / (n_w[w] - n + 1.0)
            total += share
            length += n
            if not hidden[w]:
                rest += share
                rest_length += n
        if length > 0:
            seen[j] = total / length
        if rest_length > 0:
            unseen[j] = rest / rest_length
    return seen, unseen
