"""The relevance of documents that the model was not fitted on.

In: a `Result` and a corpus of new documents over its vocabulary. Out: their `Relevance` to a query, and their
`DocumentScores`. A document whose words are those of a fitted one has exactly its relevance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.search import search
from qdtm.corpus.corpus import Corpus
from qdtm.evidence.naming import name_documents
from qdtm.results.distributions import FloatArray
from qdtm.results.relevance import Relevance
from qdtm.results.result import Result
from qdtm.results.scores import DocumentScores, recalibrated, score_documents

_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two strengths are made the same


def new_relevance(result: Result, new: Corpus, query: str | int = 0) -> Relevance:
    """Say how likely new documents are to be about a query.

    Parameters
    ----------
    result : Result
    new : Corpus
        Made like the fitted one: `Corpus.of(texts, like=result.corpus)`.
    query : str or int

    Returns
    -------
    Relevance
        With the cut-off of the fitted documents.
    """
    q = result.query_index(query)
    fit, fitted = result.fit, result.relevance(q)
    concept, counts = fit.concepts[q], new.document_term_matrix
    searched = search(result.corpus, concept.query, concept.rule)
    naming = name_documents(new, searched)
    scores = fit.judged.word_evidence.score(counts, q, naming.strength, searched.words, naming.possible)
    scores = recalibrated(fit, q, scores)
    copied = _copied(result, new, fit.judged.strength[:, q], naming.strength)
    scores = np.where(copied >= 0, fitted.scores[copied], scores)
    return Relevance(
        query=concept.name,
        scores=scores,
        names=naming.strength > 0,
        topic_share=result.topic_share(q, counts),
        typical_error=fitted.typical_error,
        fitted_cutoff=fitted.cutoff,
    )


def score_new_documents(result: Result, new: Corpus) -> DocumentScores:
    """Score new documents against all queries of a result; see `new_relevance`."""
    found = [new_relevance(result, new, q) for q in range(result.fit.n_queries)]
    relevance = np.stack([each.scores for each in found], axis=1)
    about = np.stack([each.about for each in found], axis=1)
    return score_documents(result.fit, new.document_term_matrix, relevance, about)


def _copied(
    result: Result, new: Corpus, known_strength: NDArray[np.float32], strength: FloatArray
) -> NDArray[np.int64]:
    """Return the fitted document that has the words of each new one, -1 for none, (D,).

    Of several the one in the same place, as in the fitted corpus itself, else the first that names the query
    as much: a text may do so by words beyond the vocabulary.
    """
    known, wanted = result.corpus.document_hashes, new.document_hashes
    found = _find(known, wanted)
    alike = _find(_mixed(known, known_strength), _mixed(wanted, strength))
    found = np.where(alike >= 0, alike, found)
    both = min(len(known), len(wanted))
    same = np.flatnonzero(known[:both] == wanted[:both])
    found[same] = same
    return found


def _mixed(hashes: NDArray[np.uint64], strength: NDArray[np.floating]) -> NDArray[np.uint64]:
    return hashes + strength.astype(np.float32).view(np.uint32).astype(np.uint64) * _MIX


def _find(known: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return where each of the wanted first stands among the known, -1 for nowhere."""
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], wanted), max(len(known) - 1, 0))
    return np.where(known[order][at] == wanted, order[at], -1)
