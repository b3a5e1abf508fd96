"""How a phase of the sampler went: likelihood, topics and tables over its sweeps.

In: nothing; written by the sampler's convergence monitor. Out: `Trace`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ENOUGH_LOOKS = 12
"""With fewer looks at the likelihood nobody can tell whether it has stopped rising: a chain of usual length
is judged by two windows of six."""


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The record of one phase. Arrays run over the recorded sweeps, which may be every few.

    Attributes
    ----------
    sweeps : ndarray of int64, shape (n,)
        The number of each recorded sweep, rising.
    log_likelihood : ndarray of float64, shape (n,)
        Of the tokens given their topics, per token; always finite.
    n_topics, n_tables : ndarray of int64, shape (n,)
    n_sweeps : int
        How many sweeps were run.
    settled : bool
        Whether the monitor found the chain to have settled before the last sweep allowed.
    interrupted : bool
        Whether the user stopped it.
    n_samples : int
        How many samples the averaged counts are from.
    """

    sweeps: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]
    n_topics: NDArray[np.int64]
    n_tables: NDArray[np.int64]
    n_sweeps: int
    settled: bool
    interrupted: bool
    n_samples: int

    def __post_init__(self) -> None:
        n = len(self.sweeps)
        if not len(self.log_likelihood) == len(self.n_topics) == len(self.n_tables) == n:
            raise ValueError("the arrays of a trace differ in length")
        if not np.isfinite(self.log_likelihood).all():
            raise ValueError("a log likelihood of a trace is not finite")

    @property
    def is_too_short(self) -> bool:
        """Whether it was not found to have settled in too few looks to say that it has not.

        A query that joins a learned background makes few sweeps, and is looked at twice before it samples.
        """
        return not (self.settled or self.interrupted) and len(self.sweeps) < ENOUGH_LOOKS

    @classmethod
    def none(cls, *, interrupted: bool = True) -> Trace:
        """The record of a phase that was stopped before it began, or that had nothing to do."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing.astype(np.float64), nothing, nothing, 0, not interrupted, interrupted, 0)

    def then(self, later: Trace) -> Trace:
        """Return the record of a phase that went on later, from where this one ended."""
        return Trace(
            sweeps=np.concatenate([self.sweeps, self.n_sweeps + later.sweeps]),
            log_likelihood=np.concatenate([self.log_likelihood, later.log_likelihood]),
            n_topics=np.concatenate([self.n_topics, later.n_topics]),
            n_tables=np.concatenate([self.n_tables, later.n_tables]),
            n_sweeps=self.n_sweeps + later.n_sweeps,
            settled=self.settled,
            interrupted=self.interrupted or later.interrupted,
            n_samples=later.n_samples,
        )

    def __repr__(self) -> str:
        end = "interrupted" if self.interrupted else "settled" if self.settled else "not settled"
        return f"Trace({self.n_sweeps} sweeps, {end}, {self.n_samples} samples)"
