"""What the corpus itself says about a query: how broad it is, and which documents are likely about it.

In: a query that was looked up in a corpus. Out: `Reach`, from which the sampler starts. No model is fitted
here; everything is counted.

Documents that name the query are its witnesses. The words they have oftener than others say which other
documents are like them. A witness is scored without its own testimony, and without the query's words: so the
scores of witnesses tell how documents about the query score, named or not. If half of the witnesses score
above t, so should half of all documents about the query; counting the documents above t gives their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.resolve import matches_of
from qdtm.concepts.search import SearchedQuery
from qdtm.concepts.term_index import FloatArray, IntArray, TermIndex
from qdtm.concepts.witnesses import witness_weights

DOUBT = 50.0
"""Ordinary documents mixed into the witnesses: a word that few of them have says little."""

SHARE_ABOVE = 0.5
"""The breadth is read off where so much of the witnesses scores higher."""

MOST_PER_WITNESS = 40
"""No concept is taken to have more documents for each one that names it."""

MOST_OF_MIDWAY = 1.75
"""Nor more than so many times what lies midway between those that name it and all documents.

Midway in orders of magnitude, the square root of their product; on labelled corpora concepts have 0.2 to 2.4
times that. Where witnesses have little in common the estimate would run beyond."""

FULL_COVER = 0.75
"""Estimated breadths that add up to this count as covering the corpus: they are cautious estimates."""

BROADEST = 0.6
"""No concept is taken to cover more of the corpus than this."""


@dataclass(frozen=True, eq=False)
class Reach:
    """How far one concept reaches into a corpus.

    Parameters
    ----------
    breadth : float
        The share of the corpus that is about the concept, estimated.
    document_scores : ndarray of shape (D,)
        How much a document's words speak for the concept, on average; -inf for a document that cannot be
        about it (an empty one, or one that the user excluded).
    """

    breadth: float
    document_scores: FloatArray

    @property
    def documents(self) -> IntArray:
        """The documents likeliest to be about the concept, best first, as many as its breadth says."""
        n_documents = n_claimed(self.breadth, len(self.document_scores))
        order = np.argsort(-self.document_scores, kind="stable")[:n_documents]
        return order[np.isfinite(self.document_scores[order])]


def n_claimed(breadth: float, n_documents: int) -> int:
    """How many documents a concept of this breadth claims, if they can be about it at all."""
    return max(1, round(breadth * n_documents))


def measure_reach(index: TermIndex, searched: SearchedQuery) -> Reach:
    """Measure how far a query reaches.

    Parameters
    ----------
    index : TermIndex
        Of the whole corpus.
    searched : SearchedQuery
        With at least one retrieved document.
    """
    witnesses = witness_weights(index, searched)
    scored = score_documents(index, searched, witnesses, hear(index, witnesses))
    return Reach(estimate_breadth(scored.unprompted, witnesses), scored.prompted)


def uncovered_share(reaches: Sequence[Reach]) -> float:
    """The share of the corpus that the concepts leave uncovered, 0 if they cover it."""
    return max(0.0, 1.0 - sum(reach.breadth for reach in reaches) / FULL_COVER)


def cover_the_corpus(reaches: Sequence[Reach]) -> bool:
    """Say whether queries leave less than another of their size could fill; one alone is not asked."""
    breadth = sum(reach.breadth for reach in reaches) / len(reaches)
    return len(reaches) > 1 and uncovered_share(reaches) <= breadth


def estimate_breadth(scores: FloatArray, witnesses: FloatArray) -> float:
    """Estimate the share of documents that are about the concept.

    Parameters
    ----------
    scores : ndarray of shape (D,)
        How much each document looks like the witnesses, without looking at whether it is one.
    witnesses : ndarray of shape (D,)
        How much each document is a witness.
    """
    n_witnesses = int((witnesses > 0).sum())
    if not n_witnesses:
        return breadth_of(0, 0, len(scores))
    order = np.argsort(-scores, kind="stable")
    passed = np.cumsum(witnesses[order])
    n_above = int(np.searchsorted(passed, SHARE_ABOVE * passed[-1])) + 1
    return breadth_of(n_above, n_witnesses, len(scores))


def breadth_of(n_above: int, n_witnesses: int, n_documents: int) -> float:
    """The breadth, where `n_above` documents score like the better half of the witnesses."""
    if not n_witnesses:
        return 1.0 / max(n_documents, 1)
    midway = float(np.sqrt(n_witnesses * n_documents))
    most = min(BROADEST * n_documents, MOST_PER_WITNESS * n_witnesses, MOST_OF_MIDWAY * midway)
    return float(np.clip(n_above / SHARE_ABOVE, 1.0, max(most, 1.0)) / n_documents)


@dataclass(frozen=True, eq=False)
class Testimony:
    """What witnesses say together.

    Parameters
    ----------
    n_with : ndarray of float64, shape (V,)
        The weight of the witnesses that have each word.
    n_witnesses : float
        The weight of all of them.
    """

    n_with: FloatArray
    n_witnesses: float


def hear(index: TermIndex, witnesses: FloatArray) -> Testimony:
    """Add up what the witnesses among an index's documents have."""
    rows = np.flatnonzero(witnesses)
    present = index.by_document[rows]
    entry_weights = np.repeat(witnesses[rows], np.diff(present.indptr))
    n_with = np.bincount(present.indices, weights=entry_weights, minlength=index.n_words)  # (V,)
    return Testimony(n_with.astype(np.float64), float(witnesses.sum()))


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """How much each document's words speak for a concept, on average; -inf for one that cannot be about it.

    Parameters
    ----------
    prompted : ndarray of float64, shape (D,)
        A query word speaks as loud as the loudest of all.
    unprompted : ndarray of float64, shape (D,)
        Without the query's words, and each witness scored by the others.
    """

    prompted: FloatArray
    unprompted: FloatArray


def score_documents(
    index: TermIndex, searched: SearchedQuery, witnesses: FloatArray, testimony: Testimony
) -> DocumentScores:
    """Score documents by the testimony of the witnesses.

    Parameters
    ----------
    index : TermIndex
        Of the whole corpus.
    searched : SearchedQuery
    witnesses : ndarray of shape (D,)
        How much each document is a witness.
    testimony : Testimony
        Of all of them.
    """
    named = list(matches_of(searched.sought))
    p_word = np.asarray((index.document_frequency + 0.5) / (index.n_documents + 1.0), np.float64)  # (V,)
    odds = log_odds(testimony.n_with, testimony.n_witnesses, p_word)
    loud, quiet = odds.copy(), odds.copy()
    loud[named], quiet[named] = odds.max(initial=0.0), 0.0
    unprompted = _mean_over_tokens(index, quiet)
    rows = np.flatnonzero(witnesses)
    unprompted[rows] = _scores_by_others(index, rows, witnesses[rows], testimony, p_word, named)
    possible = (index.lengths > 0) & (index.frequency(searched.excluded) == 0)
    return DocumentScores(
        np.where(possible, _mean_over_tokens(index, loud), -np.inf),
        np.where(possible, unprompted, -np.inf),
    )


def log_odds(n_with: FloatArray, n_witnesses: FloatArray | float, p_word: FloatArray) -> FloatArray:
    """Return log p(word | witness) / p(word): how much oftener a witness has a word; shrunk by `DOUBT`."""
    odds: FloatArray = np.log((n_with / p_word + DOUBT) / (n_witnesses + DOUBT))
    return odds


def _scores_by_others(
    index: TermIndex,
    rows: IntArray,
    weights: FloatArray,
    testimony: Testimony,
    p_word: FloatArray,
    named: Sequence[int],
) -> FloatArray:
    """Score each witness with its own share of the testimony taken back."""
    present = index.by_document[rows]
    sizes, words = np.diff(present.indptr), present.indices
    own = np.repeat(weights, sizes)  # (nnz,)
    n_with = np.maximum(testimony.n_with[words] - own, 0.0)
    odds = log_odds(n_with, testimony.n_witnesses - own, p_word[words])
    odds[np.isin(words, named)] = 0.0
    row = np.repeat(np.arange(len(rows)), sizes)
    totals = np.bincount(row, odds * present.data, minlength=len(rows))
    scores: FloatArray = totals / np.maximum(index.lengths[rows], 1)
    return scores


def _mean_over_tokens(index: TermIndex, word_values: NDArray[np.float64]) -> FloatArray:
    means: FloatArray = (index.by_document @ word_values) / np.maximum(index.lengths, 1)
    return means
