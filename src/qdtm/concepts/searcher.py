"""Who answers what a query asks of a corpus, wherever its documents are.

In: a corpus. Out: its `Searcher`. One that is in memory is searched by an `IndexSearcher`; one that is spread
over machines brings its own, which asks each part and puts the answers together, to the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import numpy as np

from qdtm.concepts.evidence import Evidence, find_evidence, query_log_likelihood
from qdtm.concepts.extractors import frequency_scores, relevance_model
from qdtm.concepts.pointing import chosen_frequency, pointing_of_counts
from qdtm.concepts.query import Rule
from qdtm.concepts.reach import Reach, measure_reach
from qdtm.concepts.retrieval import Retrieval, Term, retrieve
from qdtm.concepts.search import SearchedQuery
from qdtm.concepts.term_index import Collection, CountedCorpus, FloatArray, SearchableCorpus, TermIndex


class Searcher(Protocol):
    """What concepts need to know of the documents of a corpus."""

    @property
    def collection(self) -> Collection:
        """What is counted over all documents."""

    def retrieve(self, terms: Sequence[Term], rule: Rule, excluded: Sequence[int] = ()) -> Retrieval:
        """Retrieve the documents that meet a rule; see `qdtm.concepts.retrieval.retrieve`."""

    def count_documents(self, words: Sequence[int]) -> int:
        """Count the documents that have any of the words."""

    def word_frequency(self, searched: SearchedQuery) -> FloatArray:
        """Count each word in the documents that a query retrieves, shape (V,)."""

    def relevance_model(self, searched: SearchedQuery) -> FloatArray:
        """Return p(w|RM) of equation 4, shape (V,)."""

    def find_evidence(self, searched: SearchedQuery, words: Sequence[int]) -> list[Evidence]:
        """Find the documents that support each of the words."""

    def measure_reach(self, searched: SearchedQuery) -> Any:
        """Measure how far a query reaches: something with a `breadth`, which `pointing` understands."""

    def pointing(self, reach: Any) -> FloatArray:
        """Return how much each word points to the documents within a reach, shape (V,)."""


def searcher_of(corpus: SearchableCorpus) -> Searcher:
    """Return who searches a corpus."""
    own: Searcher | None = getattr(corpus, "searcher", None)
    return IndexSearcher(TermIndex.of(cast(CountedCorpus, corpus))) if own is None else own


class IndexSearcher:
    """Searches a corpus in memory.

    Parameters
    ----------
    index : TermIndex
        Of all its documents.
    """

    def __init__(self, index: TermIndex) -> None:
        self.index = index

    @property
    def collection(self) -> Collection:
        """What is counted over all documents."""
        return self.index.collection

    def retrieve(self, terms: Sequence[Term], rule: Rule, excluded: Sequence[int] = ()) -> Retrieval:
        """Retrieve the documents that meet a rule."""
        return retrieve(self.index, terms, rule, excluded)

    def count_documents(self, words: Sequence[int]) -> int:
        """Count the documents that have any of the words."""
        return int((self.index.frequency(words) > 0).sum())

    def word_frequency(self, searched: SearchedQuery) -> FloatArray:
        """Count each word in the documents that a query retrieves, shape (V,)."""
        return frequency_scores(self.index.by_document, searched.retrieval.documents)

    def relevance_model(self, searched: SearchedQuery) -> FloatArray:
        """Return p(w|RM) of equation 4, shape (V,)."""
        index, found = self.index, searched.retrieval
        return relevance_model(
            index.by_document, index.lengths, index.p_collection, found.documents, found.log_likelihood
        )

    def find_evidence(self, searched: SearchedQuery, words: Sequence[int]) -> list[Evidence]:
        """Find the documents that support each of the words."""
        log_likelihood = query_log_likelihood(self.index, searched.retrieval)  # (D,)
        return [find_evidence(self.index, word, log_likelihood, searched.excluded) for word in words]

    def measure_reach(self, searched: SearchedQuery) -> Reach:
        """Measure how far a query reaches."""
        return measure_reach(self.index, searched)

    def pointing(self, reach: Reach) -> FloatArray:
        """Return how much each word points to the documents within a reach, shape (V,)."""
        likely = np.zeros(self.index.n_documents, np.bool_)
        likely[reach.documents] = True
        whole = self.collection
        return pointing_of_counts(
            chosen_frequency(self.index.by_document, likely),
            whole.document_frequency,
            int(likely.sum()),
            whole.n_documents,
        )
