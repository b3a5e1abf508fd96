"""A `Result` in, a `ReportView` out: which words, passages and documents a page shows.

However large the corpus, only the documents that are shown are read; their number is bounded by `Limits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Document
from qdtm.errors import QdtmError
from qdtm.present.charts import line_chart, map_subtopics
from qdtm.present.methods import BIBTEX, CITATION, ending, methods_paragraph, settings_table
from qdtm.present.report_view import (
    BackgroundView,
    CleanedWord,
    ConceptWordView,
    ContrastSide,
    ContrastView,
    DocumentView,
    EvidenceView,
    PhaseView,
    QueryView,
    ReportView,
    SubtopicView,
    TrendView,
    WordBar,
)
from qdtm.present.theme import series_number
from qdtm.present.trend_views import group_rows, trend_views
from qdtm.queries.concept import Concept, ConceptWord
from qdtm.results.contrast import Contrast, ContrastWord, closest_pairs, contrast_queries
from qdtm.results.documents import CopyGroups, order_by
from qdtm.results.one_group import one_group
from qdtm.results.passages import LONGEST_ALIGNED, Aligner, Mark, sentence_around
from qdtm.results.query_scores import QueryScores
from qdtm.results.reasons import Reasons
from qdtm.results.representative import typical_documents
from qdtm.results.result import Result
from qdtm.results.splits import is_within
from qdtm.results.stability import SubtopicStability
from qdtm.results.topics import Topic
from qdtm.results.trends import Trends, topics_over_time, topics_per_class
from qdtm.sampler.trace import Trace

# --- a result -----------------------------------------------------------------------------------------------

_WHY = {
    "query": "a word of the query",
    "user": "your own word",
    "expansion": "found by expansion",
}
_VALUE = 160  # characters of a field's value


@dataclass(frozen=True)
class Limits:
    """How much a page shows.

    Attributes
    ----------
    documents : int
        Of each query.
    typical : int
        Documents of each subtopic.
    sentences : int
        That support each concept word.
    cards : int
        Subtopics that get a card; smaller ones are listed.
    excerpt : int
        Characters of a document.
    words : int
        Of a topic.
    fields : int
        The user's columns at each document.
    """

    documents: int = 30
    typical: int = 3
    sentences: int = 3
    cards: int = 12
    excerpt: int = 600
    words: int = 15
    fields: int = 8

    @classmethod
    def for_queries(cls, n_queries: int) -> Limits:
        """Return limits under which a page of so many queries stays small."""
        return cls(documents=int(np.clip(600 // max(n_queries, 1), 8, 30)))

    def halved(self) -> Limits:
        """Return smaller limits, for a page that came out too large."""
        return Limits(
            documents=max(2, self.documents // 2),
            typical=max(1, self.typical - 1),
            sentences=max(1, self.sentences - 1),
            cards=max(3, self.cards // 2),
            excerpt=max(160, self.excerpt // 2),
            words=max(8, self.words - 3),
            fields=max(2, self.fields // 2),
        )


def build_report(result: Result, limits: Limits | None = None) -> ReportView:
    """Put together what a page about a result shows."""
    return ViewBuilder(result, limits or Limits.for_queries(result.fit.n_queries)).report()


class ViewBuilder:
    """What the parts of one page share; the app asks it for the parts it shows."""

    def __init__(self, result: Result, limits: Limits) -> None:
        self.result, self.limits = result, limits
        self.aligner = result.aligner
        self.notes: list[str] = []

    @cached_property
    def over_time(self) -> Trends | None:
        """The topics over time, if there is a column of dates; what is wrong with it becomes a note."""
        column = self.result.fit.presentation.time_column
        return self._trends(lambda: topics_over_time(self.result), "date") if column else None

    @cached_property
    def per_class(self) -> Trends | None:
        """The topics by group, if there is a column of groups."""
        column = self.result.fit.presentation.group_column
        return self._trends(lambda: topics_per_class(self.result), "group") if column else None

    def _trends(self, make: object, what: str) -> Trends | None:
        try:
            trends: Trends = make()  # type: ignore[operator]
        except QdtmError as error:
            self.notes.append(str(error))
            return None
        if trends.n_left_out:
            n = self.result.corpus.n_documents
            self.notes.append(
                f"{trends.n_left_out:,} of {n:,} documents have no {what} in '{trends.column}'."
            )
        return trends

    def report(self) -> ReportView:
        """Return the whole page."""
        result, fit, corpus = self.result, self.result.fit, self.result.corpus
        queries = [self.query(q) for q in range(fit.n_queries)]
        # of a few documents, topics of the rest would be single documents
        shown = () if result.is_too_small_to_split else result.background[:12]
        return ReportView(
            title=", ".join(topic.name for topic in result.topics[:6]) + (" …" if fit.n_queries > 6 else ""),
            n_documents=corpus.n_documents,
            n_words=corpus.n_words,
            n_tokens=corpus.n_tokens,
            n_empty=int((corpus.document_lengths == 0).sum()),
            interrupted=fit.interrupted,
            queries=queries,
            background=[
                BackgroundView(t.id, t.name, t.prevalence, [word for word, _ in t.top_words(10)])
                for t in shown
            ],
            n_background=fit.n_background,
            background_share=sum(topic.prevalence for topic in result.background),
            phases=list(phase_views(result)),
            settings=list(settings_table(result)),
            methods=methods_paragraph(result),
            citation=CITATION,
            bibtex=BIBTEX,
            notes=self.notes,
            time_column=fit.presentation.time_column,
            group_column=fit.presentation.group_column,
            contrasts=list(contrast_views(result)),
            stability=fit.stability,
        )

    def query(self, q: int) -> QueryView:
        """Return everything about query `q`."""
        fit, topic, concept = self.result.fit, self.result.topics[q], self.result.fit.concepts[q]
        scores = self.result.scores(q)
        trends = {trend.id: trend for trend in trend_views(self.over_time, topic)}
        undivided = one_group(self.result, topic)
        n_subtopics = 0 if undivided else len(topic.subtopics)
        n_cards = min(n_subtopics, self.limits.cards)
        cards = [self.subtopic(q, s, scores, trends) for s in range(n_cards)]
        smaller = [self._subtopic(q, s, scores, 10) for s in range(n_cards, n_subtopics)]
        lengths, n = self.result.corpus.document_lengths, self.limits.documents
        copies = CopyGroups(scores, self.result.corpus.first_copy)
        best = copies.first(order_by(scores.relevance, lengths, copies.enough(n)))[:n]
        relevance = self.result.relevance(q)
        best = best[relevance.about[best]] if len(best) else best
        return QueryView(
            number=q + 1,
            name=concept.name,
            asked=concept.query.text,
            label=topic.label,
            details=list(_details(concept)),
            cleaned=list(_cleaned(concept)),
            check=concept.check,
            concept_words=[self.concept_word(word, concept) for word in concept.words],
            rejected=[(word.word, word.reason) for word in concept.rejected],
            words=word_bars(topic.top_words(self.limits.words), concept),
            subtopics=cards,
            smaller=smaller,
            rest=fit.subtopic_rest[q],
            map=map_subtopics(topic.subtopics[: self.limits.cards]),
            documents=self.documents(best, q, scores, self.result.reasons(q), self.limits.excerpt),
            relevance=relevance,
            trend=trends.get(topic.id),
            groups=list(group_rows(self.per_class, topic)),
            stability=None if fit.stability is None else fit.stability.queries[q],
            hand_check=self.result.answered_check_of(q),
            hidden=fit.corrections.hidden_below(topic.id),
            one_group=undivided,
        )

    def subtopic(self, q: int, s: int, scores: QueryScores, trends: Mapping[str, TrendView]) -> SubtopicView:
        """Return the card of subtopic `s` of query `q`."""
        corpus = self.result.corpus
        rows = typical_documents(scores, s, corpus.document_lengths, self.limits.typical, corpus.first_copy)
        documents = self.documents(rows, q, scores, self.result.reasons(q, s), self.limits.excerpt // 2)
        card = self._subtopic(q, s, scores, self.limits.words - 5)
        return replace(card, documents=documents, trend=trends.get(card.id))

    def _subtopic(self, q: int, s: int, scores: QueryScores, n_words: int) -> SubtopicView:
        """Return subtopic `s` of query `q` without documents."""
        topic, concept = self.result.topics[q], self.result.fit.concepts[q]
        mainly = {id: int(scores.mainly_in(place).sum()) for place, id in enumerate(scores.ids)}
        view = _subtopic_view(topic.subtopics[s], s, topic, concept, mainly, n_words)
        merged = self.result.fit.corrections.merged.get(view.id, ())
        return replace(view, stability=self._firmness(topic.subtopics[s]), merged=merged)

    def _firmness(self, subtopic: Topic) -> SubtopicStability | None:
        stability = self.result.stability
        return None if stability is None else stability.of(subtopic.id)

    def documents(
        self, rows: NDArray[np.int64], q: int, scores: QueryScores, reasons: Reasons, limit: int
    ) -> list[DocumentView]:
        """Return documents, each with the passage that makes it relevant, at most `limit` characters."""
        topic = self.result.topics[q]
        below = [] if one_group(self.result, topic) else topic.below()
        own = [each.id for each in topic.subtopics]
        copies = CopyGroups(scores, self.result.corpus.first_copy)
        views = []
        for document in self.result.corpus.documents.select(rows.tolist()):
            s = int(scores.main[document.index])
            subtopic = below[s] if s >= 0 and below else None
            top = _branch(own, subtopic.id) if subtopic else 0  # the query's own subtopic
            view = DocumentView(
                index=document.index,
                id=document.id,
                title=document.title,
                relevance=float(scores.relevance[document.index]),
                share=float(scores.main_share[document.index]),
                subtopic=subtopic.id if subtopic else None,
                branch=own[top] if subtopic else None,
                subtopic_name=subtopic.short_name if subtopic else "",
                color=series_number(top) if subtopic else 0,
                fields=_fields(document, self.limits.fields, self.result.corpus.documents.title_name),
                passage=reasons.passage(document, limit),
                n_copies=copies.n_others(document.index),
            )
            views.append(view)
        return views

    def concept_word(self, word: ConceptWord, concept: Concept) -> ConceptWordView:
        """Return a concept word with sentences that support it."""
        documents = self.result.corpus.documents.select(word.documents[: self.limits.sentences])
        sentences = evidence_sentences(self.aligner, documents, word.index, concept)
        return ConceptWordView(
            word=word.word,
            why=_WHY[word.origin],
            score=word.score,
            n_documents=word.n_documents,
            n_retrieved=word.n_retrieved,
            sentences=list(sentences),
        )


# --- parts that the app uses too ---------------------------------------------------------------------------


def word_bars(words: Sequence[tuple[str, float]], concept: Concept | None = None) -> list[WordBar]:
    """Return words and their probabilities as bars; the concept words among them are marked."""
    longest = max((p for _, p in words), default=1.0) or 1.0
    own = {word.word for word in concept.words} if concept else set()
    return [WordBar(word, p, round(100 * p / longest, 1), word in own) for word, p in words]


def evidence_sentences(
    aligner: Aligner, documents: Iterable[Document], word: int, concept: Concept | None = None
) -> Iterator[EvidenceView]:
    """Yield, for each document that has a word, a sentence with it; the query's own words are marked too.

    Parameters
    ----------
    aligner : Aligner
        Of the corpus.
    documents : iterable of Document
        The documents that support the word, such as `ConceptWord.documents`.
    word : int
        Its place in the vocabulary.
    concept : Concept, optional
        Whose words of origin "query" are marked faintly.
    """
    own = {each.index for each in concept.words if each.origin == "query"} if concept else set()
    for document in documents:
        text = document.text[:LONGEST_ALIGNED]
        places = aligner.places(document.index, text)
        at = next((span for index, span in places if index == word), None)
        if at is None:
            continue
        marks = [Mark(*span, 1.0 if w == word else 0.3) for w, span in places if w == word or w in own]
        yield EvidenceView(document.id, document.title, sentence_around(text, at[0], marks))


# --- the rest ----------------------------------------------------------------------------------------------


def _subtopic_view(
    subtopic: Topic, s: int, parent: Topic, concept: Concept, mainly: Mapping[str, int], n_words: int
) -> SubtopicView:
    """Return a subtopic and those below it; `mainly` is how many documents are mainly in each."""
    return SubtopicView(
        id=subtopic.id,
        name=subtopic.short_name,
        color=series_number(s),
        n_documents=mainly[subtopic.id],
        of_parent=subtopic.prevalence / parent.prevalence_below if parent.prevalence_below else 0.0,
        words=word_bars(subtopic.top_words(n_words), concept),
        documents=(),
        below=[_subtopic_view(each, s, subtopic, concept, mainly, n_words) for each in subtopic.subtopics],
    )


def _branch(own: Sequence[str], id: str) -> int:
    """Return which of the query's own subtopics one is, or is below."""
    return next(s for s, each in enumerate(own) if is_within(id, each))


def _fields(document: Document, n: int, but: str | None) -> list[tuple[str, str]]:
    """Return the user's columns, without that of the titles, which stand above."""
    fields = [(name, value.strip()) for name, value in document.fields.items() if name != but]
    shown = [(name, value) for name, value in fields if value][:n]
    return [(name, value if len(value) <= _VALUE else value[: _VALUE - 1] + "…") for name, value in shown]


def _details(concept: Concept) -> Iterator[tuple[str, str]]:
    """Yield what else the user asked for."""
    query = concept.query
    for name, words in (
        ("your keywords", query.keywords),
        ("added", query.add),
        ("dropped", query.drop),
        ("excluded", (*query.exclude, *map(str, query.phrase.excluded))),
    ):
        if words:
            yield name, ", ".join(words)


def _cleaned(concept: Concept) -> Iterator[CleanedWord]:
    for word in concept.check.words:
        note = ""
        if word.closest:
            note = "closest: " + ", ".join(word.closest)
        elif word.matches and word.matches != (word.word,):
            note = "stands for " + ", ".join(word.matches[:10])
        yield CleanedWord(word.word, word.status, word.n_documents, note)


def phase_views(result: Result) -> Iterator[PhaseView]:
    """Yield how each phase of the sampler went."""
    fit = result.fit
    yield _phase("parent topics", fit.parent_trace, ending(fit.parent_trace))
    for q, (concept, trace) in enumerate(zip(fit.concepts, fit.subtopic_traces, strict=False)):
        ended = "from groups that runs agree on" if fit.is_split_by_groups(q) else ending(trace)
        yield _phase(f"subtopics of {concept.name}", trace, ended)
    for split in fit.splits:
        yield _phase(f"subtopics of {split.of}", split.trace, ending(split.trace))


def _phase(name: str, trace: Trace, ended: str) -> PhaseView:
    names = [f"sweep {sweep:,}" for sweep in trace.sweeps]
    chart = line_chart(trace.log_likelihood, trace.sweeps, x_names=names)
    return PhaseView(name, ended, trace.n_sweeps, trace.n_samples, chart)


# --- contrasts ----------------------------------------------------------------------------------------------
#
# A `Result` in, contrasts of its queries out: each beside the one that it has most in common with.

_MOST = 8  # pairs on a page
_WORDS = 10


def contrast_views(result: Result) -> Iterator[ContrastView]:
    """Yield the contrasts that a page shows; none for a lone query."""
    for a, b in list(closest_pairs(result))[:_MOST]:
        yield view_contrast(result, a, b, contrast_queries(result, a, b, n_words=_WORDS, n_documents=0))


def view_contrast(result: Result, a: int, b: int, found: Contrast) -> ContrastView:
    """Return what a page shows of the contrast of two queries."""
    concepts = [{word.word for word in result.fit.concepts[q].words} for q in (a, b)]
    return ContrastView(
        sides=(
            ContrastSide(found.left, _bars(found.left_words, concepts[0]), found.n_left),
            ContrastSide(found.right, _bars(found.right_words, concepts[1]), found.n_right),
        ),
        n_both=found.n_both,
        overlap=found.overlap,
    )


def _bars(words: Sequence[ContrastWord], own: set[str]) -> list[WordBar]:
    """Return words as bars in the order of their log-odds; the concept words among them are marked."""
    log_odds = sorted(((abs(word.log_odds), word.word) for word in words), key=lambda pair: -pair[0])
    longest = max((each for each, _ in log_odds), default=1.0)
    return [WordBar(word, each, round(100 * each / longest, 1), word in own) for each, word in log_odds]
