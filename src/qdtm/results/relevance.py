"""How sure it is that documents are about a query: probabilities in, a cut-off and a count out.

`Relevance` is what a result says about one query: each document's probability, where to cut if a list is
needed, and how many documents are about it in all, with an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qdtm.results.checks.estimate import Interval
from qdtm.results.distributions import FloatArray

TYPICAL_ERROR, ALONE_ERROR = 0.35, 0.6
"""How far the logarithm of the count is usually off: of queries that cover the corpus, and of others.

Measured on labelled corpora, see docs/relevance.md."""

NAMED_AND_MEANT = 0.4
"""Of the documents that name a query without rivals, so many at least are about it, mostly."""

LEAST_CUTOFF = 0.5
"""Nothing is taken to be about a query that is likelier not to be."""

_WITHIN_90 = 1.645  # standard deviations that hold 90 % of a normal distribution


@dataclass(frozen=True, eq=False)
class Relevance:
    """How likely each document is to be about one query.

    Attributes
    ----------
    query : str
    scores : ndarray of float64, shape (D,)
        Between 0 and 1. Where documents were not judged, their share in the query's topic.
    counted : Interval, optional
        How many documents are about the query by what a person said of a sample of them, if one did.
    typical_error : float
        How far the logarithm of the count is usually off.
    n_named : int, optional
        How many documents name the query, if that is all that bounds it from below.
    """

    query: str
    scores: FloatArray
    counted: Interval | None = None
    typical_error: float = TYPICAL_ERROR
    n_named: int | None = None

    @cached_property
    def cutoff(self) -> float:
        """The recommended cut-off: documents from here up are taken to be about the query.

        It balances what is missed against what is found wrongly: of all cut-offs it has the highest F1 that
        the probabilities promise.
        """
        best = np.sort(self.scores)[::-1]
        if not len(best) or best[0] <= 0:
            return 1.0
        found = np.cumsum(best)
        f1 = 2.0 * found / (np.arange(1, len(best) + 1) + found[-1])
        return max(float(best[int(f1.argmax())]), LEAST_CUTOFF)

    @property
    def about(self) -> NDArray[np.bool_]:
        """Which documents are taken to be about the query, shape (D,)."""
        return np.asarray((self.scores >= self.cutoff) & (self.scores > 0))

    @property
    def n_listed(self) -> int:
        """How many documents are from the cut-off up."""
        return int(self.about.sum())

    @property
    def n_about(self) -> float:
        """How many documents are about the query: the sum of the probabilities, or as counted."""
        return float(self.scores.sum()) if self.counted is None else self.counted.estimate

    @property
    def n_about_interval(self) -> tuple[float, float]:
        """Where it lies, 9 times in 10 if the model errs as it usually does; 19 times in 20 if counted.

        A query without rivals may mean far less than its topic: the words that name it may mostly stand in
        documents about other things. So its interval goes down to a part of the documents that name it.
        """
        if self.counted is not None:
            return self.counted.low, self.counted.high
        chance = np.sqrt(float((self.scores * (1.0 - self.scores)).sum()))
        spread = np.hypot(self.typical_error, chance / max(self.n_about, 1.0))
        factor = float(np.exp(_WITHIN_90 * spread))
        low = self.n_about / factor
        if self.n_named is not None:
            low = min(low, NAMED_AND_MEANT * self.n_named)
        return low, min(self.n_about * factor, float(len(self.scores)))

    def summary(self) -> str:
        """Say it in a sentence, for people."""
        low, high = self.n_about_interval
        n_documents = len(self.scores)
        return (
            f"{self.n_about:,.0f} of {n_documents:,} documents ({low:,.0f} to {high:,.0f}); "
            f"{self.n_listed:,} have a relevance of {self.cutoff:.2f} or more"
        )

    def __repr__(self) -> str:
        return f"Relevance({self.query!r}: {self.summary()})"
