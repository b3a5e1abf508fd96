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

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

WORD_DOUBT = 50.0
"""Ordinary documents mixed into the labelled ones before words are compared: rare words say little."""

TOPIC_DOUBT = 20.0
"""The same for topics, of which there are fewer."""

RIDGE = 1.0
"""The penalty of the regression on document vectors, which have length 1."""

ENCODED_RIDGE = 100.0
"""The same for a sentence encoder, whose vectors have four times as many numbers: of 1, 10, 100, 300 and
1,000 the best on seven corpora, and with each of them left out in turn."""

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
    """

    def __init__(self, counts: Any, hide: Sequence[int] = ()) -> None:
        self._counts = counts
        self._hide = list(hide)
        self._lengths = np.maximum(np.asarray(counts.sum(axis=1), np.float64).ravel(), 1.0)  # (D,)
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self._p_word = (frequency + 0.5) / (counts.shape[0] + 1.0)  # (V,): of a document to have the word

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, those that are labelled by the others."""
        n_with, n_labelled = self._labelled_with(labels), float(labels.sum())
        scores: FloatArray = (self._counts @ self._log_odds(n_with, n_labelled)) / self._lengths
        for rows in _in_blocks(np.flatnonzero(labels > HEARD)):
            scores[rows] = self._by_others(rows, labels[rows], n_with, n_labelled)
        return scores

    def log_odds(self, labels: FloatArray) -> FloatArray:
        """Log p(word | labelled) / p(word), shrunk by `WORD_DOUBT`; 0 for hidden words, (V,)."""
        return self._log_odds(self._labelled_with(labels), float(labels.sum()))

    def _log_odds(self, n_with: FloatArray, n_labelled: float) -> FloatArray:
        odds: FloatArray = np.log((n_with / self._p_word + WORD_DOUBT) / (n_labelled + WORD_DOUBT))
        odds[self._hide] = 0.0
        return odds

    def _labelled_with(self, labels: FloatArray) -> FloatArray:
        """The labels of the documents that have each word, added up, (V,)."""
        from qdtm.evidence.kernels import labels_with  # slow to load

        found: FloatArray = labels_with(
            self._counts.indptr, self._counts.indices, np.asarray(labels, np.float64), self._counts.shape[1]
        )
        return found

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
    """

    def __init__(self, counts: Any, word_topic: NDArray[Any], hide: Sequence[int] = ()) -> None:
        self._counts, self._word_topic = counts, word_topic
        self._shares: FloatArray | None = None  # (D, K), where they were worked out ahead
        p_kw = word_topic / np.maximum(word_topic.sum(axis=1, keepdims=True), 1e-12)  # (V, K): p(k|w)
        p_kw[list(hide)] = 0.0
        self._p_kw = p_kw
        seen = p_kw.any(axis=1).astype(np.float64)
        self._lengths = np.maximum(counts @ seen, 1.0)  # (D,): tokens that have a topic
        self._p_k = self._mixture(np.ones(counts.shape[0]))
        self._p_k /= max(float(self._p_k.sum()), 1e-12)
        self._p_k += 1e-12

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, those that are labelled by the others."""
        n_k, n_labelled = self._mixture(labels), float(labels.sum())
        scores = self._mean(self._log_odds(n_k, n_labelled))
        for rows in _in_blocks(np.flatnonzero(labels > HEARD)):
            theta, own = self._theta(rows), labels[rows, None]
            rest = np.maximum(n_k - own * theta, 0.0)
            scores[rows] = (theta * self._log_odds(rest, n_labelled - own)).sum(axis=1)
        return scores

    def hidden(self, words: Sequence[int]) -> TopicView:
        """Return the same view of documents without some words."""
        other = TopicView(self._counts, self._word_topic, words)
        if self._shares is not None:
            at = np.flatnonzero(np.isin(self._counts.indices, list(words)))  # few documents have them
            rows = np.unique(np.searchsorted(self._counts.indptr, at, side="right") - 1)
            shares = self._shares.copy()
            shares[rows] = other._theta(rows)
            other._shares = shares
        return other

    def kept(self) -> TopicView:
        """Work out the shares of all documents ahead, if they fit into little memory; return the view."""
        n_documents, n_topics = self._counts.shape[0], self._p_kw.shape[1]
        if n_documents * n_topics <= MOST_KEPT:
            self._shares = self._theta(np.arange(n_documents))
        return self

    def of(self, rows: IntArray) -> TopicView:
        """Return the same view of some documents; what is usual stays as it is in all."""
        other = object.__new__(TopicView)
        other._counts, other._lengths = self._counts[rows], self._lengths[rows]
        other._word_topic, other._p_kw, other._p_k = self._word_topic, self._p_kw, self._p_k
        other._shares = self._theta(rows)
        return other

    def features(self, rows: IntArray) -> FloatArray:
        """Return how far the square roots of the topics' shares are from the usual ones, (n, K)."""
        return np.asarray(np.sqrt(self._theta(rows)) - np.sqrt(self._p_k))

    def _theta(self, rows: IntArray) -> FloatArray:
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
        return np.asarray((self._counts.T @ (labels / self._lengths)) @ self._p_kw)

    def _log_odds(self, n_k: FloatArray, n_labelled: Any) -> FloatArray:
        return np.asarray(np.log((n_k + TOPIC_DOUBT * self._p_k) / (n_labelled + TOPIC_DOUBT) / self._p_k))


class MeaningView:
    """Ridge regression of the labels on document vectors, leave one out in closed form.

    Parameters
    ----------
    rows : ndarray of float32, shape (D, 1 + d)
        A vector of length 1 for each document, after a 1; the view keeps it, and changes it.
    without : callable, optional
        From words to the documents that have any of them and their vectors without; by default words cannot
        be hidden.
    ridge : float
        Documents' worth of doubt in each direction.
    """

    def __init__(self, rows: NDArray[np.float32], without: Any = None, ridge: float = RIDGE) -> None:
        from qdtm.evidence.kernels import centre  # slow to load

        n_rows = max(len(rows), 1)
        self._common: FloatArray = sum(_sums(rows), np.zeros(rows.shape[1]))[1:] / n_rows
        centre(rows, self._common)
        self._features, self._without, self._ridge = _Features(rows), without, ridge
        self._prepare()

    @classmethod
    def of_vectors(cls, vectors: NDArray[Any]) -> MeaningView:
        """Make the view of documents with the vectors of a sentence encoder, as they come, (D, d)."""
        return cls(_with_ones(unit_rows(vectors)), ridge=ENCODED_RIDGE)

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, each without its own label."""
        fitted = self._features.weigh(self._inverse @ self._features.total(labels))
        return np.asarray((fitted - self._leverage * labels) / np.maximum(1.0 - self._leverage, 1e-6))

    def hidden(self, words: Sequence[int]) -> MeaningView:
        """Return the same view of documents without some words."""
        if self._without is None:
            return self
        rows, vectors = self._without(words)
        return self._with(self._features.changed(rows, self._as_features(vectors)), self._without)

    def changed(self, rows: IntArray, vectors: NDArray[Any]) -> MeaningView:
        """Return the same view with other vectors of some documents; rows rise."""
        return self._with(self._features.changed(rows, self._as_features(vectors)), None)

    def of(self, rows: IntArray) -> MeaningView:
        """Return the same view of some documents, in which words can no longer be hidden."""
        return self._with(_Features(self._features.rows(rows)), None)

    def features(self, rows: IntArray) -> FloatArray:
        """Return the vectors of some documents without what all have in common, (n, d)."""
        return self._features.rows(rows)[:, 1:].astype(np.float64)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors of all documents without what all have in common, of length 1, (D, d)."""
        return self._features.all_rows[:, 1:]

    def near(self, vector: NDArray[Any]) -> FloatArray:
        """How near each document is to a vector of the same kind, (D,)."""
        weights = self._as_features(vector[None])[0].astype(np.float64)
        weights[0] = 0.0
        return self._features.weigh(weights)

    def _with(self, features: _Features, without: Any) -> MeaningView:
        other = object.__new__(MeaningView)
        other._features, other._common, other._without = features, self._common, without
        other._ridge = self._ridge
        other._prepare()
        return other

    def _as_features(self, vectors: NDArray[Any]) -> NDArray[np.float32]:
        """Take off what all documents have in common, give each the length 1, and put a 1 before."""
        return _with_ones(unit_rows(unit_rows(vectors) - self._common))

    def _prepare(self) -> None:
        gram = self._features.gram()
        gram[np.diag_indices(len(gram))] += self._ridge
        self._inverse: FloatArray = np.asarray(np.linalg.inv(gram), np.float64)
        self._leverage = self._features.squares(self._inverse)


class _Features:
    """Vectors of documents, (D, d), worked on in blocks: there may be a million.

    Sums within a block are single precision, those of blocks double.

    Parameters
    ----------
    rows : ndarray of float32, shape (D, d)
    at, instead : ndarray, optional
        Some rows, (n,), rising, and what stands there instead, (n, d).
    """

    def __init__(
        self, rows: NDArray[np.float32], at: IntArray | None = None, instead: NDArray[Any] | None = None
    ) -> None:
        self._rows = rows
        self._at = np.zeros(0, np.int64) if at is None else at
        self._instead = np.zeros((0, rows.shape[1]), np.float32) if instead is None else instead

    def changed(self, at: IntArray, instead: NDArray[np.float32]) -> _Features:
        """Return the same with some rows changed, the others being shared."""
        return _Features(self._rows, at, instead)

    @property
    def all_rows(self) -> NDArray[np.float32]:
        """All rows; they are shared if none is changed."""
        return self._rows if not len(self._at) else self.rows(np.arange(len(self._rows)))

    def rows(self, rows: IntArray) -> NDArray[np.float32]:
        """Return some of the rows, (n, d)."""
        found = self._rows[rows]
        changed = np.flatnonzero(np.isin(rows, self._at))
        found[changed] = self._instead[np.searchsorted(self._at, rows[changed])]
        return found

    def weigh(self, weights: FloatArray) -> FloatArray:
        """The product with weights (d,) of each row, (D,)."""
        single, found = weights.astype(np.float32), np.zeros(len(self._rows))
        for place, block in self._blocks():
            found[place] = block @ single
        return found

    def total(self, labels: FloatArray) -> FloatArray:
        """The sum of the rows, each by its label, (d,)."""
        single, total = labels.astype(np.float32), np.zeros(self._rows.shape[1])
        for place, block in self._blocks():
            total += single[place] @ block
        return total

    def gram(self) -> FloatArray:
        """The sum of the products of each row with itself, (d, d)."""
        total = np.zeros((self._rows.shape[1],) * 2)
        for _, block in self._blocks():
            total += block.T @ block
        return total

    def squares(self, matrix: FloatArray) -> FloatArray:
        """Each row times a matrix times itself, (D,)."""
        single, found = matrix.astype(np.float32), np.zeros(len(self._rows))
        for place, block in self._blocks():
            found[place] = np.einsum("ij,ij->i", block @ single, block)
        return found

    def _blocks(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        for first in range(0, len(self._rows), BLOCK):
            place = slice(first, min(first + BLOCK, len(self._rows)))
            inside = slice(*np.searchsorted(self._at, (place.start, place.stop)).tolist())
            block = self._rows[place]
            if inside.stop > inside.start:
                block = block.copy()
                block[self._at[inside] - first] = self._instead[inside]
            yield place, block


def _sums(rows: NDArray[np.float32]) -> Iterator[FloatArray]:
    """Yield the sum of the rows of each block, (d,)."""
    for first in range(0, len(rows), BLOCK):
        yield rows[first : first + BLOCK].sum(axis=0, dtype=np.float64)


def _with_ones(rows: FloatArray) -> NDArray[np.float32]:
    """Put a 1 before each row."""
    return np.column_stack([np.ones(len(rows)), rows]).astype(np.float32)


def _in_blocks(rows: IntArray) -> Iterator[IntArray]:
    """Yield some rows, a block at a time."""
    for first in range(0, len(rows), BLOCK):
        yield rows[first : first + BLOCK]


def unit_rows(vectors: NDArray[Any]) -> FloatArray:
    """Give each row the length 1; a row of zeros stays."""
    rows = np.asarray(vectors, np.float64)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def tfidf(counts: Any) -> Any:
    """Weigh words by log frequency and rarity, CSR of shape (D, V); rows are not normalised."""
    n_documents = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])  # (V,)
    rarity = np.log((1.0 + n_documents) / (1.0 + frequency)) + 1.0
    weights = (1.0 + np.log(counts.data)) * rarity[counts.indices]
    return sparse.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)


def word_vector_view(weighted: Any, vectors: NDArray[np.float32]) -> MeaningView:
    """See documents by the mean vector of their words, rare words counting more.

    Parameters
    ----------
    weighted : CSR matrix of shape (D, V)
        From `tfidf`.
    vectors : ndarray of shape (V, d)
        Of length 1; 0 for a word without one.
    """

    def without(words: Sequence[int]) -> tuple[IntArray, FloatArray]:
        at = np.flatnonzero(np.isin(weighted.indices, list(words)))
        rows = np.unique(np.searchsorted(weighted.indptr, at, side="right") - 1)
        others = vectors.astype(np.float64)
        others[list(words)] = 0.0
        return rows, np.asarray(weighted[rows] @ others)

    from qdtm.evidence.kernels import mean_vectors  # slow to load

    rows = np.ones((weighted.shape[0], 1 + vectors.shape[1]), np.float32)
    mean_vectors(weighted.indptr, weighted.indices, weighted.data, vectors, rows)
    return MeaningView(rows, without)


def standardised(scores: FloatArray) -> FloatArray:
    """Put scores on a common scale, mean 0 and variance 1; constant ones are 0."""
    spread = float(scores.std())
    return np.asarray((scores - scores.mean()) / (spread if spread > 1e-12 else 1.0))
