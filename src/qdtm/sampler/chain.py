"""A Markov chain over seatings: it sweeps, keeps averages, and knows when it has settled.

In: a start (seating and rules). Out: counts averaged over samples, the last seating, and the trace.
Both phases of the model are chains; they differ in their rules, their start and what they refresh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.kernels import Counts, Rules, Seating, sweep
from qdtm.sampler.likelihood import log_likelihood
from qdtm.sampler.progress import Interruption, Progress, ProgressCallback, Stage
from qdtm.sampler.seating import columns_for, recount, widen
from qdtm.sampler.streams import open_stream
from qdtm.sampler.trace import Trace


@dataclass(frozen=True)
class Schedule:
    """How long a chain runs.

    Parameters
    ----------
    min_sweeps, max_sweeps : int
        It runs at least and at most so many sweeps.
    check_every : int
        Sweeps between two looks at the likelihood.
    window : int
        It has settled when the mean of the last `window` looks exceeds that of the `window` before by less
        than their spread.
    sample_share : float
        Once settled after n sweeps, it samples for `sample_share` times n more.
    """

    min_sweeps: int
    max_sweeps: int
    check_every: int = 5
    window: int = 6
    sample_share: float = 0.5


@dataclass(frozen=True, eq=False)
class ChainResult:
    """What a chain leaves behind.

    Parameters
    ----------
    n_wk : ndarray of shape (V, C)
        Tokens of word w in topic k, averaged over samples.
    promoted_wq : ndarray of shape (V, Q)
        Promoted tokens, averaged over samples.
    seating : Seating
        The last sample.
    trace : Trace
    """

    n_wk: NDArray[np.float64]
    promoted_wq: NDArray[np.float64]
    seating: Seating
    trace: Trace


class Chain:
    """The state of one chain and the ways to move it on.

    Parameters
    ----------
    seating : Seating
        The start; the chain changes it in place.
    rules : Rules
        Arrays over topics may be shorter than needed; the chain widens them.
    seed : int
    path : tuple of int
        Which chain of that seed this is; sweep s draws from the stream (seed, *path, s).
    """

    def __init__(self, seating: Seating, rules: Rules, seed: int, path: tuple[int, ...]) -> None:
        n_words, n_parents = rules.n_related.shape
        n_columns = columns_for(max(int(seating.table_topic.max(initial=-1)) + 1, n_parents))
        self.seating = seating
        self.counts: Counts = recount(seating, n_words, n_parents, n_columns)
        self.rules = rules
        self.seed, self.path = seed, path
        self.n_sweeps = 0
        self.all_documents = np.arange(len(seating.offsets) - 1)

    @property
    def n_parents(self) -> int:
        """The number of parent topics, Q."""
        return int(self.rules.n_related.shape[1])

    @property
    def in_use(self) -> NDArray[np.bool_]:
        """Which columns are topics, (C,)."""
        in_use: NDArray[np.bool_] = self.counts.m_k > 0
        return in_use

    @property
    def n_columns(self) -> int:
        """Sweep over so many columns: the topics in use and some spare."""
        last = int(np.flatnonzero(self.in_use).max(initial=-1))
        return columns_for(max(last + 1, self.n_parents))

    def topic_mass(self) -> NDArray[np.float64]:
        """The denominator of f_k: tokens, promoted mass and smoothing, (C,)."""
        beta = np.float32(self.rules.beta[0])
        n_k: NDArray[np.float64] = self.counts.n_wk.sum(axis=0, dtype=np.float64)
        mass = n_k + self.rules.prior_words * float(beta)
        links = (self.counts.promoted_wq * self.rules.n_related).sum(axis=0, dtype=np.float64)
        mass[: self.n_parents] += self.rules.promotion_weight * links
        return mass

    def step(
        self,
        *,
        documents: NDArray[np.int64] | None = None,
        parents_open: bool = True,
        may_open_topics: bool = True,
    ) -> None:
        """Sweep once over all documents, or some of them."""
        n_columns = self.n_columns
        if n_columns > self.counts.n_wk.shape[1]:
            self.counts = widen(self.counts, n_columns)
        if n_columns > len(self.rules.beta):
            self.rules = self.rules._replace(beta=np.full(n_columns, self.rules.beta[0], np.float32))
        mass = self.topic_mass()
        if not parents_open:
            mass[: self.n_parents] = np.inf
        stream = open_stream(self.seed, *self.path, self.n_sweeps)
        documents = self.all_documents if documents is None else documents
        sweep(self.seating, self.counts, self.rules, mass, stream, documents, n_columns, may_open_topics)
        self.n_sweeps += 1

    def log_likelihood(self) -> float:
        """Log probability of the words given their topics, per token."""
        return log_likelihood(self.counts.n_wk[:, self.in_use], self.rules.beta[0], self.rules.prior_words)


# DEVIATION(2): the released program reads the last sample.
class Averages:
    """Running means of the counts over samples.

    A topic that dies takes its past along: another may be born in its column. Its tokens are then counted
    where the last sample has them, so that every word keeps its number of tokens.
    """

    def __init__(self) -> None:
        self.n_samples = 0
        self.n_wk: Any = 0.0
        self.promoted_wq: Any = 0.0

    def add(self, chain: Chain) -> None:
        """Take the chain's state as one more sample."""
        if self.n_samples:
            missing = chain.counts.n_wk.shape[1] - self.n_wk.shape[1]
            self.n_wk = np.pad(self.n_wk, [(0, 0), (0, missing)])
            self.n_wk[:, ~chain.in_use] = 0.0
        self.n_wk = self.n_wk + chain.counts.n_wk.astype(np.float64)
        self.promoted_wq = self.promoted_wq + chain.counts.promoted_wq.astype(np.float64)
        self.n_samples += 1

    def means(self, chain: Chain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean n_wk (V, C) and promoted_wq (V, Q); `chain` is at the last sample."""
        n_wk, last = self.n_wk / self.n_samples, chain.counts.n_wk.astype(np.float64)
        n_w = last.sum(axis=1)  # (V,): no sweep changes it
        lost = np.maximum(n_w - n_wk.sum(axis=1), 0.0)
        return n_wk + (lost / np.maximum(n_w, 1.0))[:, None] * last, self.promoted_wq / self.n_samples


# DEVIATION(3): the released program runs 2,000 sweeps.
def has_settled(history: list[float], window: int) -> bool:
    """Say whether the last `window` values have stopped rising above the `window` before them."""
    if len(history) < 2 * window:
        return False
    before, last = np.array(history[-2 * window : -window]), np.array(history[-window:])
    return bool(last.mean() - before.mean() < max(last.std(), before.std()))


def run_chain(
    chain: Chain,
    schedule: Schedule,
    *,
    stage: Stage,
    query: str | None = None,
    before_sweep: Callable[[Chain], object] | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
) -> ChainResult:
    """Sweep until the chain has settled, then average samples; stop early if asked to.

    Parameters
    ----------
    before_sweep : callable, optional
        Refreshes what depends on the counts, such as the promotion probabilities.
    """
    averages, history = Averages(), _History()
    interrupted = False
    settled, sampling_from = False, 0
    for done in range(1, schedule.max_sweeps + 1):
        if before_sweep is not None:
            before_sweep(chain)
        chain.step()
        likelihood = history.look(chain, done) if done % schedule.check_every == 0 or done == 1 else None
        if not sampling_from:
            settled = _has_settled(history.log_likelihood, schedule, done)
            sampling_from = done if settled or done >= schedule.max_sweeps // 2 else 0
        if sampling_from:
            averages.add(chain)
        if progress is not None:
            progress(Progress(stage, query, done, schedule.max_sweeps, int(chain.in_use.sum()), likelihood))
        interrupted = interruption is not None and interruption.requested
        if interrupted or (sampling_from and done >= _last_sweep(sampling_from, schedule)):
            break
    if not averages.n_samples:
        averages.add(chain)
    n_wk, promoted_wq = averages.means(chain)
    trace = history.trace(done, settled, interrupted, averages.n_samples)
    return ChainResult(n_wk, promoted_wq, chain.seating, trace)


def _has_settled(log_likelihood: list[float], schedule: Schedule, done: int) -> bool:
    """Say whether burn-in is over because the likelihood has stopped rising."""
    long_enough = done >= schedule.min_sweeps / (1 + schedule.sample_share)
    return long_enough and has_settled(log_likelihood, schedule.window)


def _last_sweep(sampling_from: int, schedule: Schedule) -> int:
    """The sweep after which enough samples have been taken."""
    return max(schedule.min_sweeps, sampling_from + round(schedule.sample_share * sampling_from))


class _History:
    """What was seen at each look."""

    def __init__(self) -> None:
        self.sweeps: list[int] = []
        self.log_likelihood: list[float] = []
        self.n_topics: list[int] = []
        self.n_tables: list[int] = []

    def look(self, chain: Chain, done: int) -> float:
        """Record the state after `done` sweeps; return the log likelihood."""
        self.sweeps.append(done)
        self.log_likelihood.append(chain.log_likelihood())
        self.n_topics.append(int(chain.in_use.sum()))
        self.n_tables.append(int(chain.counts.m_k.sum()))
        return self.log_likelihood[-1]

    def trace(self, n_sweeps: int, settled: bool, interrupted: bool, n_samples: int) -> Trace:
        """Freeze what was seen."""
        return Trace(
            sweeps=np.array(self.sweeps, np.int64),
            log_likelihood=np.array(self.log_likelihood, np.float64),
            n_topics=np.array(self.n_topics, np.int64),
            n_tables=np.array(self.n_tables, np.int64),
            n_sweeps=n_sweeps,
            settled=settled,
            interrupted=interrupted,
            n_samples=n_samples,
        )
