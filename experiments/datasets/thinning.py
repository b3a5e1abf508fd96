"""A data set in which one category is rare: documents are dropped until it has a given share.

In: a `Dataset`, a category, a share and a seed. Out: a `Dataset` with the vocabulary of what is left. Nothing
is read or cut into words again: the rows of the corpus are copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.paper_corpora import Dataset
from qdtm.corpus import Corpus
from qdtm.corpus.document_store import DocumentStore, MemoryDocuments


@lru_cache(maxsize=2)
def thin(dataset: Dataset, query: int, share: float, seed: int) -> Dataset:
    """Drop documents of a query's category at random until it has a share of the corpus.

    The last ones are remembered: rows that are asked one after the other share the corpus and its counts.

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
    return Dataset(dataset.name, rows_of(dataset.corpus, kept), dataset.labels[kept], dataset.concepts)


def kept_documents(labels: NDArray[np.int64], query: int, share: float, seed: int) -> NDArray[np.int64]:
    """Choose the documents that stay, in order; at least one of the category's does.

    With the same seed a smaller share keeps some of the documents that a larger one keeps, and no others.
    """
    (own,) = np.nonzero(labels == query)
    (others,) = np.nonzero(labels != query)
    n_own = max(1, round(len(others) * share / (1.0 - share)))
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(query,)))
    return np.sort(np.concatenate([others, rng.permutation(own)[:n_own]]))


def rows_of(corpus: Corpus, kept: NDArray[np.int64]) -> Corpus:
    """Return some documents of a corpus, over the words that they have."""
    stays = np.zeros(corpus.n_documents, bool)
    stays[kept] = True
    old = corpus.tokens[np.repeat(stays, corpus.document_lengths)]  # (N',)
    words, tokens = np.unique(old, return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum(corpus.document_lengths[kept])])
    return Corpus(
        tuple(corpus.vocabulary[w] for w in words),
        tokens.astype(np.int32),
        offsets,
        MemoryDocuments(_KeptTexts(corpus.documents, kept)),
        corpus.pipeline,
    )


class _KeptTexts:
    """The texts of some documents, fetched when they are looked at."""

    def __init__(self, documents: DocumentStore, kept: NDArray[np.int64]) -> None:
        self._documents, self._kept = documents, kept

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, j: int) -> str:
        return self._documents[int(self._kept[j])].text
