"""Which words are related to a query's concept words.

In: `VocabularyVectors` and the concept words of each query. Out: a threshold on the cosine, and the
`PromotionGraph` of word and concept word pairs above it: the paper's relatedness matrix M, from which
equation 16 makes the promotion matrix A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.embeddings.vectors import VocabularyVectors
from qdtm.errors import ParameterError

# DEVIATION(4): the paper's threshold of 0.5 is for GloVe in 300 dimensions.
N_NEIGHBOURS = 5.0
SAMPLE_SIZE = 500
BLOCK_CELLS = 1 << 22  # cosines held at once: 16 MB


@dataclass(frozen=True, eq=False)
class PromotionGraph:
    """Words and the concept words that they promote.

    Parameters
    ----------
    threshold : float
        Pairs have a cosine above it.
    concept_words : tuple of ndarray of int32
        For each query q, the vocabulary index of its concept words, length C_q.
    related : tuple of scipy.sparse.csr_array of bool, shape (V, C_q)
        For each query, whether word w is related to the concept word. A word is not related to itself:
        its own count is the 1 of equation 16, these pairs are the u.
    n_related : ndarray of int32, shape (V, Q)
        How many concept words of query q the word w promotes.
    """

    threshold: float
    concept_words: tuple[NDArray[np.int32], ...]
    related: tuple[Any, ...]
    n_related: NDArray[np.int32]

    @property
    def n_pairs(self) -> int:
        """The number of related pairs over all queries."""
        return int(self.n_related.sum())


def similarity_threshold(vectors: VocabularyVectors, n_neighbours: float = N_NEIGHBOURS) -> float:
    """Return the cosine above which a vocabulary word has `n_neighbours` others on average.

    A cosine means something different in each set of vectors: the paper's 0.5 is for GloVe in 300
    dimensions, and in 100 dimensions it would relate seven times as many pairs. The number of neighbours
    carries over.

    Parameters
    ----------
    vectors : VocabularyVectors
        At most 500 of the known words, evenly spaced, are compared with all known words.
    n_neighbours : float
        How many neighbours a word has on average.

    Returns
    -------
    float
        In [0, 1]. Never below 0, however small the vocabulary: words at an obtuse angle are not related.
        1, which relates nothing, if fewer than two words are known.
    """
    if not (np.isfinite(n_neighbours) and n_neighbours > 0):
        raise ParameterError(f"n_neighbours is {n_neighbours}; give a number above 0.")
    known = np.flatnonzero(vectors.known)  # (n,)
    if len(known) < 2:
        return 1.0
    sample = known[np.linspace(0, len(known) - 1, min(len(known), SAMPLE_SIZE)).astype(np.int64)]
    n_pairs = round(n_neighbours * len(sample))
    largest = _largest_cosines(vectors.unit, sample, known, n_pairs + 1)
    return float(np.clip(largest[0], 0.0, 1.0)) if len(largest) > n_pairs else 0.0


def promotion_graph(
    vectors: VocabularyVectors | None,
    concept_words: Sequence[Sequence[int] | NDArray[np.integer[Any]]],
    threshold: float,
    *,
    n_words: int,
) -> PromotionGraph:
    """Find the words that promote a concept word of each query (the pairs u of equation 16).

    Parameters
    ----------
    vectors : VocabularyVectors or None
        None relates no words.
    concept_words : sequence of sequence of int
        For each query, the vocabulary index of its concept words.
    threshold : float
        A pair is related if its cosine is greater.
    n_words : int
        The size V of the vocabulary.

    Returns
    -------
    PromotionGraph
    """
    if not np.isfinite(threshold) or not -1.0 <= threshold <= 1.0:
        raise ParameterError(f"similarity_threshold is {threshold}; give 'auto' or a cosine from -1 to 1.")
    words = tuple(np.asarray(c, dtype=np.int32) for c in concept_words)
    related = tuple(_related(vectors, c, threshold, n_words) for c in words)
    counts = [np.diff(pairs.indptr) for pairs in related]
    n_related = np.stack(counts, axis=1) if counts else np.zeros((n_words, 0))  # (V, Q)
    return PromotionGraph(float(threshold), words, related, np.ascontiguousarray(n_related, dtype=np.int32))


def _related(
    vectors: VocabularyVectors | None, concept: NDArray[np.int32], threshold: float, n_words: int
) -> Any:
    """Return the pairs (w, concept word) whose cosine is above the threshold; CSR of bool, (V, C)."""
    if vectors is None:
        return sparse.csr_array((n_words, len(concept)), dtype=np.bool_)
    blocks = []
    for rows in _blocks(n_words, len(concept)):
        cosine = vectors.unit[rows] @ vectors.unit[concept].T  # (block, C)
        pairs = (cosine > threshold) & vectors.known[rows, None] & vectors.known[concept]
        pairs &= np.arange(rows.start, rows.stop)[:, None] != concept
        blocks.append(sparse.csr_array(pairs))
    return sparse.vstack(blocks, format="csr")


def _largest_cosines(
    unit: NDArray[np.float32], sample: NDArray[np.int64], known: NDArray[np.int64], n: int
) -> NDArray[np.float32]:
    """Return the n largest cosines between a sampled and any other known word, the smallest of them first."""
    everyone = unit[known].T  # (d, n)
    largest = np.empty(0, dtype=np.float32)
    for rows in _blocks(len(sample), len(known)):
        cosine = unit[sample[rows]] @ everyone  # (block, n)
        cosine[known == sample[rows, None]] = -np.inf
        candidates = np.concatenate([largest, cosine[np.isfinite(cosine)]])
        largest = np.partition(candidates, -n)[-n:] if len(candidates) > n else candidates
    return np.sort(largest)


def _blocks(n_rows: int, n_columns: int) -> list[slice]:
    """Cut the rows so that a block has at most `BLOCK_CELLS` cells."""
    step = max(1, BLOCK_CELLS // max(1, n_columns))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
