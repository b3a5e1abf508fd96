"""What scores and splits of documents are worth by their labels.

In: topic shares, scores, probabilities or parts of documents, and the documents' categories. Out: the
accuracy of a classifier, precision@K and recall, the calibration error, and `Agreement` of a split with
categories. Documents with a negative label are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.errors import ParameterError

N_FOLDS = 5


def classification_accuracy(theta: ArrayLike, labels: ArrayLike, seed: int | None = 0) -> float:
    """Return the five-fold cross-validated accuracy of a logistic regression on topic shares.

    The classifier has scikit-learn's default settings, as in the paper, but for a limit of iterations high
    enough to converge; the folds are stratified.

    Parameters
    ----------
    theta : array of shape (n_docs, n_topics)
        Share of each topic in each document.
    labels : array of int, shape (n_docs,)
        Category of each document; negative where it is not known.
    seed : int or None
        Shuffles the documents before they are cut into folds; None keeps their order, as the authors' program
        does.

    Raises
    ------
    ParameterError
        If a category has fewer documents than there are folds.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    features, categories = _labelled(theta, labels)
    folds = StratifiedKFold(N_FOLDS, shuffle=seed is not None, random_state=seed)
    scores = cross_val_score(LogisticRegression(max_iter=1000), features, categories, cv=folds)
    return float(np.mean(scores))


def _labelled(theta: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rows whose category is known, and the categories."""
    features, categories = np.asarray(theta, dtype=np.float64), np.asarray(labels, dtype=np.int64)
    known = categories >= 0
    names, sizes = np.unique(categories[known], return_counts=True)
    if len(names) < 2 or sizes.min() < N_FOLDS:
        raise ParameterError(
            f"Accuracy needs at least 2 categories of {N_FOLDS} documents each, "
            f"got {len(names)} of {', '.join(map(str, sizes)) or 'none'}."
        )
    return features[known], categories[known]


# --- documents that rank first ----------------------------------------------------------------------------


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


# --- probabilities ----------------------------------------------------------------------------------------


N_BINS = 10


@dataclass(frozen=True)
class ReliabilityPoint:
    """The documents whose probability is in one bin.

    Attributes
    ----------
    said : float
        Their mean probability.
    true : float
        The share of them that truly is about it.
    n : int
    """

    said: float
    true: float
    n: int


def reliability_curve(
    probabilities: ArrayLike, truth: ArrayLike, n_bins: int = N_BINS
) -> list[ReliabilityPoint]:
    """Return a point for each bin of equal width that has documents, lowest first."""
    p, true = np.asarray(probabilities, np.float64), np.asarray(truth, np.bool_)
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    return [
        ReliabilityPoint(float(p[inside].mean()), float(true[inside].mean()), int(inside.sum()))
        for inside in (bins == b for b in range(n_bins))
        if inside.any()
    ]


def calibration_error(probabilities: ArrayLike, truth: ArrayLike, n_bins: int = N_BINS) -> float:
    """Return the expected calibration error: how far a bin is off, on average over the documents."""
    points = reliability_curve(probabilities, truth, n_bins)
    n = sum(point.n for point in points)
    return sum(point.n * abs(point.said - point.true) for point in points) / max(n, 1)


# --- splits -----------------------------------------------------------------------------------------------


NONE = -1
"""The main topic of a document that has none."""

LEAST_SHARE = 0.01
"""A category with fewer of the documents than this is not there to be found."""


@dataclass(frozen=True)
class Agreement:
    """How a split agrees with categories.

    Attributes
    ----------
    n_documents : int
    n_lower : int
        Categories with at least 1 % of them.
    ami : float
        Adjusted mutual information (Vinh, Epps and Bailey 2010): 0 as chance would have it, 1 the same.
    homogeneity : float
        1 if each part has documents of one category only.
    completeness : float
        1 if the documents of each category are in one part only.
    without : float
        The share of documents that are in no part. Together they count as a part of their own: whoever
        leaves out what is hard is not the better for it.
    """

    n_documents: int
    n_lower: int
    ami: float
    homogeneity: float
    completeness: float
    without: float


def agreement(main: ArrayLike, lower: Sequence[str] | NDArray[np.str_]) -> Agreement | None:
    """Compare the main topic of each document with its category; None if there are no documents.

    Parameters
    ----------
    main : array-like of int, shape (n,)
        -1 for none.
    lower : sequence of str, length n
    """
    from sklearn.metrics import adjusted_mutual_info_score, homogeneity_completeness_v_measure

    parts = np.asarray(main)
    if not len(parts):
        return None
    homogeneity, completeness, _ = homogeneity_completeness_v_measure(lower, parts)
    return Agreement(
        len(parts),
        n_categories(lower),
        float(adjusted_mutual_info_score(lower, parts)),
        float(homogeneity),
        float(completeness),
        float((parts == NONE).mean()),
    )


def n_categories(lower: Sequence[str] | NDArray[np.str_]) -> int:
    """Return how many categories have at least 1 % of the documents."""
    _, counts = np.unique(np.asarray(lower, dtype=str), return_counts=True)
    return int((counts >= LEAST_SHARE * counts.sum()).sum()) if len(counts) else 0
