"""What documents, fitted or new, have to do with a query: their relevance in, `QueryScores` out.

A document that is about the query has a main subtopic: the one whose share of it is largest on each level,
or that phase 2's mixture, or a correction by hand, puts it in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.results.distributions import BLOCK, FloatArray, average_over_tokens, share_out
from qdtm.results.fit import ModelFit
from qdtm.results.relevance import Relevance
from qdtm.results.splits import Branch, branches, is_within, subtopic_ids, subtopic_weights
from qdtm.sampler.mixture import words_once
from qdtm.storage.mapped import blocks, empty_beside


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


def score_documents(
    fit: ModelFit, q: int, counts: Any, relevance: Relevance, deciding: Any = None
) -> QueryScores:
    """Find the main subtopics of documents that are about query `q`.

    Parameters
    ----------
    fit : ModelFit
    q : int
    counts : scipy CSR matrix, shape (D, V)
        How often each document has each word of the fit's vocabulary.
    relevance : Relevance
        Of the same documents; see `relevance_to`.
    deciding : scipy CSR matrix, shape (D, V), optional
        The words that decide about the main subtopic, if not all do: see `deciding_counts`.

    Returns
    -------
    QueryScores
    """
    weights, ids = subtopic_weights(fit, q, fit.query_weights[:, q]), subtopic_ids(fit, q)
    none = np.zeros(weights.shape[1])
    shares = average_over_tokens(counts, weights, none)  # (D, B)
    decide = shares if deciding is None else average_over_tokens(deciding, weights, none)
    decided = _decided(fit, q, counts if deciding is None else deciding, ids)
    main, share = main_subtopics(decide, relevance.about, branches(ids), decided)
    if deciding is not None and shares.shape[1]:
        share = np.where(main >= 0, shares[np.arange(len(main)), main], 0.0)
    return QueryScores(
        relevance.query, relevance.scores, relevance.about, relevance.names, ids, shares, main, share
    )


def deciding_counts(corpus: Corpus, relevance: Relevance) -> Any:
    """Count the words that decide about the main subtopic of each document, (D, V); None if all do.

    Of a document that is judged by passage, those of the passages that are about the query.
    """
    if corpus.passages is None or relevance.passages is None:
        return None
    from scipy.sparse import csr_matrix

    about = np.flatnonzero(relevance.passages >= relevance.cutoff)
    shape = (corpus.n_documents, len(corpus.passages))
    chosen = csr_matrix((np.ones(len(about), np.int32), (corpus.passages.document[about], about)), shape)
    return chosen @ corpus.by_passage.document_term_matrix


# --- main subtopics ----------------------------------------------------------------------------------------


def first_subtopics(fit: ModelFit, q: int, counts: Any) -> FloatArray | None:
    """How much the words of documents (D, V) fit each subtopic of query `q`; None if nobody knows.

    Groups that are not shown as subtopics follow them, (D, S + R).
    """
    mixture = fit.mixtures[q] if fit.mixtures else None
    if mixture is None or not mixture.n_groups:
        return None
    found = empty_beside(counts.data, (counts.shape[0], mixture.n_groups), np.float64)
    for here in blocks(len(found), BLOCK):
        found[here] = mixture.log_joint(words_once(counts[here]))
    return found


def _decided(fit: ModelFit, q: int, counts: Any, ids: Sequence[str]) -> dict[int, FloatArray]:
    """What decides about the main subtopics below a topic in place of shares, by the topic's position.

    Where subtopics were merged or hidden by hand, what was found decides: a document is in what the
    subtopic that it was in has become, and no other moves.
    """
    first = first_subtopics(fit, q, counts)
    decided = {} if first is None else {-1: first}
    for of, grouping in fit.corrections.groupings.items():
        if not is_within(of, str(q)):
            continue
        at = ids.index(of) if of in ids else -1
        values = decided.get(at)
        decided[at] = _shares_as_found(fit, q, counts, of) if values is None else grouping.largest(values)
    return decided


def _shares_as_found(fit: ModelFit, q: int, counts: Any, of: str) -> FloatArray:
    """Shares of documents in the subtopics below a topic as they were found, the largest of each shown.

    The last column is of those that are hidden, and of documents that have no share in any; (D, S + 1).
    """
    grouping, weights = fit.corrections.groupings[of], fit.query_weights[:, q]
    if of != str(q):
        weights = subtopic_weights(fit, q, weights)[:, subtopic_ids(fit, q).index(of)]
    found = share_out(weights, grouping.counts)  # (V, S0)
    shares = grouping.largest(average_over_tokens(counts, found, np.zeros(found.shape[1])))
    shares[shares.max(axis=1) <= 0, -1] = np.inf
    return shares


def main_subtopics(
    shares: FloatArray,
    about: NDArray[np.bool_],
    tree: Sequence[Branch],
    decided: Mapping[int, FloatArray] | None = None,
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
    decided : mapping of int to ndarray of shape (D, S + R), optional
        What decides below a position in place of shares; where a group is best that is no subtopic, there
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
        if decided is not None and parent in decided:
            best = columns.start + decided[parent][rows].argmax(axis=1)
            rows, best = rows[best < columns.stop], best[best < columns.stop]
            main[rows], share[rows] = best, shares[rows, best]
            continue
        largest = shares[rows, columns].max(axis=1, initial=0.0)
        best = columns.start + shares[rows, columns].argmax(axis=1)
        has_one = largest > 0
        main[rows[has_one]], share[rows[has_one]] = best[has_one], largest[has_one]
    return main, share
