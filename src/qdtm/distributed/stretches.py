"""Documents on their way from one worker to another: the corpus is cut anew, and each takes its share.

In: stretches of documents, laid end to end over workers in their order, and into how many shards they are to
be cut. Out: shards, cut where `qdtm.sampler.shards.cut` would cut the whole. The driver knows how much each
worker has and where the cuts are; the tokens go from worker to worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.kernels import Assignment
from qdtm.sampler.shards import Shard

Locate = Callable[[int, list[int]], list[int]]
"""Given a source and numbers of its tokens, says which of its documents begin there or right after."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Documents in a row.

    Parameters
    ----------
    tokens, topics : ndarray of int32, shape (N_s,)
    lengths : ndarray of int64, shape (D_s,)
    unclaimed : ndarray of bool, shape (D_s,)
        See `Shard`.
    """

    tokens: NDArray[np.int32]
    topics: NDArray[np.int32]
    lengths: NDArray[np.int64]
    unclaimed: NDArray[np.bool_]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the documents begin, and the end, shape (D_s + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def between(self, first: int, last: int) -> Stretch:
        """Return some of its documents."""
        first, last = max(first, 0), max(min(last, len(self.lengths)), 0)
        last = max(first, last)
        start, stop = self.lengths[:first].sum(), self.lengths[:last].sum()
        here, there = slice(int(start), int(stop)), slice(first, last)
        return Stretch(self.tokens[here], self.topics[here], self.lengths[there], self.unclaimed[there])


@dataclass(frozen=True)
class Extent:
    """How much a source has."""

    n_documents: int
    n_tokens: int


def joined(stretches: Sequence[Stretch]) -> Stretch:
    """Lay stretches end to end."""
    return Stretch(
        np.concatenate([s.tokens for s in stretches]).astype(np.int32),
        np.concatenate([s.topics for s in stretches]).astype(np.int32),
        np.concatenate([s.lengths for s in stretches]).astype(np.int64),
        np.concatenate([s.unclaimed for s in stretches]).astype(np.bool_),
    )


def find_cuts(extents: Sequence[Extent], n_shards: int, locate: Locate) -> list[int]:
    """Return the documents at which shards begin, and the end: `n_shards` + 1 numbers.

    Parameters
    ----------
    extents : sequence of Extent
        Of the sources, in order.
    n_shards : int
    locate : callable
    """
    tokens = np.concatenate([[0], np.cumsum([e.n_tokens for e in extents])])
    documents = np.concatenate([[0], np.cumsum([e.n_documents for e in extents])])
    ends = int(tokens[-1]) * np.arange(1, n_shards) // n_shards
    source = np.searchsorted(tokens[1:], ends)  # the first that reaches so far
    cuts = [0]
    for s in range(len(extents)):
        wanted = (ends[source == s] - tokens[s]).tolist()
        cuts += [int(documents[s]) + j for j in (locate(s, wanted) if wanted else [])]
    return [*cuts, int(documents[-1])]


def begin_at(lengths: NDArray[np.int64], tokens: Sequence[int]) -> list[int]:
    """Return the first document of a source that begins at each token or after it."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    found: list[int] = np.searchsorted(offsets, tokens).tolist()
    return found


def blocks_of(n_shards: int, n_blocks: int) -> list[range]:
    """Deal shards out, some in a row to each block."""
    ends = [n_shards * b // n_blocks for b in range(n_blocks + 1)]
    return [range(first, last) for first, last in pairwise(ends)]


def make_shards(numbers: range, cuts: Sequence[int], stretches: Sequence[Stretch]) -> tuple[Shard, ...]:
    """Make the shards of one block of the stretches that all sources sent for it, in order.

    Parameters
    ----------
    numbers : range
        Of the shards.
    cuts : sequence of int
        Of the whole corpus.
    stretches : sequence of Stretch
    """
    whole = joined(stretches)
    start = cuts[numbers.start]
    offsets = whole.offsets
    links = np.zeros(len(whole.tokens), np.uint16)
    shards = []
    for number in numbers:
        first, last = cuts[number] - start, cuts[number + 1] - start
        here = slice(int(offsets[first]), int(offsets[last]))
        own = Assignment(
            whole.tokens[here], offsets[first : last + 1] - offsets[first], whole.topics[here], links[here]
        )
        shards.append(Shard(number, own, whole.unclaimed[first:last]))
    return tuple(shards)
