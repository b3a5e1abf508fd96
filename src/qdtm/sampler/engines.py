"""Engines: where the shards of a chain live and are swept, with the same answer wherever that is.

In: an `Assignment`. Out: `PlacedShards`, which a chain asks for a sweep, for counts and for the assignment
back. What an engine decides is the time that takes and the memory it needs, never a byte of the result.

`Threads` keeps the shards in this process; `qdtm.cluster` puts them into the workers of a Ray cluster.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import documents_with, empty_tally, recount
from qdtm.sampler.kernels import Assignment, Counts, Rules, Tally, add_difference, open_stream, sweep

if TYPE_CHECKING:
    from qdtm.corpus.corpus import Corpus
    from qdtm.evidence.sections import Sections
    from qdtm.settings import Settings


# --- shards -------------------------------------------------------------------------------------------------
#
# Shards: documents in a row that are swept apart from the rest, with the same answer wherever that is done.
#
# In: an `Assignment`, cut into shards, and for each sweep what it may do (`Orders`). Out: counts and
# tallies.
#
# Documents are cut into shards, whose number depends on the corpus alone. In a sweep, each shard starts from
# the counts of the sweep's start, sees no changes but its own, and draws from its own stream (seed, ...,
# sweep, shard); then the differences of all are added up. They are whole numbers, so it does not matter who
# is ready first: an engine only decides where a shard is swept. One shard is the
# exact sampler; a small corpus gets one.
#
# A topic is born into an empty column. Two shards could use one column for different topics, so in each
# sweep one shard may open topics, each in its turn. To the others the empty columns are closed; drawing
# among the topics that there are leaves the same distribution unchanged.

TOKENS_A_SHARD = 65_536
"""A shard has at least so many tokens..."""

TOKENS_A_WORD = 16
"""... and so many for each word of the vocabulary: its sweep must outweigh copying the counts."""

MOST_SHARDS = 64


class Carried(NamedTuple):
    """What a sweep carries from token to token besides the counts."""

    mass_k: NDArray[np.float64]  # (C,)
    stream: NDArray[np.uint64]  # (1,)


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
        The shard that may open topics.
    in_turn : bool
        Sweep the shards one after the other, as if they were one: each sees what those before it changed.
    """

    rules: Rules
    word_kind: NDArray[np.uint8]
    mass_k: NDArray[np.float64]
    prior_k: NDArray[np.float32]
    in_use: NDArray[np.bool_]
    n_columns: int
    stream: tuple[int, ...]
    births: int
    in_turn: bool = False

    def begin(self, shard: int) -> Carried:
        """What a shard's sweep starts with."""
        return Carried(self.mass_k.copy(), open_stream(*self.stream, shard))


@dataclass(frozen=True, eq=False)
class Shard:
    """Some documents in a row.

    Parameters
    ----------
    number : int
    assignment : Assignment
        With offsets that start at 0.
    evidence_jq : ndarray of float32, shape (D, Q)
        Multiplies the prior of each parent topic in each document.
    """

    number: int
    assignment: Assignment
    evidence_jq: NDArray[np.float32]

    def sweep(self, orders: Orders, counts: Counts, carried: Carried | None = None) -> Tally:
        """Sweep over the shard's documents, changing `counts`; return how many tokens of what they have.

        Parameters
        ----------
        carried : Carried, optional
            Where the shard before it left off; changed in place. By default the sweep's start.
        """
        # DEVIATION(7): one shard in turn opens topics.
        may_open = orders.in_turn or self.number == orders.births
        prior_k = orders.prior_k if may_open else np.where(orders.in_use, orders.prior_k, np.float32(0.0))
        tally = empty_tally(orders.n_columns)
        mass_k, stream = carried or orders.begin(self.number)
        sweep(
            self.assignment,
            self.evidence_jq,
            counts,
            tally,
            mass_k,
            prior_k,
            orders.rules,
            orders.word_kind,
            stream,
            orders.n_columns,
        )
        return tally


def sweep_in_turn(shards: Sequence[Shard], orders: Orders, counts: Counts, carried: Carried) -> Tally:
    """Sweep shards one after the other, changing `counts` and `carried`; return the sum of the tallies."""
    total = empty_tally(orders.n_columns)
    for shard in shards:
        add_tally(total, shard.sweep(orders, counts, carried))
    return total


def add_tally(total: Tally, tally: Tally) -> None:
    """Add one tally to another."""
    for ours, theirs in zip(total, tally, strict=True):
        ours += theirs


def n_shards_for(n_tokens: int, n_words: int) -> int:
    """How many shards a corpus is cut into: a power of 2, so that 2, 4 or 8 threads get equal work."""
    wanted = n_tokens // max(TOKENS_A_SHARD, TOKENS_A_WORD * n_words)
    return 1 << (max(1, min(wanted, MOST_SHARDS)).bit_length() - 1)


def cut(assignment: Assignment, n_shards: int, evidence_jq: NDArray[np.float32]) -> tuple[Shard, ...]:
    """Cut the documents into shards of about equally many tokens; their arrays are views of the whole's."""
    offsets = assignment.offsets
    ends = offsets[-1] * np.arange(1, n_shards) // n_shards
    at = np.concatenate([[0], np.searchsorted(offsets, ends), [len(offsets) - 1]])
    shards = []
    for number, (first, last) in enumerate(pairwise(at.tolist())):
        here = slice(int(offsets[first]), int(offsets[last]))
        tokens, topics, links = (a[here] for a in (assignment.tokens, assignment.topics, assignment.links))
        own = Assignment(tokens, offsets[first : last + 1] - offsets[first], topics, links)
        shards.append(Shard(number, own, evidence_jq[first:last]))
    return tuple(shards)


# --- engines ------------------------------------------------------------------------------------------------


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


class Engine(ABC):
    """Makes room for the shards of chains, until it is closed.

    Attributes
    ----------
    n_workers : int
        How many shards it can sweep at a time.
    """

    n_workers: int

    @abstractmethod
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

    def sections(self, corpus: Corpus) -> Sections | None:  # noqa: ARG002 - which a cluster needs
        """Who holds the parts of an index in parts; None if this process works on the whole corpus."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Threads(Engine):
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


# --- which engine -------------------------------------------------------------------------------------------
#
# Settings in, the engine they ask for out.


def open_engine(settings: Settings) -> AbstractContextManager[Engine]:
    """Open the engine that the settings ask for, to be closed when the block ends."""
    if settings.engine == "threads":
        return Threads(settings.n_jobs or 1)
    from qdtm.cluster.engine import RayEngine

    return RayEngine(settings.address, n_workers=settings.n_jobs, worker_dir=settings.worker_dir)
