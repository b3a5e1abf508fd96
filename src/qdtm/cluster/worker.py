"""A worker: one process of the cluster, which holds some shards of each chain and sweeps them.

In: shards, once; for each sweep a `Message` with the counts of its start. Out: the `Difference` that its
shards make. Nothing here knows about Ray but the fetching of what was broadcast before.

**A worker may die at any time.** Every call says after how many sweeps the chain is (`at`). A worker puts its
assignment down when it has swept, before it answers, and keeps the one before that too. So its successor,
asked again for the same sweep, finds the state of its start, whether the first answer was lost in the sweep,
while it was written down, or on its way; and as the random stream depends on (seed, sweep, shard) alone, the
answer is the same.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.cluster.packing import Difference, PackedCounts, make_difference, pack_counts, unpack_counts
from qdtm.evidence.sections import Section
from qdtm.sampler.assignment import documents_with, recount
from qdtm.sampler.engines import Carried, Orders, Shard, SideBySide, sweep_in_turn
from qdtm.sampler.kernels import Array, Assignment, Counts, Rules, word_kinds
from qdtm.storage.array_store import Arrays, ArrayStore

SMALL = 2**20
"""Arrays of fewer bytes are copied when they arrive, since they may not be written to: kernels that were
compiled for others are used again."""

PACKAGES = ("qdtm", "numpy", "numba")
"""The packages that driver and workers must have in the same version."""


class Message(NamedTuple):
    """The orders of a sweep as they travel.

    What seldom changes is broadcast once and only pointed to. A pointer is a list with one reference in it:
    Ray would replace a bare one by what it points to.
    """

    rules: list[Any]  # to Rules without beta and probabilities
    probability: list[Any]  # to lambda of the words that promote, (P, Q) float32
    beta: Array
    mass_k: Array
    prior_k: Array
    in_use: Array
    n_columns: int
    stream: tuple[int, ...]
    births: int
    in_turn: bool
    n_wk: PackedCounts
    promoted_wq: PackedCounts


class Part(NamedTuple):
    """What a worker's shards of a chain add up to."""

    n_wk: PackedCounts
    promoted_wq: PackedCounts
    m_k: Array


@dataclass(eq=False)
class Block:
    """A worker's shards of one chain.

    Parameters
    ----------
    shards : tuple of Shard
    at : int
        After how many sweeps they are.
    """

    shards: tuple[Shard, ...]
    at: int
    sweeping: SideBySide = field(default_factory=SideBySide)
    rules: Rules | None = None
    seen: dict[str, Any] = field(default_factory=dict)


class Worker:
    """Holds shards and sweeps them.

    Parameters
    ----------
    place : str
        A folder or URL of its own, where it puts things down for its successor.
    fetch : callable, optional
        Turns a reference into what it points to; by default Ray does.
    """

    def __init__(self, place: str, fetch: Callable[[Any], Any] | None = None) -> None:
        self._place = place
        self._fetch = fetch or _fetch
        self._blocks: dict[str, Block] = {}
        self._sections: dict[tuple[str, int, int, int], Section] = {}

    def about(self) -> dict[str, str]:
        """Say which versions of what it runs, and its process."""
        versions = {package: version(package) for package in PACKAGES}
        return versions | {"python": platform.python_version(), "pid": str(os.getpid())}

    def take(self, chain: str, shards: Sequence[Shard]) -> int:
        """Hold shards of a chain from now on; return one more than their highest topic."""
        own = tuple(_own(shard) for shard in shards)
        self._blocks[chain] = block = Block(own, 0)
        self._store(chain).write("shards", _tokens(own))
        self._put_down(chain, block)
        return max((int(s.assignment.topics.max(initial=-1)) + 1 for s in own), default=0)

    def count(self, chain: str, at: int, n_words: int, n_parents: int, n_columns: int) -> Part:
        """Count the words and documents of each topic."""
        n_wk, promoted_wq = np.zeros((n_words, n_columns)), np.zeros((n_words, n_parents))
        m_k = np.zeros(n_columns, np.int64)
        for shard in self._block(chain, at).shards:
            counts = recount(shard.assignment, n_words, n_parents, n_columns)
            n_wk += counts.n_wk
            promoted_wq += counts.promoted_wq
            m_k += documents_with(shard.assignment, n_columns)
        return Part(pack_counts(n_wk), pack_counts(promoted_wq), m_k)

    def sweep(self, chain: str, at: int, message: Message) -> Difference:
        """Sweep the shards side by side, each from the message's counts; return what that changes."""
        block = self._block(chain, at)
        orders, before = self._orders(block, message), _counts(message)
        after = Counts(before.n_wk.copy(), before.promoted_wq.copy())
        tally = block.sweeping.sweep(block.shards, orders, after)
        self._advance(chain, block)
        return make_difference(after, before, tally)

    def sweep_in_turn(
        self, chain: str, at: int, message: Message, carried: Carried
    ) -> tuple[Difference, Carried]:
        """Sweep the shards one after the other, from where another worker left off."""
        block = self._block(chain, at)
        orders, before = self._orders(block, message), _counts(message)
        after = Counts(before.n_wk.copy(), before.promoted_wq.copy())
        carried = Carried(carried.mass_k.copy(), carried.stream.copy())
        tally = sweep_in_turn(block.shards, orders, after, carried)
        self._advance(chain, block)
        return make_difference(after, before, tally), carried

    def read(self, chain: str, at: int) -> Arrays:
        """Give the topics and links of its shards' tokens."""
        return _topics(self._block(chain, at).shards)

    def section(self, spec: tuple[str, int, int, int], method: str, *arguments: Any) -> Any:
        """Ask some parts of an index, which it reads if it does not hold them; one call needs no other."""
        if spec not in self._sections:
            self._sections[spec] = Section(*spec)
        own = [np.array(each) if isinstance(each, np.ndarray) and each.nbytes < SMALL else each
               for each in arguments]  # fmt: skip
        with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
            return getattr(self._sections[spec], method)(*own)

    def drop(self, chain: str) -> None:
        """Forget a chain."""
        self._blocks.pop(chain, None)
        self._store(chain).clear()

    def leave(self) -> None:
        """Forget everything: nobody will come after it."""
        self._blocks, self._sections = {}, {}
        ArrayStore(self._place).clear()

    def _block(self, chain: str, at: int) -> Block:
        """The shards of a chain after so many sweeps, from the store if they are not at hand."""
        block = self._blocks.get(chain)
        if block is None or block.at != at:
            store = self._store(chain)
            shards = block.shards if block is not None else _shards(store.read("shards"))
            _take_up(shards, store.read(f"after-{at:06d}"))
            self._blocks[chain] = block = Block(shards, at)
        return block

    def _advance(self, chain: str, block: Block) -> None:
        """Put down the state after a sweep; the one before it stays, the one before that goes."""
        block.at += 1
        self._put_down(chain, block)
        if block.at >= 2:
            self._store(chain).remove(f"after-{block.at - 2:06d}")

    def _put_down(self, chain: str, block: Block) -> None:
        self._store(chain).write(f"after-{block.at:06d}", _topics(block.shards))

    def _store(self, chain: str) -> ArrayStore:
        return ArrayStore(f"{self._place}/{chain}")

    def _orders(self, block: Block, message: Message) -> Orders:
        """Put the orders together from what this message says and what was broadcast before."""
        rules: Rules = self._recall(block, "rules", message.rules)
        word_kind = word_kinds(rules)
        rules.promotion_probability[rules.n_related.any(axis=1)] = self._recall(
            block, "probability", message.probability
        )
        return Orders(
            rules=rules._replace(beta=np.array(message.beta)),
            word_kind=word_kind,
            mass_k=np.array(message.mass_k),
            prior_k=np.array(message.prior_k),
            in_use=np.array(message.in_use),
            n_columns=message.n_columns,
            stream=message.stream,
            births=message.births,
            in_turn=message.in_turn,
        )

    def _recall(self, block: Block, name: str, pointer: list[Any]) -> Any:
        """What a pointer points to, fetched if it is new."""
        if block.seen.get(name, (None,))[0] != pointer[0]:
            found = self._fetch(pointer[0])
            block.seen[name] = pointer[0], _writable(found) if isinstance(found, Rules) else found
        return block.seen[name][1]


def _fetch(reference: Any) -> Any:
    import ray

    return ray.get(reference)


def _own(shard: Shard) -> Shard:
    """A shard with arrays of its own: what arrives may not be written to."""
    assignment = Assignment(*map(np.array, shard.assignment))
    return Shard(shard.number, assignment, np.array(shard.evidence_jq))


def _writable(rules: Rules) -> Rules:
    """The same rules with arrays of its own, so that kernels are not compiled twice."""
    return rules._replace(
        fixed_topic=np.array(rules.fixed_topic),
        n_related=np.array(rules.n_related),
        promotion_probability=np.array(rules.promotion_probability),
    )


def _counts(message: Message) -> Counts:
    """The counts of the sweep's start."""
    n_wk = np.empty(message.n_wk.small.shape, np.float32)
    promoted_wq = np.empty(message.promoted_wq.small.shape, np.int32)
    unpack_counts(message.n_wk, n_wk)
    unpack_counts(message.promoted_wq, promoted_wq)
    return Counts(n_wk, promoted_wq)


# --- shards as arrays --------------------------------------------------------------------------------------


def _tokens(shards: Sequence[Shard]) -> Arrays:
    """What of shards never changes."""
    arrays: Arrays = {"numbers": np.array([shard.number for shard in shards], np.int64)}
    for shard in shards:
        arrays[f"tokens.{shard.number}"] = shard.assignment.tokens
        arrays[f"offsets.{shard.number}"] = shard.assignment.offsets
        arrays[f"evidence.{shard.number}"] = shard.evidence_jq
    return arrays


def _shards(arrays: Arrays) -> tuple[Shard, ...]:
    """The shards that `_tokens` described, their tokens without topics."""
    shards = []
    for number in arrays["numbers"].tolist():
        tokens, offsets = arrays[f"tokens.{number}"], arrays[f"offsets.{number}"]
        topics, links = np.empty(len(tokens), np.int32), np.empty(len(tokens), np.uint16)
        assignment = Assignment(tokens, offsets, topics, links)
        shards.append(Shard(number, assignment, arrays[f"evidence.{number}"]))
    return tuple(shards)


def _topics(shards: Sequence[Shard]) -> Arrays:
    """What of shards a sweep changes, in as few bytes as it takes."""
    return {
        "topics": _narrow([shard.assignment.topics for shard in shards], (np.int16, np.int32)),
        "links": _narrow([shard.assignment.links for shard in shards], (np.uint8, np.uint16)),
    }


def _take_up(shards: Sequence[Shard], arrays: Arrays) -> None:
    """Give the tokens of shards the topics that `_topics` described."""
    start = 0
    for shard in shards:
        stop = start + len(shard.assignment.tokens)
        shard.assignment.topics[:] = arrays["topics"][start:stop]
        shard.assignment.links[:] = arrays["links"][start:stop]
        start = stop


def _narrow(parts: Sequence[NDArray[Any]], kinds: Sequence[type[Any]]) -> NDArray[Any]:
    """Parts as one array, of the first type that holds them."""
    highest = max((int(part.max(initial=0)) for part in parts), default=0)
    kind = next(kind for kind in kinds if highest <= np.iinfo(kind).max)
    return np.concatenate([part.astype(kind) for part in parts])
