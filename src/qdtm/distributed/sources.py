"""Who has the documents that a chain is to be started on, as a row of sources, one a worker.

`PartSource`: the parts that workers read, for phase 1. `ParentSource`: the tokens of one parent topic in the
shards of phase 1, for phase 2. Each says how much its workers have, where documents begin, and lets them cut
off what others are to get.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qdtm.cluster.engine import RayEngine, RayShards
from qdtm.distributed.claims import CLAIMS
from qdtm.distributed.parts import Part, parts_of
from qdtm.distributed.stretches import Extent, Stretch, begin_at, joined
from qdtm.distributed.workers import Memory, Workers, call_all
from qdtm.sampler.shards import Shard
from qdtm.sampler.starts import scatter, topics_as_paper, topics_from_claims
from qdtm.sampler.subtopics import cut_out

Ranges = Sequence[tuple[int, int]]
"""Documents, from the first to before the last; those that a source does not have are passed over."""


class Source(Protocol):
    """Documents over workers."""

    @property
    def extents(self) -> list[Extent]:
        """How much each worker has."""
        ...

    def locate(self, worker: int, tokens: list[int]) -> list[int]:
        """Say which documents of a worker begin at its tokens, or first after them."""
        ...

    def cut(self, worker: int, ranges: Ranges) -> Sequence[Any]:
        """Let a worker cut off documents, by its own numbers; return a handle of a `Stretch` for each."""
        ...


# --- phase 1: from the parts -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Start:
    """How tokens start in phase 1.

    Parameters
    ----------
    fixed_topic : ndarray of int32, shape (V,)
        The parent topic of each concept word, -1 for free words.
    n_parents : int
    n_background : int or None
        Topics that unclaimed documents are scattered over; None starts as the paper does.
    seed : int
    """

    fixed_topic: NDArray[np.int32]
    n_parents: int
    n_background: int | None
    seed: int


class PartSource:
    """The documents that workers read, with the topics in which they start.

    Parameters
    ----------
    workers : Workers
    start : Start
    """

    def __init__(self, workers: Workers, start: Start) -> None:
        self._workers, self._start = workers, workers.share(start)
        self.extents: list[Extent] = call_all(workers, _extent)
        self._first = np.concatenate([[0], np.cumsum([each.n_tokens for each in self.extents])]).tolist()

    def locate(self, worker: int, tokens: list[int]) -> list[int]:
        """Say which documents of a worker begin at its tokens, or first after them."""
        found: list[int] = self._workers.fetch([self._workers.call(worker, _locate, tokens)])[0]
        return found

    def cut(self, worker: int, ranges: Ranges) -> Sequence[Any]:
        """Let a worker cut off documents."""
        first = self._first[worker]
        handles: Sequence[Any] = self._workers.call(
            worker, _cut, self._start, first, tuple(ranges), n_results=len(ranges)
        )
        return handles


def _lengths(memory: Memory) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *(np.diff(part.offsets) for part in parts_of(memory))])


def _extent(memory: Memory) -> Extent:
    lengths = _lengths(memory)
    return Extent(len(lengths), int(lengths.sum()))


def _locate(memory: Memory, tokens: Sequence[int]) -> list[int]:
    return begin_at(_lengths(memory), tokens)


def _cut(memory: Memory, start: Start, first_token: int, ranges: Ranges) -> list[Stretch]:
    parts = parts_of(memory)
    if start.n_background is None:
        stretches = [_as_paper(part, start) for part in parts]
    else:
        n_tokens = [len(part.tokens) for part in parts]
        drawn = scatter(n_tokens, start.n_parents, start.n_background, start.seed, skip=first_token)
        stretches = [_claimed(part, start, topics) for part, topics in zip(parts, drawn, strict=True)]
    whole = joined(stretches)
    return [whole.between(*each) for each in ranges]


def _as_paper(part: Part, start: Start) -> Stretch:
    topics = topics_as_paper(part.tokens, part.offsets, start.fixed_topic, start.n_parents)
    return Stretch(part.tokens, topics, np.diff(part.offsets), np.ones(part.n_documents, np.bool_))


def _claimed(part: Part, start: Start, scattered: NDArray[np.int64]) -> Stretch:
    claims = part.notes[CLAIMS]
    topics = topics_from_claims(part.tokens, part.offsets, start.fixed_topic, claims, scattered)
    return Stretch(part.tokens, topics, np.diff(part.offsets), claims < 0)


# --- phase 2: from the shards of phase 1 -------------------------------------------------------------------


class ParentSource:
    """The tokens that one parent topic has in the last sample, without a topic yet.

    Parameters
    ----------
    engine : RayEngine
    shards : RayShards
        Of phase 1. The concept words' own documents are the last, and no part of the corpus.
    q : int
        The parent topic.
    n_parents : int
    """

    def __init__(self, engine: RayEngine, shards: RayShards, q: int, n_parents: int) -> None:
        self._engine, self._shards = engine, shards
        self._which = (q, shards.n_shards - 1, n_parents)
        answers = [shards.ask(block, _parent_extent, *self._which) for block in range(shards.n_blocks)]
        self.extents: list[Extent] = engine.get(answers)

    def locate(self, worker: int, tokens: list[int]) -> list[int]:
        """Say which documents of a worker begin at its tokens, or first after them."""
        found: list[int] = self._engine.get(self._shards.ask(worker, _locate_parent, *self._which, tokens))
        return found

    def cut(self, worker: int, ranges: Ranges) -> Sequence[Any]:
        """Let a worker cut off documents."""
        answer = self._shards.ask(worker, _cut_parent, *self._which, tuple(ranges), n_results=len(ranges))
        return [answer] if len(ranges) == 1 else list(answer)


def parent_tokens(shards: Sequence[Shard], q: int, last_shard: int, n_parents: int) -> Stretch:
    """Cut the tokens of a parent topic out of shards; documents without any are left out."""
    stretches = []
    for shard in shards:
        tokens, offsets, topics, _ = shard.assignment
        if shard.number == last_shard:
            offsets = offsets[: len(offsets) - n_parents]
        end = int(offsets[-1])
        found, starts = cut_out(tokens, offsets, np.flatnonzero(topics[:end] == q))
        lengths = np.diff(starts)
        none, unclaimed = np.full(len(found), -1, np.int32), np.ones(len(lengths), np.bool_)
        stretches.append(Stretch(found, none, lengths, unclaimed))
    return joined(stretches)


def _parent_extent(shards: Sequence[Shard], *which: int) -> Extent:
    found = parent_tokens(shards, *which)
    return Extent(len(found.lengths), len(found.tokens))


def _locate_parent(shards: Sequence[Shard], q: int, last: int, n: int, tokens: Sequence[int]) -> list[int]:
    return begin_at(parent_tokens(shards, q, last, n).lengths, tokens)


def _cut_parent(shards: Sequence[Shard], q: int, last: int, n: int, ranges: Ranges) -> Any:
    found = parent_tokens(shards, q, last, n)
    stretches = [found.between(*each) for each in ranges]
    return stretches[0] if len(stretches) == 1 else stretches
