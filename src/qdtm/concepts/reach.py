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
        n_documents = max(1, round(self.breadth * len(self.document_scores)))
        order = np.argsort(-self.document_scores, kind="stable")[:n_documents]
        return order[np.isfinite(self.document_scores[order])]


def measure_reach(index: TermIndex, searched: SearchedQuery) -> Reach:
    """Measure how far a query reaches.

    Parameters
    ----------
    index : TermIndex
    searched : SearchedQuery
        With at least one retrieved document.
    """
    witnesses = witness_weights(index, searched)
    named = matches_of(searched.sought)
    possible = (index.lengths > 0) & (index.frequency(searched.excluded) == 0)
    evidence = _Evidence(index, witnesses, named)
    unprompted = np.where(possible, evidence.unprompted_scores(), -np.inf)
    return Reach(
        estimate_breadth(unprompted, witnesses), np.where(possible, evidence.document_scores(), -np.inf)
    )


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
        return 1.0 / max(len(scores), 1)
    order = np.argsort(-scores, kind="stable")
    passed = np.cumsum(witnesses[order])
    n_above = int(np.searchsorted(passed, SHARE_ABOVE * passed[-1])) + 1
    most = min(BROADEST * len(scores), MOST_PER_WITNESS * n_witnesses)
    return float(np.clip(n_above / SHARE_ABOVE, 1.0, max(most, 1.0)) / len(scores))


class _Evidence:
    """Log odds of words: how much oftener than in any document a word is met in a witness.

    Parameters
    ----------
    index : TermIndex
    witnesses : ndarray of shape (D,)
    named : sequence of int
        The query's own words, which every witness has.
    """

    def __init__(self, index: TermIndex, witnesses: FloatArray, named: Sequence[int]) -> None:
        self.index, self.witnesses, self.named = index, witnesses, list(named)
        self.rows = np.flatnonzero(witnesses)
        present = index.by_document[self.rows]
        entry_weights = np.repeat(witnesses[self.rows], np.diff(present.indptr))
        self.n_witnesses = float(witnesses.sum())
        self.n_with: FloatArray = np.bincount(
            present.indices, weights=entry_weights, minlength=index.n_words
        ).astype(np.float64)  # (V,)
        self.p_word = (np.diff(index.by_word.indptr) + 0.5) / (index.n_documents + 1.0)  # (V,)

    def log_odds(self, n_with: FloatArray, n_witnesses: FloatArray | float, p_word: FloatArray) -> FloatArray:
        """Return log p(word | witness) / p(word), shrunk towards 0 by `DOUBT`."""
        odds: FloatArray = np.log((n_with / p_word + DOUBT) / (n_witnesses + DOUBT))
        return odds

    def document_scores(self) -> FloatArray:
        """The mean log odds of each document's tokens; a query word has the highest of all, shape (D,)."""
        odds = self.log_odds(self.n_with, self.n_witnesses, self.p_word)
        odds[self.named] = odds.max(initial=0.0)
        return self._mean_over_tokens(odds)

    def unprompted_scores(self) -> FloatArray:
        """The same without the query's words, and each witness scored by the others, shape (D,)."""
        odds = self.log_odds(self.n_with, self.n_witnesses, self.p_word)
        odds[self.named] = 0.0
        scores = self._mean_over_tokens(odds)
        scores[self.rows] = self._scores_by_others()
        return scores

    def _scores_by_others(self) -> FloatArray:
        """Score each witness with its own share of the evidence taken back."""
        present = self.index.by_document[self.rows]
        sizes = np.diff(present.indptr)
        own = np.repeat(self.witnesses[self.rows], sizes)  # (nnz,)
        words = present.indices
        n_with = np.maximum(self.n_with[words] - own, 0.0)
        odds = self.log_odds(n_with, self.n_witnesses - own, self.p_word[words])
        odds[np.isin(words, self.named)] = 0.0
        row = np.repeat(np.arange(len(self.rows)), sizes)
        totals = np.bincount(row, odds * present.data, minlength=len(self.rows))
        scores: FloatArray = totals / np.maximum(self.index.lengths[self.rows], 1)
        return scores

    def _mean_over_tokens(self, word_values: NDArray[np.float64]) -> FloatArray:
        means: FloatArray = (self.index.by_document @ word_values) / np.maximum(self.index.lengths, 1)
        return means
