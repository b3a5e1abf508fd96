"""How near topics are to one another, and which subtopics of two splits are the same.

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

# --- distances and places -----------------------------------------------------------------------------------
#
# How topics lie to one another: word distributions in, overlaps, distances and places on a plane out.


def topic_overlaps(probabilities: NDArray[np.floating]) -> FloatArray:
    """Return how much each pair of topics has in common: the sum of sqrt(p(w|a) p(w|b)) over all words.

    It is 1 for equal topics and 0 for topics without a word in common (Bhattacharyya's coefficient).

    Parameters
    ----------
    probabilities : ndarray of shape (T, V)
        Rows sum to 1.

    Returns
    -------
    ndarray of float64, shape (T, T)
        Symmetric; 1 on the diagonal.
    """
    roots = np.sqrt(probabilities.astype(np.float64))  # (T, V)
    overlaps: FloatArray = np.clip(roots @ roots.T, 0.0, 1.0)
    overlaps = (overlaps + overlaps.T) / 2
    np.fill_diagonal(overlaps, 1.0)
    return overlaps


def topic_distances(probabilities: NDArray[np.floating]) -> FloatArray:
    """Return the Hellinger distance of each pair of topics, 0 to 1; shape (T, T)."""
    distances: FloatArray = np.sqrt(1.0 - topic_overlaps(probabilities))
    return distances


def scale_to_plane(distances: FloatArray) -> FloatArray:
    """Place points on a plane so that their distances are as near to the given ones as a projection can be.

    Classical multidimensional scaling. The same distances give the same places: the direction of an axis is
    chosen so that its largest coordinate is positive.

    Parameters
    ----------
    distances : ndarray of shape (T, T)

    Returns
    -------
    ndarray of float64, shape (T, 2)
        Centred at 0.
    """
    n = len(distances)
    if n < 2:
        return np.zeros((n, 2))
    centring = np.eye(n) - 1.0 / n
    gram = -0.5 * centring @ (distances**2) @ centring  # (T, T)
    values, vectors = np.linalg.eigh(gram)
    places = np.zeros((n, 2))
    for axis in range(min(2, n - 1)):
        value, vector = max(values[-1 - axis], 0.0), vectors[:, -1 - axis]
        largest = np.argmax(np.round(np.abs(vector), 9))
        places[:, axis] = np.sqrt(value) * vector * (1.0 if vector[largest] >= 0 else -1.0)
    return np.where(np.abs(places) < 1e-9, 0.0, places)


def spread(places: FloatArray, halves: FloatArray, n_rounds: int = 300) -> FloatArray:
    """Push boxes apart until none covers another, each time along the axis on which they overlap less.

    Parameters
    ----------
    places : ndarray of shape (T, 2)
        Their middles.
    halves : ndarray of shape (T, 2)
        Half of their width and of their height, in the same unit.
    n_rounds : int
        At most.

    Returns
    -------
    ndarray of float64, shape (T, 2)
        The middles, moved as little as need be.
    """
    places = places.astype(np.float64)
    for _ in range(n_rounds):
        moved = False
        for a in range(len(places)):
            for b in range(a + 1, len(places)):
                apart = places[b] - places[a]
                overlap = halves[a] + halves[b] - np.abs(apart)  # (2,)
                if overlap.min() <= 1e-6:
                    continue
                axis = int(overlap.argmin())
                step = overlap[axis] / 2 + 1e-6
                way = 1.0 if apart[axis] >= 0 else -1.0
                places[a, axis] -= way * step
                places[b, axis] += way * step
                moved = True
        if not moved:
            break
    return places


# --- the same subtopic twice --------------------------------------------------------------------------------

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
