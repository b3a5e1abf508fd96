"""A Markov chain over assignments: it sweeps, keeps averages, and knows when it has settled.

In: a start (assignment and rules). Out: counts averaged over samples, the last assignment, and the trace.
Both phases of the model are chains; they differ in their rules, their start and what they refresh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import columns_for, documents_with, pad_columns, recount, widen
from qdtm.sampler.base_measure import draw_shares, draw_tables
from qdtm.sampler.kernels import Assignment, Counts, Rules, word_kinds
from qdtm.sampler.likelihood import log_likelihood
from qdtm.sampler.progress import Interruption, Progress, ProgressCallback, Stage
from qdtm.sampler.shards import Engine, Orders, Threads, cut, n_shards_for
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
    assignment : Assignment
        The last sample.
    trace : Trace
    """

    n_wk: NDArray[np.float64]
    promoted_wq: NDArray[np.float64]
    assignment: Assignment
    trace: Trace


class Chain:
    """The state of one chain and the ways to move it on.

    Parameters
    ----------
    assignment : Assignment
        The start; the chain changes it in place.
    rules : Rules
        Arrays over topics may be shorter than needed; the chain widens them.
    seed : int
    path : tuple of int
        Which chain of that seed this is; shard h in sweep s draws from the stream (seed, *path, s, h).
    n_jobs : int
        Threads; they change nothing but the time it takes.
    n_shards : int, optional
        By default what the corpus asks for.
    """

    def __init__(
        self,
        assignment: Assignment,
        rules: Rules,
        seed: int,
        path: tuple[int, ...],
        *,
        n_jobs: int = 1,
        n_shards: int | None = None,
    ) -> None:
        n_words, n_parents = rules.n_related.shape
        n_columns = columns_for(max(int(assignment.topics.max(initial=-1)) + 1, n_parents))
        self.assignment = assignment
        self.counts: Counts = recount(assignment, n_words, n_parents, n_columns)
        self.m_k = documents_with(assignment, n_columns)  # (C,): tables of each topic
        self.rules = rules
        self.word_kind = word_kinds(rules)
        self.seed, self.path = seed, path
        self.n_sweeps = 0
        self.shards = cut(assignment, n_shards or n_shards_for(len(assignment.tokens), n_words))
        self.engine: Engine = Threads(min(n_jobs, len(self.shards)))

    @property
    def n_parents(self) -> int:
        """The number of parent topics, Q."""
        return int(self.rules.n_related.shape[1])

    @property
    def in_use(self) -> NDArray[np.bool_]:
        """Which columns are topics, (C,)."""
        in_use: NDArray[np.bool_] = self.m_k > 0
        return in_use

    @property
    def n_columns(self) -> int:
        """Sweep over so many columns: the topics in use and some spare."""
        last = int(np.flatnonzero(self.in_use).max(initial=-1))
        return columns_for(max(last + 1, self.n_parents))

    def leading_words(self, n: int = 10) -> tuple[tuple[int, ...], ...]:
        """The `n` words with most tokens in each parent topic, best first; for whoever watches."""
        n_wq = self.counts.n_wk[:, : self.n_parents]  # (V, Q)
        n = min(n, len(n_wq))
        best = np.argpartition(-n_wq, n - 1, axis=0)[:n]  # (n, Q)
        order = np.argsort(-np.take_along_axis(n_wq, best, axis=0), axis=0, kind="stable")
        return tuple(map(tuple, np.take_along_axis(best, order, axis=0).T.tolist()))

    def topic_mass(self) -> NDArray[np.float64]:
        """The denominator of f_k: tokens, promoted mass and smoothing, (C,)."""
        beta = np.float32(self.rules.beta[0])
        n_k: NDArray[np.float64] = self.counts.n_wk.sum(axis=0, dtype=np.float64)
        mass = n_k + self.rules.prior_words * float(beta)
        links = (self.counts.promoted_wq * self.rules.n_related).sum(axis=0, dtype=np.float64)
        mass[: self.n_parents] += self.rules.promotion_weight * links
        return mass

    def step(self, *, documents: NDArray[np.int64] | None = None, parents_open: bool = True) -> None:
        """Draw G_0, sweep once over all documents (or some of them), and draw the tables."""
        n_columns = self.n_columns
        self._widen(n_columns)
        mass = self.topic_mass()
        if not parents_open:
            mass[: self.n_parents] = np.inf
        # Where nobody has a topic yet, topics are born in all shards: one does for all, this once.
        shards = self.shards if self.in_use.any() else cut(self.assignment, 1)
        stream = open_stream(self.seed, *self.path, self.n_sweeps)
        prior = np.zeros(len(self.m_k), np.float32)
        prior[:n_columns] = self.rules.alpha * draw_shares(self.m_k, self.rules.gamma, n_columns, stream)
        orders = Orders(
            rules=self.rules,
            word_kind=self.word_kind,
            mass_k=mass,
            prior_k=prior,
            in_use=self.in_use,
            n_columns=n_columns,
            stream=(self.seed, *self.path, self.n_sweeps),
            births=self.n_sweeps % len(shards),
        )
        tally = self.engine.sweep(shards, orders, self._swept(documents), self.counts)
        self.m_k = pad_columns(draw_tables(tally, prior, stream), len(self.m_k))
        self.n_sweeps += 1

    def _widen(self, n_columns: int) -> None:
        """Make room for so many topics."""
        if n_columns > self.counts.n_wk.shape[1]:
            self.counts = widen(self.counts, n_columns)
            self.m_k = pad_columns(self.m_k, n_columns)
        if n_columns > len(self.rules.beta):
            self.rules = self.rules._replace(beta=np.full(n_columns, self.rules.beta[0], np.float32))

    def _swept(self, documents: NDArray[np.int64] | None) -> NDArray[np.bool_]:
        """Which documents to sweep, (D,)."""
        swept = np.full(len(self.assignment.offsets) - 1, documents is None)
        if documents is not None:
            swept[documents] = True
        return swept

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
            words = chain.leading_words() if stage == "parents" and likelihood is not None else ()
            n_topics = int(chain.in_use.sum())
            progress(Progress(stage, query, done, schedule.max_sweeps, n_topics, likelihood, words))
        interrupted = interruption is not None and interruption.requested
        if interrupted or (sampling_from and done >= _last_sweep(sampling_from, schedule)):
            break
    if not averages.n_samples:
        averages.add(chain)
    n_wk, promoted_wq = averages.means(chain)
    trace = history.trace(done, settled, interrupted, averages.n_samples)
    return ChainResult(n_wk, promoted_wq, chain.assignment, trace)


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
        self.n_tables.append(int(chain.m_k.sum()))
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
