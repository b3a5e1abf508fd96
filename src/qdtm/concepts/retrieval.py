"""The documents that answer a query, by query likelihood (equation 1).

In: a `TermIndex`, the query's terms and the documents that name it. Out: `Retrieval`, these best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.resolve import Term
from qdtm.concepts.term_index import FloatArray, IntArray, TermIndex

#: The share of the collection in a smoothed word probability, as in the authors' program.
SMOOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Documents that answer a query.

    Parameters
    ----------
    documents : ndarray of int64, shape (n,)
        Best first; of equally good ones the first in the corpus first.
    log_likelihood : ndarray of float64, shape (n,)
        log p(q|d) of each.
    n_excluded : int
        How many more meet the rule but have an excluded word.
    """

    documents: IntArray
    log_likelihood: FloatArray
    n_excluded: int

    def __len__(self) -> int:
        return len(self.documents)

    def within(self, members: NDArray[np.bool_]) -> Retrieval:
        """Return those of some documents, given as a mask of all, (D,)."""
        kept = members[self.documents]
        return Retrieval(self.documents[kept], self.log_likelihood[kept], self.n_excluded)


def rank_documents(
    index: TermIndex, terms: Sequence[Term], documents: IntArray, n_excluded: int = 0
) -> Retrieval:
    """Rank documents by query likelihood (equation 1).

    Parameters
    ----------
    index : TermIndex
    terms : sequence of tuple of int
        The query's terms; the words of one term are alternatives and their counts add up. Each term occurs
        in the corpus.
    documents : ndarray of int64, shape (n,)
        In order.
    n_excluded : int

    Returns
    -------
    Retrieval
    """
    score = np.zeros(len(documents))
    lengths = np.maximum(index.lengths[documents], 1)  # one may have a word in its text alone
    for term in terms:
        p_qC = float(index.p_collection[list(term)].sum())
        score += log_term_likelihood(index.frequency(term)[documents], lengths, p_qC)
    order = np.argsort(-score, kind="stable")  # equally good documents stay in the corpus' order
    return Retrieval(documents[order], score[order], n_excluded)


def log_term_likelihood(n_qd: IntArray, lengths: IntArray, p_qC: float) -> FloatArray:
    """Return log p(q_i|d); summed over the query's terms it is log p(q|d) (equation 1).

    Parameters
    ----------
    n_qd : ndarray of int64, shape (n,)
        How often each document has the term.
    lengths : ndarray of int64, shape (n,)
        Tokens of each document.
    p_qC : float
        Probability of the term in the collection, above 0.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    return np.asarray(np.log(smoothed(n_qd / lengths, p_qC)))


def smoothed(p: FloatArray, p_collection: FloatArray | float) -> FloatArray:
    """Mix a probability with the collection's: eps p(w|C) + (1 - eps) p(w|.), eps = 1e-6."""
    return SMOOTHING * p_collection + (1.0 - SMOOTHING) * p
