"""How well a word stands for a query: FRE, KLD and REL, one function an equation.

In: counts, probabilities and word vectors as arrays. Out: a score for each of the V vocabulary words. FRE is
equation 2, KLD equation 3, REL equations 4 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.embeddings.vectors import VocabularyVectors
from qdtm.errors import ParameterError, QueryError
from qdtm.queries.query import Extractor
from qdtm.queries.resolve import matches_of
from qdtm.queries.retrieval import smoothed
from qdtm.queries.search import SearchedQuery
from qdtm.queries.term_index import SHARE_BITS, FloatArray, IntArray, TermIndex, bits_for, in_units

# --- FRE, KLD and REL (eq. 2 to 5) --------------------------------------------------------------------------

#: REL: the share of the relevance model, lambda in equation 5.
RELEVANCE_MIX = 0.5

#: REL: how many of the words most similar to the query have a similarity, k in the paper.
N_SIMILAR = 100


def frequency_scores(counts: Any, documents: IntArray) -> FloatArray:
    """FRE: how often the retrieved documents have each word (equation 2).

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (D, V)
    documents : ndarray of int64, shape (n,)
        The retrieved documents.

    Returns
    -------
    ndarray of float64, shape (V,)
    """
    return np.asarray(counts[documents].sum(axis=0), dtype=np.float64).ravel()


def kld_scores(frequency: FloatArray, p_collection: FloatArray) -> FloatArray:
    """KLD: p_R(w) log(p_R(w) / p_C(w)), with p_R smoothed by the collection (equation 3).

    Parameters
    ----------
    frequency : ndarray of float64, shape (V,)
        Occurrences of each word in the retrieved documents.
    p_collection : ndarray of float64, shape (V,)
        p_C, the share of each word in all tokens.

    Returns
    -------
    ndarray of float64, shape (V,)
        0 for a word that the corpus does not have.
    """
    p_R = smoothed(frequency / frequency.sum(), p_collection)
    seen = p_collection > 0
    scores = np.zeros_like(p_R)
    scores[seen] = p_R[seen] * np.log(p_R[seen] / p_collection[seen])
    return scores


def relevance_model(
    counts: Any, lengths: IntArray, p_collection: FloatArray, documents: IntArray, log_likelihood: FloatArray
) -> FloatArray:
    """Return p(w|RM), the sum over retrieved documents of p(w|d) p(d|q) (equation 4).

    p(w|d) is smoothed as in retrieval. Equation 1 gives p(d|q) up to a factor; here it sums to 1 over the
    retrieved documents, and so does p(w|RM) over the words, as in the authors' program.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (D, V)
    lengths : ndarray of int64, shape (D,)
    p_collection : ndarray of float64, shape (V,)
    documents, log_likelihood : ndarray, shape (n,)
        The retrieval.

    Returns
    -------
    ndarray of float64, shape (V,)
    """
    p_qd, n_bits = np.exp(log_likelihood - log_likelihood.max()), bits_for(len(documents))
    total = int(in_units(p_qd, n_bits).sum())
    p_dq = p_qd / np.ldexp(float(total), -n_bits)  # (n,)
    of_documents = counts[documents]
    weight = np.repeat(p_dq / lengths[documents], np.diff(of_documents.indptr))  # (nnz,)
    units = in_units(of_documents.data * weight, SHARE_BITS)
    shape = (len(documents), counts.shape[1])
    added = sparse.csr_array((units, of_documents.indices, of_documents.indptr), shape=shape).sum(axis=0)
    p_w = np.ldexp(np.asarray(added, np.int64).ravel().astype(np.float64), -SHARE_BITS)  # (V,)
    return smoothed(p_w, p_collection)


def similarity_scores(
    vectors: NDArray[np.float32], query_words: Sequence[int], k: int = N_SIMILAR
) -> FloatArray:
    """Return sim(w, q) of equation 5: dot products with the sum of the query words' vectors.

    The k largest are kept and divided by their sum. The vectors are not brought to unit length, as in the
    authors' program.

    Parameters
    ----------
    vectors : ndarray of float32, shape (V, d)
        Zero for words without a vector.
    query_words : sequence of int
    k : int

    Returns
    -------
    ndarray of float64, shape (V,)
        0 for words beyond the k most similar.
    """
    query = vectors[list(query_words)].astype(np.float64).sum(axis=0)  # (d,)
    dot = vectors @ query  # (V,)
    # DEVIATION(C1): only positive products count. The authors' k largest may hold negative ones in a tiny
    # vocabulary, and their sum, which divides, may then vanish.
    nearest = [w for w in np.argsort(-dot, kind="stable")[:k] if dot[w] > 0]
    similarity = np.zeros(len(vectors))  # (V,)
    similarity[nearest] = dot[nearest] / max(dot[nearest].sum(), np.finfo(float).tiny)
    return similarity


def relevance_scores(
    p_relevance: FloatArray, similarity: FloatArray, mix: float = RELEVANCE_MIX
) -> FloatArray:
    """REL: lambda p(w|RM) + (1 - lambda) sim(w, q) (equation 5)."""
    return mix * p_relevance + (1.0 - mix) * similarity


# --- scores of all words ------------------------------------------------------------------------------------
#
# How well each vocabulary word stands for a query that was searched.
#
# In: a `SearchedQuery` and the index it was searched in. Out: `WordScores`, by the extractor asked for.

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


# --- words of one query only --------------------------------------------------------------------------------
#
# Concept words that belong to one query only.
#
# In: for each query its proposals, best first, and the words it was given. Out: for each query a `Selection`.
#
# The sampler ties a concept word to its query's parent topic in every document, so no word may serve two.


@dataclass(frozen=True)
class Selection:
    """The words that one query keeps, and those it loses to another.

    Parameters
    ----------
    given : tuple of int
        Words of its text or of the user that no other query was given, in their order.
    proposed : tuple of int
        Proposals kept, best first; a given word may be among them.
    shared : dict of int to tuple of int
        The words lost, and the queries that share them. Only proposals better than the last one kept.
    full : bool
        Whether there are as many proposals as were asked for.
    """

    given: tuple[int, ...]
    proposed: tuple[int, ...]
    shared: dict[int, tuple[int, ...]]
    full: bool


def select_distinct(
    proposals: Sequence[Sequence[int]], given: Sequence[Sequence[int]], n_words: int
) -> tuple[Selection, ...]:
    """Keep the best words that only one query has.

    A word that more than one query proposes is dropped; the first `n_words` left are kept. A word that a
    query was given (it stands in its text, or the user added it) is kept beside them, unless another was
    given it too.

    Parameters
    ----------
    proposals : sequence of sequence of int
        For each query the words proposed, best first.
    given : sequence of sequence of int
        For each query the words of its text and of the user.
    n_words : int
        How many proposals a query keeps.

    Returns
    -------
    tuple of Selection
    """
    proposers, given_to = _queries_of(proposals), _queries_of(given)
    return tuple(
        _select(q, proposals[q], given[q], proposers, given_to, n_words) for q in range(len(proposals))
    )


def _queries_of(words: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """Return the queries that have each word."""
    queries: dict[int, set[int]] = {}
    for q, of_query in enumerate(words):
        for word in of_query:
            queries.setdefault(word, set()).add(q)
    return queries


def _select(
    q: int,
    proposals: Sequence[int],
    given: Sequence[int],
    proposers: dict[int, set[int]],
    given_to: dict[int, set[int]],
    n_words: int,
) -> Selection:
    shared: dict[int, tuple[int, ...]] = {}
    own = [word for word in given if given_to[word] == {q}]
    for word in given:
        if given_to[word] != {q}:
            shared[word] = tuple(sorted(given_to[word] - {q}))
    kept: list[int] = []
    for word in proposals:
        if len(kept) == n_words:
            break
        # DEVIATION(C2): a word that another query was given is lost too. The authors look at proposals alone,
        # so a query word that its own query fails to propose could serve two topics.
        others = (proposers[word] | given_to.get(word, set())) - {q}
        if not others:
            kept.append(word)
        elif word not in own:
            shared.setdefault(word, tuple(sorted(others)))
    return Selection(tuple(own), tuple(kept), shared, full=len(kept) == n_words)
