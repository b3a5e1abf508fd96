"""How much memory a fit takes on a cluster, estimated before it starts.

In: the size of a corpus and the machines. Out: bytes, or one line that says what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdtm.errors import ClusterError

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
