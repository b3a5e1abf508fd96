"""How many documents are about a query, how likely each of them is, and from where on it counts.

In: scores of documents that did not see whether they name the query, and how much each names it. Out: the
number, and a curve from scores to probabilities.

Half of the documents that name it score above some t, so half of all documents about it should: their number
is twice that above t. Names are positive examples and all else is unlabelled (Elkan and Noto 2008), so the
chance to name the query saturates below 1 where every document is about it; the curve is fitted with that
ceiling (modified logistic regression, Jaskie, Elkan and Spanias 2019), and shifted for documents that do not
name it until all sum to the number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize

from qdtm.evidence.views import FloatArray

# --- breadth ------------------------------------------------------------------------------------------------

DOUBT, USUAL_SHARE = 20.0, 0.7
"""As many documents' worth of doubt that so much of the documents about a query name it."""

N_BINS = 512

SETTLED = {"ftol": 1e-12, "gtol": 1e-9, "maxiter": 1000}
"""The curve is fitted until nothing changes any more: a sum in another order must not show."""

NAMED_BY_STRENGTH, NAMED_BY_CONTEXT = 2.0, 0.25
"""Log odds of a document that names the query, by how much it names it, and by those of its context."""

SHRINKAGE = 10.0
"""Documents' worth of names that it takes to believe half of what the context of another document says."""

LEAST_PROBABILITY = 1e-6
"""What is less likely than this is likely by so little that only its place in the ranking counts."""

LEAST_CONTEXT = 0.01
"""A context that speaks for or against the query more than this does not change what its name is worth."""


def estimate_breadth(scores: FloatArray, strength: FloatArray, named_share: float = 0.0) -> float:
    """Estimate how many documents are about a query; few that name it never bring in many others.

    Parameters
    ----------
    scores : ndarray of shape (D,)
        How much each document is like those that name the query, seen without its words.
    strength : ndarray of shape (D,)
        How much each names it.
    named_share : float
        The share of documents about it that name it, at least (`Naming.share`).
    """
    n_named = float(strength.sum())
    order = np.argsort(-scores, kind="stable")
    above = int(np.searchsorted(np.cumsum(strength[order]), 0.5 * n_named)) + 1
    share = min(1.0, n_named / (2.0 * above))  # P(named | about)
    shrunk = (n_named * np.log(share) + DOUBT * np.log(USUAL_SHARE)) / (n_named + DOUBT)
    return n_named / max(float(np.exp(shrunk)), named_share)


@dataclass(frozen=True)
class Curve:
    """A logistic curve from scores to probabilities: 1 / (1 + exp(-slope (score - middle)))."""

    slope: float
    middle: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the probability of each score."""
        return sigmoid(self.slope * (scores - self.middle))


def fit_curve(scores: FloatArray, strength: FloatArray) -> Curve:
    """Fit P(named | score) = c / (1 + exp(-b (score - m))) by maximum likelihood; b and m make the curve.

    Scores are put into bins of about equally many documents first: the fit does not need each of them.
    """
    order = np.argsort(scores, kind="stable")
    edges = np.unique(np.linspace(0, len(scores), N_BINS + 1).astype(np.int64))
    named = np.add.reduceat(strength[order], edges[:-1])
    size = np.diff(edges)
    centre, spread = float(scores.mean()), max(float(scores.std()), 1e-12)
    x = (np.add.reduceat(scores[order], edges[:-1]) / size - centre) / spread

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        slope, middle, ceiling = np.exp(parameters[0]), parameters[1], sigmoid(parameters[2:])[0]
        below = sigmoid(slope * (x - middle))
        p = np.clip(ceiling * below, 1e-12, 1.0 - 1e-12)
        fit = named @ np.log(p) + (size - named) @ np.log1p(-p)
        prior = DOUBT * (USUAL_SHARE * np.log(ceiling) + (1.0 - USUAL_SHARE) * np.log1p(-ceiling))
        by_p = named / p - (size - named) / (1.0 - p)
        by_curve = by_p * ceiling * below * (1.0 - below) * slope
        by_ceiling = by_p @ below * ceiling * (1.0 - ceiling) + DOUBT * (USUAL_SHARE - ceiling)
        return -float(fit + prior), -np.array([by_curve @ (x - middle), -by_curve.sum(), by_ceiling])

    bounds = [(np.log(0.05), np.log(50.0)), (-5.0, 30.0), (-5.0, 5.0)]
    starts = [np.array([np.log(2.0), middle, 0.0]) for middle in (1.0, 2.5)]
    best = min(
        (
            minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=SETTLED)
            for start in starts
        ),
        key=lambda r: r.fun,
    )
    return Curve(float(np.exp(best.x[0])) / spread, centre + spread * float(best.x[1]))


def probabilities_summing_to(
    total: float,
    curve: Curve,
    scores: FloatArray,
    strength: FloatArray,
    counted: NDArray[np.bool_] | None = None,
    *,
    surest: float = 1.0,
    at_most: bool = False,
) -> FloatArray:
    """Shift a curve until documents that do not name the query sum to what is left of a number; (D,).

    Those that name it are judged by the curve as it was fitted, however many others there are. Where they are
    few, the others are believed less, and sum to less (`shrunk_mean`).

    Parameters
    ----------
    total : float
        How many documents are about it.
    counted : ndarray of bool, shape (D,), optional
        Those that sum to it; by default all.
    surest : float
        The share of what is left that is wanted.
    at_most : bool
        Whether the number is a bound: the sum then falls short of it by as much as those that name the query
        are not sure themselves.
    """
    every = np.ones(len(scores), np.bool_) if counted is None else counted
    share = min(float(strength[every].sum()) / max(total, 1e-12), 1.0 - 1e-6)
    low, high = float(scores.min()) - 60.0 / curve.slope, float(scores.max()) + 60.0 / curve.slope
    named, others = strength > 0, scores[every & (strength == 0)]
    believed = np.where(named, named_probability(curve(scores), strength), 0.0)
    sure = 1.0 if at_most else float(strength @ believed) / float(strength.sum())
    left = surest * (total - float(believed[every].sum()))

    def excess(middle: float) -> float:
        return sure * float(without_name(Curve(curve.slope, middle)(others), share).sum()) - left

    if excess(high) >= 0:
        middle = high
    elif excess(low) <= 0:
        middle = low
    else:
        middle = float(brentq(excess, low, high, xtol=1e-13 * (high - low)))
    context = np.where(named, curve(scores), Curve(curve.slope, middle)(scores))
    return about(context, strength, share)


def about(context: FloatArray, strength: FloatArray, share: float) -> FloatArray:
    """Return the probability that each document is about the query, given its context and its naming.

    A document that does not name the query is less likely to be about it than its context says, since
    documents about it tend to name it (Elkan and Noto 2008); and it is never surer than those that do are on
    average, and less sure if these are few.

    Parameters
    ----------
    share : float
        P(named | about).
    """
    named = named_probability(context, strength)
    return np.where(strength > 0, named, shrunk_mean(named, strength) * without_name(context, share))


def shrunk_mean(named: FloatArray, strength: FloatArray) -> float:
    """The mean probability of documents that name the query, shrunk towards 0 if they are few."""
    return float(strength @ named) / (float(strength.sum()) + SHRINKAGE)


def without_name(context: FloatArray, share: float) -> FloatArray:
    """Return the probability that documents which do not name the query are about it."""
    return (1.0 - share) * context / (1.0 - share * context)


def named_probability(context: FloatArray, strength: FloatArray) -> FloatArray:
    """Return the probability that documents which name the query are about it.

    However well its context fits, a document that mentions the query in passing stays behind one that is
    full of it and whose context does not speak against it: what is like documents that name the query may be
    like those that only mention it.
    """
    bounded = np.clip(context, LEAST_CONTEXT, 1.0 - LEAST_CONTEXT)
    log_odds = NAMED_BY_CONTEXT * np.log(bounded / (1.0 - bounded)) + NAMED_BY_STRENGTH * strength
    return sigmoid(log_odds)


def at_least_context(context: FloatArray, strength: FloatArray) -> FloatArray:
    """Return the same, never below a context that was judged beside all else that documents may be about."""
    return np.maximum(
        named_probability(context, strength), np.clip(context, LEAST_CONTEXT, 1.0 - LEAST_CONTEXT)
    )


def kept_apart(probabilities: FloatArray) -> FloatArray:
    """Raise probabilities below `LEAST_PROBABILITY` so far that float32 keeps their order; 0 stays 0."""
    p = np.maximum(probabilities, np.finfo(np.float64).tiny)
    raised = LEAST_PROBABILITY / (1.0 + np.log(np.maximum(LEAST_PROBABILITY / p, 1.0)))
    return np.where((probabilities > 0) & (probabilities < LEAST_PROBABILITY), raised, probabilities)


def sigmoid(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x))."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -500.0, 500.0))))


# --- the cut-off --------------------------------------------------------------------------------------------
#
# From where on documents are taken to be about a query: probabilities in, a cut-off out.

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
