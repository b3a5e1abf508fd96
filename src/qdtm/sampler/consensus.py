"""Groups of documents that independent chains agree on.

In: documents, how much each counts, their words, and a vector of each, if there are any. Out: `Grouping`: the
groups that most chains find.

Each chain sees three quarters of the documents, drawn by their weight: it starts from spherical k-means
(Dhillon and Modha 2001) of their words, weighted by rarity and reduced by latent semantic analysis, in more
groups than there should be, and merges them as far as the marginal likelihood of a mixture of words and
vectors wants to (`qdtm.sampler.mixture`); vectors of a sentence encoder know more than the words, and stand
for them. Two documents belong together as often as chains put them together, and groups are what average
linkage makes of that at one half: evidence accumulation (Fred and Jain 2005), the majority being the rule. So
a group that hangs on chance, or on a few documents, is not found, and the number of groups is inferred twice
over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.evidence.meaning_view import unit_rows
from qdtm.evidence.views import rarity
from qdtm.sampler.document_vectors import (
    ENCODED_WITHIN,
    WITHIN,
    FloatArray,
    Labels,
    principal_components,
)
from qdtm.sampler.mixture import DocumentMixture, Documents, choose_smoothing, infer_groups, words_once

N_CHAINS = 8
"""Chains that must agree."""

MOST_DOCUMENTS = 4_000
"""Documents that the chains draw from, at most; the others go to the group that they fit best."""

SEEN = 0.75
"""How much of the documents a chain sees."""

MOST_COMPARED = 1_500
"""Documents that are compared with each other to see what chains put together, at most."""

MOST_GROUPS, DOCUMENTS_A_GROUP = 30, 5
"""What a chain starts with: so many groups, or fewer where these would have fewer documents."""

N_DIMENSIONS, N_ROUNDS = 20, 20
"""Of latent semantic analysis, and of k-means."""

MAJORITY = 0.5
"""Documents belong together if at least so many chains say so."""

SAME_DOCUMENTS = 0.5
"""A chain finds a group if one of its own has so much of the documents of both in common."""

FEWEST_DOCUMENTS, LEAST_SHARE = 3, 0.01
"""A group has at least so many documents, and so much of all."""

USUAL_SMOOTHING = 0.1
"""Beta of the mixture of words, where documents are grouped by an encoder's vectors alone."""

FEWEST_TO_SPLIT = 50
"""Documents of a corpus whose topics are split.

The smallest group has three (`FEWEST_DOCUMENTS`). Of a thousand words, one stands by chance in exactly these
and in no others with a probability of about 1000 / C(D, 3): 1 in 20 with 50 documents, nearly always with 20.
Below, the words that seem to hold a group together may well be chance.
"""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of documents, largest first.

    Attributes
    ----------
    labels : ndarray of int64, shape (D,)
        The group of each document.
    mixture : DocumentMixture
        Of these groups.
    chains : tuple of ndarray of int64, shape (D,)
        The groups that each chain found.
    """

    labels: Labels
    mixture: DocumentMixture
    chains: tuple[Labels, ...]

    @property
    def n_groups(self) -> int:
        """The number of groups, S."""
        return self.mixture.n_groups


def can_split(n_documents: int) -> bool:
    """Return whether a corpus has enough documents for its topics to be split."""
    return n_documents >= FEWEST_TO_SPLIT


def group_documents(
    counts: Any,
    weights: FloatArray,
    seed: tuple[int, ...],
    vectors: NDArray[np.float32] | None = None,
    *,
    encoded: bool = False,
) -> Grouping:
    """Find the groups that most chains agree on.

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
        How often each document has each word.
    weights : ndarray of shape (D,)
        How much each counts, above 0.
    seed : tuple of int
        Of the random streams.
    vectors : ndarray of float32, shape (D, e), optional
        What a sentence encoder makes of the documents, or the means of their words' vectors.
    encoded : bool
        Whether a sentence encoder made them: then documents are grouped by them alone.
    """
    has = words_once(counts)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    pool = draw(weights, min(MOST_DOCUMENTS, has.shape[0]), rng)
    kept = has[pool]
    kept = kept[:, np.flatnonzero(np.bincount(kept.indices, minlength=has.shape[1]) > 1)].tocsr()
    if kept.nnz == 0 or len(pool) < 2 * FEWEST_DOCUMENTS:
        return _one_group(has)
    with threadpool_limits(1):  # sums of several threads would depend on their number
        documents = _seen(has, vectors, encoded=encoded)
        drawn = Documents(documents.has[pool] if encoded else kept, documents.vectors[pool], documents.within)
        directions = unit_rows(drawn.vectors) if encoded else latent_semantics(kept, rng)
        seen: list[Documents] = []
        starts: list[Labels] = []
        for _ in range(N_CHAINS):
            rows = draw(weights[pool], round(SEEN * len(pool)), rng)
            seen.append(drawn.take(rows))
            starts.append(k_means(directions[rows], _n_start(len(rows)), rng))
        beta = USUAL_SMOOTHING if encoded else choose_smoothing(seen, starts)
        found = [
            own.log_joint(infer_groups(own, start, beta), beta, drawn).argmax(axis=1)
            for own, start in zip(seen, starts, strict=True)
        ]
        together = agree(np.array(found))
        if together.max(initial=-1) < 1:
            return _one_group(has)
        best = documents.take(pool[: len(together)]).log_joint(together, beta, documents).argmax(axis=1)
        return _settled(has, pool, best, beta, np.array(found))


def _seen(has: Any, vectors: NDArray[np.float32] | None, *, encoded: bool) -> Documents:
    """What groups are told apart by: words, and vectors if there are any; an encoder's vectors alone."""
    if vectors is None:
        return Documents(has, np.zeros((has.shape[0], 0)), 1.0)
    reduced = principal_components(vectors)
    return Documents(has[:, :0], reduced, ENCODED_WITHIN) if encoded else Documents(has, reduced, WITHIN)


class Overlap(NamedTuple):
    """How far chains find groups again.

    Attributes
    ----------
    share : ndarray of shape (S, C)
        What each group and the nearest one of each chain have in common, of the documents of both (Jaccard).
    group : ndarray of int64, shape (S, C)
        That nearest one.
    """

    share: FloatArray
    group: NDArray[np.int64]


def find_overlap(grouping: Grouping) -> Overlap:
    """Look for each group in each chain, among the documents that chains know."""
    share = np.zeros((grouping.n_groups, len(grouping.chains)))
    group = np.zeros(share.shape, np.int64)
    for c, chain in enumerate(grouping.chains):
        labels, own = grouping.labels[chain >= 0], chain[chain >= 0]
        n_own = int(own.max()) + 1
        both = np.bincount(labels * n_own + own, minlength=grouping.n_groups * n_own)
        both = both.reshape(grouping.n_groups, n_own)  # (S, S_c)
        either = both.sum(axis=1, keepdims=True) + both.sum(axis=0) - both
        common = both / np.maximum(either, 1)
        share[:, c], group[:, c] = common.max(axis=1), common.argmax(axis=1)
    return Overlap(share, group)


def draw(weights: FloatArray, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw documents without replacement, the heavier the likelier (Efraimidis and Spirakis 2006); sorted."""
    keys = np.log(rng.random(len(weights))) / weights
    return np.sort(np.argsort(-keys, kind="stable")[:n])


def latent_semantics(has: Any, rng: np.random.Generator) -> FloatArray:
    """Reduce words, weighted by rarity, to a few dimensions; rows of length 1, (D, d)."""
    from scipy import sparse
    from scipy.sparse.linalg import svds  # slow to load

    frequency = np.bincount(has.indices, minlength=has.shape[1])
    weighted = unit(has @ sparse.diags(rarity(frequency, has.shape[0])))
    n_dimensions = min(N_DIMENSIONS, min(weighted.shape) - 1)
    if n_dimensions < 2:
        return np.ones((has.shape[0], 1))
    left, values, _ = svds(weighted, n_dimensions, v0=rng.random(min(weighted.shape)))
    return unit_rows(left * values)


def unit(matrix: Any) -> Any:
    """Give each row of a sparse matrix the length 1; an empty one stays."""
    from scipy import sparse

    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (sparse.diags(1.0 / np.maximum(lengths, 1e-12)) @ matrix).tocsr()


def k_means(vectors: FloatArray, n_groups: int, rng: np.random.Generator) -> Labels:
    """Spherical k-means from a k-means++ start; labels 0 to K - 1, each there at least once."""
    centres = vectors[_apart(vectors, n_groups, rng)]
    labels = np.zeros(len(vectors), np.int64)
    for _ in range(N_ROUNDS):
        now = (vectors @ centres.T).argmax(axis=1)
        if np.array_equal(now, labels):
            break
        labels = now
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-12), centres)
    return np.unique(labels, return_inverse=True)[1]


def _apart(vectors: FloatArray, n: int, rng: np.random.Generator) -> list[int]:
    """Draw rows far from each other (Arthur and Vassilvitskii 2007)."""
    chosen = [int(rng.integers(len(vectors)))]
    distance = np.maximum(1.0 - vectors @ vectors[chosen[0]], 0.0)
    while len(chosen) < n and distance.sum() > 0:
        cumulated = np.cumsum(distance)
        chosen.append(int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")))
        distance = np.minimum(distance, np.maximum(1.0 - vectors @ vectors[chosen[-1]], 0.0))
    return chosen


def agree(chains: Labels) -> Labels:
    """Group documents that most chains put together, (n,); -1 where a group is too small to be one.

    Parameters
    ----------
    chains : ndarray of int64, shape (C, n)
        The labels that each chain gives; of many documents the first are compared.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to load
    from scipy.spatial.distance import pdist

    compared = chains[:, :MOST_COMPARED]
    apart = pdist(compared.T, "hamming")  # the share of chains that put two documents apart
    found = fcluster(linkage(apart, "average"), 1.0 - MAJORITY, "distance") - 1
    sizes = np.bincount(found)
    kept = np.flatnonzero(sizes >= max(FEWEST_DOCUMENTS, LEAST_SHARE * len(found)))
    place = np.full(len(sizes), -1, np.int64)
    place[kept] = np.arange(len(kept))
    labels: Labels = place[found]
    return labels


def _settled(has: Any, pool: NDArray[np.int64], best: Labels, beta: float, chains: Labels) -> Grouping:
    """Number groups by size, and learn their words."""
    labels = np.unique(best, return_inverse=True)[1]
    order = np.argsort(-np.bincount(labels), kind="stable")
    labels = np.argsort(order)[labels]
    everywhere = np.full((len(chains), has.shape[0]), -1, np.int64)
    everywhere[:, pool] = chains
    return Grouping(labels, DocumentMixture.of(has, labels, beta), tuple(everywhere))


def _one_group(has: Any) -> Grouping:
    labels = np.zeros(has.shape[0], np.int64)
    return Grouping(labels, DocumentMixture.of(has, labels, 1.0), (labels,) * N_CHAINS)


def _n_start(n_documents: int) -> int:
    return max(2, min(MOST_GROUPS, n_documents // DOCUMENTS_A_GROUP))
