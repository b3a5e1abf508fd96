"""Which topic each token starts with, and what that adds up to.

In: tokens with a topic each (or none). Out: the `Assignment`, `Counts` and `Tally` that kernels work on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.kernels import LANES, TALLIED, Assignment, Counts, Tally

SPARE_COLUMNS = LANES // 2
"""Columns kept empty above the topics in use, for topics to be born into."""


def assign(tokens: NDArray[np.int32], offsets: NDArray[np.int64], topics: NDArray[np.int32]) -> Assignment:
    """Give each token a topic to start with; nothing is promoted yet.

    Parameters
    ----------
    tokens, topics : ndarray of shape (N,)
    offsets : ndarray of shape (D + 1,)
    """
    return Assignment(
        tokens=np.ascontiguousarray(tokens, np.int32),
        offsets=np.ascontiguousarray(offsets, np.int64),
        topics=np.array(topics, np.int32),
        links=np.zeros(len(tokens), np.uint16),
    )


def unassigned(tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> Assignment:
    """Give no token a topic; its first sweep draws one."""
    return assign(tokens, offsets, np.full(len(tokens), -1, np.int32))


def recount(assignment: Assignment, n_words: int, n_parents: int, n_columns: int) -> Counts:
    """Count everything from the assignment alone; after any sweep it must equal the running counts."""
    assigned = assignment.topics >= 0
    words, topics = assignment.tokens[assigned].astype(np.int64), assignment.topics[assigned]
    n_wk = np.bincount(words * n_columns + topics, minlength=n_words * n_columns)
    promoted = assignment.links[assigned] > 0
    cell = words[promoted] * n_parents + topics[promoted]
    promoted_wq = np.bincount(cell, minlength=n_words * n_parents)
    return Counts(
        n_wk=n_wk.reshape(n_words, n_columns).astype(np.float32),
        promoted_wq=promoted_wq.reshape(n_words, n_parents).astype(np.int32),
    )


def documents_with(assignment: Assignment, n_columns: int) -> NDArray[np.int64]:
    """Count the documents that have any token of each topic, (C,): the fewest tables there can be."""
    document = np.repeat(np.arange(len(assignment.offsets) - 1), np.diff(assignment.offsets))  # (N,)
    assigned = assignment.topics >= 0
    pairs = np.unique(document[assigned] * n_columns + assignment.topics[assigned])
    return np.bincount(pairs % n_columns, minlength=n_columns).astype(np.int64)


def empty_tally(n_columns: int) -> Tally:
    """Make a tally in which no document has been counted."""
    return Tally(np.zeros((n_columns, TALLIED + 1), np.int64), np.zeros(n_columns, np.int64))


def columns_for(n_topics: int) -> int:
    """How many columns to sweep over when topics in use lie below ``n_topics``."""
    return -(-(n_topics + SPARE_COLUMNS) // LANES) * LANES


def widen(counts: Counts, n_columns: int) -> Counts:
    """Give the counts more columns, all empty."""
    return Counts(pad_columns(counts.n_wk, n_columns), counts.promoted_wq)


def pad_columns(array: Any, n_columns: int) -> Any:
    """Pad the last axis with zeros."""
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, n_columns - array.shape[-1])])
