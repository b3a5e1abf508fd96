"""Word vectors in memory: what was loaded, and what the corpus needs of it.

In: words with their vectors, from wherever they came. Out: `WordVectors` as loaded and, through
`embed_vocabulary`, `VocabularyVectors` whose rows follow the corpus' vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import EmbeddingError


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors, as they were loaded.

    Parameters
    ----------
    words : tuple of str
        The words, most frequent first where the source keeps that order. Of a word that comes twice the
        first counts.
    vectors : ndarray of float32, shape (n, d)
        One row a word.
    name : str
        Where they come from: "glove", "corpus", a file name.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    name: str

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.words) != len(self.vectors):
            raise EmbeddingError(
                f"Word vectors '{self.name}' have {len(self.words):,} words and an array of shape "
                f"{self.vectors.shape}; give one row a word."
            )
        if self.vectors.shape[1] == 0:
            raise EmbeddingError(
                f"Word vectors '{self.name}' have no dimension; give at least one number a word."
            )
        bad = np.flatnonzero(~np.isfinite(self.vectors).all(axis=1))
        if bad.size:
            raise EmbeddingError(
                f"Word vectors '{self.name}' hold NaN or infinity for the word {self.words[bad[0]]!r} "
                f"(row {bad[0] + 1:,}); remove that word."
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each word; of a word that comes twice, the first."""
        return {word: row for row, word in reversed(list(enumerate(self.words)))}

    @cached_property
    def lower_case_rows(self) -> dict[str, int]:
        """The first row whose word, in lower case, is the key."""
        return {word.lower(): row for row, word in reversed(list(enumerate(self.words)))}

    def find(self, word: str) -> int | None:
        """Return the row of a word, or of the word in other capitals, or None."""
        row = self.rows.get(word)
        return self.lower_case_rows.get(word.lower()) if row is None else row


@dataclass(frozen=True, eq=False)
class VocabularyVectors:
    """Vectors whose rows follow a corpus' vocabulary.

    Parameters
    ----------
    raw : ndarray of float32, shape (V, d)
        The vectors as loaded; zero where the word is unknown.
    unit : ndarray of float32, shape (V, d)
        The same at length 1, so that a dot product is a cosine; zero where the word is unknown.
    known : ndarray of bool, shape (V,)
        Whether there is a vector for the word.
    name : str
        Where the vectors come from.
    """

    raw: NDArray[np.float32]
    unit: NDArray[np.float32]
    known: NDArray[np.bool_]
    name: str

    @property
    def n_known(self) -> int:
        """How many vocabulary words have a vector."""
        return int(self.known.sum())


def embed_vocabulary(vectors: WordVectors, vocabulary: Sequence[str]) -> VocabularyVectors:
    """Give every vocabulary word its vector.

    A word is looked up as it is and else in lower case ("israel" finds "Israel": many published files keep
    capitals, a corpus seldom does). A vector of zeros counts as unknown: it has no direction. A phrase
    without a vector of its own has the mean of its words'.

    Parameters
    ----------
    vectors : WordVectors
    vocabulary : sequence of str, length V

    Returns
    -------
    VocabularyVectors
    """
    rows = [vectors.find(word) for word in vocabulary]  # (V,)
    found = [w for w, row in enumerate(rows) if row is not None]
    raw = np.zeros((len(vocabulary), vectors.dimension), dtype=np.float32)  # (V, d)
    raw[found] = vectors.vectors[[row for row in rows if row is not None]]
    for w, entry in enumerate(vocabulary):
        if rows[w] is None and " " in entry:
            raw[w] = _mean_vector(vectors, entry.split(" "))
    length = np.linalg.norm(raw.astype(np.float64), axis=1)  # (V,)
    known = length > 0
    unit = np.zeros_like(raw)  # (V, d)
    unit[known] = raw[known] / length[known, None]
    return VocabularyVectors(raw=raw, unit=unit, known=known, name=vectors.name)


def _mean_vector(vectors: WordVectors, words: Sequence[str]) -> NDArray[np.float32]:
    """Return the mean of the vectors of words, shape (d,); zero if one of them has none."""
    rows = [row for word in words if (row := vectors.find(word)) is not None]
    if len(rows) < len(words):
        return np.zeros(vectors.dimension, np.float32)
    return np.asarray(vectors.vectors[rows].mean(axis=0), np.float32)
