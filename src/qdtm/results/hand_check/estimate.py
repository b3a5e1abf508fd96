"""What a person's answers say: precision, recall and a count with intervals, and relevance that agrees.

The number of documents about the query in a stratum has a beta-binomial posterior: those that were seen, and
of the others each with the stratum's unknown rate. The rate has Jeffreys' prior, Beta(1/2, 1/2), moved to
what the recalibrated relevance of the stratum's documents lets expect: Beta(1/2, b) or Beta(a, 1/2) with that
mean. Unmoved, a large stratum of which ten documents were looked at, all of them off the subject, might still
hold thousands. The curve of recalibration is not known either, so each draw has its own; sums and ratios over
strata are taken draw by draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.results.hand_check.sample import CheckSample, Stratum

# --- recalibration ------------------------------------------------------------------------------------------
#
# Relevance that agrees with a person's answers: answers in, a rising curve from old to new relevance out.
#
# The new log odds are a line in the old ones (Platt 1999): logit p' = intercept + slope * logit p. Answers
# are few, so both are held near "no change" by a normal prior: the intercept with a standard deviation of 2,
# the log of the slope with one of 1/2. The slope is positive, so the order of the documents stays. Chance
# chose the documents within strata of relevance, which a curve of relevance has no need to weigh.

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


# --- precision, recall and count ----------------------------------------------------------------------------

N_DRAWS = 10_000
_SEED = 20_260


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval that has the true value with a probability of `level`."""

    estimate: float
    low: float
    high: float
    level: float = 0.95

    def as_percent(self) -> str:
        """Say it for people: 87% (44% to 100%)."""
        return f"{self.estimate:.0%} ({self.low:.0%} to {self.high:.0%})"

    def as_count(self) -> str:
        """Say it for people: 1,020 (960 to 1,100)."""
        return f"{self.estimate:,.0f} ({self.low:,.0f} to {self.high:,.0f})"


@dataclass(frozen=True)
class StratumOutcome:
    """A stratum, how many of its documents were answered, and how many of these are about the query."""

    stratum: Stratum
    n_answered: int
    n_yes: int


@dataclass(frozen=True)
class CheckEstimate:
    """How good the relevance is at the cut-off, as far as the answers tell.

    Attributes
    ----------
    precision : Interval or None
        Of the documents at or above the cut-off, the share that is about the query; None if there are none.
    recall : Interval
        Of the documents about the query, the share that is at or above the cut-off.
    n_about : Interval
        How many documents of the corpus are about the query.
    n_above : int
        Documents at or above the cut-off.
    n_answered, n_yes : int
    strata : tuple of StratumOutcome
    """

    precision: Interval | None
    recall: Interval
    n_about: Interval
    n_above: int
    n_answered: int
    n_yes: int
    strata: tuple[StratumOutcome, ...]


def estimate_check(
    sample: CheckSample, answers: Mapping[int, bool], *, level: float = 0.95, n_draws: int = N_DRAWS
) -> CheckEstimate:
    """Estimate precision, recall and the number of documents about a query.

    Parameters
    ----------
    sample : CheckSample
    answers : mapping of int to bool
        Whether a document of the sample is about the query; those that were skipped are left out.
    level : float
    n_draws : int
        Of the posterior; they are the same in every call.
    """
    outcomes = tuple(_outcomes(sample, answers))
    totals = _draw_totals(sample, answers, outcomes, n_draws)  # (draws, H)
    above = np.array([outcome.stratum.is_above for outcome in outcomes])
    n_above = sum(outcome.stratum.size for outcome in outcomes if outcome.stratum.is_above)
    found, about = totals[:, above].sum(axis=1), totals.sum(axis=1)  # (draws,)
    recall = np.divide(found, about, out=np.zeros(n_draws), where=about > 0)
    return CheckEstimate(
        precision=_interval(found / n_above, level) if n_above else None,
        recall=_interval(recall[about > 0] if (about > 0).any() else recall, level),
        n_about=_interval(about.astype(np.float64), level),
        n_above=n_above,
        n_answered=sum(outcome.n_answered for outcome in outcomes),
        n_yes=sum(outcome.n_yes for outcome in outcomes),
        strata=outcomes,
    )


def _outcomes(sample: CheckSample, answers: Mapping[int, bool]) -> list[StratumOutcome]:
    counts = np.zeros((len(sample.strata), 2), np.int64)  # (H, 2): no, yes
    for document, h in zip(sample.documents, sample.stratum_of, strict=True):
        if document in answers:
            counts[h, int(answers[document])] += 1
    return [
        StratumOutcome(stratum, int(n.sum()), int(n[1]))
        for stratum, n in zip(sample.strata, counts, strict=True)
    ]


def _draw_totals(
    sample: CheckSample, answers: Mapping[int, bool], outcomes: Sequence[StratumOutcome], n_draws: int
) -> NDArray[np.int64]:
    """Draw how many documents of each stratum are about the query, (draws, H)."""
    rng = np.random.default_rng(_SEED)
    relevance, owner = np.array(sample.relevance), np.array(sample.stratum_of)
    known = [i for i, document in enumerate(sample.documents) if document in answers]
    said = [answers[sample.documents[i]] for i in known]
    curves = plausible_curves(relevance[known].tolist(), said, n_draws, rng)
    columns = []
    for h, outcome in enumerate(outcomes):
        stratum, n_no = outcome.stratum, outcome.n_answered - outcome.n_yes
        shown = relevance[owner == h] if (owner == h).any() else [stratum.mean]
        a, b = moved_prior(curves_at(curves, shown).mean(axis=1), stratum.size)  # (draws,)
        rate = rng.beta(a + outcome.n_yes, b + n_no)
        columns.append(outcome.n_yes + rng.binomial(stratum.size - outcome.n_answered, rate))
    return np.stack(columns, axis=1)


def moved_prior(expected: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of the prior of the rate of a stratum: Jeffreys', moved to what is expected."""
    least = 0.5 / (size + 1)
    odds = 1.0 / np.clip(expected, least, 1.0 - least) - 1.0  # against
    return 0.5 * np.maximum(1.0, 1.0 / odds), 0.5 * np.maximum(1.0, odds)


def _interval(draws: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(draws, [(1.0 - level) / 2, (1.0 + level) / 2])
    mean = float(np.clip(draws.mean(), low, high))  # a few draws far off may pull it out of the interval
    return Interval(mean, float(low), float(high), level)
