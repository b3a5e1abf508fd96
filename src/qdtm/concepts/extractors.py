"""How well a word stands for a query: one function an equation.

In: counts, probabilities and word vectors as arrays. Out: a score for each of the V vocabulary words. FRE is
equation 2, KLD equation 3, REL equations 4 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.concepts.exact_sums import SHARE_BITS, bits_for, in_units
from qdtm.concepts.retrieval import smoothed
from qdtm.concepts.term_index import FloatArray, IntArray

#: REL: the share of the relevance model, lambda in equation 5.
RELEVANCE_MIX = 0.5

#: REL: how many of the words most similar to the query have a similarity, k in the paper.
N_SIMILAR = 100


def frequency_scores(counts: Any, documents: IntArray) -> FloatArray:
    """FRE: how often the retrieved documents have each word (equation 2).

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (D, V)
    documents : ndarray of int64, shape (n,)
        The retrieved documents.

    Returns
    -------
    ndarray of float64, shape (V,)
    """
    return np.asarray(counts[documents].sum(axis=0), dtype=np.float64).ravel()


def kld_scores(frequency: FloatArray, p_collection: FloatArray) -> FloatArray:
    """KLD: p_R(w) log(p_R(w) / p_C(w)), with p_R smoothed by the collection (equation 3).

    Parameters
    ----------
    frequency : ndarray of float64, shape (V,)
        Occurrences of each word in the retrieved documents.
    p_collection : ndarray of float64, shape (V,)
        p_C, the share of each word in all tokens.

    Returns
    -------
    ndarray of float64, shape (V,)
        0 for a word that the corpus does not have.
    """
    p_R = smoothed(frequency / frequency.sum(), p_collection)
    seen = p_collection > 0
    scores = np.zeros_like(p_R)
    scores[seen] = p_R[seen] * np.log(p_R[seen] / p_collection[seen])
    return scores


def relevance_model(
    counts: Any, lengths: IntArray, p_collection: FloatArray, documents: IntArray, log_likelihood: FloatArray
) -> FloatArray:
    """Return p(w|RM), the sum over retrieved documents of p(w|d) p(d|q) (equation 4).

    p(w|d) is smoothed as in retrieval. Equation 1 gives p(d|q) up to a factor; here it sums to 1 over the
    retrieved documents, and so does p(w|RM) over the words, as in the authors' program.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (D, V)
    lengths : ndarray of int64, shape (D,)
    p_collection : ndarray of float64, shape (V,)
    documents, log_likelihood : ndarray, shape (n,)
        The retrieval.

    Returns
    -------
    ndarray of float64, shape (V,)
    """
    p_qd, n_bits = np.exp(log_likelihood - log_likelihood.max()), bits_for(len(documents))
    total = int(in_units(p_qd, n_bits).sum())
    p_dq = p_qd / np.ldexp(float(total), -n_bits)  # (n,)
    of_documents = counts[documents]
    weight = np.repeat(p_dq / lengths[documents], np.diff(of_documents.indptr))  # (nnz,)
    units = in_units(of_documents.data * weight, SHARE_BITS)
    shape = (len(documents), counts.shape[1])
    added = sparse.csr_array((units, of_documents.indices, of_documents.indptr), shape=shape).sum(axis=0)
    p_w = np.ldexp(np.asarray(added, np.int64).ravel().astype(np.float64), -SHARE_BITS)  # (V,)
    return smoothed(p_w, p_collection)


def similarity_scores(
    vectors: NDArray[np.float32], query_words: Sequence[int], k: int = N_SIMILAR
) -> FloatArray:
    """Return sim(w, q) of equation 5: dot products with the sum of the query words' vectors.

    The k largest are kept and divided by their sum. The vectors are not brought to unit length, as in the
    authors' program.

    Parameters
    ----------
    vectors : ndarray of float32, shape (V, d)
        Zero for words without a vector.
    query_words : sequence of int
    k : int

    Returns
    -------
    ndarray of float64, shape (V,)
        0 for words beyond the k most similar.
    """
    query = vectors[list(query_words)].astype(np.float64).sum(axis=0)  # (d,)
    dot = vectors @ query  # (V,)
    # DEVIATION(C1): only positive products count. The authors' k largest may hold negative ones in a tiny
    # vocabulary, and their sum, which divides, may then vanish.
    nearest = [w for w in np.argsort(-dot, kind="stable")[:k] if dot[w] > 0]
    similarity = np.zeros(len(vectors))  # (V,)
    similarity[nearest] = dot[nearest] / max(dot[nearest].sum(), np.finfo(float).tiny)
    return similarity


def relevance_scores(
    p_relevance: FloatArray, similarity: FloatArray, mix: float = RELEVANCE_MIX
) -> FloatArray:
    """REL: lambda p(w|RM) + (1 - lambda) sim(w, q) (equation 5)."""
    return mix * p_relevance + (1.0 - mix) * similarity
