"""`Result`: a fit and its corpus together, as whoever shows it needs them.

In: a `ModelFit` and the `Corpus` it was fitted on, or the folder they were saved to. Out: topics, relevance,
documents. The report, the figures, the exports and the app are functions of it; nothing is fitted here.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.errors import ParameterError, QueryError
from qdtm.results.distributions import FloatArray
from qdtm.results.documents import DocumentTable, most_relevant, subtopic_position
from qdtm.results.fit import ModelFit, Presentation, checked_labels
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.passages import Aligner
from qdtm.results.reasons import Reasons, reasons_of
from qdtm.results.relevance import QueryScores, Relevance, relevance_to, score_documents
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
    corpus : Corpus
    """

    fit: ModelFit
    corpus: Corpus

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, corpus: Corpus | str | os.PathLike[str] | None = None
    ) -> Result:
        """Load a saved model; see `load_model`."""
        from qdtm.results.storage import load_model

        return cls(*load_model(path, corpus=corpus))

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
            path, self.fit, self.corpus, force=force, standalone=standalone, all_documents=all_documents
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

    def with_labels(self, labels: Any) -> Result:
        """Return the same result with names for topics: {id: label}; an empty label is taken away."""
        ids = [topic.id for topic in self.all_topics()]
        named = {**self.fit.presentation.labels, **checked_labels(labels, ids)}
        kept = {id: named[id] for id in ids if named.get(id)}
        return self._shown(replace(self.fit.presentation, labels=kept))

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
        return self._shown(replace(self.fit.presentation, **changes))

    def _shown(self, presentation: Presentation) -> Result:
        return Result(replace(self.fit, presentation=presentation), self.corpus)

    def check_column(self, name: str) -> None:
        """Raise unless the user's table has a column of this name."""
        names = self.corpus.documents.field_names
        if name in names:
            return
        closest = difflib.get_close_matches(name, names, n=1)
        hint = f" Closest: {closest[0]!r}." if closest else ""
        listed = f" Columns: {', '.join(map(repr, names))}." if names else " It has none."
        raise ParameterError(f"Column {name!r} is not in the corpus.{hint}{listed}")

    # --- what a person said ------------------------------------------------------------------------------

    def with_check(self, check: HandCheck) -> Result:
        """Return the same result with a hand-check, in place of an earlier one of the same query."""
        others = [each for each in self.fit.checks if each.query != check.query]
        return Result(replace(self.fit, checks=(*others, check)), self.corpus)

    def answered_check_of(self, q: int) -> HandCheck | None:
        """Return the hand-check of query `q`, if a person has said anything yet."""
        check = self.fit.check_of(q)
        return check if check is not None and check.said else None

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
        counts = (self.corpus if new is None else new).document_term_matrix
        return score_documents(self.fit, q, counts, self.relevance(q, new))

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
            reasons=self.reasons(q, s),
        )

    @cached_property
    def aligner(self) -> Aligner:
        """Finds where the words of documents stand in their texts."""
        return Aligner(self.corpus)

    def reasons(self, q: int, s: int | None = None) -> Reasons:
        """Return what chooses the passages of documents about query `q`, or in its subtopic `s`."""
        return reasons_of(self.fit, self.corpus, q, s, self.aligner)

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
