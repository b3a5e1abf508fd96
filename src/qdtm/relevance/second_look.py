"""A second look at the documents, by their meaning: vectors and the model's own verdict in, scores out.

A look learns from the verdict so far what documents about a query are like, and says of each document how
much it is like them. It judges a document without the document's own verdict, so one that the model judged
by an odd word does not get its error back. `Ridge` draws one line through the whole corpus; `Neighbours` asks
the nearest documents, and so follows a concept that has several places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qdtm.relevance.views import standardised
from qdtm.results.distributions import FloatArray

SHRINKAGE = 1.0
"""The ridge; document vectors have length 1."""

N_NEIGHBOURS = 30

MOST_COMPARED = 20_000
"""Neighbours are looked for among so many documents, evenly spread, so that large corpora take no square."""

_ROWS_AT_ONCE = 1_000


class Look(Protocol):
    """Judges each document by what the others with its meaning were judged."""

    def __call__(self, verdict: NDArray[np.bool_]) -> FloatArray:
        """Return how much each document is like those of the verdict, shape (D, Q).

        Parameters
        ----------
        verdict : ndarray of bool, shape (D, Q)
            Whether the model says so far that a document is about a query.
        """
        ...


class Ridge:
    """A ridge regression on the verdict, leave-one-out in closed form; about 1 for documents like it.

    Parameters
    ----------
    vectors : ndarray of float64, shape (D, d)
    """

    def __init__(self, vectors: FloatArray) -> None:
        self._features = np.column_stack([np.ones(len(vectors)), vectors])  # (D, 1 + d)
        gram = self._features.T @ self._features
        gram[np.diag_indices(len(gram))] += SHRINKAGE
        self._solved = self._features @ np.linalg.inv(gram)  # (D, 1 + d)
        self._leverage = np.einsum("ij,ij->i", self._solved, self._features)[:, None]  # (D, 1)

    def __call__(self, verdict: NDArray[np.bool_]) -> FloatArray:
        """Fit the verdict and take each document's own part in it back."""
        said = verdict.astype(np.float64)
        fitted = self._solved @ (self._features.T @ said)
        return np.asarray((fitted - self._leverage * said) / np.maximum(1.0 - self._leverage, 1e-6))


class Neighbours:
    """The share of a document's nearest others that are in the verdict, nearer ones counting more.

    Parameters
    ----------
    vectors : ndarray of float64, shape (D, d)
        Of length 1.
    """

    def __init__(self, vectors: FloatArray) -> None:
        rows = vectors.astype(np.float32)
        n_compared = min(len(rows), MOST_COMPARED)
        compared = np.unique(np.linspace(0, len(rows) - 1, n_compared).astype(np.int64))
        k = min(N_NEIGHBOURS, len(compared) - 1)
        self._nearest = np.empty((len(rows), k), np.int64)
        self._weights = np.empty((len(rows), k))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            block = slice(start, start + _ROWS_AT_ONCE)
            cosine = rows[block] @ rows[compared].T
            cosine[np.arange(start, start + len(cosine))[:, None] == compared] = -np.inf  # not itself
            nearest = np.argpartition(-cosine, k - 1, axis=1)[:, :k] if k else np.empty((len(cosine), 0), int)
            self._nearest[block] = compared[nearest]
            self._weights[block] = np.maximum(np.take_along_axis(cosine, nearest, axis=1), 0.0)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-12)

    def __call__(self, verdict: NDArray[np.bool_]) -> FloatArray:
        """Ask the neighbours."""
        return np.column_stack(
            [(self._weights * said[self._nearest]).sum(axis=1) for said in verdict.T.astype(np.float64)]
        )


@dataclass(frozen=True, eq=False)
class Judgement:
    """What several looks came to.

    Parameters
    ----------
    scores : ndarray of float64, shape (D, Q)
        Of the first view and of all looks together.
    looked : ndarray of float64, shape (D, Q)
        Of the last looks alone, which did not see the document's own verdict.
    first_verdict : ndarray of bool, shape (D, Q)
        What the first view said alone.
    """

    scores: FloatArray
    looked: FloatArray
    first_verdict: NDArray[np.bool_]


def look_again(
    first: FloatArray,
    looks: Sequence[tuple[float, Look]],
    possible: NDArray[np.bool_],
    sizes: NDArray[np.int64],
    rounds: int,
) -> Judgement:
    """Look at the documents again, several times, each time at the verdict that the last look has corrected.

    Parameters
    ----------
    first : ndarray of float64, shape (D, Q)
        What is known of the documents before.
    looks : sequence of (weight, Look)
        Without any, the first view stands.
    possible : ndarray of bool, shape (D, Q)
        Which documents can be about a query at all.
    sizes : ndarray of int64, shape (Q,)
        How many documents a verdict has.
    rounds : int
    """
    first_verdict = verdict = reach_verdict(first, possible, sizes)
    scores, looked = first, first
    for _ in range(rounds if looks else 0):
        looked = np.sum([weight * standardised(look(verdict)) for weight, look in looks], axis=0)
        scores = first + looked
        verdict = reach_verdict(scores, possible, sizes)
    return Judgement(scores, looked, first_verdict)


def reach_verdict(
    scores: FloatArray, possible: NDArray[np.bool_], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Take each query's best documents that no other query wants more, shape (D, Q)."""
    own = possible & (scores >= scores.max(axis=1, keepdims=True))
    verdict = np.zeros(scores.shape, np.bool_)
    for q, n in enumerate(sizes.tolist()):
        candidates = np.flatnonzero(own[:, q])
        best = candidates[np.argsort(-scores[candidates, q], kind="stable")[:n]]
        verdict[best, q] = True
    return verdict
