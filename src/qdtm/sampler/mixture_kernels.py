"""Merging groups of documents by the marginal likelihood of a mixture of words and vectors (numba).

In: how many documents of each group have each word, and the sums of their vectors. Out: which groups become
one.
"""

import math
from typing import Any

import numpy as np

from qdtm.jit import njit


@njit(nogil=True, cache=True)
def merge_greedily(
    counts: Any, sizes: Any, sums: Any, of_count: Any, total_prior: float, within: float, between: float
) -> Any:
    """Merge the pair of groups that gains most until none gains; mutates ``counts``, ``sizes``, ``sums``.

    Return the group that each becomes part of, (K,), and the log marginal likelihood of those that are left.

    Parameters
    ----------
    counts
        (K, V) int32: documents of each group with each word.
    sizes
        (K,) int64: documents of each group.
    sums
        (K, d) float64: sums of the vectors of each group's documents; d is 0 where they have none.
    of_count
        (n,) float64: log Gamma(beta + i) / Gamma(beta).
    total_prior
        V beta.
    within, between
        The variance of vectors within a group and of the means of groups, in each dimension.
    """
    n_groups = len(sizes)
    own = np.empty(n_groups)
    gains = np.full((n_groups, n_groups), -np.inf)
    into = np.arange(n_groups)
    alive = np.ones(n_groups, np.bool_)
    for a in range(n_groups):
        own[a] = of_words(counts[a], counts[a], False, sizes[a], of_count, total_prior)
        own[a] += of_vectors(sums[a], sums[a], False, sizes[a], within, between)
    for a in range(n_groups):
        for b in range(a + 1, n_groups):
            size = sizes[a] + sizes[b]
            both = of_words(counts[a], counts[b], True, size, of_count, total_prior)
            both += of_vectors(sums[a], sums[b], True, size, within, between)
            gains[a, b] = both - own[a] - own[b]
    while True:
        best, at, other = 0.0, -1, -1
        for a in range(n_groups):
            for b in range(a + 1, n_groups):
                if alive[a] and alive[b] and gains[a, b] > best:
                    best, at, other = gains[a, b], a, b
        if at < 0:
            return into, own[alive].sum()
        counts[at] += counts[other]
        sizes[at] += sizes[other]
        sums[at] += sums[other]
        own[at] += best + own[other]
        alive[other] = False
        for k in range(n_groups):
            if into[k] == other:
                into[k] = at
            if alive[k] and k != at:
                size = sizes[at] + sizes[k]
                both = of_words(counts[at], counts[k], True, size, of_count, total_prior)
                both += of_vectors(sums[at], sums[k], True, size, within, between)
                gains[min(at, k), max(at, k)] = both - own[at] - own[k]


@njit(nogil=True, cache=True)
def of_words(left: Any, right: Any, both: bool, size: int, of_count: Any, total_prior: float) -> float:
    """Log marginal likelihood of a group's words, or of two together, with its weight in the restaurant."""
    if len(left) == 0:
        return math.lgamma(size)
    total, n = 0.0, 0
    for w in range(len(left)):
        count = left[w] + (right[w] if both else 0)
        total += of_count[count]
        n += count
    return total + math.lgamma(total_prior) - math.lgamma(total_prior + n) + math.lgamma(size)


@njit(nogil=True, cache=True)
def of_vectors(left: Any, right: Any, both: bool, size: int, within: float, between: float) -> float:
    """Log marginal likelihood of a group's vectors, or of two together, up to what all groupings share.

    Spherical Gaussians whose means are drawn around that of all documents (Murphy 2012, 4.6).
    """
    square = 0.0
    for i in range(len(left)):
        value = left[i] + (right[i] if both else 0.0)
        square += value * value
    spread = within + size * between
    return 0.5 * len(left) * math.log(within / spread) + between * square / (2.0 * within * spread)
