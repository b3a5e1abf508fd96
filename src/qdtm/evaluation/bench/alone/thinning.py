"""A data set in which one category is rare: documents are dropped until it has a given share.

In: a `Dataset`, a category, a share and a seed. Out: a `Dataset` with the vocabulary of what is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus import Corpus
from qdtm.evaluation.datasets import Dataset


def thin(dataset: Dataset, query: int, share: float, seed: int) -> Dataset:
    """Drop documents of a query's category at random until it has a share of the corpus.

    Parameters
    ----------
    dataset : Dataset
    query : int
        The label of the category.
    share : float
        Of the documents that are left; a category that is rarer already stays as it is.
    seed : int
    """
    kept = kept_documents(dataset.labels, query, share, seed)
    corpus = dataset.corpus
    tokens = np.split(corpus.tokens, corpus.offsets[1:-1])
    documents = [[corpus.vocabulary[w] for w in tokens[j]] for j in kept]
    thinned = Corpus.from_tokens(documents, pipeline=corpus.pipeline)
    return Dataset(dataset.name, thinned, dataset.labels[kept], dataset.concepts)


def kept_documents(labels: NDArray[np.int64], query: int, share: float, seed: int) -> NDArray[np.int64]:
    """Choose the documents that stay, in order; at least one of the category's does."""
    (own,) = np.nonzero(labels == query)
    (others,) = np.nonzero(labels != query)
    n_own = max(1, round(len(others) * share / (1.0 - share)))
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(query,)))
    chosen = rng.choice(own, min(n_own, len(own)), replace=False)
    return np.sort(np.concatenate([others, chosen]))
