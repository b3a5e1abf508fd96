"""What a cluster costs: a sweep by Ray workers beside the same sweep by threads, and a cluster on paper.

    python -m experiments engines [--tokens 10000000] [--topics 20 100] [--workers 2] [--sweeps 8]
    python -m experiments cluster-model [--network 1.25e9] [--words 30000]

In: nothing. Out of the first: a Markdown table of seconds a sweep and of the bytes that travel, on a corpus
synthesised as in `scaling`. Sweeps of both engines alternate, so that other work on the machine meets both,
and the quickest of each counts; both chains must end in the same bytes. Out of the second: where the time of
a sweep goes on 1 to 64 workers, and what the limit is; what a cell of the counts costs is measured here, what
a token costs is from `docs/performance.md`, the network is assumed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.measurements.scaling import N_WORDS, planted_chain
from qdtm.cluster.engine import FAN_IN, RayEngine
from qdtm.cluster.packing import Difference, add_sparse, merge, pack_counts, sparse_difference, unpack_counts
from qdtm.sampler.chain import Chain
from qdtm.sampler.engines import MOST_SHARDS, Engine, Threads
from qdtm.sampler.kernels import add_difference


@dataclass(frozen=True)
class Cost:
    """What a sweep takes on both engines."""

    n_tokens: int
    n_topics: int
    n_workers: int
    threads: float  # seconds, the quickest
    ray: float
    ratio: float  # the median of the ratios of neighbouring sweeps
    sent: int  # bytes to each machine
    returned: int  # bytes from all workers


class Scales:
    """Weighs what an engine sends and receives."""

    def __init__(self, engine: RayEngine) -> None:
        self.sent = self.returned = 0
        self._broadcast, self._gather = engine.broadcast, engine.gather
        engine.broadcast, engine.gather = self.broadcast, self.gather  # type: ignore[method-assign]

    def broadcast(self, value: object) -> object:
        """As the engine's own."""
        self.sent += n_bytes(value)
        return self._broadcast(value)

    def gather(self, answers: list[object]) -> list[Difference]:
        """As the engine's own."""
        found = self._gather(answers)
        self.returned += sum(map(n_bytes, found))
        return found


def n_bytes(value: object) -> int:
    """Bytes of all arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(n_bytes, value)) if isinstance(value, (tuple, list)) else 0


def on(engine: Engine, chain: Chain) -> Chain:
    """The same chain on another engine."""
    topics, links = chain.assignment.topics.copy(), chain.assignment.links.copy()
    own = chain.assignment._replace(topics=topics, links=links)
    evidence = np.ones((len(own.offsets) - 1, chain.n_parents), np.float32)
    shards = engine.place(own, chain.shards.n_shards, N_WORDS, evidence_jq=evidence)
    return Chain(shards, chain.rules, chain.seed, chain.path)


def measure(n_tokens: int, n_topics: int, n_workers: int, n_sweeps: int) -> Cost:
    """Sweep on both engines in turn."""
    start = planted_chain(n_tokens, n_topics)
    with Threads(n_workers) as threads, RayEngine(n_workers=n_workers) as ray:
        scales = Scales(ray)
        here, there = on(threads, start), on(ray, start)
        for chain in (here, there):
            chain.step()  # compile, and leave the start behind
        scales.sent = scales.returned = 0
        seconds = np.array([[_seconds(here.step), _seconds(there.step)] for _ in range(n_sweeps)])
        same = here.assignment.topics.tobytes() == there.assignment.topics.tobytes()
        if not same:
            raise AssertionError("the engines disagree")
    threads_best, ray_best = seconds.min(axis=0).tolist()
    ratio = float(np.median(seconds[:, 1] / seconds[:, 0]))
    sent, returned = scales.sent // n_sweeps, scales.returned // n_sweeps
    return Cost(n_tokens, n_topics, n_workers, threads_best, ray_best, ratio, sent, returned)


def _seconds(step: Callable[[], None]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def measure_engines(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments engines", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=8)
    options = parser.parse_args(arguments)
    print(
        "| tokens | topics | workers | threads | Ray | times (quickest) | times (median) | sent | returned |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_topics in options.topics:
        c = measure(options.tokens, n_topics, options.workers, options.sweeps)
        print(
            f"| {c.n_tokens:,} | {c.n_topics} | {c.n_workers} | {c.threads:.3f} s | {c.ray:.3f} s "
            f"| {c.ray / c.threads:.2f} | {c.ratio:.2f} "
            f"| {c.sent / 1e6:.2f} MB | {c.returned / 1e6:.2f} MB |",
            flush=True,
        )


# --- a cluster on paper ----------------------------------------------------------------------------------


TOKEN, TOKEN_TOPIC = 34e-9, 0.45e-9
"""Seconds for a token of a sweep, and for each topic more."""

MOVED = 0.27
"""Of all tokens change their topic in a sweep."""

PUT_DOWN, DISK = 3, 5e8
"""Bytes of a token that a worker writes for its successor, and bytes a second that it can write."""

CELL_SENT, CELL_RETURNED = 1.2, 5
"""Bytes of a count on its way out, and of a changed cell on its way back."""

ROUND_TRIP = 2e-3
"""Seconds from a call to its answer, if it is empty."""

SIZES = ((10**8, 100), (10**9, 100), (10**9, 1000))
WORKERS = (1, 8, 64)


@dataclass(frozen=True)
class Constants:
    """Seconds for a cell of the counts (V, C)."""

    worker: float  # unpacking, comparing
    shard: float  # copying for a shard, adding its difference
    merging: float  # for a changed cell and difference, and for what is made of their sum
    driver: float  # packing, summing for f_k, averaging
    adding: float  # for a changed cell and difference


@dataclass(frozen=True)
class Sweep:
    """Seconds of one sweep."""

    tokens: float
    copies: float
    writing: float
    network: float
    driver: float

    @property
    def total(self) -> float:
        """Of all parts, which follow each other."""
        return self.tokens + self.copies + self.writing + self.network + self.driver


def measure_constants(n_words: int = 20_000, n_columns: int = 104) -> Constants:
    """Time what is done with counts, the quickest of some."""
    rng = np.random.default_rng(0)
    before = np.floor(rng.pareto(0.8, (n_words, n_columns))).clip(0, 1e6).astype(np.float32)
    after = before + (rng.random(before.shape, np.float32) < 0.3)
    packed, own, mean = pack_counts(before), np.empty_like(before), np.zeros(before.shape)
    change = sparse_difference(after, before)
    part = Difference(change, change, change, change)
    cells, changed = before.size, len(change.cells)

    def compare() -> None:
        unpack_counts(packed, own)
        sparse_difference(after, before)

    def copy() -> None:
        np.copyto(own, before)
        add_difference(own, after, before)

    return Constants(
        worker=_quickest(compare) / cells,
        shard=_quickest(copy) / cells,
        merging=_quickest(lambda: merge([part] * FAN_IN)) / (4 * FAN_IN * changed),  # of a quarter of all
        driver=_quickest(
            lambda: (
                pack_counts(before),
                own.sum(axis=0, dtype=np.float64),
                np.add(mean, own, out=mean),
            )
        )
        / cells,
        adding=_quickest(lambda: add_sparse(own, change)) / changed,
    )


def _quickest(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(7):
        start = time.thread_time()  # other work on the machine does not count
        work()
        seconds.append(time.thread_time() - start)
    return min(seconds)


def simulate(
    n_tokens: int, n_topics: int, n_words: int, n_workers: int, network: float, per: Constants
) -> Sweep:
    """Add up a sweep's parts, as each worker has a machine of its own."""
    cells, share = n_words * n_topics, n_tokens / n_workers
    changed = min(2 * MOVED * share, cells)
    levels = math.ceil(math.log(n_workers, FAN_IN)) if n_workers > FAN_IN else 0
    last = n_workers if not levels else math.ceil(n_workers / FAN_IN**levels)
    returned = (levels * FAN_IN + last) * changed * CELL_RETURNED  # each level and the driver receive so much
    sent = CELL_SENT * cells * min(n_workers, 1 + math.log2(n_workers))  # machines pass it on
    return Sweep(
        tokens=share * (TOKEN + TOKEN_TOPIC * n_topics),
        copies=cells * (per.worker + per.shard * MOST_SHARDS / n_workers)
        + levels * FAN_IN * changed * per.merging,
        writing=share * PUT_DOWN / DISK,
        network=(sent + returned) / network + (2 + levels) * ROUND_TRIP,
        driver=cells * per.driver + last * changed * per.adding,
    )


def measure_cluster_model(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments cluster-model", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes a second (10 Gbit/s)")
    parser.add_argument("--words", type=int, default=30_000, help="of the vocabulary")
    options = parser.parse_args(arguments)
    per = measure_constants()
    print(
        f"A cell: {per.worker * 1e9:.1f} ns in a worker, {per.shard * 1e9:.1f} more in each of its shards, "
        f"{per.driver * 1e9:.1f} in the driver; a changed cell: {per.merging * 1e9:.1f} ns to merge, "
        f"{per.adding * 1e9:.1f} to add.\n"
    )
    print(
        "| tokens | topics | workers | drawing | counts | writing | network | driver | a sweep | times one |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_tokens, n_topics in SIZES:
        alone = simulate(n_tokens, n_topics, options.words, 1, options.network, per).total
        for n_workers in WORKERS:
            s = simulate(n_tokens, n_topics, options.words, n_workers, options.network, per)
            parts = (s.tokens, s.copies, s.writing, s.network, s.driver, s.total)
            cells = " | ".join(f"{part:.2f} s" for part in parts)
            print(f"| {n_tokens:,} | {n_topics:,} | {n_workers} | {cells} | {alone / s.total:.1f} |")
