"""Whose words a topic has: a labelled data set in, the words that tell a category from the others out."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from qdtm.evaluation.datasets import Dataset

N_CHARACTERISTIC = 50
"""Words that are a category's."""


@lru_cache(maxsize=64)
def characteristic_words(dataset: Dataset, query: int) -> frozenset[str]:
    """Return the 50 words that most surely tell a category's documents from the others in a data set.

    They are those with the largest log odds ratio over its standard error; see `log_odds`.
    """
    inside = dataset.labels == query
    has_word = (dataset.corpus.document_term_matrix > 0).astype(np.int64)
    within, without = (np.asarray(has_word[rows].sum(axis=0)).ravel() for rows in (inside, ~inside))
    scores = log_odds(within, without, int(inside.sum()), int((~inside).sum()))
    first = np.argsort(-scores, kind="stable")[:N_CHARACTERISTIC]
    return frozenset(dataset.corpus.vocabulary[w] for w in first)


def log_odds(
    within: NDArray[np.int64], without: NDArray[np.int64], n_within: int, n_without: int
) -> NDArray[np.float64]:
    """Return for each word how much likelier a category's documents are to have it, in standard errors, (V,).

    The log of the odds ratio, with 1/2 added to each count, over its standard error.

    Parameters
    ----------
    within, without : ndarray of shape (V,)
        Documents of the category, and others, that have each word.
    n_within, n_without : int
        Documents of the category, and others.
    """
    cells = (within + 0.5, n_within - within + 0.5, without + 0.5, n_without - without + 0.5)
    has, lacks, other_has, other_lacks = cells
    ratio = np.log(has) - np.log(lacks) - np.log(other_has) + np.log(other_lacks)
    return np.asarray(ratio / np.sqrt(sum(1.0 / cell for cell in cells)))
