"""Which subtopics of two splits are the same: their words in, likeness and pairs out.

The splits may be of two chains (`results.stability`) or of two ways of asking (`results.comparison`).
Parts of one topic share many words whatever they are about, and even an arbitrary split gives parts with
nearly the words of the whole. So two subtopics are alike as far as they are nearer to each other than each is
to its own topic as a whole: an arbitrary split scores about 0, the same subtopic 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray

FOUND = 0.3
"""Likeness from which two subtopics count as the same; docs/evidence.md says how it was chosen."""

SAME_WORDS = 0.1
"""Distance to the whole topic below which a subtopic is the whole topic, as far as anybody can tell."""


@dataclass(frozen=True)
class Match:
    """Subtopic `left` of one split and `right` of the other, counted from 0, and how alike they are."""

    left: int
    right: int
    likeness: float


class Parts:
    """A topic cut into subtopics.

    Parameters
    ----------
    counts : ndarray of shape (V, S)
        Tokens of each word in each subtopic.
    """

    def __init__(self, counts: NDArray[np.floating[Any]]) -> None:
        self.counts = counts.astype(np.float64)
        self.n = int(counts.shape[1])
        self.sizes: FloatArray = self.counts.sum(axis=0)  # (S,)
        self._whole = self.counts.sum(axis=1, keepdims=True)  # (V, 1)

    def distances(self, other: Parts) -> FloatArray:
        """Return the total variation distance of each subtopic's words to each of another split's, (S, R)."""
        return _distances(_shares(self.counts), _shares(other.counts))

    def likeness(self, other: Parts) -> FloatArray:
        """Return how alike each subtopic is to each of another split over the same words, 0 to 1, (S, R).

        1 - d(a, b) / s, where d is the total variation distance of their words (half the sum of absolute
        differences) and s is the mean of d(a, its whole split) and d(b, its whole split), or `SAME_WORDS` if
        that is larger.
        """
        return self._likeness(self.counts, other, other.counts)

    def likeness_of(self, other: Parts, own: Sequence[int], others: Sequence[int]) -> float:
        """Return how alike some subtopics together are to some of another split together."""
        sums = [split.counts[:, list(which)].sum(axis=1, keepdims=True)  # (V, 1)
                for split, which in ((self, own), (other, others))]  # fmt: skip
        return float(self._likeness(sums[0], other, sums[1])[0, 0])

    def _likeness(self, own: FloatArray, other: Parts, others: FloatArray) -> FloatArray:
        a, b = _shares(own), _shares(others)
        to_own, to_other = _distances(a, _shares(self._whole)), _distances(b, _shares(other._whole))  # (S, 1)
        scale = np.maximum((to_own + to_other.T) / 2, SAME_WORDS)  # (S, R)
        return np.clip(1.0 - _distances(a, b) / scale, 0.0, 1.0)


def match(alike: FloatArray, least: float = 0.0) -> tuple[Match, ...]:
    """Pair subtopics one to one so that the sum of likeness is largest, in the order of the left ones.

    Parameters
    ----------
    alike : ndarray of shape (S, R)
        From `Parts.likeness`.
    least : float
        Pairs that are less alike than this, or not at all, are left out.
    """
    from scipy.optimize import linear_sum_assignment  # takes long to load, and readers do not need it

    rows, columns = linear_sum_assignment(alike, maximize=True)
    pairs = [Match(int(s), int(r), float(alike[s, r])) for s, r in zip(rows, columns, strict=True)]
    return tuple(pair for pair in pairs if pair.likeness > 0 and pair.likeness >= least)


def _shares(counts: FloatArray) -> FloatArray:
    """Return p(w|s), (V, S)."""
    shares: FloatArray = counts / np.maximum(counts.sum(axis=0), 1e-300)
    return shares


def _distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return half the sum of absolute differences of all columns of two arrays, (S, R)."""
    seen = a.any(axis=1) | b.any(axis=1)
    a, b = a[seen], b[seen]
    distances = np.zeros((a.shape[1], b.shape[1]))
    for s in range(a.shape[1]):
        distances[s] = 0.5 * np.abs(a[:, [s]] - b).sum(axis=0)
    return distances
