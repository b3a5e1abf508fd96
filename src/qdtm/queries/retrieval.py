"""The documents that answer a query, by query likelihood (equation 1), and those that support a word.

In: a `TermIndex`, the query's terms and the documents that name it. Out: `Retrieval`, these best first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.queries.resolve import Term
from qdtm.queries.term_index import FloatArray, IntArray, TermIndex

# --- query likelihood (eq. 1) -------------------------------------------------------------------------------

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


# --- documents that support a word --------------------------------------------------------------------------
#
# The documents that support a concept word.
#
# In: a `TermIndex`, a query's `Retrieval` and a word. Out: `Support`.

N_DOCUMENTS = 5


@dataclass(frozen=True)
class Support:
    """How many documents have a word, how many of them the query retrieves, and the best of these."""

    n_documents: int
    n_retrieved: int
    documents: tuple[int, ...]


def query_log_likelihood(index: TermIndex, retrieval: Retrieval) -> FloatArray:
    """Return log p(q|d) for each document of the corpus, -inf where it is not retrieved; shape (D,)."""
    log_likelihood = np.full(index.n_documents, -np.inf)
    log_likelihood[retrieval.documents] = retrieval.log_likelihood
    return log_likelihood


def find_support(
    index: TermIndex,
    word: int,
    log_likelihood: FloatArray,
    excluded: Sequence[int] = (),
    n: int = N_DOCUMENTS,
    count: Callable[[IntArray], int] = len,
) -> Support:
    """Find the documents that support a word best.

    They are ranked by equation 1 for the query with the word added to it: the query and the word are both
    likely there. If no retrieved document has the word (one that the user gave, or that REL found by its
    meaning), documents are ranked by the word alone.

    Parameters
    ----------
    index : TermIndex
    word : int
    log_likelihood : ndarray of float64, shape (D,)
        From `query_log_likelihood`.
    excluded : sequence of int
        Words that a document must not have.
    n : int
        How many documents to name at most.
    count : callable
        Counts documents, where several rows may be passages of one.

    Returns
    -------
    Support
    """
    documents, counts = index.documents_of(word)  # (n,)
    p_wd = smoothed(counts / index.lengths[documents], index.p_collection[word])  # (n,)
    scores, of_query = np.log(p_wd), log_likelihood[documents]
    scores[index.frequency(excluded)[documents] > 0] = -np.inf
    retrieved = np.isfinite(of_query)
    if retrieved.any():
        scores += of_query
    best = [i for i in np.argsort(-scores, kind="stable")[:n] if np.isfinite(scores[i])]
    return Support(count(documents), count(documents[retrieved]), tuple(documents[best].tolist()))
