"""What a cluster costs: a sweep by Ray workers beside the same sweep by threads.

In: nothing; a corpus is synthesised as in `scaling.py`. Out: a Markdown table of seconds a sweep and of the
bytes that travel. Sweeps of both engines alternate, so that other work on the machine meets both, and the
quickest of each counts; both chains must end in the same bytes.

    python benchmarks/engines.py [--tokens 10000000] [--topics 20 100] [--workers 2] [--sweeps 8]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qdtm.cluster.engine import RayEngine
from qdtm.cluster.packing import Difference
from qdtm.sampler.chain import Chain
from qdtm.sampler.engines import Engine, Threads
from scaling import N_WORDS, planted_chain


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
    quickest = seconds.min(axis=0)
    ratio = float(np.median(seconds[:, 1] / seconds[:, 0]))
    per_sweep = scales.sent // n_sweeps, scales.returned // n_sweeps
    return Cost(n_tokens, n_topics, n_workers, *quickest.tolist(), ratio, *per_sweep)


def _seconds(step: Callable[[], None]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=8)
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
