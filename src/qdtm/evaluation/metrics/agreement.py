"""How well a split of documents agrees with categories: two labels a document in, `Agreement` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
