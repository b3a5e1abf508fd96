"""The documents that support a concept word.

In: a `TermIndex`, a query's `Retrieval` and a word. Out: `Evidence`, or the `Support` that a part of the
corpus gives, from which the evidence of the whole is put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.concepts.retrieval import Retrieval, smoothed
from qdtm.concepts.term_index import FloatArray, IntArray, TermIndex

N_DOCUMENTS = 5


@dataclass(frozen=True)
class Evidence:
    """How many documents have a word, how many of them the query retrieves, and the best of these."""

    n_documents: int
    n_retrieved: int
    documents: tuple[int, ...]


@dataclass(frozen=True)
class Support:
    """What the documents of one part of the corpus say for a word.

    Parameters
    ----------
    n_documents, n_retrieved : int
        As in `Evidence`.
    together, alone : tuple of (float, int)
        The best documents with their scores, by the query and the word, and by the word alone.
    """

    n_documents: int
    n_retrieved: int
    together: tuple[tuple[float, int], ...]
    alone: tuple[tuple[float, int], ...]


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
    return merge_support([find_support(index, word, log_likelihood, excluded, n)], n)


def find_support(
    index: TermIndex,
    word: int,
    log_likelihood: FloatArray,
    excluded: Sequence[int] = (),
    n: int = N_DOCUMENTS,
    *,
    first_document: int = 0,
) -> Support:
    """Find what the documents of an index say for a word; they are numbered from `first_document`.

    See `find_evidence` for the other parameters.
    """
    documents, counts = index.documents_of(word)  # (n,)
    p_wd = smoothed(counts / index.lengths[documents], index.p_collection[word])  # (n,)
    of_query = log_likelihood[documents]
    alone = np.log(p_wd)
    alone[index.frequency(excluded)[documents] > 0] = -np.inf
    numbers = documents + first_document
    return Support(
        n_documents=len(documents),
        n_retrieved=int(np.isfinite(of_query).sum()),
        together=_best(alone + of_query, numbers, n),
        alone=_best(alone, numbers, n),
    )


def merge_support(parts: Sequence[Support], n: int = N_DOCUMENTS) -> Evidence:
    """Put the evidence together from the support of all parts of a corpus, in their order."""
    n_retrieved = sum(part.n_retrieved for part in parts)
    ranked = [pair for part in parts for pair in (part.together if n_retrieved else part.alone)]
    best = sorted(ranked, key=lambda pair: (-pair[0], pair[1]))[:n]
    return Evidence(sum(part.n_documents for part in parts), n_retrieved, tuple(j for _, j in best))


def _best(scores: FloatArray, documents: IntArray, n: int) -> tuple[tuple[float, int], ...]:
    """Return the `n` best documents that can be scored at all, with their scores."""
    best = np.argsort(-scores, kind="stable")[:n]
    return tuple((float(scores[i]), int(documents[i])) for i in best if np.isfinite(scores[i]))
