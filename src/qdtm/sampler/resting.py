"""Documents that keep their topics while a chain sweeps others: what they add to its counts and tables.

In: an `Assignment` and which documents are swept. Out: those, as an assignment of their own, and `Resting`:
what all the others add up to, which no sweep changes. So a sweep costs what the swept documents cost, however
large the corpus is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.compiling import njit
from qdtm.sampler.assignment import columns_for, empty_tally
from qdtm.sampler.kernels import TALLIED, Array, Assignment, Counts, Rules, Tally


@dataclass(frozen=True, eq=False)
class Resting:
    """What documents that are not swept add to a chain.

    Parameters
    ----------
    whole : Assignment
        Of all documents, as the chain begins.
    where : ndarray of int64, shape (M,)
        The tokens that are swept.
    counts : Counts
        Of the others, over as many columns as they need.
    tally : Tally
        Of the others.
    """

    whole: Assignment
    where: NDArray[np.int64]
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
        topics, links = self.whole.topics.copy(), self.whole.links.copy()
        topics[self.where], links[self.where] = swept.topics, swept.links
        return self.whole._replace(topics=topics, links=links)


def part(assignment: Assignment, swept: NDArray[np.bool_], rules: Rules) -> tuple[Assignment, Resting]:
    """Part the documents that are swept from those that rest.

    Parameters
    ----------
    swept : ndarray of bool, shape (D,)
    """
    lengths = np.diff(assignment.offsets)
    where = np.flatnonzero(np.repeat(swept, lengths))
    moving = Assignment(
        tokens=assignment.tokens[where],
        offsets=np.concatenate([[0], np.cumsum(lengths[swept])]).astype(np.int64),
        topics=assignment.topics[where],
        links=assignment.links[where],
    )
    n_words, n_parents = rules.n_related.shape
    size = np.bincount(assignment.topics + 1, minlength=1)[1:]  # (K,): -1 is none yet
    n_columns = columns_for(max(len(size), n_parents))
    counts = Counts(np.zeros((n_words, n_columns), np.float32), np.zeros((n_words, n_parents), np.int32))
    tally = empty_tally(n_columns)
    prior_k = np.zeros(n_columns)
    prior_k[: len(size)] = rules.alpha * size / max(len(assignment.topics), 1)
    further = count_documents(assignment, ~swept, counts, tally, prior_k)
    tally.further_tables[:] = np.round(further).astype(np.int64)
    return moving, Resting(assignment, where, counts, tally)


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
