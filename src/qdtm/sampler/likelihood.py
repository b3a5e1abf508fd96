"""The log likelihood that the convergence monitor watches.

In: topic-word counts. Out: log p(words | topics) with the topics' distributions integrated out, per token.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from qdtm.compiling import njit
from qdtm.sampler.kernels import Array

TABLE_SIZE = 4096
"""Counts below it are looked up; log-gamma is the cost of a likelihood, and most counts are small."""


def log_likelihood(n_wk: NDArray[np.floating[Any]], beta: float, prior_words: float) -> float:
    """Sum over topics of log [ Gamma(V b) / Gamma(n_k + V b) * prod_w Gamma(n_wk + b) / Gamma(b) ].

    Parameters
    ----------
    n_wk : ndarray of shape (V, C)
        Whole numbers; a column without any is no topic.
    beta : float
        Smoothing b.
    prior_words : float
        The V of the formula: all words, or those of the parent in the second phase.
    """
    beta = float(beta)
    words, n_k, n_large = look_up(n_wk, _log_rising(beta))
    if n_large:
        large = n_wk[n_wk >= TABLE_SIZE].astype(np.float64)
        words += (gammaln(large + beta) - gammaln(beta)).sum()
    used = n_k[n_k > 0]
    topics = (gammaln(prior_words * beta) - gammaln(used + prior_words * beta)).sum()
    return float((words + topics) / max(used.sum(), 1.0))


@lru_cache(maxsize=8)
def _log_rising(beta: float) -> NDArray[np.float64]:
    """Log [ Gamma(n + b) / Gamma(b) ] for small n."""
    table: NDArray[np.float64] = gammaln(np.arange(TABLE_SIZE) + beta) - gammaln(beta)
    return table


@njit(nogil=True, cache=True)
def look_up(n_wk: Array, table: Array) -> Any:
    """Sum up the table's entries of all counts that it has; return it, the sizes n_k and how many it lacks.

    NumPy: ``table[n_wk[n_wk < len(table)]].sum(), n_wk.sum(axis=0), (n_wk >= len(table)).sum()``
    """
    total, n_large = 0.0, 0
    n_k = np.zeros(n_wk.shape[1], np.float64)
    for w in range(n_wk.shape[0]):
        for k in range(n_wk.shape[1]):
            n = n_wk[w, k]
            if n > 0:
                n_k[k] += n
                if n < table.size:
                    total += table[int(n)]
                else:
                    n_large += 1
    return total, n_k, n_large
