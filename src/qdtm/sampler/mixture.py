"""A Dirichlet multinomial mixture of documents: each is in one group, and a word counts once in a document.

In: which words documents have, and a first grouping. Out: groups that the marginal likelihood does not want
to merge any more, and `DocumentMixture`, which says how likely any document is to be in each.

The words of a group are drawn around those of all the documents (MacKay and Peto 1995): a group has to
explain only what it says otherwise. Groups are merged greedily as in Bayesian hierarchical clustering (Heller
and Ghahramani 2005), under a Chinese restaurant prior, and documents then move to the group that their words
fit best, as in the mixture of Yin and Wang (2014). So the number of groups is inferred; how far groups stray
from the rest is chosen by the likelihood of documents that were not seen. That a word counts once in a
document, and those of a long one for less, takes care of burstiness (Madsen, Kauchak and Elkan 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

CONCENTRATIONS = (5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0)
"""Words' worth of what all documents say in the words of a group: the fewer, the farther groups stray."""

LONG = 25.0
"""Of a document with more words than this, n count as the root of 25 n: words of one text are no independent
witnesses of its group."""

MOVES = 5
"""How often documents may move to another group between two rounds of merging."""

FloatArray = NDArray[np.float64]
Labels = NDArray[np.int64]


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
    def of(cls, has: Any, labels: Labels, concentration: float) -> DocumentMixture:
        """Learn the mixture from documents in their groups.

        Parameters
        ----------
        has : CSR matrix of shape (D, V)
            The weight of each word that a document has.
        labels : ndarray of int64, shape (D,)
            0 to S - 1, each there at least once; -1 for a document that is left out.
        concentration : float
        """
        n_groups = int(labels.max()) + 1
        counts = weights_of_words(has, labels, n_groups).T  # (V, S)
        prior = concentration * base_measure(counts.sum(axis=1))  # (V,)
        known = prior > 0
        smoothed = np.zeros_like(counts)
        total = counts.sum(axis=0) + concentration  # (S,)
        smoothed[known] = np.log((counts[known] + prior[known, None]) / total)
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
    """Count each word once in a document, and those of a `LONG` one for less: CSR of the same shape."""
    has = counts.copy()
    n_words = np.diff(has.indptr)
    has.data = np.repeat(np.sqrt(LONG / np.maximum(n_words, LONG)), n_words)
    return has


def infer_groups(has: Any, labels: Labels, concentration: float) -> Labels:
    """Merge groups, let documents move, and merge again."""
    labels = merge(has, labels, concentration)
    for _ in range(MOVES):
        best = DocumentMixture.of(has, labels, concentration).log_joint(has).argmax(axis=1)
        moved = np.unique(best, return_inverse=True)[1]
        if np.array_equal(moved, labels):
            break
        labels = moved
    return merge(has, labels, concentration)


def likelihoods_unseen(has: Any, labels: Labels, unseen: Any) -> FloatArray:
    """Log likelihoods of other documents, given groups merged from these: a row a concentration, (C, n)."""
    found = []
    for concentration in CONCENTRATIONS:
        groups = merge(has, labels, concentration)
        mixture = DocumentMixture.of(has, groups, concentration)
        found.append(logsumexp(mixture.log_joint(unseen), axis=1))
    return np.array(found)


def choose_concentration(likelihoods: FloatArray) -> float:
    """The largest concentration with which documents are as likely as with the best, but for chance.

    Groups are fewer with a larger one: of what is less than a standard error apart, the simplest is taken
    (Breiman et al. 1984, of trees).

    Parameters
    ----------
    likelihoods : ndarray of shape (C, n)
        As from `likelihoods_unseen`.
    """
    best = likelihoods[likelihoods.sum(axis=1).argmax()]
    loss = best - likelihoods  # (C, n)
    error = loss.std(axis=1) * np.sqrt(loss.shape[1])
    return CONCENTRATIONS[int(np.flatnonzero(loss.sum(axis=1) <= error)[-1])]


def merge(has: Any, labels: Labels, concentration: float) -> Labels:
    """Merge pairs of groups as long as that raises the marginal likelihood.

    Parameters
    ----------
    has : CSR matrix of shape (D, V)
    labels : ndarray of int64, shape (D,)
        0 to K - 1, each there at least once.
    concentration : float
    """
    n_groups = int(labels.max()) + 1
    counts = weights_of_words(has, labels, n_groups)  # (K, V)
    counts = np.ascontiguousarray(counts[:, counts.any(axis=0)])
    if not counts.shape[1]:
        return np.zeros_like(labels)
    from qdtm.sampler.mixture_kernels import merge_greedily  # slow to load

    sizes = np.bincount(labels, minlength=n_groups)
    into, _ = merge_greedily(counts, sizes, concentration * base_measure(counts.sum(axis=0)))
    return np.unique(into[labels], return_inverse=True)[1]


def base_measure(weights: FloatArray) -> FloatArray:
    """The words of all documents as a distribution, (V,)."""
    return np.asarray(weights / max(float(weights.sum()), 1e-12))


def weights_of_words(has: Any, labels: Labels, n_groups: int) -> FloatArray:
    """Add up the weight of each word in the documents of each group, (K, V); label -1 is no group."""
    group = np.repeat(labels, np.diff(has.indptr))
    inside = group >= 0
    cells = group[inside] * has.shape[1] + has.indices[inside]
    weights = np.bincount(cells, has.data[inside], minlength=n_groups * has.shape[1])
    return np.asarray(weights.reshape(n_groups, has.shape[1]), np.float64)
