"""What documents have to do with a query: a fit and its documents, or new ones, in, `QueryScores` out.

There is one way for all of them. `relevance_to` says how likely each document is to be about the query: those
of the corpus as they were judged when the model was fitted, new ones by the evidence of their words. A new
document whose words are those of a fitted one has exactly its relevance. `score_documents` finds the main
subtopic of those that are about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.search import search
from qdtm.corpus.corpus import Corpus
from qdtm.evidence.naming import name_documents
from qdtm.results.distributions import FloatArray, average_over_tokens, topic_shares
from qdtm.results.fit import ModelFit
from qdtm.results.relevance import TYPICAL_ERROR, Relevance, typical_error
from qdtm.results.splits import Branch, branches, is_within, subtopic_ids, subtopic_weights
from qdtm.sampler.mixture import words_once

_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two strengths are made the same


@dataclass(frozen=True, eq=False)
class QueryScores:
    """What each document has to do with one query.

    Attributes
    ----------
    query : str
    relevance : ndarray of float64, shape (D,)
        How likely it is to be about the query.
    about : ndarray of bool, shape (D,)
        Whether it is taken to be about the query: from the cut-off up.
    names : ndarray of bool, shape (D,)
        Whether it names the query.
    ids : tuple of str, length B
        Of its subtopics, in level order: those that were opened come before those below them.
    shares : ndarray of float64, shape (D, B)
        In each subtopic.
    main : ndarray of int32, shape (D,)
        The main subtopic, the deepest where it was opened, as a position among `ids`; -1 for none, as of
        every document that is not about the query.
    main_share : ndarray of float64, shape (D,)
        Its share of the document.
    """

    query: str
    relevance: FloatArray
    about: NDArray[np.bool_]
    names: NDArray[np.bool_]
    ids: tuple[str, ...]
    shares: FloatArray
    main: NDArray[np.int32]
    main_share: FloatArray

    def mainly_in(self, s: int) -> NDArray[np.bool_]:
        """Return which documents have their main subtopic at or below position `s`, (D,)."""
        inside = [is_within(id, self.ids[s]) for id in self.ids]
        return np.array([*inside, False])[self.main]  # the last for none: main is -1


def score_documents(fit: ModelFit, q: int, counts: Any, relevance: Relevance) -> QueryScores:
    """Find the main subtopics of documents that are about query `q`.

    Parameters
    ----------
    fit : ModelFit
    q : int
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word of the fit's vocabulary.
    relevance : Relevance
        Of the same documents; see `relevance_to`.

    Returns
    -------
    QueryScores
    """
    weights, ids = subtopic_weights(fit, q, fit.query_weights[:, q]), subtopic_ids(fit, q)
    shares = average_over_tokens(counts, weights, np.zeros(weights.shape[1]))  # (D, B)
    main = main_subtopics(shares, relevance.about, branches(ids), first_subtopics(fit, q, counts))
    return QueryScores(
        relevance.query, relevance.scores, relevance.about, relevance.names, ids, shares, *main
    )


# --- relevance ---------------------------------------------------------------------------------------------


def relevance_to(fit: ModelFit, corpus: Corpus, q: int, new: Corpus | None = None) -> Relevance:
    """Say how likely documents are to be about query `q`.

    Parameters
    ----------
    fit : ModelFit
    corpus : Corpus
        What it was fitted on.
    q : int
    new : Corpus, optional
        Other documents, made like those of the corpus: `Corpus.of(texts, like=corpus)`. They keep its
        cut-off, and so do their copies their relevance.
    """
    check = fit.check_of(q)
    judged, strength = fit.judged.relevance, fit.judged.strength[:, q]
    scores = judged_relevance(fit, q)
    fitted = Relevance(
        query=fit.concepts[q].name,
        scores=scores,
        names=strength > 0,
        topic_share=topic_share(fit, q, corpus.document_term_matrix),
        counted=None if check is None or not check.is_enough else check.estimate().n_about,
        typical_error=TYPICAL_ERROR if fit.covers else typical_error(strength, judged[:, q]),
    )
    return fitted if new is None else _of_new(fit, corpus, q, new, fitted)


def _of_new(fit: ModelFit, corpus: Corpus, q: int, new: Corpus, fitted: Relevance) -> Relevance:
    """Say how likely new documents are to be about query `q`, given the relevance of the fitted ones."""
    concept, counts = fit.concepts[q], new.document_term_matrix
    searched = search(corpus, concept.query, concept.rule)
    naming = name_documents(new, searched)
    scores = fit.judged.word_evidence.score(counts, q, naming.strength, searched.words, naming.possible)
    scores = recalibrated(fit, q, scores)
    copied = _copied(corpus, new, fit.judged.strength[:, q], naming.strength)
    return Relevance(
        query=fitted.query,
        scores=np.where(copied >= 0, fitted.scores[copied], scores),
        names=naming.strength > 0,
        topic_share=topic_share(fit, q, counts),
        typical_error=fitted.typical_error,
        fitted_cutoff=fitted.cutoff,
    )


def judged_relevance(fit: ModelFit, q: int, rows: Any = slice(None)) -> FloatArray:
    """How likely documents of the corpus are to be about query `q`, after what a person said of some."""
    return recalibrated(fit, q, fit.judged.relevance[rows, q].astype(np.float64))


def recalibrated(fit: ModelFit, q: int, relevance: FloatArray) -> FloatArray:
    """Make the relevance of documents to query `q` agree with a person's answers, if there are enough."""
    said = fit.check_of(q)
    if said is None or not said.is_enough:
        return relevance
    return np.where(relevance > 0, said.recalibration.apply(relevance), 0.0)


def topic_share(fit: ModelFit, q: int, counts: Any) -> FloatArray:
    """p(z|d) of the topic of query `q` in documents with these counts of words (D, V), shape (D,)."""
    usual = topic_shares(fit.word_topic)[[q]]
    return average_over_tokens(counts, fit.query_weights[:, [q]], usual)[:, 0]


def _copied(
    corpus: Corpus, new: Corpus, known_strength: NDArray[np.float32], strength: FloatArray
) -> NDArray[np.int64]:
    """Return the fitted document that has the words of each new one, -1 for none, (D,).

    Of several the one in the same place, as in the fitted corpus itself, else the first that names the query
    as much: a text may do so by words beyond the vocabulary.
    """
    known, wanted = corpus.document_hashes, new.document_hashes
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


# --- main subtopics ----------------------------------------------------------------------------------------


def first_subtopics(fit: ModelFit, q: int, counts: Any) -> FloatArray | None:
    """How much the words of documents (D, V) fit each subtopic of query `q`; None if nobody knows.

    Groups that are not shown as subtopics follow them, (D, S + R).
    """
    mixture = fit.mixtures[q] if fit.mixtures else None
    if mixture is None or not mixture.n_groups:
        return None
    return mixture.log_joint(words_once(counts))


def main_subtopics(
    shares: FloatArray,
    about: NDArray[np.bool_],
    tree: Sequence[Branch],
    first: FloatArray | None = None,
) -> tuple[NDArray[np.int32], FloatArray]:
    """Return the subtopic that has the largest share of each document that is about the query.

    Parameters
    ----------
    shares : ndarray of shape (D, B)
        Of each document in each subtopic, in level order.
    about : ndarray of bool, shape (D,)
        Which documents are about the query; others have no main subtopic.
    tree : sequence of Branch
        Which subtopics are below which; the one with the largest share is looked for on each level, below
        the one found on the level before.
    first : ndarray of shape (D, S + R), optional
        What decides on the first level in place of shares; where a group is best that is no subtopic, there
        is none.

    Returns
    -------
    subtopic : ndarray of int32, shape (D,)
        Its position; -1 for none.
    share : ndarray of float64, shape (D,)
        Its share of the document; 0 for none.
    """
    main = np.full(len(shares), -1, np.int32)
    share = np.zeros(len(shares))
    for parent, columns in tree:
        rows = np.flatnonzero((main == parent) & about)
        if first is not None and parent < 0:
            best = first[rows].argmax(axis=1)
            rows, best = rows[best < columns.stop], best[best < columns.stop]
            main[rows], share[rows] = best, shares[rows, best]
            continue
        largest = shares[rows, columns].max(axis=1, initial=0.0)
        best = columns.start + shares[rows, columns].argmax(axis=1)
        has_one = largest > 0
        main[rows[has_one]], share[rows[has_one]] = best[has_one], largest[has_one]
    return main, share
