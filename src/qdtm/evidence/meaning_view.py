"""Documents seen by vectors: the mean of their words' vectors, or what a sentence encoder makes of them.

In: a vector a document, then labels. Out: a score a document, by a ridge regression that never hears the
document's own label. Vectors are worked on in blocks, whose sums are added up in order: parts of a corpus
that begin where blocks do come to the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.views import BLOCK, FloatArray, IntArray, rows_with

RIDGE = 1.0
"""The penalty of the regression on document vectors, which have length 1."""

ENCODED_RIDGE = 100.0
"""The same for a sentence encoder, whose vectors have four times as many numbers: of 1, 10, 100, 300 and
1,000 the best on seven corpora, and with each of them left out in turn."""


class MeaningView:
    """Ridge regression of the labels on document vectors, leave one out in closed form.

    Parameters
    ----------
    rows : ndarray of float32, shape (D, 1 + d)
        A vector of length 1 for each document, after a 1; the view keeps it, and changes it.
    without : callable, optional
        From words to the documents that have any of them and their vectors without; by default words cannot
        be hidden.
    ridge : float
        Documents' worth of doubt in each direction.
    """

    def __init__(self, rows: NDArray[np.float32], without: Any = None, ridge: float = RIDGE) -> None:
        common = common_part(block_sums(rows), len(rows))
        self._take(rows, common, without, ridge)
        self.settle(regression(self.grams(), ridge))

    @classmethod
    def of_some(cls, rows: NDArray[np.float32], common: FloatArray, without: Any) -> MeaningView:
        """Make the view of some of all documents, whose rows have something in common; `settle` it then."""
        view = object.__new__(cls)
        view._take(rows, common, without, RIDGE)
        return view

    def _take(self, rows: NDArray[np.float32], common: FloatArray, without: Any, ridge: float) -> None:
        from qdtm.evidence.kernels import centre  # slow to load

        centre(rows, common)
        self._features, self._common, self._without, self._ridge = _Features(rows), common, without, ridge

    @classmethod
    def of_vectors(cls, vectors: NDArray[Any]) -> MeaningView:
        """Make the view of documents with the vectors of a sentence encoder, as they come, (D, d)."""
        return cls(_with_ones(unit_rows(vectors)), ridge=ENCODED_RIDGE)

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, each without its own label."""
        return self.score(labels, self._inverse @ sum_up(self.totals(labels)))

    def totals(self, labels: FloatArray) -> list[NDArray[np.float32]]:
        """The sum of the rows of each block, each row by its label, (d,) each."""
        return list(self._features.totals(labels))

    def grams(self) -> list[NDArray[np.float32]]:
        """The sum of the products of each row of a block with itself, (d, d) each."""
        return list(self._features.grams())

    @property
    def is_settled(self) -> bool:
        """Whether it knows the regression of all documents."""
        return hasattr(self, "_leverage")

    def settle(self, inverse: FloatArray) -> None:
        """Take over the regression of all documents, from `regression`."""
        self._inverse = inverse
        self._leverage = self._features.squares(inverse)

    def score(self, labels: FloatArray, weights: FloatArray) -> FloatArray:
        """Score these documents, given the weights that the labels of all lead to, (d,)."""
        fitted = self._features.weigh(weights)
        return np.asarray((fitted - self._leverage * labels) / np.maximum(1.0 - self._leverage, 1e-6))

    def hidden(self, words: Sequence[int]) -> MeaningView:
        """Return the same view of documents without some words."""
        if self._without is None:
            return self
        found = self.without(words)
        found.settle(regression(found.grams(), found._ridge))
        return found

    def without(self, words: Sequence[int]) -> MeaningView:
        """Return the same view of documents without some words; `settle` it then."""
        rows, vectors = self._without(words)
        return self._with(self._features.changed(rows, self._as_features(vectors)), self._without)

    def changed(self, rows: IntArray, vectors: NDArray[Any]) -> MeaningView:
        """Return the same view with other vectors of some documents; rows rise."""
        found = self._with(self._features.changed(rows, self._as_features(vectors)), None)
        found.settle(regression(found.grams(), found._ridge))
        return found

    def of(self, rows: IntArray) -> MeaningView:
        """Return the same view of some documents, in which words can no longer be hidden."""
        return self.of_features(self._features.rows(rows), self._common, self._ridge)

    @classmethod
    def of_features(cls, rows: NDArray[np.float32], common: FloatArray, ridge: float = RIDGE) -> MeaningView:
        """Make the view of documents with these rows, (n, 1 + d), from which what is common is taken off."""
        found = object.__new__(cls)
        found._features, found._common, found._without, found._ridge = _Features(rows), common, None, ridge
        found.settle(regression(found.grams(), ridge))
        return found

    def rows(self, rows: IntArray) -> NDArray[np.float32]:
        """Return the rows of some documents, (n, 1 + d)."""
        return self._features.rows(rows)

    def features(self, rows: IntArray) -> FloatArray:
        """Return the vectors of some documents without what all have in common, (n, d)."""
        return self._features.rows(rows)[:, 1:].astype(np.float64)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors of all documents without what all have in common, of length 1, (D, d)."""
        return self._features.all_rows[:, 1:]

    def near(self, vector: NDArray[Any]) -> FloatArray:
        """How near each document is to a vector of the same kind, (D,)."""
        weights = self._as_features(vector[None])[0].astype(np.float64)
        weights[0] = 0.0
        return self._features.weigh(weights)

    def _with(self, features: _Features, without: Any) -> MeaningView:
        other = object.__new__(MeaningView)
        other._features, other._common, other._without = features, self._common, without
        other._ridge = self._ridge
        return other

    def _as_features(self, vectors: NDArray[Any]) -> NDArray[np.float32]:
        """Take off what all documents have in common, give each the length 1, and put a 1 before."""
        return _with_ones(unit_rows(unit_rows(vectors) - self._common))


class _Features:
    """Vectors of documents, (D, d), worked on in blocks: there may be a million.

    Sums within a block are single precision, those of blocks double.

    Parameters
    ----------
    rows : ndarray of float32, shape (D, d)
    at, instead : ndarray, optional
        Some rows, (n,), rising, and what stands there instead, (n, d).
    """

    def __init__(
        self, rows: NDArray[np.float32], at: IntArray | None = None, instead: NDArray[Any] | None = None
    ) -> None:
        self._rows = rows
        self._at = np.zeros(0, np.int64) if at is None else at
        self._instead = np.zeros((0, rows.shape[1]), np.float32) if instead is None else instead

    def changed(self, at: IntArray, instead: NDArray[np.float32]) -> _Features:
        """Return the same with some rows changed, the others being shared."""
        return _Features(self._rows, at, instead)

    @property
    def all_rows(self) -> NDArray[np.float32]:
        """All rows; they are shared if none is changed."""
        return self._rows if not len(self._at) else self.rows(np.arange(len(self._rows)))

    def rows(self, rows: IntArray) -> NDArray[np.float32]:
        """Return some of the rows, (n, d)."""
        found = self._rows[rows]
        changed = np.flatnonzero(np.isin(rows, self._at))
        found[changed] = self._instead[np.searchsorted(self._at, rows[changed])]
        return found

    def weigh(self, weights: FloatArray) -> FloatArray:
        """The product with weights (d,) of each row, (D,)."""
        single, found = weights.astype(np.float32), np.zeros(len(self._rows))
        for place, block in self._blocks():
            found[place] = block @ single
        return found

    def totals(self, labels: FloatArray) -> Iterator[NDArray[np.float32]]:
        """Yield the sum of the rows of each block, each row by its label, (d,)."""
        single = labels.astype(np.float32)
        for place, block in self._blocks():
            yield single[place] @ block

    def grams(self) -> Iterator[NDArray[np.float32]]:
        """Yield the sum of the products of each row of a block with itself, (d, d)."""
        for _, block in self._blocks():
            yield block.T @ block

    def squares(self, matrix: FloatArray) -> FloatArray:
        """Each row times a matrix times itself, (D,)."""
        single, found = matrix.astype(np.float32), np.zeros(len(self._rows))
        for place, block in self._blocks():
            found[place] = np.einsum("ij,ij->i", block @ single, block)
        return found

    def _blocks(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        for first in range(0, len(self._rows), BLOCK):
            place = slice(first, min(first + BLOCK, len(self._rows)))
            inside = slice(*np.searchsorted(self._at, (place.start, place.stop)).tolist())
            block = self._rows[place]
            if inside.stop > inside.start:
                block = block.copy()
                block[self._at[inside] - first] = self._instead[inside]
            yield place, block


def block_sums(rows: NDArray[np.float32]) -> list[FloatArray]:
    """The sum of the rows of each block, (d,) each."""
    return [rows[first : first + BLOCK].sum(axis=0, dtype=np.float64) for first in range(0, len(rows), BLOCK)]


def common_part(sums: Sequence[FloatArray], n_rows: int) -> FloatArray:
    """What so many rows have in common but for their first number, from `block_sums`, (d - 1,)."""
    return np.asarray(sum_up(sums)[1:] / max(n_rows, 1))


def sum_up(blocks: Sequence[NDArray[Any]]) -> FloatArray:
    """Add up what was found of each block, in their order, in double precision."""
    total = np.zeros(blocks[0].shape) if blocks else np.zeros(0)
    for block in blocks:
        total += block
    return total


def regression(grams: Sequence[NDArray[np.float32]], ridge: float) -> FloatArray:
    """The inverse by which a ridge regression finds its weights, (d, d), from the products of all blocks."""
    gram = sum_up(grams)
    gram[np.diag_indices(len(gram))] += ridge
    return np.asarray(np.linalg.inv(gram), np.float64)


def _with_ones(rows: FloatArray) -> NDArray[np.float32]:
    """Put a 1 before each row."""
    return np.column_stack([np.ones(len(rows)), rows]).astype(np.float32)


def unit_rows(vectors: NDArray[Any]) -> FloatArray:
    """Give each row the length 1; a row of zeros stays."""
    rows = np.asarray(vectors, np.float64)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def word_vector_view(weighted: Any, vectors: NDArray[np.float32]) -> MeaningView:
    """See documents by the mean vector of their words, rare words counting more.

    Parameters
    ----------
    weighted : CSR matrix of shape (D, V)
        From `tfidf`.
    vectors : ndarray of shape (V, d)
        Of length 1; 0 for a word without one.
    """
    return MeaningView(mean_vector_rows(weighted, vectors), vectors_without(weighted, vectors))


def mean_vector_rows(weighted: Any, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The direction of each document's mean vector, after a 1, (D, 1 + d)."""
    from qdtm.evidence.kernels import mean_vectors  # slow to load

    rows = np.ones((weighted.shape[0], 1 + vectors.shape[1]), np.float32)
    mean_vectors(weighted.indptr, weighted.indices, weighted.data, vectors, rows)
    return rows


def vectors_without(weighted: Any, vectors: NDArray[np.float32]) -> Any:
    """Return the function from words to the documents that have any, and their vectors without them."""

    def without(words: Sequence[int]) -> tuple[IntArray, FloatArray]:
        rows = rows_with(weighted, words)
        others = vectors.astype(np.float64)
        others[list(words)] = 0.0
        return rows, np.asarray(weighted[rows] @ others)

    return without
