"""Whose words a topic has: a labelled data set in, the words that tell a category from the corpus out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from qdtm.evaluation.datasets import Dataset

N_OWN = 50
"""Words that are a category's."""

MIN_DOCUMENTS = 5
"""A word in fewer documents of a category says nothing about it."""


@lru_cache(maxsize=64)
def category_words(dataset: Dataset, query: int) -> frozenset[str]:
    """Return the 50 words that a category has most more often than the corpus.

    They have the largest part in the divergence of the category's words from the corpus',
    p(w|category) log(p(w|category) / p(w|corpus)), among those that five of its documents have.
    """
    counts = dataset.corpus.document_term_matrix
    inside = counts[dataset.labels == query]  # (K, V) sparse
    within = np.asarray(inside.sum(axis=0), np.float64).ravel()  # (V,)
    whole = np.asarray(counts.sum(axis=0), np.float64).ravel()  # (V,)
    in_documents = np.asarray((inside > 0).sum(axis=0)).ravel()  # (V,)
    (known,) = np.nonzero(in_documents >= MIN_DOCUMENTS)
    p, q = within[known] / within.sum(), whole[known] / whole.sum()
    first = known[np.argsort(-p * np.log(p / q), kind="stable")[:N_OWN]]
    return frozenset(dataset.corpus.vocabulary[w] for w in first)


def share_of(words: Sequence[str], own: Collection[str]) -> float | None:
    """Return the share of some words that is among others; None if there are none."""
    return sum(word in own for word in words) / len(words) if words else None
