"""Documents as vectors: a sentence encoder's, or the means of their words'; and how well groups fit them.

In: vectors of documents, or of words. Out: a few numbers a document, of which the mixture makes groups
(`qdtm.sampler.mixture`): spherical Gaussians, the means of which are drawn around that of all documents.
Such vectors lie near a few directions, and what is beyond these is style: they are reduced to their first
principal components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.views import rarity

FloatArray = NDArray[np.float64]
Labels = NDArray[np.int64]

N_COMPONENTS = 10
"""Principal components of the vectors."""

WITHIN, ENCODED_WITHIN = 0.99, 0.8
"""The share of the variance that lies within groups, the rest being between them: of means of words' vectors,
which a few words draw far, and of an encoder's vectors."""


def mean_word_vectors(counts: Any, word_vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean vector of each document's words, each once and weighted by rarity, (D, d).

    A document without a word that has a vector gets the mean of the others: it says nothing then.

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
    word_vectors : ndarray of float32, shape (V, d)
        Zero for words that have none.
    """
    from scipy import sparse  # slow to load

    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    weight = rarity(frequency, counts.shape[0]) * word_vectors.any(axis=1)  # (V,)
    weighted = sparse.csr_matrix((weight[counts.indices], counts.indices, counts.indptr), counts.shape)
    total = np.asarray(weighted.sum(axis=1)).ravel()
    means = (weighted @ word_vectors.astype(np.float64)) / np.maximum(total, 1e-12)[:, None]
    if (total > 0).any():
        means[total == 0] = means[total > 0].mean(axis=0)
    return np.asarray(means, np.float32)


def principal_components(vectors: NDArray[np.floating[Any]]) -> FloatArray:
    """Reduce vectors to their first principal components, of length 1 in the square mean; (D, d)."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ directions[:, ::-1][:, :N_COMPONENTS]
    return np.asarray(reduced / max(float(np.sqrt((reduced**2).sum(axis=1).mean())), 1e-12))


def log_likelihood(vectors: FloatArray, labels: Labels, others: FloatArray, within: float) -> FloatArray:
    """Return the logarithm of p(vector | group) of other documents, up to what all groups share, (n, S).

    Parameters
    ----------
    vectors : ndarray of shape (D, d)
        d may be 0: all are 0 then.
    labels : ndarray of int64, shape (D,)
        Their groups, 0 to S - 1; -1 for a document that is left out.
    others : ndarray of shape (n, d)
    within : float
        As `WITHIN`.
    """
    n_dimensions = vectors.shape[1]
    sizes, sums = totals(vectors, labels)
    inside, between = variances(n_dimensions, within)
    spread = inside + sizes * between  # (S,)
    means = between * sums / spread[:, None]
    variance = inside + inside * between / spread
    far = (others**2).sum(axis=1)[:, None] - 2.0 * others @ means.T + (means**2).sum(axis=1)
    return np.asarray(-0.5 * n_dimensions * np.log(variance) - far / (2.0 * variance))


def variances(n_dimensions: int, within: float) -> tuple[float, float]:
    """Return the variance within a group and between groups, in each dimension."""
    return within / max(n_dimensions, 1), (1.0 - within) / max(n_dimensions, 1)


def totals(vectors: FloatArray, labels: Labels) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the sizes of groups, (K,), and the sums of their vectors, (K, d); label -1 is no group."""
    inside = labels >= 0
    sizes = np.bincount(labels[inside])
    columns = [np.bincount(labels[inside], column, len(sizes)) for column in vectors[inside].T]
    sums = np.stack(columns, axis=1) if columns else np.zeros((len(sizes), 0))
    return sizes, np.ascontiguousarray(sums)
