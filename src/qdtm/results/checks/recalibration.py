"""Relevance that agrees with a person's answers: answers in, a rising curve from old to new relevance out.

The new log odds are a line in the old ones (Platt 1999): logit p' = intercept + slope * logit p. Answers are
few, so both are held near "no change" by a normal prior: the intercept with a standard deviation of 2, the
log of the slope with one of 1/2. The slope is positive, so the order of the documents stays. Chance chose the
documents within strata of relevance, which a curve of relevance has no need to weigh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

LEAST_ANSWERS = 10
"""Fewer answers change nothing."""

_LEAST = 1e-4  # relevance nearer to 0 or 1 counts as this near
_SD_INTERCEPT, _SD_LOG_SLOPE = 2.0, 0.5


@dataclass(frozen=True)
class Recalibration:
    """A curve from relevance to relevance.

    Attributes
    ----------
    intercept, slope : float
        Of the log odds; 0 and 1 change nothing.
    """

    intercept: float = 0.0
    slope: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.intercept) and np.isfinite(self.slope) and self.slope > 0):
            raise ValueError(f"a curve with the intercept {self.intercept} and the slope {self.slope}")

    def apply(self, relevance: ArrayLike) -> FloatArray:
        """Return new relevance for old, of any shape, in the same order."""
        return _expit(self.intercept + self.slope * _logit(relevance))


def recalibrate(relevance: Sequence[float], answers: Sequence[bool]) -> Recalibration:
    """Find the curve that fits answers best; too few of them leave relevance as it is.

    Parameters
    ----------
    relevance : sequence of float
        Of the documents that were answered.
    answers : sequence of bool
        Whether each is about the query.
    """
    if len(answers) < LEAST_ANSWERS:
        return Recalibration()
    intercept, log_slope = _most_likely(_logit(relevance), np.asarray(answers, np.float64))
    return Recalibration(float(intercept), float(np.exp(log_slope)))


def plausible_curves(
    relevance: Sequence[float], answers: Sequence[bool], n: int, rng: np.random.Generator
) -> FloatArray:
    """Draw intercepts and log slopes of curves that are plausible (Laplace's approximation), (n, 2)."""
    x, y = _logit(relevance), np.asarray(answers, np.float64)
    best = _most_likely(x, y)
    slope = np.exp(best[1])
    p = _expit(best[0] + slope * x)
    gradient = np.stack([np.ones_like(x), slope * x], axis=1)  # (answers, 2) of the log odds
    precision = np.diag([1 / _SD_INTERCEPT**2, 1 / _SD_LOG_SLOPE**2])
    precision += (gradient * (p * (1 - p))[:, None]).T @ gradient  # (2, 2)
    return rng.multivariate_normal(best, np.linalg.inv(precision), n)


def curves_at(curves: FloatArray, relevance: ArrayLike) -> FloatArray:
    """Return what each of some curves makes of relevance, (n, documents)."""
    return _expit(curves[:, [0]] + np.exp(curves[:, [1]]) * _logit(relevance))


def _most_likely(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the intercept and the log slope that are likeliest after answers `y` at log odds `x`, (2,)."""
    from scipy.optimize import minimize

    def loss(parameters: FloatArray) -> float:
        intercept, log_slope = parameters
        odds = intercept + np.exp(log_slope) * x
        fit = np.logaddexp(0.0, odds) - y * odds  # minus the log likelihood
        prior = (intercept / _SD_INTERCEPT) ** 2 + (log_slope / _SD_LOG_SLOPE) ** 2
        return float(fit.sum() + prior / 2)

    return np.asarray(minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(-10, 10), (-4, 4)]).x)


def _logit(p: ArrayLike) -> FloatArray:
    clipped = np.clip(np.asarray(p, np.float64), _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def _expit(x: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))
