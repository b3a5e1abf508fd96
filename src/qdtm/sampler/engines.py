"""Engines: where the shards of a chain live and are swept.

In: an `Assignment`. Out: `PlacedShards`, which a chain asks for a sweep, for counts and for the assignment
back. What an engine decides is the time that takes and the memory it needs, never a byte of the result.

`Threads` keeps the shards in this process; `qdtm.cluster` puts them into the workers of a Ray cluster.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import documents_with, empty_tally, recount
from qdtm.sampler.kernels import Assignment, Counts, Tally, add_difference
from qdtm.sampler.shards import Orders, Shard, add_tally, cut, sweep_in_turn


class Standing(NamedTuple):
    """What an assignment adds up to."""

    counts: Counts
    m_k: NDArray[np.int64]  # (C,): documents with each topic, the fewest tables there can be


class PlacedShards(Protocol):
    """The shards of one chain, wherever they are."""

    @property
    def n_shards(self) -> int:
        """Into how many the corpus is cut."""
        ...

    def n_topics(self) -> int:
        """One more than the highest topic of any token."""
        ...

    def count(self, n_words: int, n_parents: int, n_columns: int) -> Standing:
        """Count the words and documents of each topic."""
        ...

    def sweep(self, orders: Orders, counts: Counts) -> Tally:
        """Sweep every shard once, changing `counts`; return the sum of the tallies."""
        ...

    def assignment(self) -> Assignment:
        """All shards' tokens and topics as they are now, in the corpus' order."""
        ...

    def release(self) -> None:
        """Forget the shards."""
        ...


class Engine(Protocol):
    """Makes room for the shards of chains."""

    @property
    def n_workers(self) -> int:
        """How many shards it can sweep at a time."""
        ...

    def place(
        self,
        assignment: Assignment,
        n_shards: int,
        n_words: int,
        *,
        evidence_jq: NDArray[np.float32],
        alone: bool = True,
    ) -> PlacedShards:
        """Cut an assignment into shards and put them where they are swept.

        Parameters
        ----------
        assignment : Assignment
            The engine may change it in place.
        n_shards : int
        n_words : int
            V, for an estimate of what it takes.
        evidence_jq : ndarray of float32, shape (D, Q)
            Multiplies the prior of each parent topic in each document.
        alone : bool
            Whether this chain has the engine to itself; otherwise others run beside it.
        """
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


class Threads:
    """Shards in this process, side by side on threads that run kernels without the interpreter's lock.

    Parameters
    ----------
    n_threads : int
        1 sweeps in the caller's own thread.
    """

    def __init__(self, n_threads: int = 1) -> None:
        self.n_workers = n_threads
        self._pool = ThreadPoolExecutor(n_threads, "qdtm-shard") if n_threads > 1 else None

    def place(
        self,
        assignment: Assignment,
        n_shards: int,
        n_words: int,
        *,
        evidence_jq: NDArray[np.float32],
        alone: bool = True,
    ) -> LocalShards:
        """Cut an assignment into shards that share its arrays."""
        del n_words  # what there is of memory is here already
        shards = cut(assignment, n_shards, evidence_jq)
        return LocalShards(shards, assignment, self._pool if alone else None)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class LocalShards:
    """Shards in this process.

    Parameters
    ----------
    shards : sequence of Shard
    whole : Assignment
        What the shards are views of.
    pool : ThreadPoolExecutor, optional
        Threads to sweep on; by default the caller's own.
    """

    def __init__(self, shards: Sequence[Shard], whole: Assignment, pool: ThreadPoolExecutor | None) -> None:
        self.shards = tuple(shards)
        self._whole = whole
        self._sweeping = SideBySide(pool)

    @property
    def n_shards(self) -> int:
        """Into how many the corpus is cut."""
        return len(self.shards)

    def n_topics(self) -> int:
        """One more than the highest topic of any token."""
        return int(self._whole.topics.max(initial=-1)) + 1

    def count(self, n_words: int, n_parents: int, n_columns: int) -> Standing:
        """Count the words and documents of each topic."""
        counts = recount(self._whole, n_words, n_parents, n_columns)
        return Standing(counts, documents_with(self._whole, n_columns))

    def sweep(self, orders: Orders, counts: Counts) -> Tally:
        """Sweep the shards in any order; the result is the same."""
        if orders.in_turn or len(self.shards) == 1:
            return sweep_in_turn(self.shards, orders, counts, orders.begin(0))
        return self._sweeping.sweep(self.shards, orders, counts)

    def assignment(self) -> Assignment:
        """The assignment itself, not a copy."""
        return self._whole

    def release(self) -> None:
        """Nothing to forget: the arrays are the caller's."""


class SideBySide:
    """Sweeps shards side by side, each from the same counts, with workspaces that are used again.

    Parameters
    ----------
    pool : ThreadPoolExecutor, optional
        Threads to sweep on; by default the caller's own.
    """

    def __init__(self, pool: ThreadPoolExecutor | None = None) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._spare: list[Counts] = []  # workspaces, one for each thread

    def sweep(self, shards: Sequence[Shard], orders: Orders, counts: Counts) -> Tally:
        """Sweep the shards, add their differences to `counts` and return the sum of their tallies."""
        total = empty_tally(orders.n_columns)
        after = self._workspace(counts)
        promotes = bool(orders.rules.promotion_weight)

        def run(shard: Shard) -> None:
            own = self._workspace(counts)
            tally = shard.sweep(orders, own)
            with self._lock:
                add_tally(total, tally)
                add_difference(after.n_wk, own.n_wk, counts.n_wk)
                if promotes:
                    add_difference(after.promoted_wq, own.promoted_wq, counts.promoted_wq)
                self._spare.append(own)

        list(map(run, shards) if self._pool is None else self._pool.map(run, shards))
        counts.n_wk[:], counts.promoted_wq[:] = after
        self._spare.append(after)
        return total

    def _workspace(self, counts: Counts) -> Counts:
        """Take a copy of the counts that nobody else works on."""
        with self._lock:
            own = self._spare.pop() if self._spare else None
        if own is None or own.n_wk.shape != counts.n_wk.shape:
            own = Counts(np.empty_like(counts.n_wk), np.empty_like(counts.promoted_wq))
        own.n_wk[:], own.promoted_wq[:] = counts
        return own
