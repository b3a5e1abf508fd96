"""What a cluster costs: a sweep by Ray workers beside the same sweep by threads, and a cluster on paper.

    python -m experiments engines [--tokens 10000000] [--topics 20 100] [--workers 2] [--sweeps 8]
    python -m experiments cluster-model [--network 1.25e9] [--words 30000]

In: nothing. Out of the first: a Markdown table of seconds a sweep and of the bytes that travel, on a corpus
synthesised as in `scaling`. Sweeps of both engines alternate, so that other work on the machine meets both,
and the quickest of each counts; both chains must end in the same bytes. Out of the second: where the time of
a sweep goes on 1 to 64 workers, and what the limit is; what a cell of the counts costs is measured here, what
a token costs is from `docs/performance.md`, the network is assumed. Then the same for the evidence of a query
of an index in parts, from what a document costs here in a section and in the driver, and what a token costs
there where its chain starts and ends: all tokens pass through files of the driver's disk.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.measurements.scaling import N_WORDS, planted_chain
from qdtm.cluster.engine import FAN_IN, RayEngine
from qdtm.cluster.packing import Difference, add_sparse, merge, pack_counts, sparse_difference, unpack_counts
from qdtm.corpus import Corpus
from qdtm.corpus.indexing import count_matrix
from qdtm.embeddings.similarity import promotion_graph
from qdtm.evidence.evidence import learn_evidence
from qdtm.evidence.parted_views import PartedViews
from qdtm.evidence.sections import Section
from qdtm.sampler.chain import Chain
from qdtm.sampler.engines import MOST_SHARDS, Engine, Threads
from qdtm.sampler.initialise import start_joining
from qdtm.sampler.kernels import add_difference
from qdtm.sampler.problem import ParentProblem, Priors


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


# --- the evidence of a query, on paper ----------------------------------------------------------------------

ASKED = ((10**6, 2), (10**7, 8), (10**8, 64), (10**9, 64))
"""Documents and workers."""

TOKENS_A_DOCUMENT = 12
"""Of texts of some 28 words."""

TOKEN_FILES = 32
"""Bytes of a token in files of the driver: at the start, at the end of the chain, and in the result."""


@dataclass
class Looking:
    """Seconds in sections and in the driver while evidence is learned, and bytes that the driver receives."""

    section: float = 0.0
    driver: float = 0.0
    received: float = 0.0


class OneSection:
    """A section in this process, whose time and answers are measured."""

    def __init__(self, section: Section, n_documents: int) -> None:
        self._section, self.bounds = section, np.array([0, n_documents])
        self.remembered: dict[object, object] = {}
        self.cost = Looking()

    def share(self, value: Any) -> Any:
        """Nothing has to travel."""
        return value

    def each(self, method: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Call the section."""
        start = time.process_time()
        found = getattr(self._section, method)(*calls[0])
        self.cost.section += time.process_time() - start
        self.cost.received += n_bytes(found)
        return [found]

    def chains(self, method: str, calls: Sequence[Sequence[Any]], carried: Sequence[Any]) -> list[Any]:
        """Call the section for each that is carried."""
        return [self.each(method, [(*calls[0], one)])[0] for one in carried]


def measure_looking(n_documents: int, n_words: int = 20_000, n_topics: int = 100) -> Looking:
    """Learn the evidence of a query of random documents of some 40 different words each."""
    rng = np.random.default_rng(0)
    words = (n_words * rng.power(0.25, (n_documents, 50))).astype(np.int32)
    counts = count_matrix(words.ravel(), 50 * np.arange(n_documents + 1), n_words)
    whole = Corpus.from_counts(counts, [f"w{w}" for w in range(n_words)])
    whole.__dict__["open_copies"] = lambda _name, n: np.arange(n)  # nobody looks for them
    corpus, topics = whole.distinct, rng.poisson(2.0, (n_words, n_topics)).astype(np.float32)
    vectors = rng.normal(size=(n_words, 100)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    section = Section("", 0, 0, n_words)
    section.__dict__["counts"] = corpus.document_term_matrix
    strength = np.where(np.arange(corpus.n_documents) % 200 == 0, 0.8, 0.0)
    every = np.ones(corpus.n_documents, np.bool_)
    with threadpool_limits(1), patch("qdtm.evidence.parted_views.MOST_KEPT", 0):  # as in a large corpus
        for _ in range(2):  # the first compiles
            one = OneSection(section, corpus.n_documents)
            section.__dict__["_known"] = {}
            start = time.process_time()
            learn_evidence(PartedViews(one, corpus, topics, vectors), strength, (3, 5), every)
            one.cost.driver = time.process_time() - start - one.cost.section
    return one.cost


def cost_of_a_token(n_tokens: int = 4_000_000, n_words: int = 20_000, n_topics: int = 100) -> float:
    """Seconds of a token in the driver: a query joins a background, and all topics come back."""
    rng, words = np.random.default_rng(0), [np.array([3], np.int32)]
    offsets = np.arange(0, n_tokens + 1, TOKENS_A_DOCUMENT)
    evidence = np.where(np.arange(len(offsets) - 1) % 1_000 == 0, 0.9, 0.001).astype(np.float32)[:, None]
    with tempfile.TemporaryDirectory() as folder:
        tokens, before = (
            np.memmap(Path(folder) / name, np.int32, "w+", shape=int(offsets[-1]))
            for name in ("tokens", "topics")
        )
        tokens[:] = n_words * rng.power(0.25, len(tokens))
        before[:] = rng.integers(0, n_topics, len(tokens))
        problem = ParentProblem(
            tokens, offsets, n_words, words, promotion_graph(None, words, 1.0, n_words=n_words), None, 0.0,
            Priors(), evidence, np.asarray(before),
        )  # fmt: skip
        with Threads() as engine:
            return _quickest(lambda: start_joining(problem, 0, engine).assignment) / len(tokens)


def cost_of_a_document(small: int = 20_000, large: int = 80_000) -> Looking:
    """What each further document adds."""
    few, many = measure_looking(small), measure_looking(large)
    names = ("section", "driver", "received")
    return Looking(*((getattr(many, name) - getattr(few, name)) / (large - small) for name in names))


def print_queries(network: float) -> None:
    """Print what the evidence of a query takes on clusters that nobody ran."""
    cost, token = cost_of_a_document(), cost_of_a_token()
    print(
        f"\nThe evidence of a query, for each document: {cost.section * 1e6:.1f} us in its section, "
        f"{cost.driver * 1e6:.1f} us in the driver, which receives {cost.received:.0f} bytes. "
        f"Start and end of its chain: {token * 1e9:.0f} ns for each token, in the driver, and "
        f"{TOKEN_FILES} bytes of its disk.\n"
    )
    print("| documents | workers | sections | driver | network | tokens | disk | a query but its sweeps |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_documents, n_workers in ASKED:
        parts = (
            cost.section * n_documents / n_workers,
            cost.driver * n_documents,
            cost.received * n_documents / network,
            token * TOKENS_A_DOCUMENT * n_documents,
            TOKEN_FILES * TOKENS_A_DOCUMENT * n_documents / DISK,
        )
        cells = " | ".join(f"{part:,.1f} s" for part in (*parts, sum(parts)))
        print(f"| {n_documents:,} | {n_workers} | {cells} |")


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
    print_queries(options.network)
