"""Which query claims which document, decided without looking at the documents in one place.

In: the reach of each query. Out: a note with each part: the query that claims each of its documents, as
`qdtm.sampler.starts.claimed_documents` decides. Only documents that several queries want are ranked: their
keys go to all parts, which count how many of their own come before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.distributed.parts import Part, add_up, ask
from qdtm.distributed.searching import ReachInParts, document_scores, within_reach
from qdtm.distributed.selection import count_before, sort_keys
from qdtm.distributed.workers import Workers

CLAIMS = "claims"
"""Under which a part keeps the query that claims each document, -1 for none, (D_p,)."""

IntArray = NDArray[np.int64]


def claim_documents(workers: Workers, reaches: Sequence[ReachInParts]) -> None:
    """Note with each part which query claims which of its documents."""
    wanted = tuple(reaches)
    found = ask(workers, _contested, wanted)
    numbers = np.concatenate([number for number, _ in found])  # (n,)
    keys = np.concatenate([key for _, key in found])  # (n, Q)
    strength, winner = np.zeros(len(numbers)), np.full(len(numbers), -1, np.int64)
    for q, reach in enumerate(wanted):
        rank = _rank(workers, reach, keys[:, q], numbers)
        claim = np.where(rank < reach.n_documents, 1.0 - rank / max(reach.n_documents, 1), 0.0)
        wins = claim > strength
        winner[wins], strength[wins] = q, claim[wins]
    ask(workers, _note_claims, wanted, numbers, winner)


def _rank(workers: Workers, reach: ReachInParts, keys: NDArray[np.uint64], numbers: IntArray) -> IntArray:
    """Return the place of documents in the order of a reach, shape (n,)."""
    if not len(numbers):
        return np.zeros(0, np.int64)
    rank: IntArray = add_up(workers, _count_before, reach, keys, numbers)
    return rank


# --- on a part ---------------------------------------------------------------------------------------------


def _contested(part: Part, reaches: Sequence[ReachInParts]) -> tuple[IntArray, NDArray[np.uint64]]:
    """Return the numbers of the documents that several queries want, (n,), and their sort keys, (n, Q)."""
    within = np.stack([within_reach(part, reach) for reach in reaches])  # (Q, D_p)
    contested = np.flatnonzero(within.sum(axis=0) > 1)
    keys = [sort_keys(document_scores(part, reach.query)[contested]) for reach in reaches]
    return contested + part.first_document, np.stack(keys, axis=1)


def _count_before(part: Part, reach: ReachInParts, keys: NDArray[np.uint64], numbers: IntArray) -> IntArray:
    return count_before(part, document_scores(part, reach.query), keys, numbers)


def _note_claims(part: Part, reaches: Sequence[ReachInParts], numbers: IntArray, winner: IntArray) -> None:
    claims = np.full(part.n_documents, -1, np.int64)
    for q, reach in enumerate(reaches):
        claims[within_reach(part, reach)] = q
    here = slice(*np.searchsorted(numbers, [part.first_document, part.first_document + part.n_documents]))
    claims[numbers[here] - part.first_document] = winner[here]
    part.notes[CLAIMS] = claims
