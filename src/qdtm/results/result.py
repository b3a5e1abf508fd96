"""`Result`: a fit and its corpus together, as whoever shows it needs them.

In: a `ModelFit` and the `Corpus` it was fitted on, or the folder they were saved to. Out: topics, relevance,
documents. The report, the figures, the exports and the app are functions of it; nothing is fitted here.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.corpus.document_store import column_names, column_values
from qdtm.errors import ParameterError, QueryError
from qdtm.evidence.evidence import Evidence
from qdtm.queries.concordance import Concordance
from qdtm.results.codes import (
    CODE,
    NOTE,
    TAG,
    UNTAG,
    Codes,
    Place,
    code_values,
    note_values,
    tag_values,
)
from qdtm.results.corrections import (
    DROP_WORD,
    HIDE,
    MERGE,
    RENAME,
    SPLIT,
    Corrected,
    Opener,
    apply,
    correct,
    corrections_of,
    topic_ids,
    undone_corrections,
)
from qdtm.results.dates import read_dates
from qdtm.results.distributions import FloatArray
from qdtm.results.documents import DocumentTable, View, in_view, most_relevant, subtopic_position
from qdtm.results.fit import ModelFit, checked_labels
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.journal import Act, History, Journal
from qdtm.results.neighbours import Neighbours, SimilarDocument
from qdtm.results.passages import Aligner
from qdtm.results.query_scores import QueryScores, deciding_counts, score_documents
from qdtm.results.reasons import Reasons, reasons_of
from qdtm.results.relevance import Relevance, relevance_to, with_words_about
from qdtm.results.splits import deepest_subtopics, subtopic_weights
from qdtm.results.stability import Stability
from qdtm.results.topics import Topic, build_topics
from qdtm.sampler.consensus import can_split

_N_SUGGESTED_FROM = 10_000  # documents whose ids are looked through for one that is spelt alike


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A fit with its corpus.

    Attributes
    ----------
    fit : ModelFit
        As it is shown: what was corrected by hand is corrected.
    corpus : Corpus
    history : History
        All that people did to it; see `journal`.
    found : ModelFit, optional
        As it was found, if it was corrected.
    passed_over : tuple of (Act, str)
        Corrections that cannot be applied any more, and why.
    """

    fit: ModelFit
    corpus: Corpus
    history: History = field(default_factory=History)
    found: ModelFit | None = None
    passed_over: tuple[tuple[Act, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "fit", with_words_about(self.fit, self.corpus))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, corpus: Corpus | str | os.PathLike[str] | None = None
    ) -> Result:
        """Load a saved model; see `load_model`."""
        from qdtm.results.storage import load_model

        fit, opened = load_model(path, corpus=corpus)
        return cls(fit, opened).with_history(Journal(path).history)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        standalone: bool = False,
        all_documents: bool | None = None,
    ) -> None:
        """Save it to a folder; see `save_model`."""
        from qdtm.results.storage import save_model

        save_model(
            path,
            self.as_found,
            self.corpus,
            force=force,
            standalone=standalone,
            all_documents=all_documents,
            shown=self.fit,
            history=self.history,
        )

    def __repr__(self) -> str:
        return f"Result({self.fit!r}, {self.corpus!r})"

    # --- topics ------------------------------------------------------------------------------------------

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The parent topic of each query, with its subtopics."""
        return self._topics[0]

    @property
    def background(self) -> tuple[Topic, ...]:
        """The topics of the rest of the corpus, largest first."""
        return self._topics[1]

    @cached_property
    def _topics(self) -> tuple[tuple[Topic, ...], tuple[Topic, ...]]:
        return build_topics(self.fit)

    def all_topics(self) -> Iterator[Topic]:
        """Yield the parents, each followed by its subtopics, then the background."""
        for topic in (*self.topics, *self.background):
            yield from topic.walk()

    def topic(self, id: str | int) -> Topic:
        """Return the topic with an id.

        Raises
        ------
        QueryError
            If there is none.
        """
        topics = {topic.id: topic for topic in self.all_topics()}
        if str(id) not in topics:
            closest = difflib.get_close_matches(str(id), topics, n=1)
            hint = f" Closest: {closest[0]!r}." if closest else ""
            raise QueryError(f"There is no topic {id!r} in this model.{hint}")
        return topics[str(id)]

    def query_index(self, query: str | int) -> int:
        """Return the position of a query, given it or its name (as asked, or as labelled, in any case)."""
        names = [concept.name for concept in self.fit.concepts]
        if isinstance(query, str):
            labels = [topic.name for topic in self.topics]
            for known, wanted in ((names, query), (labels, query), *_folded(query, names, labels)):
                if wanted in known:
                    return known.index(wanted)
        elif isinstance(query, Integral) and not isinstance(query, bool) and 0 <= int(query) < len(names):
            return int(query)
        raise QueryError(f"There is no query {query!r} in this model. Its queries: {', '.join(names)}.")

    def query_of(self, subtopic: str) -> int:
        """Return the position of the query that a subtopic's id belongs to."""
        first = str(subtopic).partition(".")[0]
        if first.isdecimal() and len(first) < 10 and int(first) < self.fit.n_queries:
            return int(first)
        raise QueryError(f"There is no subtopic {subtopic!r} in this model; give an id such as '0.1'.")

    @property
    def stability(self) -> Stability | None:
        """How much independent runs agree with this one; None if there was one run only."""
        return self.fit.stability

    # --- how it is shown ---------------------------------------------------------------------------------

    def with_labels(self, labels: Any, *, by: str = "") -> Result:
        """Return the same result with names for topics: {id: label}; an empty label is taken away."""
        named, known = self, self.fit.presentation.labels
        for id, label in checked_labels(labels, topic_ids(self.fit)).items():
            if label != known.get(id, ""):
                named = named.corrected(RENAME, {"topic": id, "name": label}, by=by)
        return named

    def with_columns(
        self,
        *,
        time_column: str | None = None,
        group_column: str | None = None,
        date_format: str | None = None,
    ) -> Result:
        """Return the same result with the user's columns of dates and of groups; None leaves one as it is."""
        given: dict[str, Any] = {
            "time_column": time_column,
            "group_column": group_column,
            "date_format": date_format,
        }
        changes = {name: value for name, value in given.items() if value is not None}
        for name in (time_column, group_column):
            if name is not None:
                self.check_column(name)
        return self._shown(**changes)

    def _shown(self, **columns: Any) -> Result:
        found = replace(self.as_found, presentation=replace(self.as_found.presentation, **columns))
        shown = replace(self.fit, presentation=replace(self.fit.presentation, **columns))
        return replace(self, fit=shown, found=found)

    def check_column(self, name: str) -> None:
        """Raise unless the user's table has a column of this name."""
        names = column_names(self.corpus.documents)
        if name in names:
            return
        closest = difflib.get_close_matches(name, names, n=1)
        hint = f" Closest: {closest[0]!r}." if closest else ""
        listed = f" Columns: {', '.join(map(repr, names))}." if names else " It has none."
        raise ParameterError(f"Column {name!r} is not in the corpus.{hint}{listed}")

    # --- corrections by hand -----------------------------------------------------------------------------

    @property
    def journal(self) -> tuple[Act, ...]:
        """What people did to the result and is in force: corrections, tags, notes; the first comes first."""
        return self.history.acts

    @property
    def as_found(self) -> ModelFit:
        """The fit before any correction."""
        return self.fit if self.found is None else self.found

    def with_history(self, history: History) -> Result:
        """Return the result as acts left it, in place of those that it has."""
        if corrections_of(history) == corrections_of(self.history):
            return replace(self, history=history)
        return Result(self.as_found, self.corpus)._redone(history)

    def _redone(self, history: History) -> Result:
        fit, found, passed_over = correct(self.as_found, self.corpus, history)
        return Result(fit, self.corpus, history, found, passed_over)

    def corrected(
        self, kind: str, values: Mapping[str, Any], *, by: str = "", opener: Opener | None = None
    ) -> Result:
        """Return the result after one more act of a kind of `qdtm.results.corrections`."""
        history = self.history.append(kind, values, by)
        done = Corrected(self.fit, self.as_found, self.passed_over)
        fit, found, passed_over = apply(done, self.corpus, history.lines[-1], opener)
        return Result(fit, self.corpus, history, found, passed_over)

    def rename(self, topic: str, name: str) -> Result:
        """Name a topic or subtopic; an empty name takes it away."""
        return self.with_labels({topic: name})

    def merge(self, subtopics: Sequence[str]) -> Result:
        """Merge subtopics of one topic into the first of them, which keeps its id.

        Their words and documents are added up, and what was open below them closes.
        """
        return self.corrected(MERGE, {"subtopics": [str(id) for id in subtopics]})

    def hide(self, subtopic: str) -> Result:
        """Hide a subtopic: its documents stay about the query, and are in no subtopic."""
        return self.corrected(HIDE, {"subtopic": str(subtopic)})

    def split(self, subtopic: str, *, opener: Opener | None = None) -> Result:
        """Open a subtopic into its own subtopics; see `QueryDrivenTopicModel.drill_down`."""
        return self.corrected(SPLIT, {"subtopic": str(subtopic)}, opener=opener)

    def drop_word(self, topic: str, word: str) -> Result:
        """Leave a word out of what is shown of a topic; no number changes."""
        return self.corrected(DROP_WORD, {"topic": str(topic), "word": str(word)})

    def undo(self, number: int | None = None) -> Result:
        """Undo a correction: that of a number (`journal`), else the last one that is in force."""
        acts = corrections_of(self.history)
        if number is None and not acts:
            raise ParameterError("There is nothing to undo.")
        return self._redone(self.history.undo(acts[-1].number if number is None else number))

    def redo(self, number: int | None = None) -> Result:
        """Correct again what was undone: that of a number, else what was undone last."""
        undone = undone_corrections(self.history)
        if number is None and not undone:
            raise ParameterError("There is nothing to do again.")
        return self._redone(self.history.redo(undone[-1].number if number is None else number))

    # --- what a person said ------------------------------------------------------------------------------

    def with_check(self, check: HandCheck) -> Result:
        """Return the same result with a hand-check, in place of an earlier one of the same query."""
        others = [each for each in self.fit.checks if each.query != check.query]
        checks = (*others, check)
        found = replace(self.as_found, checks=checks)
        return replace(self, fit=replace(self.fit, checks=checks), found=found)

    def query_evidence(self, evidence: Sequence[Evidence], inside: DistinctCorpus) -> tuple[Evidence, ...]:
        """Return evidence in which the relevance of queries that were checked is that after the answers.

        Parameters
        ----------
        evidence : sequence of Evidence
            One a query, of the documents as the model sees them.
        inside : DistinctCorpus
            These documents, or passages.
        """
        taught = list(evidence)
        for q, plain in enumerate(evidence):
            if self.answered_check_of(q) is not None:
                found = self.relevance(q)
                of_passages = found.scores if found.passages is None else found.passages
                scores = of_passages[inside.rows]
                taught[q] = replace(plain, probability=np.where(plain.possible, scores, 0.0))
        return tuple(taught)

    def answered_check_of(self, q: int) -> HandCheck | None:
        """Return the hand-check of query `q`, if a person has said anything yet."""
        check = self.fit.check_of(q)
        return check if check is not None and check.answers else None

    # --- tags and notes ----------------------------------------------------------------------------------

    @cached_property
    def codes(self) -> Codes:
        """The user's tags and notes on documents and passages."""
        return Codes.of(self.history.acts, self.corpus.n_documents)

    def tagged(
        self, document: str | int, tag: str, *, passage: tuple[int, int] | None = None, by: str = ""
    ) -> Result:
        """Return the same result with a tag on a document, or on a passage of it.

        Parameters
        ----------
        document : str or int
            Its id, or its row from 0.
        tag : str
            At most 100 characters; one that is there already in another case is taken as it is written.
        passage : (int, int), optional
            Its first character in the document's text, and the one after its last.
        by : str
            Who says so.
        """
        return self._coded(TAG, tag_values(*self._place(document, passage), tag), by)

    def untagged(
        self, document: str | int, tag: str, *, passage: tuple[int, int] | None = None, by: str = ""
    ) -> Result:
        """Return the same result without a tag on a document, or on a passage of it; see `tagged`."""
        return self._coded(UNTAG, tag_values(*self._place(document, passage), self.codes.tag(tag)), by)

    def noted(
        self, document: str | int, text: str, *, passage: tuple[int, int] | None = None, by: str = ""
    ) -> Result:
        """Return the same result with a note on a document or passage (at most 10,000 characters).

        It takes the place of an earlier one; an empty one takes that away. See `tagged`.
        """
        return self._coded(NOTE, note_values(*self._place(document, passage), text), by)

    def recoded(self, tag: str, to: str = "", *, by: str = "") -> Result:
        """Return the same result with a tag renamed, made one with another, or (empty) without it."""
        return self._coded(CODE, code_values(self.codes.tag(tag), to), by)

    def _coded(self, kind: str, values: dict[str, Any], by: str) -> Result:
        return replace(self, history=self.history.append(kind, values, by))

    def _place(self, document: str | int, passage: tuple[int, int] | None) -> Place:
        row = self.find_document(document)
        n = 0 if passage is None else len(self.corpus.documents[row].text)
        if passage is not None and passage[1] > n:
            raise ParameterError(f"The passage ends at character {passage[1]:,}; the text has {n:,}.")
        return Place(row, passage)

    # --- words and documents -----------------------------------------------------------------------------

    def subtopic_weights(self, q: int) -> FloatArray:
        """How likely a token of each word is to be in each subtopic of query `q`, in level order; (V, B)."""
        return subtopic_weights(self.fit, q, self.fit.query_weights[:, q])

    @cached_property
    def token_subtopics(self) -> NDArray[np.int32]:
        """The deepest subtopic of each token in the last sample; see `deepest_subtopics`."""
        return deepest_subtopics(self.fit)

    def scores(self, q: int, new: Corpus | None = None) -> QueryScores:
        """Score all documents, or new ones, against query `q`."""
        corpus, relevance = self.corpus if new is None else new, self.relevance(q, new)
        decide = deciding_counts(corpus, relevance)
        return score_documents(self.fit, q, corpus.document_term_matrix, relevance, decide)

    def relevance(self, query: str | int = 0, new: Corpus | None = None) -> Relevance:
        """Say how likely each document is to be about a query, where to cut, and how many are about it.

        Parameters
        ----------
        query : str or int
        new : Corpus, optional
            Other documents than those of the corpus, made like it: `Corpus.of(texts, like=result.corpus)`.
        """
        return relevance_to(self.fit, self.corpus, self.query_index(query), new)

    def unchecked_relevance(self, q: int) -> tuple[FloatArray, float]:
        """Return the relevance to query `q` without what a person said, (D,), and its cut-off."""
        relevance = Result(replace(self.fit, checks=()), self.corpus).relevance(q)
        return relevance.scores, relevance.cutoff

    def documents(
        self,
        query: str | int = 0,
        n: int | None = 10,
        *,
        subtopic: str | None = None,
        tag: str | None = None,
        view: View = "all",
        scores: QueryScores | None = None,
    ) -> DocumentTable:
        """Find the documents that are most about a query, or about one of its subtopics.

        Parameters
        ----------
        query : str or int
        n : int or None
            How many documents at most; None for all.
        subtopic : str, optional
            Its documents only, by their share in it.
        tag : str, optional
            Only documents that have it, or have it in a passage; see `tagged`.
        view : {"all", "about", "below", "named-out", "unnamed-in", "near"}
            Which documents only; see `qdtm.results.documents.in_view`.
        scores : QueryScores, optional
            From `scores`, if they are at hand.
        """
        q = self.query_index(query)
        scores = scores or self.scores(q)
        s = None if subtopic is None else subtopic_position(self.topics[q], subtopic)
        return most_relevant(
            self.corpus.documents,
            scores,
            self.topics[q],
            n=n,
            subtopic=subtopic,
            lengths=self.corpus.document_lengths,
            first_copy=None if tag else self.corpus.first_copy,  # what a person tagged is listed, copy or not
            reasons=self.reasons(q, s),
            within=self._within(q, view, tag),
        )

    def _within(self, q: int, view: View, tag: str | None) -> NDArray[np.bool_] | None:
        """Return which documents are in a view and have a tag, (D,); None for all."""
        within = None if view == "all" else in_view(self.relevance(q), view)
        if tag is None:
            return within
        tagged = np.isin(np.arange(self.corpus.n_documents), self.codes.rows(self.codes.tag(tag)))
        return tagged if within is None else tagged & within

    def concordance(
        self, query: str, *, width: int = 40, sort: str = "document", limit: int = 10_000, of: str | int = 0
    ) -> Concordance:
        """Return each place where the texts have what is searched; see `Corpus.concordance`.

        Parameters
        ----------
        query, width, limit
            As there.
        sort : {"document", "left", "right", "relevance", "date"}
            Also by the relevance of the documents, or from the oldest to the newest.
        of : str or int
            The query to which the documents are relevant.
        """
        by: Any = sort
        if sort == "relevance":
            by = -self.relevance(of).scores
        elif sort == "date":
            by = self._days()
        return self.corpus.concordance(query, width=width, sort=by, limit=limit)

    def _days(self) -> NDArray[np.float64]:
        """Return the day of each document as a number, infinite where there is none, (D,)."""
        shown = self.fit.presentation
        if shown.time_column is None:
            raise ParameterError("There is no column of dates to sort by; set time_column (--time-column).")
        days = read_dates(
            column_values(self.corpus.documents, shown.time_column), shown.date_format, shown.time_column
        ).days
        return np.where(np.isnat(days), np.inf, days.astype(np.int64))

    @cached_property
    def aligner(self) -> Aligner:
        """Finds where the words of documents stand in their texts."""
        return Aligner(self.corpus)

    def reasons(self, q: int, s: int | None = None) -> Reasons:
        """Return what chooses the passages of documents about query `q`, or in its subtopic `s`."""
        return reasons_of(self.fit, self.corpus, q, s, self.aligner)

    def similar(self, document: str | int, n: int = 10) -> tuple[SimilarDocument, ...]:
        """Find the documents that are most like one by their words, whatever the queries.

        Parameters
        ----------
        document : str or int
            Its id, or its row from 0.
        n : int
            How many at most.
        """
        return self._neighbours.of(self.find_document(document), n)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.corpus)

    @property
    def is_too_small_to_split(self) -> bool:
        """Whether the corpus has too few documents for its topics to have subtopics."""
        return not any(topic.subtopics for topic in self.topics) and not can_split(
            self.corpus.distinct.n_documents
        )

    def find_document(self, document: str | int) -> int:
        """Return the row of a document, given it or its id; the first of several with one id.

        Raises
        ------
        QueryError
            If there is none.
        """
        n = self.corpus.n_documents
        if isinstance(document, Integral) and not isinstance(document, bool):
            if not 0 <= int(document) < n:
                raise QueryError(f"There is no document {document}; the corpus has {n:,} documents, from 0.")
            return int(document)
        documents, wanted = self.corpus.documents, str(document)
        found = documents.find(wanted)
        if found is None:
            ids = [each.id for each in islice(documents, _N_SUGGESTED_FROM)]
            closest = difflib.get_close_matches(wanted, ids, n=1)
            hint = f" Closest: {closest[0]!r}." if closest else ""
            raise QueryError(f"There is no document with the id {wanted!r}.{hint}")
        return found


def _folded(query: str, *known: Sequence[str]) -> Iterator[tuple[list[str], str]]:
    """Yield lists of names, and the query, without capitals and needless blanks."""
    for names in known:
        yield [" ".join(name.split()).casefold() for name in names], " ".join(query.split()).casefold()
