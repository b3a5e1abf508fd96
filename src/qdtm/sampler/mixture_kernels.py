"""Merging groups of documents by the marginal likelihood of a Dirichlet multinomial mixture (numba).

In: how many documents of each group have each word. Out: which groups become one.
"""

import math
from typing import Any

import numpy as np

from qdtm.jit import njit


@njit(nogil=True, cache=True)
def merge_greedily(counts: Any, sizes: Any, of_count: Any, total_prior: float) -> Any:
    """Merge the pair of groups that gains most until none gains; mutates ``counts`` and ``sizes``.

    Return the group that each becomes part of, (K,), and the log marginal likelihood of those that are left.

    Parameters
    ----------
    counts
        (K, V) int32: documents of each group with each word.
    sizes
        (K,) int64: documents of each group.
    of_count
        (n,) float64: log Gamma(beta + i) / Gamma(beta).
    total_prior
        V beta.
    """
    n_groups = len(sizes)
    own = np.empty(n_groups)
    gains = np.full((n_groups, n_groups), -np.inf)
    into = np.arange(n_groups)
    alive = np.ones(n_groups, np.bool_)
    for a in range(n_groups):
        own[a] = log_marginal(counts[a], counts[a], False, sizes[a], of_count, total_prior)
    for a in range(n_groups):
        for b in range(a + 1, n_groups):
            both = log_marginal(counts[a], counts[b], True, sizes[a] + sizes[b], of_count, total_prior)
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
        own[at] += best + own[other]
        alive[other] = False
        for k in range(n_groups):
            if into[k] == other:
                into[k] = at
            if alive[k] and k != at:
                both = log_marginal(counts[at], counts[k], True, sizes[at] + sizes[k], of_count, total_prior)
                gains[min(at, k), max(at, k)] = both - own[at] - own[k]


@njit(nogil=True, cache=True)
def log_marginal(left: Any, right: Any, both: bool, size: int, of_count: Any, total_prior: float) -> float:
    """Log marginal likelihood of a group, or of two together, with its weight in the restaurant's prior."""
    total, n = 0.0, 0
    for w in range(len(left)):
        count = left[w] + (right[w] if both else 0)
        total += of_count[count]
        n += count
    return total + math.lgamma(total_prior) - math.lgamma(total_prior + n) + math.lgamma(size)
