"""A mixture of Gaussians over vectors of documents, as a sentence encoder makes them: each is in one group.

In: vectors, and a first grouping. Out: groups that the marginal likelihood does not want to merge any more.

It is `qdtm.sampler.mixture` for vectors: the means of the groups are drawn around that of all documents, both
spherically, so that the marginal likelihood of a group is known in closed form (Murphy 2012, 4.6), and groups
are merged and documents moved as there. Sentence vectors lie near a few directions, and what is beyond these
is style: they are reduced to their first principal components.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from qdtm.sampler.mixture import MOVES, FloatArray, Labels

N_COMPONENTS = 10
"""Principal components of the vectors."""

WITHIN = 0.8
"""The share of the variance that lies within groups; the rest is between them."""


def principal_components(vectors: NDArray[np.floating]) -> FloatArray:
    """Reduce vectors to their first principal components, of length 1 in the square mean; (D, d)."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ directions[:, ::-1][:, :N_COMPONENTS]
    return np.asarray(reduced / max(float(np.sqrt((reduced**2).sum(axis=1).mean())), 1e-12))


def infer_vector_groups(vectors: FloatArray, labels: Labels) -> Labels:
    """Merge groups, let documents move, and merge again."""
    labels = merge_vectors(vectors, labels)
    for _ in range(MOVES):
        moved = np.unique(log_joint(vectors, labels, vectors).argmax(axis=1), return_inverse=True)[1]
        if np.array_equal(moved, labels):
            break
        labels = moved
    return merge_vectors(vectors, labels)


def merge_vectors(vectors: FloatArray, labels: Labels) -> Labels:
    """Merge pairs of groups as long as that raises the marginal likelihood.

    Parameters
    ----------
    vectors : ndarray of shape (D, d)
    labels : ndarray of int64, shape (D,)
        0 to K - 1, each there at least once.
    """
    sizes, sums = _totals(vectors, labels)
    into = np.arange(len(sizes))
    own = log_marginal(sizes, sums)  # (K,)
    gains = log_marginal(sizes[:, None] + sizes, sums[:, None] + sums) - own[:, None] - own  # (K, K)
    np.fill_diagonal(gains, -np.inf)
    while gains.max(initial=-np.inf) > 0:
        at, other = map(int, np.unravel_index(gains.argmax(), gains.shape))
        sizes[at] += sizes[other]
        sums[at] += sums[other]
        into[into == other] = at
        own[at] = log_marginal(sizes[at], sums[at])
        gone = np.isneginf(gains[at])  # itself, and what was merged before
        gains[at] = log_marginal(sizes[at] + sizes, sums[at] + sums) - own[at] - own
        gains[at, gone] = -np.inf
        gains[:, at] = gains[at]
        gains[other] = gains[:, other] = -np.inf
    return np.unique(into[labels], return_inverse=True)[1]


def log_marginal(sizes: FloatArray, sums: FloatArray) -> FloatArray:
    """Log marginal likelihood of groups, up to what all groupings share, with the restaurant's prior.

    Parameters
    ----------
    sizes : ndarray of shape (...)
        Documents of each group.
    sums : ndarray of shape (..., d)
        Of their vectors.
    """
    within, between = _variances(sums.shape[-1])
    spread = within + sizes * between
    fit = between * (sums**2).sum(axis=-1) / (2.0 * within * spread)
    return np.asarray(0.5 * sums.shape[-1] * np.log(within / spread) + fit + gammaln(sizes))


def log_joint(vectors: FloatArray, labels: Labels, others: FloatArray) -> FloatArray:
    """The logarithm of p(group, vector) of other documents, up to what all groups share, (n, S).

    Parameters
    ----------
    vectors : ndarray of shape (D, d)
    labels : ndarray of int64, shape (D,)
        Their groups, 0 to S - 1; -1 for a document that is left out.
    others : ndarray of shape (n, d)
    """
    inside = labels >= 0
    sizes, sums = _totals(vectors[inside], labels[inside])
    within, between = _variances(vectors.shape[1])
    spread = within + sizes * between  # (S,)
    means = between * sums / spread[:, None]
    variance = within + within * between / spread
    far = (others**2).sum(axis=1)[:, None] - 2.0 * others @ means.T + (means**2).sum(axis=1)
    return np.asarray(np.log(sizes) - 0.5 * vectors.shape[1] * np.log(variance) - far / (2.0 * variance))


def _variances(n_dimensions: int) -> tuple[float, float]:
    """Within a group and between groups, in each dimension."""
    return WITHIN / n_dimensions, (1.0 - WITHIN) / n_dimensions


def _totals(vectors: FloatArray, labels: Labels) -> tuple[FloatArray, FloatArray]:
    """The sizes of groups, (K,), and the sums of their vectors, (K, d)."""
    sums = np.stack([np.bincount(labels, column) for column in vectors.T], axis=1)
    return np.bincount(labels).astype(np.float64), sums.astype(np.float64)
