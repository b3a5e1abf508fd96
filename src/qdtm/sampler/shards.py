"""Sweeps in parallel, with the same answer on any number of threads.

In: an `Assignment` and, for each sweep, what it may do (`Orders`). Out: counts and tallies, changed in place.

Documents are cut into shards, whose number depends on the corpus alone. In a sweep, each shard starts from
the counts of the sweep's start, sees no changes but its own, and draws from its own stream (seed, ..., sweep,
shard); then the differences of all are added up. They are whole numbers, so it does not matter who is ready
first: threads only decide where a shard is swept. One shard is the exact sampler; a small corpus gets one.

A topic is born into an empty column. Two shards could use one column for different topics, so in each sweep
one shard may open topics, each in its turn. To the others the empty columns are closed; drawing among the
topics that there are leaves the same distribution unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import empty_tally
from qdtm.sampler.kernels import Assignment, Counts, Rules, Tally, add_difference, sweep
from qdtm.sampler.streams import open_stream

TOKENS_A_SHARD = 65_536
"""A shard has at least so many tokens..."""

TOKENS_A_WORD = 16
"""... and so many for each word of the vocabulary: its sweep must outweigh copying the counts."""

MOST_SHARDS = 64


@dataclass(frozen=True, eq=False)
class Orders:
    """What all shards are told about a sweep.

    Parameters
    ----------
    rules : Rules
    word_kind : ndarray of uint8, shape (V,)
    mass_k : ndarray of float64, shape (C,)
    prior_k : ndarray of float32, shape (C,)
        alpha G_0k.
    in_use : ndarray of bool, shape (C,)
        Columns that are topics at the sweep's start.
    n_columns : int
    stream : tuple of int
        (seed, ..., sweep).
    births : int
        The shard that may open topics; -1 for none.
    """

    rules: Rules
    word_kind: NDArray[np.uint8]
    mass_k: NDArray[np.float64]
    prior_k: NDArray[np.float32]
    in_use: NDArray[np.bool_]
    n_columns: int
    stream: tuple[int, ...]
    births: int


@dataclass(frozen=True, eq=False)
class Shard:
    """Some documents in a row; its arrays are views of the whole assignment's.

    Parameters
    ----------
    number : int
    documents : slice
        Which documents of the corpus.
    assignment : Assignment
        With offsets that start at 0.
    """

    number: int
    documents: slice
    assignment: Assignment

    def sweep(self, orders: Orders, swept: NDArray[np.bool_], counts: Counts) -> Tally:
        """Sweep over the shard's documents, changing `counts`; return how many tokens of what they have."""
        # DEVIATION(7): one shard in turn opens topics.
        may_open = self.number == orders.births
        prior_k = orders.prior_k if may_open else np.where(orders.in_use, orders.prior_k, np.float32(0.0))
        tally = empty_tally(orders.n_columns)
        stream = open_stream(*orders.stream, self.number)
        sweep(
            self.assignment,
            swept[self.documents],
            counts,
            tally,
            orders.mass_k,
            prior_k,
            orders.rules,
            orders.word_kind,
            stream,
            orders.n_columns,
        )
        return tally


class Engine(Protocol):
    """Where shards are swept."""

    def sweep(
        self, shards: Sequence[Shard], orders: Orders, swept: NDArray[np.bool_], counts: Counts
    ) -> Tally:
        """Sweep every shard once; add the differences to `counts` and return the sum of the tallies."""
        ...


class Threads:
    """Shards side by side, on threads that run kernels without the interpreter's lock.

    Parameters
    ----------
    n_threads : int
        1 sweeps in the caller's own thread.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads, "qdtm-shard") if n_threads > 1 else None
        self._lock = threading.Lock()
        self._spare: list[Counts] = []  # workspaces, one for each thread

    def sweep(
        self, shards: Sequence[Shard], orders: Orders, swept: NDArray[np.bool_], counts: Counts
    ) -> Tally:
        """Sweep the shards in any order; the result is the same."""
        if len(shards) == 1:
            return shards[0].sweep(orders, swept, counts)
        total = empty_tally(orders.n_columns)
        after = self._workspace(counts)

        promotes = bool(orders.rules.promotion_weight)

        def run(shard: Shard) -> None:
            own = self._workspace(counts)
            tally = shard.sweep(orders, swept, own)
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


def add_tally(total: Tally, tally: Tally) -> None:
    """Add one tally to another."""
    for ours, theirs in zip(total, tally, strict=True):
        ours += theirs


def n_shards_for(n_tokens: int, n_words: int) -> int:
    """How many shards a corpus is cut into: a power of 2, so that 2, 4 or 8 threads get equal work."""
    wanted = n_tokens // max(TOKENS_A_SHARD, TOKENS_A_WORD * n_words)
    return 1 << (max(1, min(wanted, MOST_SHARDS)).bit_length() - 1)


def cut(assignment: Assignment, n_shards: int) -> list[Shard]:
    """Cut the documents into shards of about equally many tokens."""
    offsets = assignment.offsets
    ends = offsets[-1] * np.arange(1, n_shards) // n_shards
    at = np.concatenate([[0], np.searchsorted(offsets, ends), [len(offsets) - 1]])
    shards = []
    for number, (first, last) in enumerate(pairwise(at.tolist())):
        here = slice(int(offsets[first]), int(offsets[last]))
        tokens, topics, links = (a[here] for a in (assignment.tokens, assignment.topics, assignment.links))
        own = Assignment(tokens, offsets[first : last + 1] - offsets[first], topics, links)
        shards.append(Shard(number, slice(first, last), own))
    return shards
