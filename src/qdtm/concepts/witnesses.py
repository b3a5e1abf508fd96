"""The documents that name a query, and how much each of them counts as being about it.

In: a query that was looked up in a corpus. Out: a weight for each document, 0 for those that do not name it.

A long document may mention a word in passing, so a witness counts by how dense the query's words are in it.
If the rule leaves few witnesses, documents with some of the query's words stand in for the missing ones.
"""

from __future__ import annotations

import numpy as np

from qdtm.concepts.resolve import matches_of
from qdtm.concepts.search import SearchedQuery
from qdtm.concepts.term_index import FloatArray, TermIndex

TOKENS_PER_WORD = 10.0
"""A document with a query word in every so many tokens is a full witness."""

ENOUGH = 20.0
"""With so many witnesses nobody needs to stand in."""


def witness_weights(index: TermIndex, searched: SearchedQuery) -> FloatArray:
    """Weigh each document by how much it speaks for the query, from 0 to 1, shape (D,)."""
    n_named = index.frequency(matches_of(searched.sought))  # (D,)
    density = np.minimum(1.0, TOKENS_PER_WORD * n_named / np.maximum(index.lengths, 1))
    witnesses = searched.retrieval.documents
    weights = np.zeros(index.n_documents)
    weights[witnesses] = density[witnesses]
    missing = ENOUGH - len(witnesses)
    partial = np.setdiff1d(searched.by_or.documents, witnesses)
    if missing > 0 and len(partial):
        stand_in = density[partial] * shares_of_query(index, searched)[partial]
        weights[partial] = stand_in * min(1.0, missing / stand_in.sum())
    return weights


def shares_of_query(index: TermIndex, searched: SearchedQuery) -> FloatArray:
    """How much of the query each document has, rare words counting more, shape (D,)."""
    shares, total = np.zeros(index.n_documents), 0.0
    for word in searched.sought:
        has = index.frequency(word.matches) > 0
        rarity = np.log1p(index.n_documents / max(int(has.sum()), 1))
        shares += rarity * has
        total += rarity
    return shares / max(total, np.finfo(float).tiny)
