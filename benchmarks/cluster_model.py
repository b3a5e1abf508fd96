"""A cluster on paper: where the time of a sweep goes on 1 to 64 workers, and what the limit is.

In: nothing; what a cell of the counts costs is measured here, what a token costs is from
`docs/performance.md`, the network is assumed. Out: a Markdown table.

    python benchmarks/cluster_model.py [--network 1.25e9] [--words 30000]
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qdtm.cluster.engine import FAN_IN
from qdtm.cluster.packing import Difference, add_sparse, merge, pack_counts, sparse_difference, unpack_counts
from qdtm.sampler.kernels import add_difference
from qdtm.sampler.shards import MOST_SHARDS

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
    return Constants(
        worker=_quickest(lambda: (unpack_counts(packed, own), sparse_difference(after, before))) / cells,
        shard=_quickest(lambda: (np.copyto(own, before), add_difference(own, after, before))) / cells,
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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes a second (10 Gbit/s)")
    parser.add_argument("--words", type=int, default=30_000, help="of the vocabulary")
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
