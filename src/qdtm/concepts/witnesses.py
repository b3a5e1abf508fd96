"""The documents that name a query, and how much each of them counts as being about it.

In: a query that was looked up in a corpus. Out: a weight for each document, 0 for those that do not name it.

A long document may mention a word in passing, so a witness counts by how dense the query's words are in it.
If the rule leaves few witnesses, documents with some of the query's words stand in for the missing ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qdtm.concepts.exact_sums import as_weights
from qdtm.concepts.resolve import matches_of
from qdtm.concepts.search import SearchedQuery
from qdtm.concepts.term_index import FloatArray, IntArray, TermIndex

TOKENS_PER_WORD = 10.0
"""A document with a query word in every so many tokens is a full witness."""

ENOUGH = 20.0
"""With so many witnesses nobody needs to stand in."""


def witness_weights(index: TermIndex, searched: SearchedQuery) -> FloatArray:
    """Weigh each document by how much it speaks for the query, from 0 to 1, shape (D,)."""
    witnesses = searched.retrieval.documents
    weights = np.zeros(index.n_documents)
    weights[witnesses] = as_weights(_density(index, searched)[witnesses])
    n_with = [index.count_documents(word.matches) for word in searched.sought]
    partial, stand_in = stand_ins(index, searched, rarities(index.n_documents, n_with))
    stand_in_sum = float(stand_in.sum())
    if stand_in_sum > 0:
        missing = ENOUGH - len(witnesses)
        weights[partial] = as_weights(stand_in * min(1.0, missing / stand_in_sum))
    return weights


def rarities(n_documents: int, n_with: Sequence[int]) -> list[float]:
    """How much each word of the query counts, given how many documents have it: rare words count more."""
    return [float(np.log1p(n_documents / max(n, 1))) for n in n_with]


def stand_ins(
    index: TermIndex, searched: SearchedQuery, rarity: Sequence[float]
) -> tuple[IntArray, FloatArray]:
    """Return the documents that could stand in for missing witnesses, and by how much; none if none are."""
    if len(searched.retrieval) >= ENOUGH:
        return np.zeros(0, np.int64), np.zeros(0)
    partial = np.setdiff1d(searched.by_or.documents, searched.retrieval.documents)
    share = shares_of_query(index, searched, rarity)[partial]
    return partial, as_weights(_density(index, searched)[partial] * share)


def _density(index: TermIndex, searched: SearchedQuery) -> FloatArray:
    """How dense the query's words are in each document, from 0 to 1, shape (D,)."""
    n_named = index.frequency(matches_of(searched.sought))  # (D,)
    density: FloatArray = np.minimum(1.0, TOKENS_PER_WORD * n_named / np.maximum(index.lengths, 1))
    return density


def shares_of_query(index: TermIndex, searched: SearchedQuery, rarity: Sequence[float]) -> FloatArray:
    """How much of the query each document has, shape (D,)."""
    shares, total = np.zeros(index.n_documents), 0.0
    for word, weight in zip(searched.sought, rarity, strict=True):
        shares += weight * (index.frequency(word.matches) > 0)
        total += weight
    return shares / max(total, np.finfo(float).tiny)
