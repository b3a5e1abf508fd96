"""What the nearest documents are about: vectors and labels in, a score a document out.

A line through all documents (`MeaningView`) cannot follow a subject that has several places; neighbours do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.cancellation import check_cancelled
from qdtm.evidence.views import FloatArray

N_NEIGHBOURS = 30
"""Documents that are asked of each; taken over from the model before."""

MOST_COMPARED = 10_000
"""Neighbours are looked for among so many documents, chosen by their hashes: no square of a large corpus."""

_ROWS_AT_ONCE = 1_000


class NeighbourView:
    """The labels of the documents nearest to each, nearer ones counting more; never its own.

    Parameters
    ----------
    vectors : ndarray of float32, shape (D, e)
        Of length 1.
    hashes : ndarray of uint64, shape (D,)
        Of the documents' content.
    """

    def __init__(self, vectors: NDArray[np.float32], hashes: NDArray[np.uint64]) -> None:
        compared = np.sort(np.argsort(hashes, kind="stable")[:MOST_COMPARED])
        k = max(min(N_NEIGHBOURS, len(compared) - 1), 0)
        self._nearest = np.zeros((len(vectors), k), np.int64)
        self._weights = np.zeros((len(vectors), k))
        others = np.ascontiguousarray(vectors[compared].T)  # (e, n)
        for first in range(0, len(vectors) if k else 0, _ROWS_AT_ONCE):
            check_cancelled()
            rows = np.arange(first, min(first + _ROWS_AT_ONCE, len(vectors)))
            cosine = vectors[rows] @ others
            cosine[rows[:, None] == compared] = -np.inf  # not itself
            nearest = np.argpartition(-cosine, k - 1, axis=1)[:, :k]
            self._nearest[rows] = compared[nearest]
            self._weights[rows] = np.maximum(np.take_along_axis(cosine, nearest, axis=1), 0.0)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-12)

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, (D,)."""
        return np.asarray((self._weights * labels[self._nearest]).sum(axis=1))
