"""The documents that support a concept word.

In: a `TermIndex`, a query's `Retrieval` and a word. Out: `Evidence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.concepts.retrieval import Retrieval, smoothed
from qdtm.concepts.term_index import FloatArray, TermIndex

N_DOCUMENTS = 5


@dataclass(frozen=True)
class Evidence:
    """How many documents have a word, how many of them the query retrieves, and the best of these."""

    n_documents: int
    n_retrieved: int
    documents: tuple[int, ...]


def query_log_likelihood(index: TermIndex, retrieval: Retrieval) -> FloatArray:
    """Return log p(q|d) for each document of the corpus, -inf where it is not retrieved; shape (D,)."""
    log_likelihood = np.full(index.n_documents, -np.inf)
    log_likelihood[retrieval.documents] = retrieval.log_likelihood
    return log_likelihood


def find_evidence(
    index: TermIndex,
    word: int,
    log_likelihood: FloatArray,
    excluded: Sequence[int] = (),
    n: int = N_DOCUMENTS,
) -> Evidence:
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

    Returns
    -------
    Evidence
    """
    documents, counts = index.documents_of(word)  # (n,)
    p_wd = smoothed(counts / index.lengths[documents], index.p_collection[word])  # (n,)
    scores, of_query = np.log(p_wd), log_likelihood[documents]
    scores[index.frequency(excluded)[documents] > 0] = -np.inf
    n_retrieved = int(np.isfinite(of_query).sum())
    if n_retrieved:
        scores += of_query
    best = [i for i in np.argsort(-scores, kind="stable")[:n] if np.isfinite(scores[i])]
    return Evidence(len(documents), n_retrieved, tuple(documents[best].tolist()))
