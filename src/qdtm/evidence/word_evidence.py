"""Relevance of new documents: what was learned of a query, put into one weight a word.

In: how likely the documents of a corpus are to be about each query. Out: `WordEvidence`, small enough to be
saved with a result, and from it the relevance of documents that nobody has seen.

Naive Bayes with the probabilities as labels gives each word its log odds; a line from a document's mean log
odds to the log odds of its relevance, fitted over the documents that do not name the query, puts them on the
scale of the corpus. A new document that names the query is judged as those of the corpus are, with a scale of
their own: what their context adds is shifted until those of the corpus have their relevance on average.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from qdtm.evidence.breadth import LEAST_PROBABILITY, sigmoid
from qdtm.evidence.views import FloatArray, WordView, document_lengths, row_products

FARTHEST_SHIFT = 30.0
"""Log odds by which the context of documents that name a query is shifted at most."""

Judge = Callable[[FloatArray, FloatArray], FloatArray]
"""Makes a probability of the context of documents that name a query, and of how much they do."""


@dataclass(frozen=True, eq=False)
class WordEvidence:
    """How much each word speaks for each query.

    Parameters
    ----------
    weights : ndarray of float32, shape (V, Q)
        What a token of each word adds to the log odds of a document, divided by its number of tokens.
    intercepts : ndarray of float32, shape (Q,)
    """

    weights: NDArray[np.float32]
    intercepts: NDArray[np.float32]

    def score(
        self,
        counts: Any,
        q: int,
        strength: FloatArray,
        words: Sequence[int],
        possible: NDArray[np.bool_],
        judge: Judge,
        shift: float = 0.0,
    ) -> FloatArray:
        """Say how likely documents are to be about query `q`, (D,).

        Parameters
        ----------
        counts : CSR matrix of shape (D, V)
        strength : ndarray of float64, shape (D,)
            How much each document names the query.
        words : sequence of int
            The query's own words, which do not count where a document names it.
        possible : ndarray of bool, shape (D,)
        judge : callable
            Of documents that name the query.
        shift : float
            What their context has more, in log odds: `shift_of_names`.
        """
        named = strength > 0
        odds = np.where(named, shift + self.log_odds(counts, q, words), self.log_odds(counts, q))
        context = sigmoid(float(self.intercepts[q]) + odds)
        return np.where(possible, np.where(named, judge(context, strength), context), 0.0)

    def shift_of_names(
        self, counts: Any, q: int, strength: FloatArray, words: Sequence[int], mean: float, judge: Judge
    ) -> float:
        """Find the shift with which documents of the corpus that name query `q` have their mean relevance."""
        odds = float(self.intercepts[q]) + self.log_odds(counts, q, words)

        def excess(shift: float) -> float:
            return float(judge(sigmoid(odds + shift), strength).mean()) - mean

        low, high = -FARTHEST_SHIFT, FARTHEST_SHIFT
        if excess(low) >= 0:
            return low
        return high if excess(high) <= 0 else float(brentq(excess, low, high))

    def log_odds(self, counts: Any, q: int, hidden: Sequence[int] = ()) -> FloatArray:
        """What a token of each document adds on average for query `q`, some words left out, (D,)."""
        weights = self.weights[:, q].astype(np.float64)
        weights[list(hidden)] = 0.0
        lengths = np.maximum(np.asarray(counts.sum(axis=1), np.float64).ravel(), 1.0)
        return np.asarray((counts @ weights) / lengths)


def distil(counts: Any, relevance: NDArray[Any], strength: NDArray[Any]) -> WordEvidence:
    """Put the relevance of a corpus' documents, (D, Q), into weights of words."""
    view, n_words = WordView(counts), counts.shape[1]
    lengths = np.maximum(document_lengths(counts), 1.0)
    weights, intercepts = np.zeros((n_words, relevance.shape[1])), np.zeros(relevance.shape[1])
    for q in range(relevance.shape[1]):
        odds = view.log_odds(relevance[:, q].astype(np.float64))
        rows = np.flatnonzero((strength[:, q] == 0) & (relevance[:, q] > 0))
        slope, intercepts[q] = _line(row_products(counts, odds)[rows] / lengths[rows], relevance[rows, q])
        weights[:, q] = slope * odds
    return WordEvidence(weights.astype(np.float32), intercepts.astype(np.float32))


def _line(x: FloatArray, probability: NDArray[Any]) -> tuple[float, float]:
    """Fit the log odds of probabilities as a line of x that does not fall; likelier documents count more."""
    p = np.clip(probability.astype(np.float64), LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
    if len(x) < 2 or float(x.std()) < 1e-12:
        return 0.0, float(np.log(p.mean() / (1.0 - p.mean()))) if len(p) else -float(
            np.log(1.0 / LEAST_PROBABILITY)
        )
    y, weight = np.log(p / (1.0 - p)), np.sqrt(p)
    centre, height = np.average(x, weights=weight), np.average(y, weights=weight)
    slope = max(float((weight * (x - centre) * (y - height)).sum() / (weight * (x - centre) ** 2).sum()), 0.0)
    return slope, float(height - slope * centre)
