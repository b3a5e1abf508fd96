"""Document retrieval: how many of a category's documents a topic puts first.

In: a score per document and which documents are relevant. Out: precision@K, with K the number of relevant
ones, or recall among the first.
"""

import numpy as np
from numpy.typing import ArrayLike

from qdtm.errors import ParameterError


def precision_at_k(scores: ArrayLike, relevant: ArrayLike) -> float:
    """Return the share of relevant documents among the K with the highest scores.

    K is the number of relevant documents; at this K precision and recall are the same number. Equal scores
    rank in the order of the documents.

    Parameters
    ----------
    scores : array of shape (n_docs,)
        The higher, the more relevant a document is thought to be.
    relevant : array of bool, shape (n_docs,)
        Which documents are.

    Raises
    ------
    ParameterError
        If no document is relevant.
    """
    truth = np.asarray(relevant, dtype=bool)  # (D,)
    n_relevant = int(truth.sum())
    if n_relevant == 0:
        raise ParameterError("Precision@K needs at least one relevant document, got none.")
    ranking = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")  # (D,)
    return float(truth[ranking[:n_relevant]].mean())


def recall_at(scores: ArrayLike, relevant: ArrayLike, n: int) -> float:
    """Return the share of the relevant documents that are among the `n` with the highest scores.

    Equal scores rank in the order of the documents.

    Raises
    ------
    ParameterError
        If no document is relevant.
    """
    truth = np.asarray(relevant, dtype=bool)  # (D,)
    if not truth.any():
        raise ParameterError("Recall needs at least one relevant document, got none.")
    ranking = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")  # (D,)
    return float(truth[ranking[:n]].sum() / truth.sum())


def mean_precision_at_k(theta: ArrayLike, labels: ArrayLike) -> float:
    """Return precision@K averaged over the categories: column q of `theta` is ranked for label q.

    Parameters
    ----------
    theta : array of shape (n_docs, n_topics)
        Share of each topic in each document; the first columns are the queries, in the order of the labels.
    labels : array of int, shape (n_docs,)
        Category of each document; negative where it is not known, and then the document is left out.
    """
    shares, categories = np.asarray(theta), np.asarray(labels)
    known = categories >= 0
    shares, categories = shares[known], categories[known]
    n_queries = int(categories.max(initial=-1)) + 1
    if not 0 < n_queries <= shares.shape[1]:
        raise ParameterError(f"Labels name {n_queries} categories, but there are {shares.shape[1]} topics.")
    return float(np.mean([precision_at_k(shares[:, q], categories == q) for q in range(n_queries)]))
