"""Word vectors learned from the corpus itself, for any language and without a download.

In: a corpus' flat tokens. Out: `WordVectors` named "corpus". Words are related if they stand near each other
more often than chance: positive pointwise mutual information, brought to few dimensions by a truncated
singular value decomposition (Levy, Goldberg and Dagan 2015, "Improving distributional similarity with lessons
learned from word embeddings": contexts smoothed with the power 0.75, singular values with the power 0.5).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import EmbeddingError

CONTEXT_SMOOTHING = 0.75


def learn_vectors(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    vocabulary: tuple[str, ...],
    *,
    dimension: int = 100,
    window: int = 10,
    random_state: int = 0,
) -> WordVectors:
    """Learn a vector for each vocabulary word from the company it keeps.

    Parameters
    ----------
    tokens : ndarray of int32, shape (N,)
        Word ids of all documents, one after the other.
    offsets : ndarray of int64, shape (D + 1,)
        Document j is `tokens[offsets[j]:offsets[j + 1]]`.
    vocabulary : tuple of str, length V
    dimension : int
        The most dimensions to keep; a small vocabulary has fewer.
    window : int
        Two words are near each other if at most this many places of one document apart.
    random_state : int
        Seed of the randomised decomposition; the same seed gives the same vectors.

    Returns
    -------
    WordVectors
        A word that is near no other has a vector of zeros.
    """
    near = cooccurrence(tokens, offsets, len(vocabulary), window)
    if near.nnz == 0:
        raise EmbeddingError(
            "No document has two different words, so no vectors can be learned; give embeddings=None."
        )
    vectors = factorise(positive_pmi(near), dimension, random_state)
    return WordVectors(vocabulary, vectors, "corpus")


def cooccurrence(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int, window: int) -> Any:
    """Count how often two different words stand at most `window` places apart; sparse, symmetric, (V, V)."""
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))  # (N,)
    counts = sparse.csr_array((n_words, n_words), dtype=np.float64)  # (V, V)
    longest = int(np.diff(offsets).max(initial=0))
    for gap in range(1, min(window, longest - 1) + 1):
        pair = (document[gap:] == document[:-gap]) & (tokens[gap:] != tokens[:-gap])
        left, right = tokens[:-gap][pair], tokens[gap:][pair]
        ones = np.ones(len(left))
        counts = counts + sparse.coo_array((ones, (left, right)), shape=(n_words, n_words)).tocsr()
    return (counts + counts.T).tocsr()


def positive_pmi(counts: Any) -> Any:
    """Return log p(w, c) / (p(w) p'(c)) where positive, with p' the smoothed context; sparse, (V, V)."""
    n_w = np.asarray(counts.sum(axis=1)).ravel()  # (V,)
    p_c = n_w**CONTEXT_SMOOTHING / np.sum(n_w**CONTEXT_SMOOTHING)  # (V,)
    pairs = counts.tocoo()
    pmi = np.log(pairs.data / (n_w[pairs.row] * p_c[pairs.col]))
    keep = pmi > 0
    return sparse.csr_array((pmi[keep], (pairs.row[keep], pairs.col[keep])), shape=counts.shape)


def factorise(matrix: Any, dimension: int, random_state: int) -> NDArray[np.float32]:
    """Return U sqrt(S) of the truncated singular value decomposition, shape (V, at most `dimension`)."""
    from sklearn.utils.extmath import randomized_svd

    U, S, _ = randomized_svd(matrix, min(dimension, matrix.shape[0]), n_iter=5, random_state=random_state)
    kept = S / S[0] > 1e-6  # beyond the matrix' rank there is only rounding noise
    vectors: NDArray[np.float64] = U[:, kept] * np.sqrt(S[kept])  # (V, d)
    vectors[np.diff(matrix.indptr) == 0] = 0.0
    return vectors.astype(np.float32)
