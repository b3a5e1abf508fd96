"""Arrays of a fit that hold nearly always the same in, what they hold besides out, and back.

Only tokens of the queries' topics have a subtopic or promote (`ModelFit` sees to it), and few documents name
a query. What comes from a file is checked: whatever does not fit raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qdtm.storage.folders import ArraySpec
from qdtm.storage.mapped import empty_beside, full_beside, places_where

if TYPE_CHECKING:
    from qdtm.results.fit import ModelFit

TOPIC_TYPES = ("uint8", "uint16", "uint32")
SUBTOPIC_TYPES = ("int8", "int16", "int32")

Arrays = Mapping[str, NDArray[Any]]


def topic_type(n_topics: int) -> str:
    """Return the smallest type that holds the topics of all tokens."""
    return str(np.min_scalar_type(max(0, n_topics - 1)))


def subtopic_type(n_subtopics: int) -> str:
    """Return the smallest type that holds the subtopics of tokens, and -1 for none."""
    return str(np.min_scalar_type(-max(1, n_subtopics)))


def packed_specs(n_queries: int, topic_type: str, subtopic_type: str) -> dict[str, ArraySpec]:
    """Name the arrays of `pack_tokens` and `pack_strength`, with their types."""
    rows, values = ArraySpec("int32", 1), ArraySpec("float32", 1)
    return {
        "token_topics": ArraySpec(topic_type, 1),
        "token_subtopics": ArraySpec(subtopic_type, 1),
        "token_promoted": ArraySpec("uint8", 1),
        **{f"strength.{q}.rows": rows for q in range(n_queries)},
        **{f"strength.{q}.values": values for q in range(n_queries)},
    }


def pack_tokens(fit: ModelFit) -> dict[str, NDArray[Any]]:
    """Return the topics of all tokens, (N,), and the rest of those in the queries' topics only, (n,)."""
    in_queries = places_where(lambda topics: topics < fit.n_queries, fit.token_topics)
    return {
        "token_topics": fit.token_topics,
        "token_subtopics": fit.token_subtopics[in_queries],
        "token_promoted": fit.token_promoted[in_queries],
    }


def unpack_tokens(arrays: Arrays, n_queries: int, tokens: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """Return what `pack_tokens` packed, each (N,), where the tokens of the corpus are."""
    packed = arrays["token_topics"]
    topics = empty_beside(tokens, len(packed), np.int32)
    topics[:] = packed
    in_queries = places_where(lambda block: block < n_queries, packed)
    subtopics, promoted = full_beside(topics, -1, np.int32), full_beside(topics, 0, np.uint8)
    for name, array in (("token_subtopics", subtopics), ("token_promoted", promoted)):
        if len(arrays[name]) != len(in_queries):
            raise ValueError(f"{name} of {len(arrays[name]):,} tokens, not of {len(in_queries):,}")
        array[in_queries] = arrays[name]
    return {"token_topics": topics, "token_subtopics": subtopics, "token_promoted": promoted}


def pack_strength(strength: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Return which documents name each query, rising, and how much."""
    packed: dict[str, NDArray[Any]] = {}
    for q, column in enumerate(strength.T):
        rows = np.flatnonzero(column)
        packed |= {f"strength.{q}.rows": rows, f"strength.{q}.values": column[rows]}
    return packed


def unpack_strength(arrays: Arrays, n_documents: int, n_queries: int) -> NDArray[np.float32]:
    """Return what `pack_strength` packed, (D, Q)."""
    strength = np.zeros((n_documents, n_queries), np.float32)
    for q in range(n_queries):
        rows, values = arrays[f"strength.{q}.rows"], arrays[f"strength.{q}.values"]
        if len(rows) != len(values):
            raise ValueError(f"{len(rows):,} documents name query {q}, by {len(values):,} values")
        if len(rows) and not (rows[0] >= 0 and rows[-1] < n_documents and (np.diff(rows) > 0).all()):
            raise ValueError(f"the documents that name query {q} do not exist, or are out of order")
        strength[rows, q] = values
    return strength
