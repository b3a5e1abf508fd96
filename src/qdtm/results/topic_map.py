"""How topics lie to one another: word distributions in, overlaps, distances and places on a plane out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray


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
