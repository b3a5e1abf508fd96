"""How sure it is that documents are about a query: probabilities in, a cut-off and a count out.

`Relevance` is what a result says about one query: each document's probability, where to cut if a list is
needed, and how many documents are about it in all, with an interval: how many of them name it, and how many
more mean it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.cutoff import recommended_cutoff
from qdtm.results.checks.estimate import Interval
from qdtm.results.distributions import FloatArray

TYPICAL_ERROR = 0.35
"""How far the logarithm of the count is usually off, of queries that cover the corpus (they bound it)."""

NAMED_ERROR, UNNAMED_ERROR = 0.2, 0.3
"""The same of other queries: if all documents about it name it, and what is added as e times fewer do."""

NEAR = 0.5
"""What is only near a query has this much of the share in its topic that documents about it have."""

_WITHIN_90 = 1.645  # standard deviations that hold 90 % of a normal distribution


def typical_error(strength: NDArray[Any], scores: NDArray[Any]) -> float:
    """How far the logarithm of the count of a query without rivals is usually off."""
    named, total = float(strength.sum()), float(scores.sum())
    share = min(max(named / total, 0.01), 1.0) if total > 0 else 1.0
    return float(NAMED_ERROR - UNNAMED_ERROR * np.log(share))


@dataclass(frozen=True, eq=False)
class Relevance:
    """How likely each document is to be about one query.

    Attributes
    ----------
    query : str
    scores : ndarray of float64, shape (D,)
        Between 0 and 1.
    names : ndarray of bool, shape (D,)
        Which documents name the query.
    topic_share : ndarray of float64, shape (D,)
        The share of each document in the query's topic.
    counted : Interval, optional
        How many documents are about the query by what a person said of a sample of them, if one did.
    typical_error : float
        How far the logarithm of the count is usually off.
    fitted_cutoff : float, optional
        Of new or of some documents, the cut-off of all that the model was fitted on.
    """

    query: str
    scores: FloatArray
    names: NDArray[np.bool_]
    topic_share: FloatArray
    counted: Interval | None = None
    typical_error: float = TYPICAL_ERROR
    fitted_cutoff: float | None = None

    def select(self, rows: NDArray[np.int64]) -> Relevance:
        """Return the same of some documents; the cut-off stays."""
        names, share = self.names[rows], self.topic_share[rows]
        return replace(
            self, scores=self.scores[rows], names=names, topic_share=share, fitted_cutoff=self.cutoff
        )

    @cached_property
    def cutoff(self) -> float:
        """Documents from here up are taken to be about the query; see `recommended_cutoff`."""
        return recommended_cutoff(self.scores) if self.fitted_cutoff is None else self.fitted_cutoff

    @cached_property
    def about(self) -> NDArray[np.bool_]:
        """Which documents are taken to be about the query, shape (D,)."""
        return np.asarray(self.scores >= self.cutoff)

    @cached_property
    def near(self) -> NDArray[np.bool_]:
        """Which others the query's topic also holds: near it, below the cut-off; shape (D,)."""
        if not self.about.any():
            return np.zeros(len(self.scores), np.bool_)
        usual = float(self.topic_share[self.about].mean())
        return np.asarray(~self.about & (self.scores > 0) & (self.topic_share >= NEAR * usual))

    @property
    def n_listed(self) -> int:
        """How many documents are from the cut-off up."""
        return int(self.about.sum())

    @property
    def n_near(self) -> int:
        """How many documents are only near the query."""
        return int(self.near.sum())

    @property
    def n_names(self) -> int:
        """How many documents name the query, be they about it or not."""
        return int(self.names.sum())

    @property
    def n_about(self) -> float:
        """How many documents are about the query: the sum of the probabilities, or as counted."""
        return float(self.scores.sum()) if self.counted is None else self.counted.estimate

    @property
    def n_named(self) -> float:
        """How many documents name the query and are about it: the sum of their probabilities."""
        return float(self.scores[self.names].sum())

    @property
    def n_meant(self) -> float:
        """How many more are about it without naming it."""
        return float(self.scores[~self.names].sum())

    @property
    def n_about_interval(self) -> tuple[float, float]:
        """Where it lies, 9 times in 10 if the model errs as it usually does; 19 times in 20 if counted."""
        if self.counted is not None:
            return self.counted.low, self.counted.high
        chance = np.sqrt(float((self.scores * (1.0 - self.scores)).sum()))
        spread = np.hypot(self.typical_error, chance / max(self.n_about, 1.0))
        factor = float(np.exp(_WITHIN_90 * spread))
        return self.n_about / factor, min(self.n_about * factor, float(len(self.scores)))

    def summary(self) -> str:
        """Say it in a sentence, for people."""
        low, high = self.n_about_interval
        n_about = round(self.n_about)
        are = "is" if n_about == 1 else "are"
        said = f"{n_about:,} of {len(self.scores):,} documents {are} about it ({low:,.0f} to {high:,.0f})"
        if self.counted is not None:
            return said
        n_named = min(round(self.n_named), n_about)
        name, mean = ("names" if n_named == 1 else "name"), ("means" if n_about - n_named == 1 else "mean")
        return f"{said}: {n_named:,} {name} it, {n_about - n_named:,} more {mean} it"

    def near_summary(self) -> str:
        """Say how many documents are only near it; nothing if there are none."""
        if not self.n_near:
            return ""
        return "1 more is near it" if self.n_near == 1 else f"{self.n_near:,} more are near it"

    def __repr__(self) -> str:
        return f"Relevance({self.query!r}: {self.summary()})"
