"""Shards: documents in a row that are swept apart from the rest, with the same answer wherever that is done.

In: an `Assignment`, cut into shards, and for each sweep what it may do (`Orders`). Out: counts and tallies.

Documents are cut into shards, whose number depends on the corpus alone. In a sweep, each shard starts from
the counts of the sweep's start, sees no changes but its own, and draws from its own stream (seed, ..., sweep,
shard); then the differences of all are added up. They are whole numbers, so it does not matter who is ready
first: an engine (`qdtm.sampler.engines`) only decides where a shard is swept. One shard is the exact sampler;
a small corpus gets one.

A topic is born into an empty column. Two shards could use one column for different topics, so in each sweep
one shard may open topics, each in its turn. To the others the empty columns are closed; drawing among the
topics that there are leaves the same distribution unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import empty_tally
from qdtm.sampler.kernels import Assignment, Counts, Rules, Tally, sweep
from qdtm.sampler.streams import open_stream

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
