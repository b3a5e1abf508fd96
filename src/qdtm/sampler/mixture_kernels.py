"""Merging groups of documents by the marginal likelihood of a Dirichlet multinomial mixture (numba).

In: how much of the documents of each group has each word. Out: which groups become one.
"""

import math
from typing import Any

import numpy as np

from qdtm.jit import njit


@njit(nogil=True, cache=True)
def merge_greedily(counts: Any, sizes: Any, prior: Any) -> Any:
    """Merge the pair of groups that gains most until none gains; mutates ``counts`` and ``sizes``.

    Return the group that each becomes part of, (K,), and the log marginal likelihood of those that are left.

    Parameters
    ----------
    counts
        (K, V) float64: documents of each group with each word, each by its weight.
    sizes
        (K,) int64: documents of each group.
    prior
        (V,) float64: the prior of the words, above 0.
    """
    n_groups, n_words = counts.shape
    total_prior = prior.sum()
    at_zero = np.empty(n_words)
    for w in range(n_words):
        at_zero[w] = math.lgamma(prior[w])
    of_words = np.zeros(counts.shape)  # (K, V): log Gamma(prior + count) / Gamma(prior)
    own = np.empty(n_groups)
    gains = np.full((n_groups, n_groups), -np.inf)
    into = np.arange(n_groups)
    alive = np.ones(n_groups, np.bool_)
    for a in range(n_groups):
        fill_words(counts[a], prior, at_zero, of_words[a])
        own[a] = of_words[a].sum() + of_group(counts[a].sum(), sizes[a], total_prior)
    for a in range(n_groups):
        for b in range(a + 1, n_groups):
            both = log_marginal(counts, of_words, sizes, a, b, prior, at_zero, total_prior)
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
        fill_words(counts[at], prior, at_zero, of_words[at])
        for k in range(n_groups):
            if into[k] == other:
                into[k] = at
            if alive[k] and k != at:
                both = log_marginal(counts, of_words, sizes, at, k, prior, at_zero, total_prior)
                gains[min(at, k), max(at, k)] = both - own[at] - own[k]


@njit(nogil=True, cache=True)
def fill_words(counts: Any, prior: Any, at_zero: Any, of_words: Any) -> None:
    """Put log Gamma(prior + count) / Gamma(prior) of each word, (V,), into ``of_words``."""
    for w in range(len(counts)):
        of_words[w] = math.lgamma(prior[w] + counts[w]) - at_zero[w] if counts[w] > 0.0 else 0.0


@njit(nogil=True, cache=True)
def log_marginal(
    counts: Any, of_words: Any, sizes: Any, a: int, b: int, prior: Any, at_zero: Any, total_prior: float
) -> Any:
    """Log marginal likelihood of two groups together, with their weight in the restaurant's prior."""
    total, n = 0.0, 0.0
    for w in range(len(prior)):
        left, right = counts[a, w], counts[b, w]
        n += left + right
        if left > 0.0 and right > 0.0:
            total += math.lgamma(prior[w] + left + right) - at_zero[w]
        else:  # only one of them has it, and its part is known
            total += of_words[a, w] + of_words[b, w]
    return total + of_group(n, sizes[a] + sizes[b], total_prior)


@njit(nogil=True, cache=True)
def of_group(n: float, size: int, total_prior: float) -> Any:
    """What does not hang on single words: of ``n`` in all, in so many documents."""
    return math.lgamma(total_prior) - math.lgamma(total_prior + n) + math.lgamma(size)
