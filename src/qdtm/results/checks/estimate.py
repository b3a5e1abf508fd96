"""What the answers say: a stratified sample and yes or no to its documents in, precision and recall out.

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
from numpy.typing import NDArray

from qdtm.results.checks.recalibration import FloatArray, curves_at, plausible_curves
from qdtm.results.checks.sample import CheckSample, Stratum

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
