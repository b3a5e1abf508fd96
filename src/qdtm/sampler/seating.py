"""Where everybody sits before the first sweep, and what that adds up to.

In: tokens with a topic each (or none). Out: the `Seating` and the `Counts` that kernels work on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.kernels import LANES, Counts, Seating

SPARE_COLUMNS = LANES // 2
"""Columns kept empty above the topics in use, for topics to be born into."""


def seat_by_topic(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], topics: NDArray[np.int32]
) -> Seating:
    """Seat each document's tokens of one topic together, at one table.

    Parameters
    ----------
    tokens, topics : ndarray of shape (N,)
    offsets : ndarray of shape (D + 1,)
    """
    n_documents = len(offsets) - 1
    document = np.repeat(np.arange(n_documents), np.diff(offsets))  # (N,)
    n_topics = int(topics.max(initial=0)) + 1
    keys, table, size = np.unique(
        document * n_topics + topics, return_inverse=True, return_counts=True
    )  # a table for each (document, topic) pair
    owner = keys // n_topics
    slot = np.arange(len(keys)) - np.searchsorted(owner, owner)
    seating = unseated(tokens, offsets)
    seating.table_of[:] = slot[table]
    seating.table_topic[offsets[owner] + slot] = keys % n_topics
    seating.table_size[offsets[owner] + slot] = size
    seating.n_slots[:] = np.bincount(owner, minlength=n_documents)
    return seating


def seat_apart(tokens: NDArray[np.int32], offsets: NDArray[np.int64], topics: NDArray[np.int32]) -> Seating:
    """Seat every token at a table of its own, as the paper starts (Initialize in Appendix C)."""
    seating = unseated(tokens, offsets)
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    seating.table_of[:] = np.arange(len(tokens)) - offsets[document]
    seating.table_topic[:] = topics
    seating.table_size[:] = 1
    seating.n_slots[:] = np.diff(offsets)
    return seating


def unseated(tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> Seating:
    """Leave every token standing; its first sweep seats it."""
    n_tokens = len(tokens)
    return Seating(
        tokens=np.ascontiguousarray(tokens, np.int32),
        offsets=np.ascontiguousarray(offsets, np.int64),
        table_of=np.full(n_tokens, -1, np.int32),
        promoted=np.zeros(n_tokens, np.uint8),
        table_topic=np.full(n_tokens, -1, np.int32),
        table_size=np.zeros(n_tokens, np.int32),
        table_links=np.zeros(n_tokens, np.int32),
        n_slots=np.zeros(len(offsets) - 1, np.int32),
    )


def topic_of_tokens(seating: Seating) -> NDArray[np.int32]:
    """Look up the topic of every token, (N,); -1 for a token that stands."""
    start = np.repeat(seating.offsets[:-1], np.diff(seating.offsets))  # (N,)
    topics: NDArray[np.int32] = seating.table_topic[start + np.maximum(seating.table_of, 0)]
    return np.where(seating.table_of >= 0, topics, np.int32(-1))


def recount(seating: Seating, n_words: int, n_parents: int, n_columns: int) -> Counts:
    """Count everything from the seating alone; after any sweep it must equal the running counts."""
    topics = topic_of_tokens(seating)
    seated = topics >= 0
    words, topics = seating.tokens[seated].astype(np.int64), topics[seated]
    n_wk = np.bincount(words * n_columns + topics, minlength=n_words * n_columns)
    promoted = seating.promoted[seated].astype(bool)
    cell = words[promoted] * n_parents + topics[promoted]
    promoted_wq = np.bincount(cell, minlength=n_words * n_parents)
    return Counts(
        n_wk=n_wk.reshape(n_words, n_columns).astype(np.float32),
        m_k=np.bincount(seating.table_topic[seating.table_size > 0], minlength=n_columns),
        promoted_wq=promoted_wq.reshape(n_words, n_parents).astype(np.int32),
    )


def columns_for(n_topics: int) -> int:
    """How many columns to sweep over when topics in use lie below ``n_topics``."""
    return -(-(n_topics + SPARE_COLUMNS) // LANES) * LANES


def widen(counts: Counts, n_columns: int) -> Counts:
    """Give the counts more columns, all empty."""

    def wider(array: Any) -> Any:
        return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, n_columns - array.shape[-1])])

    return Counts(wider(counts.n_wk), wider(counts.m_k), counts.promoted_wq)
