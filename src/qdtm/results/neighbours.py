"""Documents like one: a corpus and a row in, the nearest documents by their words out.

Nearness is the cosine of tf-idf (Salton and Buckley 1988): log frequency times rarity. The query has no part
in it, so that one document leads to others that no query found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.errors import ParameterError
from qdtm.evidence.views import tfidf

_SHARED_WORDS = 5
_MOST = 1_000


@dataclass(frozen=True)
class SimilarDocument:
    """A document that is like another.

    Attributes
    ----------
    index : int
        Its row in the corpus, from 0.
    id, title : str
    similarity : float
        The cosine of the two documents' words by tf-idf, 0 to 1.
    words : tuple of str
        Which both have, those that count most first.
    """

    index: int
    id: str
    title: str
    similarity: float
    words: tuple[str, ...]


class Neighbours:
    """Finds the documents of a corpus that are like one of them.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        weighted = tfidf(corpus.document_term_matrix)
        weighted.data = _unit(weighted)
        self._weights = weighted  # (D, V), rows of length 1

    def of(self, row: int, n: int = 10) -> tuple[SimilarDocument, ...]:
        """Return the documents most like one, the most similar first; without its copies, near ones too."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= _MOST:
            raise ParameterError(
                f"The number of documents is {n!r}; give a whole number from 1 to {_MOST:,}."
            )
        own = np.zeros(self._weights.shape[1], np.float32)  # (V,)
        words = _part(self._weights, row)
        own[self._weights.indices[words]] = self._weights.data[words]
        rows = self._nearest(np.asarray(self._weights @ own), row, n)
        return tuple(self._found(rows, own))

    def _nearest(self, similarity: NDArray[np.float32], row: int, n: int) -> list[tuple[int, float]]:
        first = self._corpus.first_copy
        others = np.flatnonzero((similarity > 0) & (first != first[row]))
        order = np.lexsort((others, -np.round(similarity[others], 6)))
        found: dict[int, tuple[int, float]] = {}  # one of several copies
        for j in others[order]:
            found.setdefault(int(first[j]), (int(j), min(1.0, float(similarity[j]))))
            if len(found) == n:
                break
        return list(found.values())

    def _found(self, rows: Sequence[tuple[int, float]], own: NDArray[np.float32]) -> list[SimilarDocument]:
        documents = self._corpus.documents.select(j for j, _ in rows)
        return [
            SimilarDocument(j, document.id, document.title, similarity, self._shared(j, own))
            for (j, similarity), document in zip(rows, documents, strict=True)
        ]

    def _shared(self, row: int, own: NDArray[np.float32]) -> tuple[str, ...]:
        words = _part(self._weights, row)
        indices = self._weights.indices[words]
        products = self._weights.data[words] * own[indices]
        best = np.lexsort((indices, -products))[:_SHARED_WORDS]
        return tuple(self._corpus.vocabulary[int(indices[i])] for i in best if products[i] > 0)


def _part(matrix: Any, row: int) -> slice:
    """Return where the entries of a row are."""
    return slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))


def _unit(matrix: Any) -> NDArray[np.float32]:
    """Return the entries of a CSR matrix with each row scaled to the length 1."""
    n_entries = np.diff(matrix.indptr)
    rows = np.repeat(np.arange(matrix.shape[0]), n_entries)
    squares = np.bincount(rows, matrix.data**2, minlength=matrix.shape[0])
    return np.asarray(matrix.data / np.sqrt(np.maximum(squares, 1e-300))[rows], np.float32)
