"""Whether probabilities mean what they say: probabilities and the truth in, a curve and an error out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

N_BINS = 10


@dataclass(frozen=True)
class ReliabilityPoint:
    """The documents whose probability is in one bin.

    Attributes
    ----------
    said : float
        Their mean probability.
    true : float
        The share of them that truly is about it.
    n : int
    """

    said: float
    true: float
    n: int


def reliability_curve(
    probabilities: ArrayLike, truth: ArrayLike, n_bins: int = N_BINS
) -> list[ReliabilityPoint]:
    """Return a point for each bin of equal width that has documents, lowest first."""
    p, true = np.asarray(probabilities, np.float64), np.asarray(truth, np.bool_)
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    return [
        ReliabilityPoint(float(p[inside].mean()), float(true[inside].mean()), int(inside.sum()))
        for inside in (bins == b for b in range(n_bins))
        if inside.any()
    ]


def calibration_error(probabilities: ArrayLike, truth: ArrayLike, n_bins: int = N_BINS) -> float:
    """Return the expected calibration error: how far a bin is off, on average over the documents."""
    points = reliability_curve(probabilities, truth, n_bins)
    n = sum(point.n for point in points)
    return sum(point.n * abs(point.said - point.true) for point in points) / max(n, 1)
