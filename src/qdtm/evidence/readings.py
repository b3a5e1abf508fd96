"""What the documents that name a query mean by it, if that is more than one thing.

In: the views of a corpus, how much each document names a query, and its words. Out: two to four `Reading`s if
the documents fall into groups that do not know each other ("vehicle" for cars and for rockets), else none.

What documents say beside the query's words is clustered (k-means, then the views of the evidence model learn
each group and claim the documents, as in self-training). A grouping is believed if it passes three tests, for
which each group scores documents that name the query and others that do not, none by its own label:

- no group is small;
- each group recognises its own. A word that says nothing is strewn over all subjects; cut into groups, each
  is a slice of the corpus, and a slice of share s stands above the others with an AUC of 1 - s/2. Each group
  must do better, and together they must leave no more than `LOOSE` of what slices of their sizes leave to 1;
- no group recognises another: its AUC of another group's documents is nearer to chance than to 1; and if it
  scores its own with 1 and documents that do not name the query with 0, others have `STRANGERS` at most.

Most queries are one group, however many aspects it has: whoever learns one aspect of "gun control" recognises
the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.evidence.corpus_views import CorpusViews
from qdtm.evidence.evidence import combine, worths
from qdtm.evidence.meaning_view import unit_rows
from qdtm.evidence.views import FloatArray, IntArray, View
from qdtm.progress import check_cancelled

MOST_READINGS = 4
MOST_NAMERS, MOST_OTHERS = 2_000, 4_000
"""Documents that name the query and are clustered, and others that they are compared with: those with the
smallest hashes."""

FEWEST, LEAST_SHARE = 5, 0.15
"""The fewest different documents of a reading, and the least share of what names the query."""

LOOSE = 0.3
"""What groups may leave to a perfect AUC, of what slices of the corpus of the same sizes would leave.

Words with several meanings leave up to 0.28, those that fit anywhere ("question", "therapy") 0.32 or more.
"""

STRANGERS = 0.18
"""How high a group scores documents of another on average, if its own have 1 and those without the name 0.

Some seventy queries of one meaning or several part between 0.16 and 0.23 on 20 Newsgroups, 0.15 and 0.22 on
OHSUMED (but "lung cancer" has 0.1), 0.15 and 0.18 on TagMyNews; without any one corpus the middle is 0.17 to
0.19.
"""

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
    views: CorpusViews,
    counts: Any,
    strength: FloatArray,
    words: Sequence[int],
    *,
    hide: Sequence[int] | None = None,
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
    hide : sequence of int, optional
        The same as the views number them, if that is otherwise: `CorpusViews.places`.
    """
    named, others = np.flatnonzero(strength > 0), np.flatnonzero(strength == 0)
    _, first, twin = np.unique(views.copy_hashes[named], return_index=True, return_inverse=True)
    if len(first) < 2 * FEWEST or not len(others):
        return ()
    rows = named[first]  # (n,): copies count once; ordered by hash
    others = others[np.argsort(views.hashes[others], kind="stable")[:MOST_OTHERS]]
    pairs = zip(views.views, views.hidden(words if hide is None else hide), strict=True)
    seen = [hidden for view, hidden in pairs if view is not views.encoded]  # it cannot hide words
    import sklearn.cluster  # noqa: F401 - slow to load; what is loaded later would not be limited

    with threadpool_limits(1):  # sums of several threads would depend on their number
        compared = [view.of(np.concatenate([rows, others])) for view in seen]
        groups = _Namers(compared, strength[rows], len(others)).readings()
    if groups is None:
        return ()
    telling = _telling_words(counts[rows], strength[rows], groups, words)
    readings = []
    for g in range(groups.n):
        members = np.zeros(len(strength), np.bool_)
        members[named[groups.group[twin.ravel()] == g]] = True
        typical = rows[groups.typical(g, strength[rows])]
        readings.append(Reading(g + 1, telling[g], tuple(typical.tolist()), members))
    return tuple(readings)


@dataclass(frozen=True, eq=False)
class _Groups:
    """The group of each document that names the query, and the scores that each group gives.

    Attributes
    ----------
    group : ndarray of int64, shape (n,)
    scores : ndarray of float64, shape (n, k)
        Of the documents that name the query.
    others : ndarray of float64, shape (m, k)
        Of those that do not.
    """

    group: IntArray
    scores: FloatArray
    others: FloatArray

    @property
    def n(self) -> int:
        return int(self.scores.shape[1])

    def means(self, values: FloatArray, weight: FloatArray) -> FloatArray:
        """Average values over the documents of each group, (k,)."""
        total = np.bincount(self.group, weight, minlength=self.n)
        return np.asarray(np.bincount(self.group, weight * values, minlength=self.n) / total)

    def typical(self, g: int, strength: FloatArray) -> IntArray:
        """The best documents of a group, of that half that names the query most."""
        own = np.flatnonzero(self.group == g)
        firm = own[strength[own] >= np.median(strength[own])]
        return firm[np.argsort(-self.scores[firm, g], kind="stable")[:N_EXAMPLES]]

    def are_strangers(self, weight: FloatArray) -> bool:
        """Test whether no group recognises another."""
        for g in range(self.n):
            height = self.means(self.scores[:, g] - self.others[:, g].mean(), weight)
            above = self.means(self._ranks(g), weight)  # AUC
            if np.delete(height, g).max() > STRANGERS * height[g] or np.delete(above, g).max() > 0.75:
                return False
        return True

    def are_of_a_piece(self, weight: FloatArray) -> bool:
        """Test whether the groups are large enough, and recognise their own."""
        share = np.bincount(self.group, weight, minlength=self.n) / weight.sum()
        above = np.array([self.means(self._ranks(g), weight)[g] for g in range(self.n)])  # AUC
        left, left_by_slices = 1.0 - above, share / 2.0
        return bool(
            share.min() >= LEAST_SHARE
            and (left < left_by_slices).all()
            and share @ left <= LOOSE * (share @ left_by_slices)
        )

    def _ranks(self, g: int) -> FloatArray:
        """The share of documents without the name that each document stands above, (n,)."""
        others, own = np.sort(self.others[:, g]), self.scores[:, g]
        below = np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")
        return np.asarray(below / (2 * len(others)))


class _Namers:
    """Different documents that name a query, and others, seen without its words.

    Parameters
    ----------
    views : sequence of View
        Of documents that name the query, then of others that do not.
    strength : ndarray of float64, shape (n,)
        Of the former.
    n_others : int
        How many the latter are.
    """

    def __init__(self, views: Sequence[View], strength: FloatArray, n_others: int) -> None:
        self._views, self._strength = views, strength
        self._n_seen = len(strength) + n_others
        self._clustered = np.arange(min(len(strength), MOST_NAMERS))

    def readings(self) -> _Groups | None:
        """Find the most groups that pass the tests, the largest first; None if there are none."""
        parts = [view.features(self._clustered) for view in self._views]
        if all(part is None for part in parts):
            return None
        features = np.hstack([unit_rows(part) for part in parts if part is not None])
        for k in range(min(MOST_READINGS, len(self._strength) // FEWEST), 1, -1):
            groups = self._grouped(features, k)
            if (
                groups is not None
                and groups.are_of_a_piece(self._strength)
                and groups.are_strangers(self._strength)
            ):
                return groups
        return None

    def _grouped(self, features: FloatArray, k: int) -> _Groups | None:
        """Make k groups; None if one of them gets too small."""
        n, weight = len(self._strength), self._strength[self._clustered]
        if len(np.unique(features, axis=0)) < k:
            return None
        from sklearn.cluster import KMeans  # slow to load

        found = KMeans(k, n_init=10, random_state=0).fit(features, sample_weight=weight)
        group = found.labels_.astype(np.int64)
        for _ in range(ROUNDS + 1):
            check_cancelled()
            order = np.argsort(-np.bincount(group, minlength=k), kind="stable")
            group = np.argsort(order)[group]
            if np.bincount(group, minlength=k).min() < FEWEST:
                return None
            scores = np.stack([self._scores(group == g) for g in range(k)], axis=1)  # (n + m, k)
            before, group = group, scores[self._clustered].argmax(axis=1)
        rest = scores[len(self._clustered) : n].argmax(axis=1)
        return _Groups(np.concatenate([before, rest]), scores[:n], scores[n:])

    def _scores(self, chosen: NDArray[np.bool_]) -> FloatArray:
        """How much each document is like some that were clustered, never by its own label, (n + m,)."""
        labels = np.zeros(self._n_seen)
        labels[self._clustered[chosen]] = self._strength[self._clustered[chosen]]
        looks = [view(labels) for view in self._views]
        return combine(looks, worths(looks, labels))


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
