"""Do the documents that name a query mean one thing by it?

In: the views of a corpus, how much each document names a query, and its words. Out: two to four `Reading`s if the
documents fall into groups that do not know each other ("vehicle" for cars and for rockets), else none.

What documents say beside the query's words is clustered (k-means, then the views of the evidence model learn each
group and claim the documents, as in self-training). A grouping is believed if it passes three tests. They ask
how far above documents that do not name the query others stand, by what a group has in common (the area under
the ROC curve, AUC; no document is judged by its own label, as in all views):

- each group recognises its own. A word that says nothing is strewn over all subjects; cut into groups, each is a
  slice of the corpus, and a slice of share s has an AUC of 1 - s/2. Each group must do better than that, and
  all of them together must leave no more than `LOOSE` of what slices of their sizes would leave to 1;
- no group recognises another: by what one has in common, the documents of another are hardly above those
  that do not name the query at all, an AUC of `STRANGERS` at most;
- no group is small.

Most queries are one group, however many aspects it has: whoever learns one aspect of "gun control" recognises
the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from qdtm.evidence.corpus_views import CorpusViews
from qdtm.evidence.model import combine, worths
from qdtm.evidence.views import FloatArray, IntArray, View, unit_rows

MOST_READINGS = 4
MOST_NAMERS = 5_000
"""Documents that name the query and are clustered, at most: those with the smallest hashes."""

FEWEST, LEAST_SHARE = 5, 0.15
"""The fewest different documents of a reading, and the least share of what names the query."""

LOOSE = 0.3
"""What groups may leave to a perfect AUC, of what slices of the corpus of the same sizes would leave."""

STRANGERS = 0.7
"""The largest AUC by which documents of one group recognise those of another."""

ROUNDS = 2
"""How often the views learn the groups and claim the documents again."""

N_WORDS, N_EXAMPLES = 5, 3


@dataclass(frozen=True, eq=False)
class Reading:
    """One of the things that documents mean by a query.

    Attributes
    ----------
    number : int
        From 1, the largest first.
    words : tuple of int
        The words that tell it best from the other readings.
    documents : tuple of int
        Up to three typical documents.
    members : ndarray of bool, shape (D,)
        The documents that name the query in this sense.
    """

    number: int
    words: tuple[int, ...]
    documents: tuple[int, ...]
    members: NDArray[np.bool_]

    @property
    def n_documents(self) -> int:
        """How many documents name the query in this sense."""
        return int(self.members.sum())


def find_readings(
    views: CorpusViews, counts: Any, strength: FloatArray, words: Sequence[int]
) -> tuple[Reading, ...]:
    """Find what the documents that name a query mean by it; none if they are one group.

    Parameters
    ----------
    views : CorpusViews
    counts : CSR matrix of shape (D, V)
    strength : ndarray of float64, shape (D,)
        How much each document names the query.
    words : sequence of int
        The query's own words, which are hidden.
    """
    named = np.flatnonzero(strength > 0)
    _, first, twin_of = np.unique(views.hashes[named], return_index=True, return_inverse=True)
    if len(first) < 2 * FEWEST or len(named) == len(strength):
        return ()
    rows = named[first]  # each content once, by hash
    with threadpool_limits(1):  # sums of several threads would depend on their number
        seen = [view.hidden(words) for view in views.views if view is not views.encoded]  # it hides nothing
        namers = _Namers(seen, strength, rows[:MOST_NAMERS])
        features = namers.features()
        for k in range(min(MOST_READINGS, len(first) // FEWEST), 1, -1):
            groups = namers.grouped(features, k)
            if groups is not None and namers.are_readings(groups):
                every = namers.claimed(rows, groups)
                return _readings(namers, every, counts, rows, named, twin_of.ravel(), words)
    return ()


@dataclass(frozen=True, eq=False)
class _Groups:
    """A grouping: the group of each document that was clustered, and what each group says of all documents."""

    group: IntArray  # (n,)
    scores: FloatArray  # (D, k)

    @property
    def n(self) -> int:
        return self.scores.shape[1]


class _Namers:
    """Different documents that name a query, seen without its words.

    Parameters
    ----------
    views : sequence of View
        Which hide the query's words.
    strength : ndarray of float64, shape (D,)
    rows : ndarray of int, shape (n,)
        The documents that are clustered.
    """

    def __init__(self, views: Sequence[View], strength: FloatArray, rows: IntArray) -> None:
        self._views, self._strength, self._rows = views, strength, rows
        self._weight = strength[rows]
        self._others = np.flatnonzero(strength == 0)

    def features(self) -> FloatArray:
        """What the clustered documents are like: all features of all views, side by side, (n, d)."""
        parts = [view.features(self._rows) for view in self._views]
        return np.hstack([unit_rows(part) for part in parts if part is not None] or [np.zeros((len(self._rows), 1))])

    def grouped(self, features: FloatArray, k: int) -> _Groups | None:
        """Cluster the documents into k groups; None if one of them vanishes."""
        if len(np.unique(features, axis=0)) < k:
            return None
        found = KMeans(k, n_init=10, random_state=0).fit(features, sample_weight=self._weight)
        group = found.labels_.astype(np.int64)
        for last in [False] * ROUNDS + [True]:
            if np.bincount(group, minlength=k).min() < FEWEST:
                return None
            scores = np.stack([self._scores(group == g) for g in range(k)], axis=1)  # (D, k)
            if not last:
                group = scores[self._rows].argmax(axis=1)
        return _Groups(group, scores)

    def _scores(self, chosen: NDArray[np.bool_]) -> FloatArray:
        """How much each document is like some of those that were clustered, never by its own label, (D,)."""
        labels = np.zeros(len(self._strength))
        labels[self._rows[chosen]] = self._weight[chosen]
        looks = [view(labels) for view in self._views]
        return combine(looks, worths(looks, labels))

    def are_readings(self, groups: _Groups) -> bool:
        """Test whether the groups are large enough, know their own, and do not know each other."""
        share = np.bincount(groups.group, self._weight, minlength=groups.n) / self._weight.sum()
        if share.min() < LEAST_SHARE:
            return False
        known = self.recognised(groups)
        left, left_by_slices = 1.0 - known.diagonal(), share / 2.0
        of_a_piece = (left < left_by_slices).all() and share @ left <= LOOSE * (share @ left_by_slices)
        return bool(of_a_piece and known[~np.eye(groups.n, dtype=np.bool_)].max() <= STRANGERS)

    def recognised(self, groups: _Groups) -> FloatArray:
        """The AUC of the documents of each group, against those that do not name the query, by each, (k, k)."""
        known = np.empty((groups.n, groups.n))
        for g in range(groups.n):
            others = np.sort(groups.scores[self._others, g])
            own = groups.scores[self._rows, g]
            below = np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")
            mass = self._weight * below / (2 * len(others))
            known[g] = np.bincount(groups.group, mass, groups.n) / np.bincount(
                groups.group, self._weight, groups.n
            )
        return known

    def claimed(self, rows: IntArray, groups: _Groups) -> _Groups:
        """Give the documents that were not clustered to the groups that they are most like, largest first."""
        group = np.concatenate([groups.group, groups.scores[rows[len(self._rows) :]].argmax(axis=1)])
        order = np.argsort(-np.bincount(group, self._strength[rows], minlength=groups.n), kind="stable")
        return _Groups(np.argsort(order)[group], groups.scores[:, order])


def _readings(
    namers: _Namers,
    groups: _Groups,
    counts: Any,
    rows: IntArray,
    named: IntArray,
    twin_of: IntArray,
    words: Sequence[int],
) -> tuple[Reading, ...]:
    """Describe groups."""
    strength = namers._strength
    telling = _telling_words(counts[rows], strength[rows], groups, words)
    readings = []
    for g in range(groups.n):
        members = np.zeros(len(strength), np.bool_)
        members[named[groups.group[twin_of] == g]] = True
        own = rows[groups.group == g]
        firm = np.sort(own[strength[own] >= np.median(strength[own])])
        typical = firm[np.argsort(-groups.scores[firm, g], kind="stable")[:N_EXAMPLES]]
        readings.append(Reading(g + 1, telling[g], tuple(typical.tolist()), members))
    return tuple(readings)


def _telling_words(
    counts: Any, weight: FloatArray, groups: _Groups, hide: Sequence[int]
) -> list[tuple[int, ...]]:
    """The words that tell each group best from the others: p log(p / q) of the documents that have them."""
    present = (counts > 0).astype(np.float64)
    n_gw = np.stack([present.T @ (weight * (groups.group == g)) for g in range(groups.n)])  # (k, V)
    n_g = np.bincount(groups.group, weight, minlength=groups.n)
    p = (n_gw + 0.5) / (n_g[:, None] + 1.0)
    q = (n_gw.sum(axis=0) - n_gw + 0.5) / (n_g.sum() - n_g[:, None] + 1.0)
    told = p * np.log(p / q)
    told[:, list(hide)] = -np.inf
    best = np.argsort(-told, axis=1, kind="stable")[:, :N_WORDS]
    return [tuple(int(w) for w in best[g] if told[g, w] > 0) for g in range(groups.n)]
