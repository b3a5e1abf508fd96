"""The documents that answer a query, by query likelihood (equation 1).

In: a `TermIndex` and the query's terms. Out: `Retrieval`, the documents that meet the AND or the OR rule,
best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.concepts.query import Rule
from qdtm.concepts.term_index import FloatArray, IntArray, TermIndex

#: The share of the collection in a smoothed word probability, as in the authors' program.
SMOOTHING = 1e-6

#: The vocabulary words that one query word stands for: one, or all that a wildcard matches.
Term = tuple[int, ...]


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


def retrieve(index: TermIndex, terms: Sequence[Term], rule: Rule, excluded: Sequence[int] = ()) -> Retrieval:
    """Retrieve every document that meets the rule and has no excluded word.

    Parameters
    ----------
    index : TermIndex
    terms : sequence of tuple of int
        The query's terms; the words of one term are alternatives and their counts add up.
    rule : {"and", "or"}
        Whether a document must have all terms or any.
    excluded : sequence of int
        Words that a document must not have.

    Returns
    -------
    Retrieval
    """
    n_qd = np.array([index.frequency(term) for term in terms]).reshape(
        len(terms), index.n_documents
    )  # (Q, D)
    found = n_qd > 0
    meets = found.all(axis=0) & bool(terms) if rule == "and" else found.any(axis=0)  # (D,)
    kept = meets & (index.frequency(excluded) == 0)
    documents = np.flatnonzero(kept)
    p_qC = np.array([index.p_collection[list(term)].sum() for term in terms])  # (Q,)
    score = log_query_likelihood(n_qd[:, documents], index.lengths[documents], p_qC)
    order = np.lexsort((documents, -score))
    return Retrieval(documents[order], score[order], int(meets.sum() - kept.sum()))


def log_query_likelihood(n_qd: IntArray, lengths: IntArray, p_qC: FloatArray) -> FloatArray:
    """Return log p(q|d), the sum over query terms of log p(q_i|d) (equation 1, in log space).

    Parameters
    ----------
    n_qd : ndarray of int64, shape (Q, n)
        How often document d has term q.
    lengths : ndarray of int64, shape (n,)
        Tokens of each document.
    p_qC : ndarray of float64, shape (Q,)
        Probability of each term in the collection.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    p_qd = smoothed(n_qd / lengths, p_qC[:, None])  # (Q, n)
    return np.asarray(np.log(p_qd).sum(axis=0))


def smoothed(p: FloatArray, p_collection: FloatArray) -> FloatArray:
    """Mix a probability with the collection's: eps p(w|C) + (1 - eps) p(w|.), eps = 1e-6."""
    return SMOOTHING * p_collection + (1.0 - SMOOTHING) * p
