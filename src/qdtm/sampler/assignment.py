"""Which topic each token starts with, what that adds up to, and documents that stay as they are.

In: tokens with a topic each (or none). Out: the `Assignment`, `Counts` and `Tally` that kernels work on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.indexing import blocks_of, count_numbers
from qdtm.jit import njit
from qdtm.sampler.kernels import LANES, TALLIED, Array, Assignment, Counts, Rules, Tally
from qdtm.storage.mapped import empty_beside, full_beside, map_blocks

# --- topics of tokens ---------------------------------------------------------------------------------------

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
        topics=map_blocks(lambda block: block, topics, dtype=np.int32),
        links=full_beside(tokens, 0, np.uint16),
    )


def unassigned(tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> Assignment:
    """Give no token a topic; its first sweep draws one."""
    return assign(tokens, offsets, full_beside(tokens, -1, np.int32))


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


# --- documents at rest --------------------------------------------------------------------------------------
#
# Documents that keep their topics while a chain sweeps others: what they add to its counts and tables.
#
# In: an `Assignment` and which documents are swept. Out: those, as an assignment of their own, and
# `Resting`: what all the others add up to, which no sweep changes. So a sweep costs what the swept documents
# cost, however large the corpus is.


@dataclass(frozen=True, eq=False)
class Resting:
    """What documents that are not swept add to a chain.

    Parameters
    ----------
    whole : Assignment
        Of all documents; those that are swept have the topics of the last `join`.
    swept : ndarray of bool, shape (D,)
        Which documents are swept.
    counts : Counts
        Of the others, over as many columns as they need.
    tally : Tally
        Of the others.
    """

    whole: Assignment
    swept: NDArray[np.bool_]
    counts: Counts
    tally: Tally

    @property
    def n_columns(self) -> int:
        """How many columns the topics of all documents need."""
        return int(self.counts.n_wk.shape[1])

    def add_to(self, tally: Tally) -> None:
        """Count these documents into the tally of the others; columns that it lacks are empty here."""
        n = min(len(tally.documents_kn), self.n_columns)
        tally.documents_kn[:n] += self.tally.documents_kn[:n]
        tally.further_tables[:n] += self.tally.further_tables[:n]

    def join(self, swept: Assignment) -> Assignment:
        """All documents, those that are swept with the topics they have now."""
        start = 0
        for here in token_blocks(self.whole.offsets, self.swept):
            own = slice(start, start + len(here))
            self.whole.topics[here], self.whole.links[here] = swept.topics[own], swept.links[own]
            start = own.stop
        return self.whole


def token_blocks(offsets: NDArray[np.int64], chosen: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """Yield the places of some documents' tokens, a block of documents at a time."""
    for first, last in blocks_of(offsets):
        inside = np.repeat(chosen[first:last], np.diff(offsets[first : last + 1]))
        yield offsets[first] + np.flatnonzero(inside)


def part(assignment: Assignment, swept: NDArray[np.bool_], rules: Rules) -> tuple[Assignment, Resting]:
    """Part the documents that are swept from those that rest.

    Parameters
    ----------
    swept : ndarray of bool, shape (D,)
    """
    offsets = np.concatenate([[0], np.cumsum(np.diff(assignment.offsets)[swept])]).astype(np.int64)
    tokens, topics, links = (
        empty_beside(a, int(offsets[-1]), a.dtype)
        for a in (assignment.tokens, assignment.topics, assignment.links)
    )
    moving, start = Assignment(tokens, offsets, topics, links), 0
    for here in token_blocks(assignment.offsets, swept):
        own = slice(start, start + len(here))
        tokens[own], topics[own] = assignment.tokens[here], assignment.topics[here]
        links[own], start = assignment.links[here], own.stop
    n_words, n_parents = rules.n_related.shape
    size = count_numbers(assignment.topics)  # (K,)
    n_columns = columns_for(max(len(size), n_parents))
    counts = Counts(np.zeros((n_words, n_columns), np.float32), np.zeros((n_words, n_parents), np.int32))
    tally = empty_tally(n_columns)
    prior_k = np.zeros(n_columns)
    prior_k[: len(size)] = rules.alpha * size / max(len(assignment.topics), 1)
    further = count_documents(assignment, ~swept, counts, tally, prior_k)
    tally.further_tables[:] = np.round(further).astype(np.int64)
    return moving, Resting(assignment, swept, counts, tally)


@njit(nogil=True, cache=True)
def count_documents(
    assignment: Assignment, chosen: Array, counts: Counts, tally: Tally, prior_k: Array
) -> Any:
    """Count some documents into ``counts`` and ``tally``; return the tables beyond `TALLIED` tokens, (C,).

    Tables of documents with more tokens of a topic are not drawn but expected, a / (a + i) for the i-th with
    a = ``prior_k``: few documents are so long, and these do not change.
    """
    tokens, offsets, topics, links = assignment
    tokens_jk = np.zeros(prior_k.size, np.int64)
    further = np.zeros(prior_k.size, np.float64)
    for j in range(offsets.size - 1):
        if not chosen[j]:
            continue
        for i in range(offsets[j], offsets[j + 1]):
            k = topics[i]
            if k >= 0:
                tokens_jk[k] += 1
                counts.n_wk[tokens[i], k] += np.float32(1.0)
                if links[i] > 0:
                    counts.promoted_wq[tokens[i], k] += 1
        for i in range(offsets[j], offsets[j + 1]):
            k = topics[i]
            if k >= 0 and tokens_jk[k] > 0:
                tally.documents_kn[k, min(tokens_jk[k], TALLIED)] += 1
                for n in range(TALLIED, tokens_jk[k]):
                    further[k] += prior_k[k] / (prior_k[k] + n)
                tokens_jk[k] = 0
    return further
