"""Relevance: how likely documents, fitted or new, are to be about a query; the cut-off, and how many are.

`Relevance` is what a result says about one query: each document's probability, where to cut if a list is
needed, and how many documents are about it in all, with an interval; of those that are listed, how many name
it and how many more mean it. Where documents are judged by passage, a document is as relevant as its most
relevant passage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.evidence.breadth import at_least_context, named_probability, recommended_cutoff
from qdtm.evidence.naming import name_documents
from qdtm.evidence.word_evidence import Judge
from qdtm.queries.search import SearchedQuery, search
from qdtm.reprs import quoted
from qdtm.results.distributions import FloatArray, average_over_tokens, topic_shares
from qdtm.results.fit import ModelFit
from qdtm.results.hand_check.estimate import Interval
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.learning import Lesson, learn, with_answers

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


def with_words_about(fit: ModelFit, corpus: Corpus) -> ModelFit:
    """Return a fit that knows which words of their topic the documents about each query have.

    A topic also holds what is near its query, so the words of a query asked alone are shown by how many of
    the documents about it have them, as far as they are the topic's; each counts by its relevance, and a long
    one no more than others. A word that one document has tells of that document, and a topic of few documents
    is full of such words: they are shown last. With the paper's setting words are shown by their
    probability alone, and so they are if fewer than two documents are about a query.
    """
    known = fit.shared_words is not None or fit.relevance is None
    if known or fit.parameters.get("preset") == "paper":
        return fit
    counts, relevance = corpus.by_passage.document_term_matrix, fit.scored.relevance
    shared = np.ones((len(fit.vocabulary), fit.n_queries), np.bool_)
    words, weights = fit.word_topic[:, : fit.n_queries].copy(), fit.query_weights
    for q in range(fit.n_queries):
        about = np.flatnonzero(relevance[:, q] >= recommended_cutoff(relevance[:, q]))
        if len(about) > 1:
            own = counts[about]
            shared[:, q] = np.bincount(own.indices, minlength=len(shared)) > 1
            by_word = np.repeat(relevance[about, q].astype(np.float64), np.diff(own.indptr))
            words[:, q] = np.bincount(own.indices, by_word, len(shared)) * weights[:, q]
    return replace(fit, shared_words=shared, words_about=None if fit.covers else words)


# --- documents, fitted or new -------------------------------------------------------------------------------
#
# There is one way for all of them: those of the corpus are as relevant as the fit left them, new ones by the
# evidence of their words. A new document whose words are those of a fitted one has exactly its relevance.

_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two strengths are made the same


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
    judge = at_least_context if fit.covers else named_probability
    scores = fit.scored.word_evidence.score(
        counts,
        q,
        naming.strength,
        searched.words,
        naming.possible,
        judge,
        _shift_of_names(fit, q, searched, judge),
    )
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


def _shift_of_names(fit: ModelFit, q: int, searched: SearchedQuery, judge: Judge) -> float:
    """Return what the context of documents that name query `q` has more than that of others."""
    strength, relevance = fit.scored.strength[:, q], fit.scored.relevance[:, q]
    named = np.flatnonzero(strength > 0)
    if not len(named):
        return 0.0
    counts, given = searched.index.by_document[named], strength[named].astype(np.float64)
    mean = float(relevance[named].mean(dtype=np.float64))
    return fit.scored.word_evidence.shift_of_names(counts, q, given, searched.words, mean, judge)


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
