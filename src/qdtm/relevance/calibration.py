"""Scores in, probabilities out, without labels.

What a score is worth is learned from the model itself: how often does the first verdict agree with a second
look that did not see it? Where they agree always the probability is near 0 or 1, where they differ it is
between. So a probability says how often the model would say so again from other evidence; how well that
matches human labels is measured in docs/relevance.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray

_STEPS, _HALVINGS = 50, 20
_RIDGE = 1e-6


def calibrate(scores: FloatArray, looked: FloatArray, verdict: NDArray[np.bool_]) -> FloatArray:
    """Turn the scores of documents into probabilities.

    Parameters
    ----------
    scores : ndarray of shape (D,)
        Of all views together.
    looked : ndarray of shape (D,)
        Of the second look, which did not see the document's own verdict.
    verdict : ndarray of bool, shape (D,)

    Returns
    -------
    ndarray of float64, shape (D,)
        In the order of the scores.
    """
    if verdict.all() or not verdict.any():
        return np.full(len(scores), float(verdict.mean()) if len(verdict) else 0.0)
    n_yes, n_no = int(verdict.sum()), int((~verdict).sum())
    said = np.where(
        verdict, (n_yes + 1.0) / (n_yes + 2.0), 1.0 / (n_no + 2.0)
    )  # Platt (1999): never quite sure
    agreed = logistic_fit(looked, said)
    return logistic_fit(scores, agreed)


def logistic_fit(x: FloatArray, target: FloatArray) -> FloatArray:
    """Fit p = 1 / (1 + exp(-(a + b x))) with b >= 0 to targets between 0 and 1, and return p; shape (D,)."""
    spread = float(x.std())
    z = (x - x.mean()) / spread if spread > 1e-12 else np.zeros_like(x)
    base = float(np.clip(target.mean(), 1e-6, 1.0 - 1e-6))
    line, loss = np.array([np.log(base / (1.0 - base)), 0.0]), np.inf  # a, b
    for _ in range(_STEPS):
        before = loss
        line, loss = _shorten(line, _newton_step(line, z, target), z, target)
        if before - loss < 1e-10:
            break
    return _sigmoid(line[0] + line[1] * z)


def _newton_step(line: FloatArray, z: FloatArray, target: FloatArray) -> FloatArray:
    p = _sigmoid(line[0] + line[1] * z)
    weight, gap = np.maximum(p * (1.0 - p), 1e-9), target - p
    cross = float((weight * z).sum())
    hessian = np.array([[weight.sum(), cross], [cross, (weight * z * z).sum()]]) + _RIDGE * np.eye(2)
    gradient = np.array([gap.sum(), (gap * z).sum()]) - _RIDGE * line
    return np.asarray(np.linalg.solve(hessian, gradient))


def _shorten(
    line: FloatArray, step: FloatArray, z: FloatArray, target: FloatArray
) -> tuple[FloatArray, float]:
    """Go as far as the step makes the fit better, and say how bad it is there."""
    start = _loss(line, z, target)
    for _ in range(_HALVINGS):
        there = line + step
        there[1] = max(there[1], 0.0)
        if (loss := _loss(there, z, target)) < start:
            return there, loss
        step = step / 2.0
    return line, start


def _loss(line: FloatArray, z: FloatArray, target: FloatArray) -> float:
    """The mean cross entropy, with what keeps the line from growing without end."""
    at = line[0] + line[1] * z
    entropy = np.logaddexp(0.0, at) - target * at
    return float(entropy.mean() + 0.5 * _RIDGE * (line @ line) / max(len(z), 1))


def _sigmoid(x: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -500.0, 500.0))))
