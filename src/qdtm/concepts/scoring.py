"""How well each vocabulary word stands for a query that was searched.

In: a `SearchedQuery` and the index it was searched in. Out: `WordScores`, by the extractor asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qdtm.concepts.extractors import (
    frequency_scores,
    kld_scores,
    relevance_model,
    relevance_scores,
    similarity_scores,
)
from qdtm.concepts.query import Extractor
from qdtm.concepts.resolve import matches_of
from qdtm.concepts.search import SearchedQuery
from qdtm.concepts.term_index import FloatArray, TermIndex
from qdtm.embeddings.vectors import VocabularyVectors
from qdtm.errors import ParameterError, QueryError

#: A query that retrieves the whole corpus has KLD scores of 0, and of rounding errors below this.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class WordScores:
    """Scores of all words, and the words that can be proposed.

    Parameters
    ----------
    scores : ndarray of float64, shape (V,)
    ranking : tuple of int
        Words that a retrieved document has (or, with REL, that are similar to the query) and whose score is
        positive; best first, equal ones in the vocabulary's order. A negative KLD score marks a word that the
        query's documents avoid.
    """

    scores: FloatArray
    ranking: tuple[int, ...]


def score_words(
    extractor: Extractor,
    index: TermIndex,
    searched: SearchedQuery,
    vectors: VocabularyVectors | None = None,
) -> WordScores:
    """Score every word for a query.

    Parameters
    ----------
    extractor : {"kld", "fre", "rel"}
    index : TermIndex
    searched : SearchedQuery
        With at least one retrieved document.
    vectors : VocabularyVectors, optional
        Needed for "rel".

    Returns
    -------
    WordScores
    """
    found = searched.retrieval
    frequency = frequency_scores(index.by_document, found.documents)  # (V,)
    if extractor == "fre":
        return _ranked(frequency, frequency)
    if extractor == "kld":
        return _ranked(kld_scores(frequency, index.p_collection), frequency)
    similarity = _similarity(searched, vectors)  # (V,)
    p_w = relevance_model(
        index.by_document, index.lengths, index.p_collection, found.documents, found.log_likelihood
    )  # (V,)
    return _ranked(relevance_scores(p_w, similarity), frequency + similarity)


def _ranked(scores: FloatArray, support: FloatArray) -> WordScores:
    """Rank the words that have support: occurrences in retrieved documents, or similarity to the query."""
    eligible = np.flatnonzero((support > 0) & (scores > ROUNDING))
    order = np.argsort(-scores[eligible], kind="stable")
    return WordScores(scores, tuple(eligible[order].tolist()))


def _similarity(searched: SearchedQuery, vectors: VocabularyVectors | None) -> FloatArray:
    """Return sim(w, q), or say what is missing for it."""
    if vectors is None:
        raise ParameterError("Expansion 'rel' needs word vectors; give embeddings, or take 'kld' or 'fre'.")
    words = matches_of(searched.sought)
    if not vectors.known[list(words)].any():
        raise QueryError(
            f"Query '{searched.query.name}': expansion 'rel' needs the vector of a query word, and "
            f"'{vectors.name}' has none; take 'kld' or 'fre', or other vectors."
        )
    return similarity_scores(vectors.raw, words)
