"""The evidence model: how likely each document is to be about a query, before any topic is fitted.

In: the views of a corpus, what the documents that name a query have in common, and how much each names it.
Out: `Evidence`. Everything else starts from it: the parent topic, relevance, cut-off and count.

Each view scores documents by how much they are like those that name the query, without hearing whether they
do themselves. A view is worth as much as it tells these from the others (the mean of its standardised scores
over documents that name the query). Then the model teaches itself (self-training, as Nigam et al. 2000 with
naive Bayes): the surest half of what it takes to be about the query without its name become labels too, with
which the views look again, now with the query's words visible: so a document with only some of them
gains as much as those words point to the query.

A sentence encoder is one more view, and the nearness to the query itself one more look. It reads the
documents that name the query again without its words, so that its worth too is what it tells of names that it
did not see; and the looks are weighed together, since it tells much of what the others do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from qdtm.evidence.breadth import SETTLED, estimate_breadth, fit_curve, probabilities_summing_to, sigmoid
from qdtm.evidence.corpus_views import ContextRows, CorpusViews
from qdtm.evidence.views import FloatArray, IntArray, standardised
from qdtm.progress import check_cancelled
from qdtm.storage.mapped import full_beside, moved_beside

# --- context, by logistic regression ------------------------------------------------------------------------
#
# What documents that name a query say otherwise, learned discriminatively.
#
# In: tf-idf of all documents, how much each names the query, and its words. Out: a score for each document,
# by a logistic regression that did not see it and that is blind to the query's own words.
#
# Log odds of words alone cannot tell neighbours apart that share most of their words; a classifier learns
# which words speak against. It is trained on all documents that name the query and a bounded sample of the
# others, chosen by a hash of their content, so its cost does not grow with the corpus.

MOST_OTHERS = 10_000
"""Documents that do not name the query and are learned from, at most."""

MOST_NAMERS = 5_000
"""Documents that name it and are learned from, at most."""

N_FOLDS = 5
FEWEST = 5
"""With fewer documents that name the query nothing is learned."""

PENALTY = 1.0
"""C of the logistic regression, as it comes with scikit-learn."""


def context_scores(
    context: ContextRows,
    strength: FloatArray,
    hashes: NDArray[np.uint64],
    counted: NDArray[np.bool_] | None = None,
) -> FloatArray | None:
    """Score documents by the company that the query's words keep; None if too few name it, or all do.

    Parameters
    ----------
    context : ContextRows
        What documents say but for the query's own words.
    strength : ndarray of float64, shape (D,)
        How much each document names the query.
    hashes : ndarray of uint64, shape (D,)
        Of the documents' content: equal ones are in one fold.
    counted : ndarray of bool, shape (D,), optional
        Which documents are learned from; by default all.
    """
    named = strength > 0
    folds = (hashes % np.uint64(N_FOLDS)).astype(np.int64)
    fewest_folds = min(len(np.unique(folds[side])) for side in (named, ~named))
    if named.sum() < FEWEST or fewest_folds < 2:  # a fold must have both sides to learn from
        return None
    learned = np.sort(
        np.concatenate([_sample(named, hashes, MOST_NAMERS), _sample(~named, hashes, MOST_OTHERS)])
    )
    learned = learned if counted is None else learned[counted[learned]]
    sample, models = context.rows(learned), {}
    for fold in np.unique(folds).tolist():
        check_cancelled()
        seen = folds[learned] != fold
        models[fold] = _fit(sample[seen], strength[learned[seen]])
    return context.score(folds, models)


def _fit(features: Any, strength: FloatArray) -> Any:
    """Learn to tell who names the query; both sides weigh the same in all."""
    from sklearn.linear_model import LogisticRegression  # slow to load

    named = strength > 0
    against = 1.0 - strength
    weights = np.where(named, strength / strength.sum(), against / against[~named].sum()) * len(strength) / 2
    return LogisticRegression(C=PENALTY, max_iter=200).fit(features, named, sample_weight=weights)


def _sample(chosen: NDArray[np.bool_], hashes: NDArray[np.uint64], most: int) -> IntArray:
    """Take documents with the smallest hashes."""
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(hashes[rows], kind="stable")[:most]]


# --- the model ----------------------------------------------------------------------------------------------

ROUNDS = 2
"""Rounds of self-training."""

SUREST = 0.5
"""The share of the documents about a query without its name that become labels: the surest half."""

FIRST_LOOK = 1.0 / 3.0
"""The weight of the first look beside those of the last round, of which there are three."""

LEAST_WORTH = 0.05
"""What a view counts at least."""

SHRINKING, LEAST_WEIGHT = 0.05, 0.02
"""How much weights that are learned together are shrunk towards those of each look by itself, beside a log
loss in which both sides have the weight 1; and what a look counts at least. By hand."""

Weigh = Callable[[Sequence[FloatArray], FloatArray], list[float]]


@dataclass(frozen=True, eq=False)
class Evidence:
    """How likely each document is to be about a query.

    Attributes
    ----------
    probability : ndarray of float64, shape (D,)
        0 for a document that cannot be about it.
    possible : ndarray of bool, shape (D,)
        Which documents can be about it at all.
    strength : ndarray of float64, shape (D,)
        How much each document names the query.
    seen, unseen : ndarray of float64, shape (D,)
        What the probabilities follow from: how much each document is like those about the query, with the
        query's own words, and without them.
    words : tuple of int
        The query's own words, as the views number them.
    counted : ndarray of bool, shape (D,), optional
        Which documents it was learned from; None for all.
    named_share : float
        The share of documents about the query that name it, as far as repetitions tell (`Naming.share`).
    bounded : ndarray of float64, shape (D,), optional
        The probability if the query is no broader than that share allows. The topic starts from
        `probability`, which follows the company of the query's words as far as it leads; what is shown to be
        about the query follows it no further than documents would have named it.
    """

    probability: FloatArray
    possible: NDArray[np.bool_]
    strength: FloatArray
    seen: FloatArray
    unseen: FloatArray
    words: tuple[int, ...]
    counted: NDArray[np.bool_] | None = None
    named_share: float = 0.0
    bounded: FloatArray | None = None

    @property
    def n_about(self) -> float:
        """How many documents are about the query: the sum of the probabilities."""
        return float(self.probability.sum())

    def spread(self, place: NDArray[np.int64]) -> Evidence:
        """The evidence of documents that are these, at the places given."""
        arrays = ("probability", "possible", "strength", "seen", "unseen", "counted", "bounded")
        known = {name: getattr(self, name) for name in arrays}
        taken: dict[str, Any] = {name: each[place] for name, each in known.items() if each is not None}
        return replace(self, **taken)


def learn_evidence(
    views: CorpusViews,
    strength: FloatArray,
    words: Sequence[int],
    possible: NDArray[np.bool_],
    query_vector: NDArray[np.float32] | None = None,
    named_share: float = 0.0,
) -> Evidence:
    """Learn how likely each document is to be about a query; of near copies one is learned from.

    Parameters
    ----------
    views : CorpusViews
    strength : ndarray of float64, shape (D,)
        How much each document names the query, from 0 to 1; above 0 for at least one.
    words : sequence of int
        The query's own words, as the views number them: `CorpusViews.places`.
    possible : ndarray of bool, shape (D,)
        Which documents can be about it at all.
    query_vector : ndarray of float32, shape (e,), optional
        What a sentence encoder makes of the query.
    named_share : float
        See `Evidence`.
    """
    hidden = [view for view in views.hidden(words) if view is not views.encoded]
    seeing, near_unseen, near = [view for view in views.views if view is not views.encoded], [], []
    counted = views.counted(strength)
    heard = 1.0 if counted is None else counted.astype(np.float64)  # a copy's label adds nothing
    encoded = views.encoded_without(words, np.flatnonzero(strength > 0))
    weigh: Weigh = worths
    if encoded is not None and views.encoded is not None:
        hidden, seeing = [*hidden, encoded], [*seeing, views.encoded]
        weigh = partial(stacked, hashes=views.hashes)
        if query_vector is not None:
            near_unseen, near = [encoded.near(query_vector)], [views.encoded.near(query_vector)]
    looks = [view(heard * strength) for view in hidden] + near_unseen
    hashes = views.hashes if counted is None else views.copy_hashes  # no copy in another fold tells a name
    context = context_scores(views.context(words), strength, hashes, counted)
    looks += [] if context is None else [context]
    first = combine(looks, weigh(looks, heard * strength))
    first *= FIRST_LOOK
    seen = unseen = first
    for _ in range(ROUNDS):
        check_cancelled()
        labels = heard * probabilities(seen, unseen, strength, possible, SUREST, counted)
        unheard = [view(labels) for view in hidden] + near_unseen
        weights = weigh(unheard, heard * strength)
        unseen = combine(unheard, weights)
        unseen += first
        seen = combine([view(labels) for view in seeing] + near, weights)
        seen += first
    p_j = moved_beside(strength, probabilities(seen, unseen, strength, possible, counted=counted))
    bounded = probabilities(seen, unseen, strength, possible, counted=counted, named_share=named_share)
    bounded = moved_beside(strength, bounded)
    return Evidence(p_j, possible, strength, seen, unseen, tuple(words), counted, named_share, bounded)


def probabilities(
    seen: FloatArray,
    unseen: FloatArray,
    strength: FloatArray,
    possible: NDArray[np.bool_],
    surest: float = 1.0,
    counted: NDArray[np.bool_] | None = None,
    named_share: float = 0.0,
) -> FloatArray:
    """Turn scores to probabilities of being about the query, (D,).

    Those that do not name it sum to what the others leave of the number that is about it, or to the surest
    share of that; to less where the number is bounded by the share of documents that name it. It is of the
    documents that are counted, if some are not: their copies come on top.
    """
    scores = np.where(strength > 0, unseen, seen)
    own, names = (unseen, strength) if counted is None else (unseen[counted], strength[counted])
    total, curve = estimate_breadth(own, names, named_share), fit_curve(own, names)
    p_j = probabilities_summing_to(
        total, curve, scores, strength, counted, surest=surest, at_most=named_share > 0
    )
    return np.where(possible, p_j, 0.0)


def worths(looks: Sequence[FloatArray], strength: FloatArray) -> list[float]:
    """How well each look tells documents that name the query from others: their mean standardised score."""
    told = [float(standardised(look) @ strength) / float(strength.sum()) for look in looks]
    return [max(worth, LEAST_WORTH) for worth in told]


def stacked(looks: Sequence[FloatArray], strength: FloatArray, hashes: NDArray[np.uint64]) -> list[float]:
    """Weigh looks by a logistic regression of the names on all of them (stacking, Wolpert 1992), shrunk.

    Two looks that tell the same share its weight, where `worths` would count it twice. No weight is negative;
    they are shrunk towards the worth that each look has by itself.

    Parameters
    ----------
    hashes : ndarray of uint64, shape (D,)
        Of the documents' content: they choose which of those that do not name the query are learned from.
    """
    named = np.flatnonzero(strength > 0)
    others = np.flatnonzero(strength == 0)
    others = others[np.argsort(hashes[others], kind="stable")[:MOST_OTHERS]]
    usual = np.array(worths(looks, strength))
    usual /= usual.sum()
    if not len(others):
        return [float(weight) for weight in usual]
    rows = np.concatenate([named, others])
    x = np.stack([standardised(look)[rows] for look in looks], axis=1)  # (n, L)
    sign = np.where(np.arange(len(rows)) < len(named), 1.0, -1.0)
    mass = np.concatenate([strength[named] / strength.sum(), np.full(len(others), 1.0 / len(others))])

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        weights, shift = parameters[:-1], parameters[-1]
        margin = sign * (x @ weights + shift)
        off = weights - usual * weights.sum()
        by_score = -mass * sign * sigmoid(-margin)
        by_weight = x.T @ by_score + 2.0 * SHRINKING * (off - off @ usual)
        value = mass @ np.logaddexp(0.0, -margin) + SHRINKING * off @ off
        return float(value), np.append(by_weight, by_score.sum())

    bounds = [(0.0, None)] * len(looks) + [(None, None)]
    start = np.append(usual, 0.0)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=SETTLED).x[:-1]
    return [float(weight) for weight in found / max(float(found.sum()), 1e-9) + LEAST_WEIGHT]


def combine(looks: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """The weighted mean of standardised scores, (D,)."""
    total = full_beside(looks[0], 0, np.float64)
    for look, weight in zip(looks, weights, strict=True):
        total += weight * standardised(look)
    total /= sum(weights)
    return total
