"""Plain document retrieval: BM25, query likelihood, and relevance feedback (RM3).

In: how often each document has each word, and the words that are asked for. Out: a score per document, to
rank by.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.errors import ParameterError

FloatArray = NDArray[np.float64]


def bm25_scores(counts: Any, words: ArrayLike, *, k1: float = 1.2, b: float = 0.75) -> FloatArray:
    """Return the BM25 score of each document (Robertson and Zaragoza 2009, with Lucene's idf).

    Parameters
    ----------
    counts : scipy.sparse matrix of shape (n_docs, n_words)
        How often each document has each word.
    words : array of int, or array of float of shape (n_words,)
        The words asked for, by number (one that comes twice counts twice); or a weight for each word.
    k1 : float
        How much a further occurrence of a word is worth; with 0, nothing.
    b : float
        How much longer documents are held back, 0 to 1.

    Returns
    -------
    ndarray of float64, shape (n_docs,)
    """
    asked, weights = _asked(words, counts.shape[1])
    lengths = _lengths(counts)  # (D,)
    columns = counts.tocsc()[:, asked].astype(np.float64)  # (D, n) sparse
    n_docs = counts.shape[0]
    in_documents = np.diff(columns.indptr)  # (n,)
    idf = np.log1p((n_docs - in_documents + 0.5) / (in_documents + 0.5))  # (n,)
    damping = k1 * (1.0 - b + b * lengths / max(lengths.mean(), 1e-12))  # (D,)
    columns.data *= (k1 + 1.0) / (columns.data + damping[columns.indices])
    return np.asarray(columns @ (idf * weights), dtype=np.float64)


def query_likelihood_scores(counts: Any, words: ArrayLike, *, mu: float = 1000.0) -> FloatArray:
    """Return the log likelihood of the words in each document's language model, up to a constant.

    A document's model is smoothed with the collection's (Dirichlet prior; Zhai and Lafferty 2004). What the
    collection alone would give is taken off, so the score is 0 for an empty document; longer ones without any
    of the words are below.

    Parameters
    ----------
    counts : scipy.sparse matrix of shape (n_docs, n_words)
        How often each document has each word.
    words : array of int, or array of float of shape (n_words,)
        The words asked for, by number (one that comes twice counts twice); or a weight for each word.
    mu : float
        Tokens of the collection that are mixed into each document.

    Returns
    -------
    ndarray of float64, shape (n_docs,)
    """
    asked, weights = _asked(words, counts.shape[1])
    lengths = _lengths(counts)  # (D,)
    if not mu > 0:
        raise ParameterError(f"mu is {mu}; give a number above 0.")
    columns = counts.tocsc()[:, asked].astype(np.float64)  # (D, n) sparse
    p_collection = np.asarray(columns.sum(axis=0)).ravel() / max(lengths.sum(), 1.0)  # (n,)
    occurs = p_collection > 0
    columns, weights, p_collection = columns[:, occurs], weights[occurs], p_collection[occurs]
    owner = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
    columns.data = np.log1p(columns.data / (mu * p_collection[owner]))
    absent = np.log(mu / (lengths + mu))  # (D,) what each word loses by the document's length
    return np.asarray(columns @ weights + weights.sum() * absent, dtype=np.float64)


def rm3_scores(
    counts: Any,
    words: ArrayLike,
    *,
    n_documents: int = 10,
    n_words: int = 30,
    query_weight: float = 0.5,
    k1: float = 1.2,
    b: float = 0.75,
    seed: int = 0,
) -> FloatArray:
    """Return the BM25 score of each document for the query expanded by relevance feedback (RM3).

    The best documents by BM25 are taken to be relevant, each by as much as it scores; what they say most
    (Lavrenko and Croft 2001, RM1) is mixed with the query's own words (Abdul-Jaleel et al. 2004, RM3).

    Parameters
    ----------
    counts : scipy.sparse matrix of shape (n_docs, n_words)
        How often each document has each word.
    words : array of int, or array of float of shape (n_words,)
        The words asked for, by number (one that comes twice counts twice); or a weight for each word.
    n_documents, n_words : int
        How many documents are believed, and how many of their words are taken.
    query_weight : float
        The part of the weight that the query's own words keep, 0 to 1.
    k1, b : float
        Of BM25.
    seed : int
        Which of equally good documents are believed: their order in the corpus may tell what they are about.

    Returns
    -------
    ndarray of float64, shape (n_docs,)
    """
    if not 0.0 <= query_weight <= 1.0:
        raise ParameterError(f"query_weight is {query_weight}; give a number from 0 to 1.")
    asked, weights = _asked(words, counts.shape[1])
    model = np.zeros(counts.shape[1])  # (V,)
    model[asked] = weights / max(weights.sum(), 1e-12)
    feedback = _relevance_model(counts, bm25_scores(counts, words, k1=k1, b=b), n_documents, n_words, seed)
    if feedback.any():
        model = query_weight * model + (1.0 - query_weight) * feedback
    return bm25_scores(counts, model, k1=k1, b=b)


def _relevance_model(
    counts: Any, scores: FloatArray, n_documents: int, n_words: int, seed: int
) -> FloatArray:
    """Return p(w) of the best documents' commonest words, (V,); zeros if no document scores above 0."""
    order = np.random.default_rng(seed).permutation(len(scores))
    best = order[np.argsort(-scores[order], kind="stable")[:n_documents]]
    best = best[scores[best] > 0]
    model = np.zeros(counts.shape[1])  # (V,)
    if not len(best):
        return model
    rows = counts.tocsr()[best].astype(np.float64)  # (n, V) sparse
    weights = scores[best] / scores[best].sum() / _lengths(rows)  # (n,) p(d) / |d|
    p = np.asarray(rows.T @ weights).ravel()  # (V,)
    first = np.argsort(-p, kind="stable")[:n_words]
    model[first] = p[first] / p[first].sum()
    return model


def _asked(words: ArrayLike, n_words: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the numbers of the words asked for, each once, and their weights."""
    given = np.asarray(words)
    if given.size == 0:
        return np.empty(0, np.int64), np.empty(0)
    if np.issubdtype(given.dtype, np.integer):
        if given.min() < 0 or given.max() >= n_words:
            raise ParameterError(
                f"Words are numbered 0 to {n_words - 1}, got {given.min()} to {given.max()}."
            )
        numbers, times = np.unique(given, return_counts=True)
        return numbers.astype(np.int64), times.astype(np.float64)
    if given.shape != (n_words,):
        raise ParameterError(
            f"Word weights have the shape {given.shape}; give one for each of {n_words} words."
        )
    numbers = np.flatnonzero(given)
    return numbers, given[numbers].astype(np.float64)


def _lengths(counts: Any) -> FloatArray:
    """Return the number of tokens of each document, (D,)."""
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
