"""The log likelihood that the convergence monitor watches.

In: topic-word counts. Out: log p(words | topics) with the topics' distributions integrated out, per token.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

TABLE_SIZE = 4096
"""Counts below it are looked up; log-gamma is the cost of a likelihood, and most counts are small."""


def log_likelihood(n_wk: NDArray[np.floating[Any]], beta: float, prior_words: float) -> float:
    """Sum over topics of log [ Gamma(V b) / Gamma(n_k + V b) * prod_w Gamma(n_wk + b) / Gamma(b) ].

    Parameters
    ----------
    n_wk : ndarray of shape (V, K)
        Whole numbers.
    beta : float
        Smoothing b.
    prior_words : float
        The V of the formula: all words, or those of the parent in the second phase.
    """
    beta = float(beta)
    counts = n_wk[n_wk > 0].astype(np.int64)
    table = gammaln(np.arange(TABLE_SIZE) + beta) - gammaln(beta)
    small = counts < TABLE_SIZE
    words = table[counts[small]].sum() + (gammaln(counts[~small] + beta) - gammaln(beta)).sum()
    n_k = n_wk.sum(axis=0, dtype=np.float64)  # (K,)
    topics = (gammaln(prior_words * beta) - gammaln(n_k + prior_words * beta)).sum()
    return float((words + topics) / max(n_k.sum(), 1.0))
