"""The engine on a Ray cluster: shards live in workers, and a sweep is one message to each and one answer.

In: an assignment. Out: `RayShards`, which a chain drives as it would drive shards in its own process.

The counts of a sweep's start are put into the object store once, from where every machine takes them. Workers
answer with what they changed, in which whole numbers are added up: in a tree on the workers' machines if
there are many. Ray starts a worker that died again, and repeats what it was asked
(see `qdtm.cluster.worker`).
"""

from __future__ import annotations

import platform
import secrets
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.cluster.connection import Connection
from qdtm.cluster.packing import Difference, add_sparse, merge, pack_counts, unpack_counts
from qdtm.cluster.sections import RaySections
from qdtm.cluster.worker import PACKAGES, Message, Worker
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.parts import Parts, parts_of
from qdtm.errors import ClusterError, QdtmError
from qdtm.sampler.assignment import columns_for, empty_tally
from qdtm.sampler.engines import MOST_SHARDS, Engine, Orders, Standing, cut
from qdtm.sampler.kernels import Assignment, Counts, Tally
from qdtm.storage.array_store import ArrayStore

# --- the engine ---------------------------------------------------------------------------------------------

FAN_IN = 8
"""Answers of more workers than this are added up in a tree."""

MOST_RESTARTS = 20
"""A worker that dies oftener has a reason to."""

SECONDS_TO_START = 300.0
SECONDS_TO_LEAVE = 10.0


class RayEngine(Engine):
    """Shards in the workers of a Ray cluster.

    Parameters
    ----------
    address : str, optional
        "auto" or HOST:PORT; by default a cluster is started on this machine.
    n_workers : int, optional
        Workers, with a CPU each; by default as many as the cluster has CPUs.
    worker_dir : str, optional
        A folder that all machines share, or an fsspec URL, where workers put things down for their
        successors; by default a folder on each machine's own disk.
    """

    def __init__(
        self, address: str | None = None, *, n_workers: int | None = None, worker_dir: str | None = None
    ) -> None:
        self._connection = Connection(address, n_workers)
        self.ray = self._connection.ray
        self.n_workers = min(n_workers or self._connection.n_cpus() or 1, MOST_SHARDS)
        name = f"qdtm-workers-{secrets.token_hex(8)}"
        self._place = f"{(worker_dir or tempfile.gettempdir()).rstrip('/')}/{name}"
        self._workers: list[Any] = []
        self._n_placed = 0
        self._held: dict[Parts, RaySections] = {}
        self._lock = threading.Lock()

    def place(
        self,
        assignment: Assignment,
        n_shards: int,
        n_words: int,
        *,
        evidence_jq: NDArray[np.float32],
        alone: bool = True,
    ) -> RayShards:
        """Cut an assignment into shards and send them to workers, some in a row to each."""
        del alone  # workers take calls of several chains as they come
        n_blocks = min(n_shards, self.n_workers)
        n_topics = int(assignment.topics.max(initial=-1)) + 1
        n_documents, n_parents = evidence_jq.shape
        need = Need(len(assignment.tokens), n_documents, n_words, columns_for(n_topics), n_blocks, n_parents)
        self.check_room(need)
        shards = cut(assignment, n_shards, evidence_jq)
        ends = [n_shards * b // n_blocks for b in range(n_blocks + 1)]
        chain, workers = self._next(n_blocks)
        # One after the other: the object store need not hold the corpus.
        n_topics = max(
            int(self.get(worker.take.remote(chain, shards[ends[b] : ends[b + 1]])))
            for b, worker in enumerate(workers)
        )
        return RayShards(self, chain, workers, assignment, n_shards, n_topics)

    def _next(self, n_blocks: int) -> tuple[str, list[Any]]:
        """A name for a chain, and the workers whose turn it is."""
        with self._lock:
            first, self._n_placed = self._n_placed, self._n_placed + n_blocks
        return f"chain-{first}", [self.worker((first + b) % self.n_workers) for b in range(n_blocks)]

    def check_room(self, need: Need) -> None:
        """Refuse a chain that the cluster cannot hold."""
        check_memory(need, self._connection.nodes())

    def sections(self, corpus: Corpus) -> RaySections | None:
        """Let workers hold the parts of an index in parts; None for any other corpus."""
        parts = parts_of(corpus)
        if parts is None:
            return None
        if parts not in self._held:
            self._held[parts] = RaySections(self, parts, corpus.n_words)
        return self._held[parts]

    def worker(self, number: int) -> Any:
        """One of the workers; those up to it are started if need be."""
        with self._lock:
            new = [self._start_worker(i) for i in range(len(self._workers), number + 1)]
            self._workers += new
            self._check_versions(new)
        return self._workers[number]

    def _start_worker(self, number: int) -> Any:
        options = {"num_cpus": 1, "max_restarts": MOST_RESTARTS, "max_task_retries": -1}
        actor = self.ray.remote(Worker).options(scheduling_strategy="SPREAD", **options)
        return actor.remote(f"{self._place}/{number}")

    def _check_versions(self, workers: Sequence[Any]) -> None:
        """Refuse workers that would sweep with other code than ours."""
        ours = {package: version(package) for package in PACKAGES} | {"python": platform.python_version()}
        for theirs in self.get([worker.about.remote() for worker in workers], SECONDS_TO_START):
            for package, wanted in ours.items():
                if theirs[package] != wanted:
                    raise ClusterError(
                        f"A worker has {package} {theirs[package]}, and this process {wanted}; "
                        "install the same version everywhere."
                    )

    def get(self, references: Any, seconds: float | None = None) -> Any:
        """Wait for answers; what went wrong in a worker becomes one line."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(references, timeout=seconds)
        except errors.GetTimeoutError:
            raise ClusterError(
                f"No worker was ready within {seconds:.0f} seconds: the cluster's CPUs are in use "
                "(ray status); wait, or use fewer (n_jobs)."
            ) from None
        except errors.RayTaskError as error:
            raise _plain(error) from error
        except errors.RayError as error:
            text = " ".join(str(error).split())
            raise ClusterError(
                f"The cluster lost a worker for good ({text[:200]}); go on from the last checkpoint with "
                "qdtm fit --resume."
            ) from error

    def broadcast(self, value: Any) -> Any:
        """Put something where every machine can take it from; return the reference to it."""
        return self.ray.put(value)

    def gather(self, answers: list[Any]) -> list[Difference]:
        """Wait for the differences of all workers, added up in a tree on the cluster if there are many."""
        add_up = self.ray.remote(_merge_remote).options(num_cpus=0)
        while len(answers) > FAN_IN:
            groups = [answers[i : i + FAN_IN] for i in range(0, len(answers), FAN_IN)]
            answers = [add_up.remote(*group) for group in groups]
        found: list[Difference] = self.get(answers)
        return found

    def close(self) -> None:
        """Send the workers home, and the cluster if it was started for us."""
        workers, self._workers = self._workers, []
        leaving = [worker.leave.remote() for worker in workers]
        self.ray.wait(leaving, num_returns=len(leaving), timeout=SECONDS_TO_LEAVE) if leaving else None
        for worker in workers:
            self.ray.kill(worker)
        self._connection.close()
        ArrayStore(self._place).clear()


class RayShards:
    """The shards of one chain, in the workers of a cluster.

    Parameters
    ----------
    engine : RayEngine
    chain : str
        Its name among the workers.
    workers : sequence of actor handles
        Who holds which block; blocks are in the corpus' order.
    whole : Assignment
        Its tokens stay here too; its topics are out of date until they are asked for.
    n_shards : int
    n_topics : int
        One more than the highest topic that a token starts with.
    """

    def __init__(
        self,
        engine: RayEngine,
        chain: str,
        workers: Sequence[Any],
        whole: Assignment,
        n_shards: int,
        n_topics: int,
    ) -> None:
        self._engine, self._chain, self._workers = engine, chain, tuple(workers)
        self._whole = whole
        self.n_shards = n_shards
        self._at = 0  # sweeps of these shards that were merged
        self._sent: dict[str, tuple[Any, Any]] = {}  # what was broadcast last, and the reference to it
        self._n_topics = n_topics

    def n_topics(self) -> int:
        """One more than the highest topic that a token started with."""
        return self._n_topics

    def count(self, n_words: int, n_parents: int, n_columns: int) -> Standing:
        """Count the words and documents of each topic."""
        counts = Counts(np.zeros((n_words, n_columns), np.float32), np.zeros((n_words, n_parents), np.int32))
        part, m_k = Counts(*map(np.zeros_like, counts)), np.zeros(n_columns, np.int64)
        for found in self._ask("count", n_words, n_parents, n_columns):
            for total, own, packed in zip(counts, part, (found.n_wk, found.promoted_wq), strict=True):
                unpack_counts(packed, own)
                total += own
            m_k += found.m_k
        return Standing(counts, m_k)

    def sweep(self, orders: Orders, counts: Counts) -> Tally:
        """Sweep all shards once, changing `counts`; return the sum of the tallies."""
        tally = empty_tally(orders.n_columns)
        arrays = (*counts, *tally)
        if orders.in_turn:
            self._sweep_in_turn(orders, counts, arrays)
        else:
            message = self._engine.broadcast(self._message(orders, counts))
            answers = [w.sweep.remote(self._chain, self._at, message) for w in self._workers]
            for difference in self._engine.gather(answers):
                _add(arrays, difference)
        self._at += 1
        return tally

    def assignment(self) -> Assignment:
        """Bring the topics of all tokens here."""
        start = 0
        for found in self._ask("read"):
            stop = start + len(found["topics"])
            self._whole.topics[start:stop] = found["topics"]
            self._whole.links[start:stop] = found["links"]
            start = stop
        return self._whole

    def release(self) -> None:
        """Let the workers forget the shards."""
        self._engine.get([worker.drop.remote(self._chain) for worker in self._workers])

    def _ask(self, method: str, *arguments: Any) -> Any:
        """The answers of all workers, in the corpus' order."""
        calls = [getattr(worker, method) for worker in self._workers]
        return self._engine.get([call.remote(self._chain, self._at, *arguments) for call in calls])

    def _sweep_in_turn(self, orders: Orders, counts: Counts, arrays: Sequence[Any]) -> None:
        """Let each worker go on where the one before it left off."""
        carried = orders.begin(0)
        for worker in self._workers:
            message = self._engine.broadcast(self._message(orders, counts))
            answer = worker.sweep_in_turn.remote(self._chain, self._at, message, carried)
            difference, carried = self._engine.get(answer)
            _add(arrays, difference)

    def _message(self, orders: Orders, counts: Counts) -> Message:
        """The orders as they travel; what did not change since the last time is only pointed to."""
        rules = orders.rules
        fixed = (rules.fixed_topic, rules.n_related)
        lean = rules._replace(beta=np.empty(0, np.float32))
        probability = rules.promotion_probability[rules.n_related.any(axis=1)]  # (P, Q): no other is used
        return Message(
            rules=[self._point_to("rules", fixed, lean)],
            probability=[self._point_to("probability", (probability,), probability)],
            beta=rules.beta,
            mass_k=orders.mass_k,
            prior_k=orders.prior_k,
            in_use=orders.in_use,
            n_columns=orders.n_columns,
            stream=orders.stream,
            births=orders.births,
            in_turn=orders.in_turn,
            n_wk=pack_counts(counts.n_wk),
            promoted_wq=pack_counts(counts.promoted_wq),
        )

    def _point_to(self, name: str, arrays: tuple[NDArray[Any], ...], value: Any) -> Any:
        """The reference to what was broadcast under a name; it is broadcast again if the arrays changed."""
        before, reference = self._sent.get(name, (None, None))
        if before is None or not all(map(np.array_equal, before, arrays)):
            reference = self._engine.broadcast(value)
            self._sent[name] = tuple(array.copy() for array in arrays), reference
        return reference


def _add(arrays: Sequence[Any], difference: Difference) -> None:
    for total, part in zip(arrays, difference, strict=True):
        add_sparse(total, part)


def _merge_remote(*parts: Difference) -> Difference:
    return merge(parts)


def _plain(error: Any) -> QdtmError:
    """What was raised in a worker, without the way it took."""
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, QdtmError):
        return ClusterError(f"{cause} Go on from the last checkpoint with qdtm fit --resume.")
    text = " ".join(str(cause).split())
    return ClusterError(f"A worker failed with {type(cause).__name__}: {text[-300:]}")


# --- memory -------------------------------------------------------------------------------------------------
#
# Estimated before a fit starts. In: the size of a corpus and the machines. Out: bytes, or one line that says
# what is missing.

PROCESS = 250 * 2**20
"""Python with numpy and numba."""

TOKEN = 4 + 4 + 2
"""A token, its topic, and what it promotes."""

DOCUMENT, PRIOR = 8, 4
"""Where it starts, and the prior of each parent topic in it."""

COUNTS_HELD = 4
"""Copies of the counts (V, C) that a worker has in a sweep: before, after, a shard's own, and their sum."""

CELL = 4
"""Bytes of a count in memory; on its way it takes one, and four more if it is large."""

CELL_SENT = 2
"""Bytes of a count in the object store, with room for the one of the sweep before."""


@dataclass(frozen=True)
class Need:
    """What a chain needs of a cluster.

    Parameters
    ----------
    n_tokens, n_documents : int
    n_words : int
        V.
    n_columns : int
        C, the topics with some to spare.
    n_workers : int
    n_parents : int
        Q.
    """

    n_tokens: int
    n_documents: int
    n_words: int
    n_columns: int
    n_workers: int
    n_parents: int = 1

    @property
    def worker_bytes(self) -> int:
        """Of one worker."""
        document = DOCUMENT + PRIOR * self.n_parents
        shards = (TOKEN * self.n_tokens + document * self.n_documents) // self.n_workers
        return PROCESS + shards + COUNTS_HELD * CELL * self.n_words * self.n_columns

    @property
    def store_bytes(self) -> int:
        """Of the object store of each machine."""
        return CELL_SENT * self.n_words * self.n_columns


def check_memory(need: Need, nodes: Sequence[dict[str, float]]) -> None:
    """Refuse a chain that the machines cannot hold.

    Parameters
    ----------
    nodes : sequence of dict
        Of each machine, its `memory` and `object_store_memory` in bytes.
    """
    memory = sum(node.get("memory", 0) for node in nodes)
    wanted = need.n_workers * need.worker_bytes
    if wanted > memory:
        raise ClusterError(
            f"The fit needs about {_size(wanted)} on {need.n_workers} workers, and the cluster has "
            f"{_size(memory)}; add machines, use fewer workers (n_jobs), or fewer words (--max-words)."
        )
    store = min((node["object_store_memory"] for node in nodes if "object_store_memory" in node), default=0)
    if need.store_bytes > store:
        raise ClusterError(
            f"The fit needs about {_size(need.store_bytes)} for objects on each machine, and one has "
            f"{_size(store)}; start Ray with more --object-store-memory, or use fewer words (--max-words)."
        )


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:,.1f} GB"
