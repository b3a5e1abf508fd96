"""Running a chain: it sweeps, keeps averages, and knows when it has settled.

In: a `Chain` and a `Schedule`. Out: `ChainResult`, counts averaged over samples and the trace. `Run` is how
far it has come; with the chain, it is all that the next sweep depends on, so a run can be put down and taken
up again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.progress import Interruption, Progress, ProgressCallback, Stage
from qdtm.sampler.chain import Chain, ChainState
from qdtm.sampler.kernels import topic_sizes
from qdtm.sampler.trace import Trace

TOKENS_SWEPT = 10**7
"""A chain that is in a hurry makes fewer sweeps if it would sweep over more tokens: a second's work."""


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
    hurries : bool
        Whether sweeps may be fewer, down to half, where there is much to sweep (`for_tokens`).
    """

    min_sweeps: int
    max_sweeps: int
    check_every: int = 5
    window: int = 6
    sample_share: float = 0.5
    hurries: bool = False

    def for_tokens(self, n_tokens: int) -> Schedule:
        """The schedule of a chain that sweeps over so many tokens."""
        if not self.hurries:
            return self
        share = min(max(TOKENS_SWEPT / max(self.max_sweeps * n_tokens, 1), 0.5), 1.0)
        fewest, most = (max(1, round(share * n)) for n in (self.min_sweeps, self.max_sweeps))
        return replace(self, min_sweeps=fewest, max_sweeps=most)


@dataclass(frozen=True, eq=False)
class ChainResult:
    """What a chain leaves behind.

    Parameters
    ----------
    n_wk : ndarray of shape (V, C)
        Tokens of word w in topic k, averaged over samples.
    promoted_wq : ndarray of shape (V, Q)
        Promoted tokens, averaged over samples.
    trace : Trace
    parent_tokens : ndarray of int64, shape (n, Q)
        Tokens of each parent topic at the recorded sweeps.
    """

    n_wk: NDArray[np.float64]
    promoted_wq: NDArray[np.float64]
    trace: Trace
    parent_tokens: NDArray[np.int64]


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
        n_wk, promoted_wq = chain.counts.n_wk, chain.counts.promoted_wq
        if not self.n_samples:
            self.n_wk, self.promoted_wq = np.zeros(n_wk.shape), np.zeros(promoted_wq.shape)
        if missing := n_wk.shape[1] - self.n_wk.shape[1]:
            self.n_wk = np.pad(self.n_wk, [(0, 0), (0, missing)])
        self.n_wk[:, ~chain.in_use] = 0.0
        self.n_wk += n_wk
        self.promoted_wq += promoted_wq
        self.n_samples += 1

    def means(self, chain: Chain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean n_wk (V, C) and promoted_wq (V, Q); `chain` is at the last sample."""
        n_wk, last = self.n_wk / self.n_samples, chain.counts.n_wk.astype(np.float64)
        n_w = last.sum(axis=1)  # (V,): no sweep changes it
        lost = np.maximum(n_w - n_wk.sum(axis=1), 0.0)
        last *= (lost / np.maximum(n_w, 1.0))[:, None]
        n_wk += last
        return n_wk, self.promoted_wq / self.n_samples


# DEVIATION(3): the released program runs 2,000 sweeps.
def has_settled(history: list[float], window: int) -> bool:
    """Say whether the last `window` values have stopped rising above the `window` before them."""
    if len(history) < 2 * window:
        return False
    before, last = np.array(history[-2 * window : -window]), np.array(history[-window:])
    return bool(last.mean() - before.mean() < max(last.std(), before.std()))


@dataclass(eq=False)
class History:
    """What was seen at each look; `parent_tokens` has one number for each parent topic a look."""

    sweeps: list[int] = field(default_factory=list)
    log_likelihood: list[float] = field(default_factory=list)
    n_topics: list[int] = field(default_factory=list)
    n_tables: list[int] = field(default_factory=list)
    parent_tokens: list[int] = field(default_factory=list)

    def look(self, chain: Chain, done: int) -> float:
        """Record the state after `done` sweeps; return the log likelihood."""
        self.sweeps.append(done)
        self.log_likelihood.append(chain.log_likelihood())
        self.n_topics.append(int(chain.in_use.sum()))
        self.n_tables.append(int(chain.m_k.sum()))
        n_q = topic_sizes(chain.counts.n_wk[:, : chain.n_parents])
        self.parent_tokens.extend(n_q.astype(np.int64).tolist())
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


@dataclass(eq=False)
class Run:
    """How far the run of a chain is.

    Parameters
    ----------
    done : int
        Sweeps so far.
    settled : bool
        Whether the likelihood has stopped rising.
    sampling_from : int
        The sweep from which samples are averaged; 0 while there are none.
    finished : bool
        Whether no sweep is left.
    averages : Averages
    history : History
    """

    done: int = 0
    settled: bool = False
    sampling_from: int = 0
    finished: bool = False
    averages: Averages = field(default_factory=Averages)
    history: History = field(default_factory=History)

    def advance(self, chain: Chain, schedule: Schedule) -> float | None:
        """Take note of one more sweep; return the log likelihood if this was the time to look at it."""
        self.done += 1
        look = self.done % schedule.check_every == 0 or self.done == 1
        likelihood = self.history.look(chain, self.done) if look else None
        if not self.sampling_from:
            self.settled = _has_settled(self.history.log_likelihood, schedule, self.done)
            half_way = self.done >= schedule.max_sweeps // 2
            self.sampling_from = self.done if self.settled or half_way else 0
        if self.sampling_from:
            self.averages.add(chain)
        enough = self.sampling_from and self.done >= _last_sweep(self.sampling_from, schedule)
        self.finished = bool(enough) or self.done >= schedule.max_sweeps
        return likelihood


class Saved(NamedTuple):
    """A chain that was put down, and how far its run was."""

    state: ChainState
    run: Run


KeepChain = Callable[[Chain, Run], object]
"""May write down a chain and how far its run is."""


def run_chain(
    chain: Chain,
    schedule: Schedule,
    *,
    stage: Stage,
    query: str | None = None,
    before_sweep: Callable[[Chain], object] | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
    run: Run | None = None,
    keep: KeepChain | None = None,
) -> ChainResult:
    """Sweep until the chain has settled, then average samples; stop early if asked to.

    Parameters
    ----------
    before_sweep : callable, optional
        Refreshes what depends on the counts, such as the promotion probabilities.
    run : Run, optional
        Where the run was put down; by default it begins.
    keep : callable, optional
        Called after each sweep.
    """
    run, schedule = run or Run(), schedule.for_tokens(chain.n_tokens)
    interrupted = False
    while not (run.finished or interrupted):
        if before_sweep is not None:
            before_sweep(chain)
        chain.step()
        likelihood = run.advance(chain, schedule)
        if progress is not None:
            words = () if likelihood is None else chain.leading_words()
            n_topics = int(chain.in_use.sum())
            progress(Progress(stage, query, run.done, schedule.max_sweeps, n_topics, likelihood, words))
        interrupted = interruption is not None and interruption.requested
        if keep is not None and not interrupted:
            keep(chain, run)
    if not run.averages.n_samples:
        run.averages.add(chain)
    n_wk, promoted_wq = run.averages.means(chain)
    trace = run.history.trace(run.done, run.settled, interrupted, run.averages.n_samples)
    parent_tokens = np.array(run.history.parent_tokens, np.int64).reshape(len(trace.sweeps), chain.n_parents)
    return ChainResult(n_wk, promoted_wq, trace, parent_tokens)


def _has_settled(log_likelihood: list[float], schedule: Schedule, done: int) -> bool:
    """Say whether burn-in is over because the likelihood has stopped rising."""
    long_enough = done >= schedule.min_sweeps / (1 + schedule.sample_share)
    return long_enough and has_settled(log_likelihood, schedule.window)


def _last_sweep(sampling_from: int, schedule: Schedule) -> int:
    """The sweep after which enough samples have been taken."""
    return max(schedule.min_sweeps, sampling_from + round(schedule.sample_share * sampling_from))
