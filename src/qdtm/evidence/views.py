"""Views of documents: how much each document is like those of some labels, seen by words, topics or meaning.

In: a corpus once, then labels, from 0 to 1 a document. Out: a score for each document, higher the more it is
like the labelled ones. A document never hears its own label (leave one out), so that the score of one that is
labelled says what others like it would get.

Every view can hide words: `hidden` scores documents as if they did not have them. With the words of a query
hidden, a document that names it is judged by the rest of what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.corpus.indexing import count_numbers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

WORD_DOUBT = 50.0
"""Ordinary documents mixed into the labelled ones before words are compared: rare words say little."""

TOPIC_DOUBT = 20.0
"""The same for topics, of which there are fewer."""

MOST_KEPT = 2**24
"""Shares of topics in documents that are worked out ahead: 128 MB."""

BLOCK = 2**14
"""Documents whose vectors are worked on at a time."""

HEARD = 1e-3
"""Labels below it are too small to be taken back."""


class View(Protocol):
    """Scores documents by labels."""

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Return how much each document is like the labelled ones, shape (D,)."""
        ...

    def hidden(self, words: Sequence[int]) -> View:
        """Return the same view of documents without some words."""
        ...

    def of(self, rows: IntArray) -> View:
        """Return the same view of some documents."""
        ...

    def features(self, rows: IntArray) -> FloatArray | None:
        """Return what some documents are like, (n, d), 0 being usual; None if it would be a row of words."""
        ...


class WordView:
    """Naive Bayes over words: the mean over a document's tokens of log p(word | labelled) / p(word).

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
    hide : sequence of int
        Words that say nothing.
    p_word : ndarray of float64, shape (V,), optional
        Of a document to have each word, where these documents are but some of all.
    """

    def __init__(self, counts: Any, hide: Sequence[int] = (), p_word: FloatArray | None = None) -> None:
        self._counts = counts
        self._hide = list(hide)
        self._lengths = np.maximum(document_lengths(counts), 1.0)  # (D,)
        if p_word is None:
            p_word = share_with(document_frequency(counts), counts.shape[0])
        self._p_word = p_word

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, those that are labelled by the others."""
        return self.score(labels, self.total(labels), float(labels.sum()))

    def score(self, labels: FloatArray, n_with: FloatArray, n_labelled: float) -> FloatArray:
        """Score these documents, given what the labels of all add up to."""
        scores: FloatArray = (self._counts @ self.odds(n_with, n_labelled)) / self._lengths
        for rows in _in_blocks(np.flatnonzero(labels > HEARD)):
            scores[rows] = self._by_others(rows, labels[rows], n_with, n_labelled)
        return scores

    def log_odds(self, labels: FloatArray) -> FloatArray:
        """Log p(word | labelled) / p(word), shrunk by `WORD_DOUBT`; 0 for hidden words, (V,)."""
        return self.odds(self.total(labels), float(labels.sum()))

    def odds(self, n_with: FloatArray, n_labelled: float) -> FloatArray:
        """The same, given what the labels of all documents add up to, (V,)."""
        odds: FloatArray = np.log((n_with / self._p_word + WORD_DOUBT) / (n_labelled + WORD_DOUBT))
        odds[self._hide] = 0.0
        return odds

    def total(self, labels: FloatArray) -> FloatArray:
        """The labels of the documents that have each word, added up, (V,)."""
        from qdtm.evidence.kernels import labels_with  # slow to load

        total = np.zeros(self._counts.shape[1])
        labels_with(self._counts.indptr, self._counts.indices, np.asarray(labels, np.float64), total)
        return total

    def hidden(self, words: Sequence[int]) -> WordView:
        """Return the same view of documents without some words."""
        other = object.__new__(WordView)
        other._counts, other._hide = self._counts, list(words)
        other._lengths, other._p_word = self._lengths, self._p_word
        return other

    def of(self, rows: IntArray) -> WordView:
        """Return the same view of some documents, with the lengths that they have without the hidden words.

        What is usual stays as it is in all documents.
        """
        other = object.__new__(WordView)
        other._counts, other._hide, other._p_word = self._counts[rows], self._hide, self._p_word
        visible = np.ones(len(self._p_word))
        visible[self._hide] = 0.0
        other._lengths = np.maximum(other._counts @ visible, 1.0)
        return other

    def features(self, rows: IntArray) -> None:
        """Return nothing: words are too many."""

    def _by_others(
        self, rows: IntArray, own: FloatArray, n_with: FloatArray, n_labelled: float
    ) -> FloatArray:
        chosen = self._counts[rows]
        sizes, words = np.diff(chosen.indptr), chosen.indices
        taken = np.repeat(own, sizes)
        rest = np.maximum(n_with[words] - taken, 0.0)
        odds = np.log((rest / self._p_word[words] + WORD_DOUBT) / (n_labelled - taken + WORD_DOUBT))
        odds[np.isin(words, self._hide)] = 0.0
        totals = np.bincount(np.repeat(np.arange(len(rows)), sizes), odds * chosen.data, minlength=len(rows))
        return np.asarray(totals / self._lengths[rows])


class TopicView:
    """The same over background topics: the mean of log p(topic | labelled) / p(topic).

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
    word_topic : ndarray of shape (V, K)
        Tokens of each word in each background topic.
    hide : sequence of int
    p_k : ndarray of float64, shape (K,), optional
        The usual share of each topic, where these documents are but some of all.
    """

    def __init__(
        self,
        counts: Any,
        word_topic: NDArray[Any],
        hide: Sequence[int] = (),
        p_k: FloatArray | None = None,
    ) -> None:
        self._counts, self._word_topic = counts, word_topic
        self._shares: FloatArray | None = None  # (D, K), where they were worked out ahead
        self._p_kw = topics_of_words(word_topic, hide)
        seen = self._p_kw.any(axis=1).astype(np.float64)
        self._lengths = np.maximum(counts @ seen, 1.0)  # (D,): tokens that have a topic
        self._p_k = usual_topics(self._mixture(np.ones(counts.shape[0]))) if p_k is None else p_k

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, those that are labelled by the others."""
        return self.score(labels, self._mixture(labels), float(labels.sum()))

    def score(self, labels: FloatArray, n_k: FloatArray, n_labelled: float) -> FloatArray:
        """Score these documents, given what the labels of all add up to."""
        scores = self._mean(self._log_odds(n_k, n_labelled))
        for rows in _in_blocks(np.flatnonzero(labels > HEARD)):
            theta, own = self.shares(rows), labels[rows, None]
            rest = np.maximum(n_k - own * theta, 0.0)
            scores[rows] = (theta * self._log_odds(rest, n_labelled - own)).sum(axis=1)
        return scores

    def hidden(self, words: Sequence[int]) -> TopicView:
        """Return the same view of documents without some words."""
        other = TopicView(self._counts, self._word_topic, words)
        if self._shares is not None:
            rows = rows_with(self._counts, words)
            shares = self._shares.copy()
            shares[rows] = other.shares(rows)
            other._shares = shares
        return other

    @classmethod
    def of_shares(cls, shares: FloatArray, word_topic: NDArray[Any], p_k: FloatArray) -> TopicView:
        """Make the view of documents whose shares of topics are known, (D, K); their words are not here."""
        view = object.__new__(cls)
        view._word_topic, view._shares, view._p_k = word_topic, shares, p_k
        return view

    def with_usual(self, p_k: FloatArray) -> TopicView:
        """Take over the usual share of each topic in all documents; return the view."""
        self._p_k = p_k
        return self

    def kept(self) -> TopicView:
        """Work out the shares of all documents ahead, if they fit into little memory; return the view."""
        n_documents, n_topics = self._counts.shape[0], self._p_kw.shape[1]
        if n_documents * n_topics <= MOST_KEPT:
            self._shares = self.shares(np.arange(n_documents))
        return self

    def of(self, rows: IntArray) -> TopicView:
        """Return the same view of some documents; what is usual stays as it is in all."""
        other = object.__new__(TopicView)
        other._counts, other._lengths = self._counts[rows], self._lengths[rows]
        other._word_topic, other._p_kw, other._p_k = self._word_topic, self._p_kw, self._p_k
        other._shares = self.shares(rows)
        return other

    def features(self, rows: IntArray) -> FloatArray:
        """Return how far the square roots of the topics' shares are from the usual ones, (n, K)."""
        return np.asarray(np.sqrt(self.shares(rows)) - np.sqrt(self._p_k))

    def shares(self, rows: IntArray) -> FloatArray:
        """The share of each topic in some documents, (n, K)."""
        if self._shares is not None:
            return self._shares[rows]
        return np.asarray((self._counts[rows] @ self._p_kw) / self._lengths[rows, None])

    def _mean(self, value_k: FloatArray) -> FloatArray:
        """The mean of a value of each topic over the tokens of each document, (D,)."""
        if self._shares is not None:
            return np.asarray(self._shares @ value_k)
        return np.asarray((self._counts @ (self._p_kw @ value_k)) / self._lengths)

    def _mixture(self, labels: FloatArray) -> FloatArray:
        """The topics of the labelled documents, each document counting by its label, (K,)."""
        if self._shares is not None:
            return np.asarray(labels @ self._shares)
        return np.asarray(self.total(labels) @ self._p_kw)

    def total(self, labels: FloatArray) -> FloatArray:
        """The words of labelled documents, each document counting by its label, (V,)."""
        from qdtm.evidence.kernels import weights_with  # slow to load

        total = np.zeros(self._counts.shape[1])
        counts = self._counts
        weights_with(counts.indptr, counts.indices, counts.data, self.weights(labels), total)
        return total

    def weights(self, labels: FloatArray) -> FloatArray:
        """What a token of each document counts, given its label, (D,)."""
        return np.asarray(labels / self._lengths)

    def _log_odds(self, n_k: FloatArray, n_labelled: Any) -> FloatArray:
        return np.asarray(np.log((n_k + TOPIC_DOUBT * self._p_k) / (n_labelled + TOPIC_DOUBT) / self._p_k))


def _in_blocks(rows: IntArray) -> Iterator[IntArray]:
    """Yield some rows, a block at a time."""
    for first in range(0, len(rows), BLOCK):
        yield rows[first : first + BLOCK]


def document_frequency(counts: Any) -> IntArray:
    """In how many documents each word is, (V,)."""
    return count_numbers(counts.indices, counts.shape[1])


def document_lengths(counts: Any) -> FloatArray:
    """How many tokens each document has, (D,)."""
    return row_products(counts, np.ones(counts.shape[1]))


def row_products(counts: Any, weights: FloatArray) -> FloatArray:
    """The product of each row with weights of words, (D,): `counts @ weights` without a copy of these."""
    from qdtm.evidence.kernels import products  # slow to load

    found = np.zeros(counts.shape[0])
    products(counts.indptr, counts.indices, counts.data, weights, found)
    return found


def share_with(frequency: IntArray, n_documents: int) -> FloatArray:
    """The probability of a document to have each word, (V,)."""
    return np.asarray((frequency + 0.5) / (n_documents + 1.0))


def topics_of_words(word_topic: NDArray[Any], hide: Sequence[int]) -> NDArray[Any]:
    """p(k|w), (V, K); 0 for words that are hidden."""
    p_kw = word_topic / np.maximum(word_topic.sum(axis=1, keepdims=True), 1e-12)
    p_kw[list(hide)] = 0.0
    return np.asarray(p_kw)


def usual_topics(mixture: FloatArray) -> FloatArray:
    """The usual share of each topic, from the mixture of all documents, (K,)."""
    mixture /= max(float(mixture.sum()), 1e-12)
    mixture += 1e-12
    return mixture


def rows_with(counts: Any, words: Sequence[int]) -> IntArray:
    """The documents that have any of some words, in order; few have."""
    at = np.flatnonzero(np.isin(counts.indices, list(words)))
    return np.unique(np.searchsorted(counts.indptr, at, side="right") - 1)


def tfidf(counts: Any, frequency: IntArray | None = None, n_documents: int | None = None) -> Any:
    """Weigh words by log frequency and rarity, CSR of shape (D, V); rows are not normalised.

    Parameters
    ----------
    frequency, n_documents : optional
        Of all documents, where these are but some of them.
    """
    frequency = document_frequency(counts) if frequency is None else frequency  # (V,)
    n_documents = counts.shape[0] if n_documents is None else n_documents
    weights = (1.0 + np.log(counts.data)) * rarity(frequency, n_documents)[counts.indices]
    return sparse.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)


def rarity(frequency: IntArray, n_documents: int) -> FloatArray:
    """Return how much words count by the documents that have them: inverse document frequency, (V,)."""
    return np.asarray(np.log((1.0 + n_documents) / (1.0 + frequency)) + 1.0)


def standardised(scores: FloatArray) -> FloatArray:
    """Put scores on a common scale, mean 0 and variance 1; constant ones are 0."""
    spread = float(scores.std())
    return np.asarray((scores - scores.mean()) / (spread if spread > 1e-12 else 1.0))
