"""What documents that name a query say otherwise, learned discriminatively.

In: tf-idf of all documents, how much each names the query, and its words. Out: a score for each document, by
a logistic regression that did not see it and that is blind to the query's own words.

Log odds of words alone cannot tell neighbours apart that share most of their words; a classifier learns which
words speak against. It is trained on all documents that name the query and a bounded sample of the others,
chosen by a hash of their content, so its cost does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.cancellation import check_cancelled
from qdtm.evidence.views import FloatArray, IntArray

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
    weighted: Any, strength: FloatArray, words: Sequence[int], hashes: NDArray[np.uint64]
) -> FloatArray | None:
    """Score documents by the company that the query's words keep; None if too few name it, or all do.

    Parameters
    ----------
    weighted : CSR matrix of shape (D, V)
        From `tfidf`.
    strength : ndarray of float64, shape (D,)
        How much each document names the query.
    words : sequence of int
        The query's own words, which are hidden.
    hashes : ndarray of uint64, shape (D,)
        Of the documents' content: equal ones are in one fold.
    """
    named = strength > 0
    folds = (hashes % np.uint64(N_FOLDS)).astype(np.int64)
    fewest_folds = min(len(np.unique(folds[side])) for side in (named, ~named))
    if named.sum() < FEWEST or fewest_folds < 2:  # a fold must have both sides to learn from
        return None
    from sklearn.preprocessing import normalize  # slow to load

    visible = np.ones(weighted.shape[1])
    visible[list(words)] = 0.0
    features = normalize(weighted @ sparse.diags(visible)).tocsr()
    learned = np.sort(
        np.concatenate([_sample(named, hashes, MOST_NAMERS), _sample(~named, hashes, MOST_OTHERS)])
    )
    scores = np.zeros(len(strength))
    for fold in np.unique(folds).tolist():
        check_cancelled()
        seen = learned[folds[learned] != fold]
        rows = np.flatnonzero(folds == fold)
        scores[rows] = _fit(features[seen], strength[seen]).decision_function(features[rows])
    return scores


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
