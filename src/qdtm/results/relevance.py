"""Relevance: how likely documents, fitted or new, are to be about a query; the cut-off, and how many are.

`Relevance` is what a result says about one query: each document's probability, where to cut if a list is
needed, and how many documents are about it in all, with an interval; of those that are listed, how many name
it and how many more mean it. Where documents are judged by passage, a document is as relevant as its most
relevant passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.evidence.breadth import recommended_cutoff
from qdtm.evidence.naming import name_documents
from qdtm.queries.search import SearchedQuery, search
from qdtm.reprs import quoted
from qdtm.results.distributions import BLOCK, FloatArray, average_over_tokens, share_out, topic_shares
from qdtm.results.fit import ModelFit
from qdtm.results.hand_check.estimate import Interval
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.learning import Lesson, learn, with_answers
from qdtm.results.splits import Branch, branches, is_within, subtopic_ids, subtopic_weights
from qdtm.sampler.mixture import words_once
from qdtm.storage.mapped import blocks, empty_beside

# --- relevance to one query ---------------------------------------------------------------------------------

TYPICAL_ERROR, NAMED_ERROR = 0.35, 0.2
"""How far the logarithm of the count is usually off: of queries that cover the corpus, and of others, beside
what they may mean without naming it."""

LEAST_POWER = 2
"""To which power documents count by how much they name a query at the low end of the count's interval."""

NEAR = 0.5
"""What is only near a query has this much of the share in its topic that documents about it have."""

_WITHIN_90 = 1.645  # standard deviations that hold 90 % of a normal distribution


@dataclass(frozen=True, eq=False)
class Relevance:
    """How likely each document is to be about one query.

    Attributes
    ----------
    query : str
    scores : ndarray of float64, shape (D,)
        Between 0 and 1.
    names : ndarray of bool, shape (D,)
        Which documents name the query.
    topic_share : ndarray of float64, shape (D,)
        The share of each document in the query's topic.
    counted : Interval, optional
        How many documents are about the query by what people said of a sample of them, if they did.
    modelled : Interval, optional
        How many are by the model alone, where answers have changed the scores.
    strength : ndarray of float64, shape (D,), optional
        How much each names it, from 0 to 1; None where queries cover the corpus, and bound each other.
    fitted_cutoff : float, optional
        Of new or of some documents, the cut-off of all that the model was fitted on.
    passages : ndarray of float64, shape (P,), optional
        Where documents are judged by passage, how likely each passage is to be about the query.
    """

    query: str
    scores: FloatArray
    names: NDArray[np.bool_]
    topic_share: FloatArray
    counted: Interval | None = None
    strength: FloatArray | None = None
    fitted_cutoff: float | None = None
    passages: FloatArray | None = None
    modelled: Interval | None = None

    def select(self, rows: NDArray[np.int64]) -> Relevance:
        """Return the same of some documents, without their passages; the cut-off stays."""
        names, share = self.names[rows], self.topic_share[rows]
        return replace(
            self,
            scores=self.scores[rows],
            names=names,
            topic_share=share,
            strength=None if self.strength is None else self.strength[rows],
            fitted_cutoff=self.cutoff,
            passages=None,
        )

    @cached_property
    def cutoff(self) -> float:
        """Documents from here up are taken to be about the query; see `recommended_cutoff`."""
        return recommended_cutoff(self.scores) if self.fitted_cutoff is None else self.fitted_cutoff

    @cached_property
    def about(self) -> NDArray[np.bool_]:
        """Which documents are taken to be about the query, shape (D,)."""
        return np.asarray(self.scores >= self.cutoff)

    @cached_property
    def near(self) -> NDArray[np.bool_]:
        """Which others the query's topic also holds: near it, below the cut-off; shape (D,)."""
        if not self.about.any():
            return np.zeros(len(self.scores), np.bool_)
        usual = float(self.topic_share[self.about].mean())
        return np.asarray(~self.about & (self.scores > 0) & (self.topic_share >= NEAR * usual))

    @property
    def n_listed(self) -> int:
        """How many documents are from the cut-off up."""
        return int(self.about.sum())

    @property
    def n_near(self) -> int:
        """How many documents are only near the query."""
        return int(self.near.sum())

    @property
    def n_names(self) -> int:
        """How many documents name the query, be they about it or not."""
        return int(self.names.sum())

    @property
    def is_by_hand(self) -> bool:
        """Whether the number is the one counted by hand: only if its interval is the narrower one."""
        return self.counted is not None and self.counted.width < self.by_model.width

    @property
    def n_about(self) -> float:
        """How many documents are about the query: those from the cut-off up, or as counted by hand."""
        return (self.counted if self.counted and self.is_by_hand else self.by_model).estimate

    @property
    def n_named(self) -> int:
        """How many of the documents from the cut-off up name the query."""
        return int((self.about & self.names).sum())

    @property
    def n_meant(self) -> int:
        """How many of them are about it without naming it."""
        return self.n_listed - self.n_named

    @property
    def n_about_interval(self) -> tuple[float, float]:
        """Where it lies, 9 times in 10 if the model errs as it usually does; 19 times in 20 if counted."""
        shown = self.counted if self.counted and self.is_by_hand else self.by_model
        return shown.low, shown.high

    @cached_property
    def by_model(self) -> Interval:
        """How many documents are about the query by the model alone: those from the cut-off up.

        How far a query reaches beyond its name the corpus does not say. So the interval begins with the
        documents that name it most, and ends with those near it as well; both ends are moved by how far such
        counts are usually off.
        """
        if self.modelled is not None:
            return self.modelled
        n, expected = float(self.n_listed), float(self.scores.sum())
        least, usual = expected, TYPICAL_ERROR
        if self.strength is not None:
            least, usual = float((self.strength[self.about] ** LEAST_POWER).sum()), NAMED_ERROR
        chance = np.sqrt(float((self.scores * (1.0 - self.scores)).sum())) / max(expected, 1.0)
        low = min(n, least) * np.exp(-_WITHIN_90 * usual)
        high = max(n + self.n_near, expected) * np.exp(_WITHIN_90 * np.hypot(usual, chance))
        return Interval(n, float(low), min(float(high), float(len(self.scores))), 0.9)

    def summary(self) -> str:
        """Say it in a sentence, for people: how many are about it, and which of them are listed."""
        low, high = self.n_about_interval
        n_about = round(self.n_about)
        are = "is" if n_about == 1 else "are"
        said = f"{n_about:,} of {len(self.scores):,} documents {are} about it ({low:,.0f} to {high:,.0f})"
        if self.counted is not None and self.is_by_hand:
            said += f" by hand, by the model {self.by_model.as_count()}"
        elif self.counted is not None:
            said += f" by the model, by hand {self.counted.as_count()}"
        if self.n_listed != n_about:  # by hand
            have = "1 has" if self.n_listed == 1 else f"{self.n_listed:,} have"
            are = "is" if self.n_listed == 1 else "are"
            said += f"; {have} a relevance of {self.cutoff:.2f} or more and {are} listed"
        return f"{said}: {self._named()}" if self.n_listed else said

    def _named(self) -> str:
        """Say how many of those listed name the query, and how many more mean it."""
        if not self.n_meant:
            return "it names it" if self.n_listed == 1 else "all name it"
        means = f"{'means' if self.n_meant == 1 else 'mean'} it"
        if not self.n_named:
            return f"{self.n_meant:,} {means}"
        return (
            f"{self.n_named:,} {'names' if self.n_named == 1 else 'name'} it, {self.n_meant:,} more {means}"
        )

    def near_summary(self) -> str:
        """Say how many documents are only near it; nothing if there are none."""
        if not self.n_near:
            return ""
        return "1 more is near it" if self.n_near == 1 else f"{self.n_near:,} more are near it"

    def __repr__(self) -> str:
        return f"Relevance({quoted(self.query)}: {self.summary()})"


def with_shared_words(fit: ModelFit, corpus: Corpus) -> ModelFit:
    """Return a fit that knows which words at least two documents about each query have.

    A word that one document has tells of that document, and a topic of few documents is full of such words:
    they are shown last. With the paper's setting words are shown by their probability alone. If fewer than
    two documents are about a query, all words are alike.
    """
    known = fit.shared_words is not None or fit.relevance is None
    if known or fit.parameters.get("preset") == "paper":
        return fit
    counts, relevance = corpus.by_passage.document_term_matrix, fit.scored.relevance
    shared = np.ones((len(fit.vocabulary), fit.n_queries), np.bool_)
    for q in range(fit.n_queries):
        about = np.flatnonzero(relevance[:, q] >= recommended_cutoff(relevance[:, q]))
        if len(about) > 1:
            shared[:, q] = np.bincount(counts[about].indices, minlength=len(shared)) > 1
    return replace(fit, shared_words=shared)


# --- scores of documents, fitted or new ---------------------------------------------------------------------
#
# What documents have to do with a query: a fit and its documents, or new ones, in, `QueryScores` out.
#
# There is one way for all of them. `relevance_to` says how likely each document is to be about the query:
# those of the corpus as the fit left them, new ones by the evidence of their words.
# A new document whose words are those of a fitted one has exactly its relevance. `score_documents` finds the
# main subtopic of those that are about it.

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
    relevance, strength = fit.scored.relevance[:, q], fit.scored.strength[:, q]
    share = topic_share(fit, q, corpus.by_passage.document_term_matrix)
    fitted = sum_up(fit.concepts[q].name, corpus, relevance, strength, share, covers=fit.covers)
    check = fit.check_of(q)
    if check is not None and check.answers:
        fitted = taught(fitted, check, corpus)
    return fitted if new is None else _of_new(fit, corpus, q, new, fitted)


def taught(plain: Relevance, check: HandCheck, corpus: Corpus) -> Relevance:
    """Return relevance after what people said: learned from, and what was answered has its answer."""
    lesson = lesson_of(check, corpus, plain.scores)
    passages = plain.passages
    scores = plain.scores if lesson is None else lesson.apply(corpus.document_term_matrix, plain.scores)
    if lesson is not None and passages is not None:
        passages = lesson.apply(corpus.by_passage.document_term_matrix, passages)
    return replace(
        plain,
        scores=with_answers(scores, check.verdicts),
        passages=passages,
        counted=check.estimate().n_about if check.can_be_quoted else None,
        modelled=plain.by_model,
    )


def lesson_of(check: HandCheck, corpus: Corpus, plain: FloatArray) -> Lesson | None:
    """Return what the answers of a check teach, learned once."""
    key = ("lesson", corpus.fingerprint)
    if key not in check.remembered:
        check.remembered[key] = learn(check, corpus.document_term_matrix, plain)
    lesson: Lesson | None = check.remembered[key]
    return lesson


def sum_up(
    query: str,
    corpus: Corpus,
    relevance: NDArray[np.floating[Any]],
    strength: NDArray[np.floating[Any]],
    share: FloatArray,
    *,
    covers: bool,
) -> Relevance:
    """Say how likely documents are to be about a query, given what is known of them or of their passages.

    A document is about the query if one of its passages is, and as likely as the likeliest of these at least:
    that is its relevance. It names the query if one of them does.

    Parameters
    ----------
    corpus : Corpus
    relevance, strength, share : ndarray of shape (P,)
        Of each document, or passage where the corpus is judged by passage: how likely it is to be about the
        query, how much it names it, and its share in the topic.
    covers : bool
        Whether the queries cover the corpus.
    """
    passages = None
    if corpus.passages is not None:
        passages = relevance.astype(np.float64)
        best = corpus.passages.best(relevance)
        relevance, share, strength = relevance[best], share[best], corpus.passages.largest(strength)
    return Relevance(
        query=query,
        scores=relevance.astype(np.float64),
        names=strength > 0,
        topic_share=share,
        strength=None if covers else strength.astype(np.float64),
        passages=passages,
    )


def _of_new(fit: ModelFit, corpus: Corpus, q: int, new: Corpus, fitted: Relevance) -> Relevance:
    """Say how likely new documents are to be about query `q`, given the relevance of the fitted ones."""
    concept, known, judged = fit.concepts[q], corpus.by_passage, new.by_passage
    counts = judged.document_term_matrix
    searched = search(known, concept.query, concept.rule)
    naming = name_documents(judged, searched)
    if concept.query.reading is not None:
        naming = naming.within(_in_reading(fit, known, q, searched, counts))
    scores = fit.scored.word_evidence.score(counts, q, naming.strength, searched.words, naming.possible)
    copied = _copied(known, judged, fit.scored.strength[:, q], naming.strength)
    found = sum_up(
        fitted.query,
        new,
        np.where(copied >= 0, fit.scored.relevance[copied, q], scores),
        np.where(copied >= 0, fit.scored.strength[copied, q], naming.strength),
        topic_share(fit, q, counts),
        covers=fit.covers,
    )
    check = fit.check_of(q)
    if check is not None and check.answers:
        found = _new_taught(found, fit, q, check, corpus, new)
    return replace(found, fitted_cutoff=fitted.cutoff)


def _in_reading(
    fit: ModelFit, corpus: Corpus, q: int, searched: SearchedQuery, counts: Any
) -> NDArray[np.bool_]:
    """Return which new documents would mean by query `q` what the chosen reading does, (D,).

    What they say beside the query's words decides: the cut parts those of the corpus that name it, in this
    reading and in others, with the fewest mistakes.
    """
    evidence, words = fit.scored.word_evidence, searched.words
    named = np.flatnonzero(searched.naming.strength > 0)
    known = evidence.log_odds(corpus.document_term_matrix[named], q, words)
    order = np.argsort(known, kind="stable")
    is_member = fit.scored.strength[named[order], q] > 0
    n_below = np.concatenate([[0], np.cumsum(is_member)])  # members, if the first of them are cut off
    n_above = (~is_member).sum() - np.concatenate([[0], np.cumsum(~is_member)])
    at = int(np.argmin(n_below + n_above))
    cut = known[order[at - 1 : at + 1]].mean() if at > 0 else -np.inf
    return np.asarray(evidence.log_odds(counts, q, words) > cut)


def _new_taught(
    found: Relevance, fit: ModelFit, q: int, check: HandCheck, corpus: Corpus, new: Corpus
) -> Relevance:
    """Return the relevance of new documents after what people said; that of copies is the fitted one's."""
    plain = relevance_to(replace(fit, checks=()), corpus, q).scores
    lesson = lesson_of(check, corpus, plain)
    if lesson is not None:
        found = replace(found, scores=lesson.apply(new.document_term_matrix, found.scores))
    copied = _find(corpus.document_hashes, new.document_hashes)
    taught = relevance_to(fit, corpus, q).scores
    return replace(found, scores=np.where(copied >= 0, taught[copied], found.scores))


def fitted_relevance(fit: ModelFit, corpus: Corpus, q: int, row: int) -> float:
    """How likely a document of the corpus is to be about query `q`, after what a person said of some."""
    check, known = fit.check_of(q), fit.scored.relevance[:, q]
    if check is not None and check.answers:
        return float(relevance_to(fit, corpus, q).scores[row])
    return float(
        known[row] if corpus.passages is None else known[slice(*corpus.passages.first[row : row + 2])].max()
    )


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
