"""From where on documents are taken to be about a query: probabilities in, a cut-off out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_CUTOFF = 0.5
"""Nothing is taken to be about a query that is likelier not to be."""


def recommended_cutoff(scores: NDArray[Any]) -> float:
    """From where on documents are taken to be about a query.

    It balances what is missed against what is found wrongly: of all cut-offs from 0.5 up it has the highest
    F1 that the probabilities (D,) promise.
    """
    best = np.sort(scores)[::-1]
    if not len(best) or best[0] <= 0:
        return 1.0
    found = np.cumsum(best)
    f1 = 2.0 * found / (np.arange(1, len(best) + 1) + found[-1])
    return max(float(best[int(f1.argmax())]), LEAST_CUTOFF)


def weights_about(scores: NDArray[Any]) -> NDArray[np.float64]:
    """The probability of documents that are taken to be about the query, 0 for others, (D,)."""
    exact = np.asarray(scores, np.float64)
    return np.where(exact >= recommended_cutoff(exact), exact, 0.0)
