"""Queries in a corpus whose documents are on the workers: each part is asked, the answers are put together.

In: what a `Searcher` is asked. Out: the same numbers, to the last bit, as `IndexSearcher` finds with all
documents in one place: every part runs the same functions with what was counted over the whole corpus, and
whatever is added up is added up in whole units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.evidence import Evidence, Support, find_support, merge_support, query_log_likelihood
from qdtm.concepts.exact_sums import WEIGHT_BITS, in_units
from qdtm.concepts.extractors import (
    frequency_scores,
    likelihood_units,
    relevance_of_units,
    relevance_units,
)
from qdtm.concepts.pointing import chosen_frequency, pointing_of_counts
from qdtm.concepts.query import Query, Rule
from qdtm.concepts.reach import (
    SHARE_ABOVE,
    Testimony,
    breadth_of,
    hear,
    n_claimed,
    score_documents,
)
from qdtm.concepts.retrieval import Retrieval, Term, retrieve
from qdtm.concepts.search import SearchedQuery
from qdtm.concepts.term_index import Collection, FloatArray, IntArray
from qdtm.concepts.witnesses import rarities, stand_ins, weigh_documents
from qdtm.distributed.parts import Part, add_up, ask
from qdtm.distributed.selection import Place, count_up_to, find_place, sort_keys
from qdtm.distributed.workers import Workers


@dataclass(frozen=True)
class ReachInParts:
    """How far a concept reaches, its documents being elsewhere.

    Parameters
    ----------
    breadth : float
        The share of the corpus that is about it, estimated.
    query : Query
        Under which the parts keep the scores of their documents.
    place : Place
        Where in the order of all documents, likeliest first, the reach ends.
    n_documents : int
        How many documents are within it.
    """

    breadth: float
    query: Query
    place: Place
    n_documents: int


class PartsSearcher:
    """Searches a corpus in parts.

    Parameters
    ----------
    workers : Workers
        Who have the parts.
    collection : Collection
    """

    def __init__(self, workers: Workers, collection: Collection) -> None:
        self._workers = workers
        self._collection = collection
        self._reaches: dict[tuple[Query, Rule], ReachInParts] = {}

    @property
    def collection(self) -> Collection:
        """What is counted over all documents."""
        return self._collection

    def retrieve(self, terms: Sequence[Term], rule: Rule, excluded: Sequence[int] = ()) -> Retrieval:
        """Count the documents that meet a rule; they stay where they are."""
        n_found, n_excluded = add_up(self._workers, _count_found, tuple(terms), rule, tuple(excluded))
        return Retrieval(np.zeros(0, np.int64), np.zeros(0), int(n_excluded), n_elsewhere=int(n_found))

    def count_documents(self, words: Sequence[int]) -> int:
        """Count the documents that have any of the words."""
        return int(add_up(self._workers, _count_documents, tuple(words)))

    def word_frequency(self, searched: SearchedQuery) -> FloatArray:
        """Count each word in the documents that a query retrieves, shape (V,)."""
        frequency: FloatArray = add_up(self._workers, _word_frequency, searched)
        return frequency

    def relevance_model(self, searched: SearchedQuery) -> FloatArray:
        """Return p(w|RM) of equation 4, shape (V,)."""
        best, n = max(ask(self._workers, _best_likelihood, searched)), len(searched.retrieval)
        total = add_up(self._workers, _likelihood_units, searched, best, n)
        units = add_up(self._workers, _relevance_units, searched, best, total, n)
        return relevance_of_units(units, self._collection.p_collection)

    def find_evidence(self, searched: SearchedQuery, words: Sequence[int]) -> list[Evidence]:
        """Find the documents that support each of the words."""
        support = ask(self._workers, _find_support, searched, tuple(words))  # of each part, for each word
        return [merge_support(of_word) for of_word in zip(*support, strict=True)]

    def measure_reach(self, searched: SearchedQuery) -> ReachInParts:
        """Measure how far a query reaches; the parts keep the scores of their documents."""
        key = (searched.query, searched.rule)
        if key not in self._reaches:
            self._reaches[key] = self._measure_reach(searched)
        return self._reaches[key]

    def pointing(self, reach: ReachInParts) -> FloatArray:
        """Return how much each word points to the documents within a reach, shape (V,)."""
        with_word = add_up(self._workers, _chosen_frequency, reach)
        whole = self._collection
        return pointing_of_counts(with_word, whole.document_frequency, reach.n_documents, whole.n_documents)

    def _measure_reach(self, searched: SearchedQuery) -> ReachInParts:
        workers, query = self._workers, searched.query
        n_with = tuple(self.count_documents(term) for term in searched.terms)
        stand_in_sum = float(add_up(workers, _stand_in_sum, searched, n_with))
        testimony: Testimony = add_up(workers, _hear, searched, n_with, stand_in_sum)
        n_witnesses = int(add_up(workers, _count_witnesses, query))
        ask(workers, _score_documents, searched, testimony)
        breadth = self._breadth(query, testimony, n_witnesses)
        place = find_place(workers, _prompted, query, n_claimed(breadth, self._collection.n_documents))
        within = ReachInParts(breadth, query, place, 0)
        n_documents = int(add_up(workers, _count_within, within))
        return ReachInParts(breadth, query, place, n_documents)

    def _breadth(self, query: Query, testimony: Testimony, n_witnesses: int) -> float:
        """Estimate the breadth as `estimate_breadth` does."""
        if not n_witnesses:
            return breadth_of(0, 0, self._collection.n_documents)
        total = int(in_units(np.array([testimony.n_witnesses]), WEIGHT_BITS)[0])
        target = int(np.ceil(SHARE_ABOVE * total))
        place = find_place(self._workers, _unprompted, query, target)
        n_above = count_up_to(self._workers, _unprompted, query, place)
        return breadth_of(n_above, n_witnesses, self._collection.n_documents)


# --- on a part ---------------------------------------------------------------------------------------------


def _count_found(part: Part, terms: Sequence[Term], rule: Rule, excluded: Sequence[int]) -> IntArray:
    found = retrieve(part.index, terms, rule, excluded)
    return np.array([len(found), found.n_excluded], np.int64)


def _count_documents(part: Part, words: Sequence[int]) -> int:
    return int((part.index.frequency(words) > 0).sum())


def _word_frequency(part: Part, searched: SearchedQuery) -> FloatArray:
    return frequency_scores(part.index.by_document, searched.within(part.index).retrieval.documents)


def _best_likelihood(part: Part, searched: SearchedQuery) -> float:
    return float(searched.within(part.index).retrieval.log_likelihood.max(initial=-np.inf))


def _likelihood_units(part: Part, searched: SearchedQuery, best: float, n_retrieved: int) -> int:
    found = searched.within(part.index).retrieval
    return likelihood_units(found.log_likelihood, best, n_retrieved)


def _relevance_units(part: Part, searched: SearchedQuery, best: float, total: int, n: int) -> IntArray:
    index, found = part.index, searched.within(part.index).retrieval
    return relevance_units(
        index.by_document, index.lengths, found.documents, found.log_likelihood, best, total, n
    )


def _find_support(part: Part, searched: SearchedQuery, words: Sequence[int]) -> list[Support]:
    index, here = part.index, searched.within(part.index)
    log_likelihood = query_log_likelihood(index, here.retrieval)
    first = part.first_document
    return [find_support(index, word, log_likelihood, here.excluded, first_document=first) for word in words]


def _stand_in_sum(part: Part, searched: SearchedQuery, n_with: Sequence[int]) -> float:
    here = searched.within(part.index)
    rarity = rarities(part.index.collection.n_documents, n_with)
    return float(stand_ins(part.index, here, rarity)[1].sum())


def _hear(part: Part, searched: SearchedQuery, n_with: Sequence[int], stand_in_sum: float) -> Testimony:
    """Weigh the part's witnesses and remember that; return what they say."""
    weights = weigh_documents(part.index, searched.within(part.index), n_with, stand_in_sum)
    part.notes[searched.query] = weights
    return hear(part.index, weights)


def _count_witnesses(part: Part, query: Query) -> int:
    return int((part.notes[query] > 0).sum())


def _score_documents(part: Part, searched: SearchedQuery, testimony: Testimony) -> None:
    """Score the part's documents, and remember that."""
    weights = part.notes[searched.query]
    scored = score_documents(part.index, searched, weights, testimony)
    part.notes[searched.query] = (scored, in_units(weights, WEIGHT_BITS))


def _prompted(part: Part, query: Query) -> tuple[FloatArray, None]:
    return document_scores(part, query), None


def _unprompted(part: Part, query: Query) -> tuple[FloatArray, IntArray]:
    scored, weights = part.notes[query]
    return scored.unprompted, weights


def document_scores(part: Part, query: Query) -> FloatArray:
    """Return how much each document of a part speaks for a query, as measured before, shape (D_p,)."""
    scores: FloatArray = part.notes[query][0].prompted
    return scores


def within_reach(part: Part, reach: ReachInParts) -> NDArray[np.bool_]:
    """Return which documents of a part are within a reach, shape (D_p,)."""
    scores = document_scores(part, reach.query)
    near: NDArray[np.bool_] = reach.place.up_to(sort_keys(scores), part.number) & np.isfinite(scores)
    return near


def _count_within(part: Part, reach: ReachInParts) -> int:
    return int(within_reach(part, reach).sum())


def _chosen_frequency(part: Part, reach: ReachInParts) -> Any:
    return chosen_frequency(part.index.by_document, within_reach(part, reach))
