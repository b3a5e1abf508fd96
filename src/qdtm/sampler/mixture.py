"""A mixture of documents, each of which is in one group that has its own words and its place among vectors.

In: which words documents have, a vector of each if there are any, and a first grouping. Out: groups that the
marginal likelihood does not want to merge any more, and `DocumentMixture`, which says how likely any document
is to be in each by its words.

A group has a distribution of words with a Dirichlet prior, and a spherical Gaussian of vectors
(`qdtm.sampler.document_vectors`); given the group, a document's words and its vector are independent. So a
short text, of which words say little, is placed by its vector, a long one by its words. Groups are merged
greedily as in Bayesian hierarchical clustering (Heller and Ghahramani 2005), under a Chinese restaurant
prior, and documents then move to the group that they fit best, as in the mixture of Yin and Wang (2014). So
the number of groups is inferred, and so is the smoothing. That a word counts once in a document takes care of
its burstiness (Madsen, Kauchak and Elkan 2005).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.document_vectors import FloatArray, Labels, log_likelihood, totals, variances

SMOOTHING = (0.02, 0.05, 0.1, 0.2, 0.5)
"""What beta of the mixture is chosen from, by the marginal likelihood; the last is the paper's."""

MOVES = 5
"""How often documents may move to another group between two rounds of merging."""


@dataclass(frozen=True, eq=False)
class Documents:
    """What groups are made of.

    Attributes
    ----------
    has : CSR matrix of shape (D, V)
        1 where a document has a word.
    vectors : ndarray of shape (D, d)
        Of length 1 in the square mean; d is 0 where there are none.
    within : float
        The share of the variance of vectors that lies within groups.
    """

    has: Any
    vectors: FloatArray
    within: float

    def take(self, rows: Labels) -> Documents:
        """Some of them."""
        return Documents(self.has[rows], self.vectors[rows], self.within)

    def log_joint(self, labels: Labels, beta: float, others: Documents) -> FloatArray:
        """The logarithm of p(group, document) of others, given these in groups, (n, S); -1 is none."""
        by_words = DocumentMixture.of(self.has, labels, beta).log_joint(others.has)
        return by_words + log_likelihood(self.vectors, labels, others.vectors, self.within)


@dataclass(frozen=True, eq=False)
class DocumentMixture:
    """How likely documents are to be in each of S groups, by the words that they have.

    Attributes
    ----------
    log_words : ndarray of float32, shape (V, S)
        The logarithm of p(word | group); 0 for words that no group knows.
    log_sizes : ndarray of float64, shape (S,)
        The logarithm of p(group).
    """

    log_words: NDArray[np.float32]
    log_sizes: FloatArray

    @classmethod
    def of(cls, has: Any, labels: Labels, beta: float) -> DocumentMixture:
        """Learn the mixture from documents in their groups.

        Parameters
        ----------
        has : CSR matrix of shape (D, V)
            1 where a document has a word.
        labels : ndarray of int64, shape (D,)
            0 to S - 1, each there at least once; -1 for a document that is left out.
        """
        n_groups = int(labels.max()) + 1
        counts = documents_with_word(has, labels, n_groups).T.astype(np.float64)  # (V, S)
        known = counts.any(axis=1)
        total = np.maximum(counts.sum(axis=0) + beta * known.sum(), beta)  # (S,)
        smoothed = np.log((counts + beta) / total)
        smoothed[~known] = 0.0
        sizes = np.bincount(labels[labels >= 0], minlength=n_groups)
        return cls(smoothed.astype(np.float32), np.log(sizes / sizes.sum()))

    @classmethod
    def none(cls, n_words: int) -> DocumentMixture:
        """A mixture without groups."""
        return cls(np.zeros((n_words, 0), np.float32), np.zeros(0))

    @property
    def n_groups(self) -> int:
        """The number of groups, S."""
        return len(self.log_sizes)

    def log_joint(self, has: Any) -> FloatArray:
        """The logarithm of p(group, words of the document), up to what all groups share, (D, S)."""
        return np.asarray(has @ self.log_words.astype(np.float64) + self.log_sizes)

    def posterior(self, has: Any) -> FloatArray:
        """How likely each document is to be in each group, (D, S)."""
        joint = self.log_joint(has)
        joint = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def take(self, groups: NDArray[np.int64]) -> DocumentMixture:
        """The same mixture with some of its groups, in this order."""
        sizes = np.exp(self.log_sizes[groups])
        return DocumentMixture(self.log_words[:, groups], np.log(sizes / sizes.sum()))

    def of_entries(self, parts: Any) -> DocumentMixture:
        """The same over entries of a vocabulary, each of which stands for its words.

        Parameters
        ----------
        parts : CSR matrix of shape (V, V') or None
            1 where an entry has a word; None if each is one.
        """
        if parts is None:
            return self
        return DocumentMixture(np.asarray(parts @ self.log_words, np.float32), self.log_sizes)


def words_once(counts: Any) -> Any:
    """Count each word once in a document: CSR of the same shape, 1 where it has the word."""
    has = counts.copy()
    has.data = np.ones(len(has.data), np.float64)
    return has


def infer_groups(documents: Documents, labels: Labels, beta: float) -> Labels:
    """Merge groups, let documents move, and merge again."""
    labels, _ = merge(documents, labels, beta)
    for _ in range(MOVES):
        best = documents.log_joint(labels, beta, documents).argmax(axis=1)
        moved = np.unique(best, return_inverse=True)[1]
        if np.array_equal(moved, labels):
            break
        labels = moved
    return merge(documents, labels, beta)[0]


def choose_smoothing(samples: Sequence[Documents], starts: Sequence[Labels]) -> float:
    """The beta whose groups, merged from these of each sample, have the highest marginal likelihood."""

    def likelihood(beta: float) -> float:
        return sum(merge(seen, start, beta)[1] for seen, start in zip(samples, starts, strict=True))

    return max(SMOOTHING, key=likelihood)


def merge(documents: Documents, labels: Labels, beta: float) -> tuple[Labels, float]:
    """Merge pairs of groups as long as that raises the marginal likelihood; return it with the labels.

    Parameters
    ----------
    documents : Documents
    labels : ndarray of int64, shape (D,)
        0 to K - 1, each there at least once.
    beta : float
    """
    sizes, sums = totals(documents.vectors, labels)
    counts = documents_with_word(documents.has, labels, len(sizes))  # (K, V)
    counts = np.ascontiguousarray(counts[:, counts.any(axis=0)])
    of_count = np.array([math.lgamma(n + beta) for n in range(len(labels) + 1)]) - math.lgamma(beta)
    from qdtm.sampler.mixture_kernels import merge_greedily  # slow to load

    into, likelihood = merge_greedily(
        counts, sizes, sums, of_count, beta * counts.shape[1], *variances(sums.shape[1], documents.within)
    )
    return np.unique(into[labels], return_inverse=True)[1], float(likelihood)


def documents_with_word(has: Any, labels: Labels, n_groups: int) -> NDArray[np.int32]:
    """Count the documents of each group that have each word, (K, V); label -1 is no group."""
    group = np.repeat(labels, np.diff(has.indptr))
    inside = group >= 0
    cells = group[inside] * has.shape[1] + has.indices[inside]
    counts = np.bincount(cells, minlength=n_groups * has.shape[1])
    return counts.reshape(n_groups, has.shape[1]).astype(np.int32)
