"""A place in the order of all documents, none of which the driver holds.

In: scores of documents, kept by the parts. Out: where in the order, best first, so many documents, or so much
of their weight, has been passed; exactly as if all scores were sorted in one place. Of equal scores the first
in the corpus comes first.

Scores are compared as whole numbers of 64 bits (`sort_keys`). Each part counts its documents by the highest
16 bits; that says which 16 bits the place has, and so on for the next: four rounds, however many documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.distributed.parts import Part, add_up, ask
from qdtm.distributed.workers import Workers

DIGIT_BITS = 16
N_DIGITS = 4

ScoresOf = Callable[[Part, Any], tuple[NDArray[np.float64], NDArray[np.int64] | None]]
"""Gives a part's scores (D_p,) and whole weights (D_p,); None weighs each document 1."""

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Place:
    """A place in the order of all documents.

    Parameters
    ----------
    key : int
        The sort key of the document there.
    n_tied : tuple of int
        How many documents with that key come up to it, in each part.
    """

    key: int
    n_tied: tuple[int, ...]

    def up_to(self, keys: Keys, part: int) -> NDArray[np.bool_]:
        """Return which documents of a part, given by their keys, come up to this place, shape (D_p,)."""
        tied: NDArray[np.bool_] = keys == np.uint64(self.key)
        before: NDArray[np.bool_] = keys < np.uint64(self.key)
        return before | (tied & (np.cumsum(tied) <= self.n_tied[part]))


def sort_keys(scores: NDArray[np.float64]) -> Keys:
    """Return whole numbers that rise as the scores fall; equal scores have equal keys, shape (D,)."""
    bits = (-scores + 0.0).view(np.uint64)  # + 0.0: there is one zero
    sign = np.uint64(1 << 63)
    return np.where(bits & sign, ~bits, bits | sign)


def find_place(workers: Workers, scores_of: ScoresOf, asked: Any, target: int) -> Place:
    """Find where the documents, best first, reach a weight of `target`, or the last place.

    Parameters
    ----------
    workers : Workers
    scores_of : callable
        Of a module; called with a part and `asked`.
    asked : object
        Says which scores are meant.
    target : int
        At least 1, and at most the weight of all documents.
    """
    prefix, passed = 0, 0
    for digit in range(N_DIGITS):
        weights = add_up(workers, _weigh_digits, scores_of, asked, prefix, digit)  # (2**16,)
        reached = passed + np.cumsum(weights)
        at = int(np.searchsorted(reached, target))
        passed = int(reached[at] - weights[at])
        prefix = prefix << DIGIT_BITS | at
    return Place(prefix, _ties(workers, scores_of, asked, prefix, target - passed))


def count_up_to(workers: Workers, scores_of: ScoresOf, asked: Any, place: Place) -> int:
    """Count the documents up to a place."""
    return int(add_up(workers, _count_before, scores_of, asked, place.key)) + sum(place.n_tied)


def _ties(workers: Workers, scores_of: ScoresOf, asked: Any, key: int, target: int) -> tuple[int, ...]:
    """Return how many of the documents with one key are needed to reach a weight, in each part."""
    tied = ask(workers, _weigh_ties, scores_of, asked, key)  # of each part: how many, and their weight
    needed = [0] * len(tied)
    for part, (n_tied, weight) in enumerate(tied):
        if target <= weight:
            needed[part] = ask(workers, _ties_needed, scores_of, asked, key, part, target)[part]
            break
        needed[part], target = n_tied, target - weight
    return tuple(needed)


# --- on a part ---------------------------------------------------------------------------------------------


def _weigh_digits(part: Part, scores_of: ScoresOf, asked: Any, prefix: int, digit: int) -> NDArray[np.int64]:
    """Weigh the documents whose key begins with a prefix by the next 16 bits of it, shape (2**16,)."""
    scores, weights = scores_of(part, asked)
    keys = sort_keys(scores)
    rest = DIGIT_BITS * (N_DIGITS - digit)
    begins = (keys >> np.uint64(rest)) == np.uint64(prefix) if digit else np.ones(len(keys), np.bool_)
    bits = (keys[begins] >> np.uint64(rest - DIGIT_BITS)) & np.uint64((1 << DIGIT_BITS) - 1)
    total = np.zeros(1 << DIGIT_BITS, np.int64)
    np.add.at(total, bits.astype(np.int64), 1 if weights is None else weights[begins])
    return total


def _weigh_ties(part: Part, scores_of: ScoresOf, asked: Any, key: int) -> tuple[int, int]:
    """Return how many documents have a key, and what they weigh."""
    scores, weights = scores_of(part, asked)
    tied = sort_keys(scores) == np.uint64(key)
    n_tied = int(tied.sum())
    return n_tied, n_tied if weights is None else int(weights[tied].sum())


def _ties_needed(part: Part, scores_of: ScoresOf, asked: Any, key: int, where: int, target: int) -> int:
    """Return how many of the documents with a key reach a weight; 0 in other parts than `where`."""
    if part.number != where:
        return 0
    scores, weights = scores_of(part, asked)
    if weights is None:
        return target
    tied = sort_keys(scores) == np.uint64(key)
    return int(np.searchsorted(np.cumsum(weights[tied]), target)) + 1


def _count_before(part: Part, scores_of: ScoresOf, asked: Any, key: int) -> int:
    return int((sort_keys(scores_of(part, asked)[0]) < np.uint64(key)).sum())


def count_before(
    part: Part, scores: NDArray[np.float64], keys: Keys, numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the documents of a part that come before each of those asked about, shape (n,).

    Parameters
    ----------
    scores : ndarray of float64, shape (D_p,)
        Of the part's documents.
    keys, numbers : ndarray of shape (n,)
        The sort keys of the documents asked about, and their numbers in the whole corpus.
    """
    own = sort_keys(scores)
    order = np.argsort(own, kind="stable")
    place = np.empty(len(own) + 1, np.int64)  # (D_p + 1,): of each document in the part's order
    place[order], place[-1] = np.arange(len(own)), 0
    sorted_keys = own[order]
    first, last = (np.searchsorted(sorted_keys, keys, side=side) for side in ("left", "right"))
    here = numbers - part.first_document
    inside = place[np.clip(here, 0, len(own))]
    before: NDArray[np.int64] = np.where(here < 0, first, np.where(here >= len(own), last, inside))
    return before
