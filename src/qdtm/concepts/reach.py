"""What the corpus itself says about a concept: how broad it is, and which documents are likely about it.

In: the document-term matrix and a query's concept words. Out: `Reach`, from which the sampler starts.
No model is fitted here; everything is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.pointing import pointing

WORDS_BETWEEN = 20.0
"""A document about a concept has one of its words about every so many tokens."""

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
    word_weights : ndarray of shape (V,)
        How much a word points to the concept: 1 for a concept word, 0 for a word that keeps its company no
        more than chance.
    document_scores : ndarray of shape (D,)
        The average weight of a document's words.
    """

    breadth: float
    word_weights: NDArray[np.float64]
    document_scores: NDArray[np.float64]

    @property
    def documents(self) -> NDArray[np.int64]:
        """The documents likeliest to be about the concept, best first, as many as its breadth says."""
        n_documents = round(self.breadth * len(self.document_scores))
        order = np.argsort(-self.document_scores, kind="stable")[:n_documents]
        return order[self.document_scores[order] > 0]


def measure_reach(counts: Any, concept_words: NDArray[np.int32]) -> Reach:
    """Measure how far a concept reaches.

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
        The document-term matrix.
    concept_words : ndarray of int
        Vocabulary indices.
    """
    lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()  # (D,)
    own = np.asarray(counts[:, concept_words].toarray(), dtype=np.float64)  # (D, C)
    weights = pointing(counts, own.sum(axis=1) > 0)
    weights[concept_words] = 1.0
    scores = (counts @ weights) / np.maximum(lengths, 1.0)
    return Reach(breadth(own, lengths), weights, scores)


def uncovered_share(reaches: Sequence[Reach]) -> float:
    """The share of the corpus that the concepts leave uncovered, 0 if they cover it."""
    return max(0.0, 1.0 - sum(reach.breadth for reach in reaches) / FULL_COVER)


def breadth(own: NDArray[np.float64], lengths: NDArray[np.float64]) -> float:
    """Estimate the share of the corpus that is about the concept: the smaller of two estimates.

    `breadth_by_lift` is too large where long documents mix many things, `breadth_by_presence` where concept
    words are general; both are seldom much too small.
    """
    smaller = min(breadth_by_lift(own, lengths), breadth_by_presence(own, lengths))
    return float(np.clip(smaller, 1.0 / max(len(lengths), 1), BROADEST))


def breadth_by_lift(own: NDArray[np.float64], lengths: NDArray[np.float64]) -> float:
    """Read the breadth off the company that concept words keep.

    If a share x of the corpus is about the concept and its words occur there independently, two different
    ones meet 1 / x times as often as chance would have it. So x is the chance rate of such pairs over the
    observed rate.

    Parameters
    ----------
    own : ndarray of shape (D, C)
        Counts of the concept words.
    lengths : ndarray of shape (D,)
        Tokens of each document.
    """
    n_tokens, n_pairs = lengths.sum(), (lengths * (lengths - 1.0)).sum()
    rate = own.sum(axis=0) / max(n_tokens, 1.0)  # (C,)
    together = own.sum(axis=1) @ own.sum(axis=1) - (own * own).sum()
    if together <= 0.0 or n_pairs <= 0.0:
        return 1.0
    by_chance = rate.sum() ** 2 - (rate**2).sum()
    return float(by_chance * n_pairs / together)


def breadth_by_presence(own: NDArray[np.float64], lengths: NDArray[np.float64]) -> float:
    """Read the breadth off the share of documents with a concept word.

    A short document may be about the concept and have none; the share is raised by the chance of that.
    """
    filled = lengths > 0
    if not filled.any():
        return 0.0
    seen = float((1.0 - np.exp(-lengths[filled] / WORDS_BETWEEN)).mean())
    return float(own[filled].any(axis=1).mean()) / seen
