"""Relevance that learns from answers: what people said of some documents in, a new order of all out.

Naive Bayes on tf-idf (both sides weighing the same, as reviewing tools do) says how much each word speaks for
the documents that got a yes. The model's relevance is one more look, worth as much as ten answers with a yes;
so the first answers change little and many decide. The sum is put back on the scale of probabilities by a
rising line through the answers that chance chose (Platt 1999). What was answered has its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.views import rarity
from qdtm.results.hand_check.answers import Verdict
from qdtm.results.hand_check.estimate import Recalibration, log_odds, recalibrate

if TYPE_CHECKING:
    from qdtm.results.hand_check.hand_check import HandCheck

FloatArray = NDArray[np.float64]

SMOOTHING = 1.0
"""Of the words' counts; 0.5 and 3.8 ordered documents worse on the development corpora."""

WORTH = 10.0
"""Answers with a yes that weigh as much as the model's relevance."""

_ALONE = 1e9  # what relevance weighs if nothing is known of words

SURE = 0.999
"""The relevance of what was answered with yes; of a no, 1 minus it."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What answers teach.

    Attributes
    ----------
    words : ndarray of float64, shape (V,)
        How much each word speaks for the query, as a weight of its tf-idf.
    idf : ndarray of float64, shape (V,)
    said, known : tuple of two floats
        Mean and standard deviation in the corpus of the words' scores, and of the log odds of relevance.
    trust : float
        What the model's relevance weighs beside the words, from 1 down to 0.
    curve : Recalibration
        From the sum to probabilities.
    """

    words: FloatArray
    idf: FloatArray
    said: tuple[float, float]
    known: tuple[float, float]
    trust: float
    curve: Recalibration

    def odds(self, counts: Any, relevance: FloatArray) -> FloatArray:
        """Return new log odds, not yet on the scale of probabilities, for counts of words (D, V); (D,)."""
        said = (_weighted(counts, self.idf) @ self.words - self.said[0]) / self.said[1]
        known = (log_odds(relevance) - self.known[0]) / self.known[1]
        both = (self.trust * known + said) / np.hypot(self.trust, 1.0)
        return np.asarray(self.known[0] + self.known[1] * both)

    def apply(self, counts: Any, relevance: FloatArray) -> FloatArray:
        """Return the relevance of documents after the answers, (D,); what cannot be relevant stays so."""
        return np.where(relevance > 0, self.curve.of_odds(self.odds(counts, relevance)), 0.0)


def learn(check: HandCheck, counts: Any, relevance: FloatArray) -> Lesson | None:
    """Learn from answers; None if there are too few. Words are learned once there are both yes and no.

    Parameters
    ----------
    check : HandCheck
    counts : CSR matrix of shape (D, V)
        Of the corpus' words.
    relevance : ndarray of shape (D,)
        Of the model, without answers.
    """
    said = check.said
    rows, about = np.array(list(said), np.int64), np.array(list(said.values()), np.bool_)
    if not check.is_enough:
        return None
    idf = _idf(counts)
    weighted = _weighted(counts, idf)
    both = about.any() and not about.all()
    words = _naive_bayes(weighted[rows], about) if both else np.zeros(weighted.shape[1])
    trust = WORTH / (WORTH + float(about.sum())) if both else _ALONE
    said_by, known = _mean_and_spread(weighted @ words), _mean_and_spread(log_odds(relevance))
    flat = Lesson(words, idf, said_by, known, trust, Recalibration())
    by_chance = [i for i, row in enumerate(rows.tolist()) if check.sample.places[row].probability is not None]
    if not by_chance:
        return flat
    odds = flat.odds(counts[rows[by_chance]], relevance[rows[by_chance]])
    curve = recalibrate(odds, about[by_chance].tolist(), are_odds=True)
    return replace(flat, curve=curve)


def _mean_and_spread(scores: FloatArray) -> tuple[float, float]:
    return float(scores.mean()), float(scores.std()) or 1.0


def with_answers(relevance: FloatArray, verdicts: Mapping[int, Verdict]) -> FloatArray:
    """Return relevance in which what was answered has its answer; what is unsure stays."""
    sure = {"yes": SURE, "no": 1.0 - SURE}
    known = {row: sure[about] for row, about in verdicts.items() if about in sure}
    if not known:
        return relevance
    answered = relevance.copy()
    answered[list(known)] = list(known.values())
    return answered


def _naive_bayes(weighted: Any, about: NDArray[np.bool_]) -> FloatArray:
    """Return the log odds of each word, (V,); the side of yes weighs as much as that of no."""
    from scipy import sparse

    n = len(about)
    sides = []
    for side in (about, ~about):
        mass = sparse.csr_matrix((side / side.sum() * n / 2)[None])  # (1, n)
        total = np.asarray((mass @ weighted).todense()).ravel() + SMOOTHING
        sides.append(np.log(total / total.sum()))
    return np.asarray(sides[0] - sides[1])


def _idf(counts: Any) -> FloatArray:
    return rarity(np.bincount(counts.indices, minlength=counts.shape[1]), counts.shape[0])


def _weighted(counts: Any, idf: FloatArray) -> Any:
    """Return tf-idf with the logarithm of counts, every document of length 1, (D, V)."""
    from sklearn.preprocessing import normalize  # slow to load

    weighted = counts.astype(np.float64).tocsr(copy=True)
    weighted.data = (1.0 + np.log(weighted.data)) * idf[weighted.indices]
    return normalize(weighted, copy=False)
