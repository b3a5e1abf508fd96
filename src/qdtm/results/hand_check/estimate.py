"""What a person's answers say: precision, recall and a count with intervals, and relevance that agrees.

The number of documents about the query in a stratum has a beta-binomial posterior: those that were seen, and
of the others each with the stratum's unknown rate. The rate has Jeffreys' prior, Beta(1/2, 1/2), moved to
what the recalibrated relevance of the stratum's documents lets expect: Beta(1/2, b) or Beta(a, 1/2) with that
mean. Unmoved, a large stratum of which ten documents were looked at, all of them off the subject, might still
hold thousands. The curve of recalibration is not known either, so each chain has its own; sums and ratios
over strata are taken draw by draw.

An answer may be wrong: each is, with an unknown rate of errors, the same for yes and no (Dawid and Skene
1979, with one coin). Second looks and other people's answers tell the rate; what nobody looked at twice is
right as far as its stratum makes it likely. Gibbs sampling draws true answers, rates and errors in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.results.hand_check.answers import Verdict
from qdtm.results.hand_check.sample import CheckSample, Stratum, share_out

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
        return self.of_odds(log_odds(relevance))

    def of_odds(self, odds: FloatArray) -> FloatArray:
        """Return new relevance for old log odds."""
        return _expit(self.intercept + self.slope * odds)


def recalibrate(relevance: ArrayLike, answers: Sequence[bool], *, are_odds: bool = False) -> Recalibration:
    """Find the curve that fits answers best; too few of them leave relevance as it is.

    Parameters
    ----------
    relevance : sequence of float
        Of the documents that were answered.
    answers : sequence of bool
        Whether each is about the query.
    are_odds : bool
        Whether log odds are given in its place.
    """
    if len(answers) < LEAST_ANSWERS:
        return Recalibration()
    odds = np.asarray(relevance, np.float64) if are_odds else log_odds(relevance)
    intercept, log_slope = _most_likely(odds, np.asarray(answers, np.float64))
    return Recalibration(float(intercept), float(np.exp(log_slope)))


def spread_of_curves(odds: FloatArray, answers: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the likeliest intercept and log slope, (2,), and their covariance by Laplace's approximation."""
    best = _most_likely(odds, answers)
    slope = np.exp(best[1])
    p = _expit(best[0] + slope * odds)
    gradient = np.stack([np.ones_like(odds), slope * odds], axis=1)  # (answers, 2) of the log odds
    precision = np.diag([1 / _SD_INTERCEPT**2, 1 / _SD_LOG_SLOPE**2])
    precision += (gradient * (p * (1 - p))[:, None]).T @ gradient  # (2, 2)
    return best, np.linalg.inv(precision)


def _log_posterior(curves: FloatArray, odds: FloatArray, truth: FloatArray) -> FloatArray:
    """Return the log posterior of some curves, each after a truth of its own, (n,), but for a constant."""
    new = curves[:, [0]] + np.exp(curves[:, [1]]) * odds  # (n, answers)
    prior = (curves[:, 0] / _SD_INTERCEPT) ** 2 + (curves[:, 1] / _SD_LOG_SLOPE) ** 2
    return np.asarray((truth * new - np.logaddexp(0.0, new)).sum(axis=1) - prior / 2)


def curves_at(curves: FloatArray, relevance: ArrayLike) -> FloatArray:
    """Return what each of some curves makes of relevance, (n, documents)."""
    return _expit(curves[:, [0]] + np.exp(curves[:, [1]]) * log_odds(relevance))


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


def log_odds(p: ArrayLike) -> FloatArray:
    """Return log odds of probabilities, which are kept off 0 and 1."""
    clipped = np.clip(np.asarray(p, np.float64), _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def _expit(x: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


# --- precision, recall and count ----------------------------------------------------------------------------

N_DRAWS = 10_000
N_CHAINS, _BURN_IN = 200, 30
ERRORS = (0.2, 30.0)
"""The prior of the share of wrong answers, Beta: hardly any, until second looks or other people tell."""

OFF_THE_CURVE = 1.1
"""How far the log odds of a stratum's rate are usually off the curve, a standard deviation: 1.07 of 22
categories of six labelled corpora, 1.02 to 1.15 with each corpus left out."""

_SEED = 20_260

Looks = Mapping[int, tuple[int, int]]
"""Of documents: how many answers are the one that counts, and how many were another."""


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval that has the true value with a probability of `level`."""

    estimate: float
    low: float
    high: float
    level: float = 0.95

    @property
    def width(self) -> float:
        """From its lower to its upper end."""
        return self.high - self.low

    def as_percent(self) -> str:
        """Say it for people: 87% (44% to 100%)."""
        return f"{self.estimate:.0%} ({self.low:.0%} to {self.high:.0%})"

    def as_count(self) -> str:
        """Say it for people: 1,020 (960 to 1,100)."""
        return f"{self.estimate:,.0f} ({self.low:,.0f} to {self.high:,.0f})"


@dataclass(frozen=True)
class StratumOutcome:
    """What was answered of a stratum.

    Attributes
    ----------
    stratum : Stratum
    n_answered, n_yes : int
        Of its random sample: how many answers, and how many yes.
    n_others, n_others_yes : int
        The same of documents that chance did not choose.
    """

    stratum: Stratum
    n_answered: int
    n_yes: int
    n_others: int = 0
    n_others_yes: int = 0


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
    n_answered, n_yes, n_unsure : int
    width_after : float
        How wide the interval of the number is expected to be after another twenty answers.
    strata : tuple of StratumOutcome
    """

    precision: Interval | None
    recall: Interval
    n_about: Interval
    n_above: int
    n_answered: int
    n_yes: int
    strata: tuple[StratumOutcome, ...]
    n_unsure: int = 0
    width_after: float = 0.0

    @property
    def n_by_chance(self) -> int:
        """Answers to documents that chance chose."""
        return sum(outcome.n_answered for outcome in self.strata)

    def capped(self, most: int) -> CheckEstimate:
        """Return the estimate if it is certain that no more documents than so many are about the query."""
        now = self.n_about
        estimate, low, high = (min(end, float(most)) for end in (now.estimate, now.low, now.high))
        return replace(self, n_about=Interval(estimate, low, high, now.level))

    @property
    def next_twenty(self) -> float:
        """By what share another twenty answers are expected to narrow the interval of the number."""
        width = self.n_about.high - self.n_about.low
        return max(0.0, 1.0 - self.width_after / width) if width else 0.0


def estimate_check(
    sample: CheckSample,
    verdicts: Mapping[int, Verdict],
    *,
    looks: Looks | None = None,
    level: float = 0.95,
    n_draws: int = N_DRAWS,
) -> CheckEstimate:
    """Estimate precision, recall and the number of documents about a query.

    Parameters
    ----------
    sample : CheckSample
    verdicts : mapping of int to {"yes", "no", "unsure"}
        What counts for each document that was answered.
    looks : mapping of int to (int, int), optional
        The answers behind a verdict: for it and against; what is missing is certain. One answer each unless
        given.
    level : float
    n_draws : int
        Of the posterior; they are the same in every call.

    Notes
    -----
    What is unsure may be either: intervals reach from where all of it is a no to where all of it is a yes,
    and estimates lie in the middle.
    """
    looks = dict.fromkeys(verdicts, (1, 0)) if looks is None else looks
    ends = [_estimate(sample, verdicts, looks, unsure, level, n_draws) for unsure in _readings(verdicts)]
    first, last = ends[0], ends[-1]
    return replace(
        first,
        precision=_spanned([end.precision for end in ends if end.precision is not None]),
        recall=_spanned([end.recall for end in ends]) or first.recall,
        n_about=_spanned([first.n_about, last.n_about]) or first.n_about,
        n_unsure=sum(about == "unsure" for about in verdicts.values()),
        width_after=max(end.width_after for end in ends),
    )


def _readings(verdicts: Mapping[int, Verdict]) -> tuple[bool, ...]:
    return (False, True) if "unsure" in verdicts.values() else (False,)


def _spanned(intervals: Sequence[Interval]) -> Interval | None:
    """Return the interval from the least to the most of some, with the middle of their estimates."""
    if not intervals:
        return None
    middle = sum(each.estimate for each in intervals) / len(intervals)
    low, high = min(each.low for each in intervals), max(each.high for each in intervals)
    return Interval(middle, low, high, intervals[0].level)


def _estimate(
    sample: CheckSample,
    verdicts: Mapping[int, Verdict],
    looks: Looks,
    unsure: bool,
    level: float,
    n_draws: int,
) -> CheckEstimate:
    """Estimate with everything that is unsure read as one answer."""
    said = {row: about == "yes" or (about == "unsure" and unsure) for row, about in verdicts.items()}
    doubted = {row: looks[row] for row, about in verdicts.items() if about != "unsure" and row in looks}
    outcomes = tuple(_outcomes(sample, said))
    totals, priors = _draw_totals(sample, said, doubted, outcomes, n_draws)  # (draws, H), (H, 2)
    above = np.array([outcome.stratum.is_above for outcome in outcomes], dtype=bool)
    n_above = sum(outcome.stratum.size for outcome in outcomes if outcome.stratum.is_above)
    found, about = totals[:, above].sum(axis=1), totals.sum(axis=1)  # (draws,)
    recall = np.divide(found, about, out=np.zeros(len(about)), where=about > 0)
    n_about = _interval(about.astype(np.float64), level)
    return CheckEstimate(
        precision=_interval(found / n_above, level) if n_above else None,
        recall=_interval(recall[about > 0] if (about > 0).any() else recall, level),
        n_about=n_about,
        width_after=(n_about.high - n_about.low) * _narrowing(outcomes, priors, NEXT),
        n_above=n_above,
        n_answered=len(verdicts),
        n_yes=sum(about == "yes" for about in verdicts.values()),
        strata=outcomes,
    )


def _outcomes(sample: CheckSample, said: Mapping[int, bool]) -> list[StratumOutcome]:
    """Count answers in each stratum: those that chance chose, and the others."""
    outcomes = []
    for h, stratum in enumerate(sample.strata):
        random = {row for row in sample.random_in(h) if row in said}
        others = [row for row in said if sample.places[row].stratum == h and row not in random]
        n_yes, n_more = sum(said[row] for row in random), sum(said[row] for row in others)
        outcomes.append(StratumOutcome(stratum, len(random), n_yes, len(others), n_more))
    return outcomes


def _draw_totals(
    sample: CheckSample,
    said: Mapping[int, bool],
    looks: Looks,
    outcomes: Sequence[StratumOutcome],
    n_draws: int,
) -> tuple[NDArray[np.int64], FloatArray]:
    """Draw how many documents of each stratum are about the query, (draws, H); and mean priors, (H, 2).

    The random sample of a stratum says how many there may be; the others that were answered bound it.
    """
    rng = np.random.default_rng(_SEED)
    n_chains = min(N_CHAINS, n_draws)
    answers = _Answers.of(sample, said, looks, len(outcomes))
    sizes = np.array([outcome.stratum.size for outcome in outcomes])
    n_random, n_others = (each.sum(axis=0).astype(np.int64) for each in (answers.in_strata, answers.others))
    truth = np.tile(answers.said, (n_chains, 1)).astype(np.float64)  # (chains, n)
    curves, step_size = answers.first_curves(n_chains, rng)
    draws, priors = list[NDArray[np.int64]](), list[FloatArray]()
    for step in range(_BURN_IN + -(-n_draws // n_chains)):
        curves = answers.draw_curves(curves, step_size, truth, rng)
        a, b = _priors(answers, outcomes, curves, rng)  # (chains, H) each
        yes = truth @ answers.in_strata  # (chains, H)
        rate = rng.beta(a + yes, b + n_random - yes)
        if step >= _BURN_IN:
            least = (truth @ answers.others).astype(np.int64)
            unseen = rng.binomial(sizes - n_random, rate)
            draws.append(yes.astype(np.int64) + np.clip(unseen, least, least + sizes - n_random - n_others))
            priors.append(np.stack([a.mean(axis=0), b.mean(axis=0)], axis=1))
        p = np.where(answers.by_chance, rate[:, answers.stratum], curves_at(curves, answers.relevance))
        truth = answers.draw_truth(truth, np.clip(p, _LEAST, 1.0 - _LEAST), rng)
    return np.concatenate(draws), np.mean(priors, axis=0)


def _priors(
    answers: _Answers, outcomes: Sequence[StratumOutcome], curves: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of the rates' priors under each curve, (chains, H) each."""
    pairs = []
    for h, outcome in enumerate(outcomes):
        shown = answers.relevance[answers.in_strata[:, h] > 0]
        shown = shown if len(shown) else np.array([outcome.stratum.mean])
        off = OFF_THE_CURVE * rng.standard_normal(len(curves))
        expected = _expit(log_odds(curves_at(curves, shown).mean(axis=1)) + off)
        pairs.append(moved_prior(expected, outcome.stratum.size))
    return np.stack([a for a, _ in pairs], axis=1), np.stack([b for _, b in pairs], axis=1)


@dataclass(frozen=True, eq=False)
class _Answers:
    """Answers as arrays, n of them in H strata.

    Attributes
    ----------
    said : ndarray of bool, shape (n,)
    relevance : ndarray of shape (n,)
        Of the model.
    stratum : ndarray of int, shape (n,)
    by_chance : ndarray of bool, shape (n,)
        Whether it is of the random sample of its stratum.
    in_strata, others : ndarray of shape (n, H)
        1 where an answer is of the random sample of a stratum, or of its other documents.
    same, other : ndarray of shape (n,)
        How many answers are the one that counts, and how many were another; 0 of both if it is certain.
    """

    said: NDArray[np.bool_]
    relevance: FloatArray
    stratum: NDArray[np.int64]
    by_chance: NDArray[np.bool_]
    in_strata: FloatArray
    others: FloatArray
    same: FloatArray
    other: FloatArray

    @classmethod
    def of(cls, sample: CheckSample, said: Mapping[int, bool], looks: Looks, n_strata: int) -> _Answers:
        rows = list(said)
        random = {row for h in range(n_strata) for row in sample.random_in(h)}
        by_chance = np.array([row in random for row in rows], np.bool_)
        stratum = np.array([sample.places[row].stratum for row in rows], np.int64)
        of_stratum = np.eye(n_strata)[stratum]  # (n, H)
        seen = np.array([looks.get(row, (0, 0)) for row in rows], np.float64).reshape(-1, 2)
        return cls(
            said=np.array([said[row] for row in rows], np.bool_),
            relevance=np.array([sample.places[row].relevance for row in rows], np.float64),
            stratum=stratum,
            by_chance=by_chance,
            in_strata=of_stratum * by_chance[:, None],
            others=of_stratum * ~by_chance[:, None],
            same=seen[:, 0],
            other=seen[:, 1],
        )

    def first_curves(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return curves to begin with, (n, 2), and what a step is multiplied with, (2, 2)."""
        said = self.said[self.by_chance].astype(np.float64)
        best, covariance = spread_of_curves(log_odds(self.relevance[self.by_chance]), said)
        return rng.multivariate_normal(best, covariance, n), np.asarray(
            np.linalg.cholesky(covariance), np.float64
        )

    def draw_curves(
        self, curves: FloatArray, size: FloatArray, truth: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Draw curves after the truth: a step of Metropolis, (chains, 2)."""
        odds, of_random = log_odds(self.relevance[self.by_chance]), truth[:, self.by_chance]
        new = curves + rng.standard_normal(curves.shape) @ size.T
        gain = _log_posterior(new, odds, of_random) - _log_posterior(curves, odds, of_random)
        return np.where((np.log(rng.random(len(curves))) < gain)[:, None], new, curves)

    def draw_truth(self, truth: FloatArray, p: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw the rate of errors after the truth, then the truth after that and what is expected."""
        right = truth == self.said
        wrong = np.where(right, self.other, self.same).sum(axis=1)
        n_right = np.where(right, self.same, self.other).sum(axis=1)
        error = rng.beta(ERRORS[0] + wrong, ERRORS[1] + n_right)[:, None]  # (chains, 1)
        for_it = (self.same - self.other) * np.log((1.0 - error) / error)  # (chains, n)
        odds = np.log(p / (1.0 - p)) + np.where(self.said, for_it, -for_it)
        drawn = rng.random(p.shape) < _expit(odds)
        return np.where(self.same > 0, drawn, self.said).astype(np.float64)


def moved_prior(expected: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of the prior of the rate of a stratum: Jeffreys', moved to what is expected."""
    least = 0.5 / (size + 1)
    odds = 1.0 / np.clip(expected, least, 1.0 - least) - 1.0  # against
    return 0.5 * np.maximum(1.0, 1.0 / odds), 0.5 * np.maximum(1.0, odds)


def _interval(draws: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(draws, [(1.0 - level) / 2, (1.0 + level) / 2])
    mean = float(np.clip(draws.mean(), low, high))  # a few draws far off may pull it out of the interval
    return Interval(mean, float(low), float(high), level)


# --- what more answers are worth ----------------------------------------------------------------------------

NEXT = 20
"""Answers whose worth is told; half of those of a round are by chance."""


def _narrowing(outcomes: Sequence[StratumOutcome], priors: FloatArray, n: int) -> float:
    """Return the expected width of the interval of the number after a round of `n`, over that of now."""
    a = priors[:, 0] + [outcome.n_yes for outcome in outcomes]
    b = priors[:, 1] + [outcome.n_answered - outcome.n_yes for outcome in outcomes]
    left = np.array([outcome.stratum.size - outcome.n_answered for outcome in outcomes])
    wanted = allocate_next(outcomes, n // 2)
    now = total_variance(a, b, left, np.zeros(len(left)))
    then = total_variance(a, b, left, np.minimum(wanted, left))
    return float(np.sqrt(then.sum() / now.sum())) if now.sum() > 0 else 0.0


def total_variance(a: FloatArray, b: FloatArray, left: NDArray[Any], more: NDArray[Any]) -> FloatArray:
    """Return the variance of the number among `left` documents that is expected after `more` answers, (H,).

    The rate is Beta(a, b). After m answers with y yes the number among the r = left - m others is
    beta-binomial, with the variance r A B (A + B + r) / ((A + B)^2 (A + B + 1)), A = a + y, B = b + m - y.
    E[A B] over y is a b (s + m)(s + m + 1) / (s (s + 1)), s = a + b: the expectation of p (1 - p) stays.
    """
    s, r = a + b, left - more
    product = a * b * (s + more) * (s + more + 1.0) / (s * (s + 1.0))  # E[A B]
    return np.asarray(r * product * (s + more + r) / ((s + more) ** 2 * (s + more + 1.0)))


def allocate_next(outcomes: Sequence[StratumOutcome], n: int) -> NDArray[np.int64]:
    """Return how many of a round's random documents each stratum gets: where most is not known (Neyman)."""
    sizes = np.array([outcome.stratum.size - outcome.n_answered - outcome.n_others for outcome in outcomes])
    seen = np.array([outcome.n_answered for outcome in outcomes])
    means = np.array([outcome.stratum.mean for outcome in outcomes])
    yes = np.array([outcome.n_yes for outcome in outcomes])
    rate = (yes + np.clip(means, 0.01, 0.99)) / (seen + 1.0)
    weights = sizes * np.sqrt(rate * (1.0 - rate)) / np.sqrt(seen + 1.0)
    return share_out(weights, sizes, n)
