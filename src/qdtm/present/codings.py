"""A `Result` in, codings out: which passage of which document is about which query, and how likely.

What tools for references, qualitative analysis, notes, networks and annotation get is made of these. However
large the corpus, documents are read one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Document
from qdtm.results.documents import order_by
from qdtm.results.passages import Passage
from qdtm.results.query_scores import QueryScores
from qdtm.results.reasons import Reasons
from qdtm.results.result import Result
from qdtm.results.topics import Topic


@dataclass(frozen=True)
class Coding:
    """A passage of a document, and what it is coded with.

    Attributes
    ----------
    q : int
        The position of the query.
    query : str
        What it is called.
    rank : int
        The document's place among all, by relevance to the query, from 1.
    relevance : float
    about, names_it : bool
    subtopic : Topic or None
        Its main one, the deepest where it was opened.
    passage : Passage
    tags : tuple of str
        The user's own, of the document and its passages.
    """

    q: int
    query: str
    rank: int
    relevance: float
    about: bool
    names_it: bool
    subtopic: Topic | None
    passage: Passage
    tags: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The id of the topic that it is coded with: the subtopic's, without one the query's."""
        return str(self.q) if self.subtopic is None else self.subtopic.id

    def sentence(self) -> str:
        """Say how relevant the document is, why it is where it is, and on which page."""
        names = "names it" if self.names_it else "does not name it"
        verdict = "about" if self.about else "not taken to be about"
        place = f", {self.passage.place}" if self.passage.place else ""
        return f"{verdict} '{self.query}': relevance {self.relevance:.3f}, rank {self.rank}, {names}{place}"


class Codings:
    """The codings of all documents that are about a query, or of all documents with all queries.

    Parameters
    ----------
    result : Result
    all_documents : bool
        Whether documents are coded that are not about a query.
    """

    def __init__(self, result: Result, *, all_documents: bool = False) -> None:
        self.result, self._all = result, all_documents
        self.queries = range(result.fit.n_queries)

    def of_query(self, q: int) -> Iterator[tuple[Document, Coding]]:
        """Yield the documents of a query with their codings, most relevant first."""
        order = self._order[q]
        rows = order[self._wanted[order, q]]
        for document in self.result.corpus.documents.select(rows.tolist()):
            yield document, self.code(document, q)

    def documents(self, *, own: bool = False) -> Iterator[tuple[Document, tuple[Coding, ...]]]:
        """Yield each document once with its codings in the order of the queries, in that of the corpus.

        Parameters
        ----------
        own : bool
            Whether documents come too that have the user's own tags or notes alone.
        """
        return self._coded(np.flatnonzero(self._wanted.any(axis=1) | (self._own & own)))

    def documents_by_relevance(self) -> Iterator[tuple[Document, tuple[Coding, ...]]]:
        """Yield each document once with its codings, in the order of its largest relevance to a query.

        Documents that have the user's own tags or notes alone come too.
        """
        best = np.max([scores.relevance for scores in self._scores], axis=0)  # (D,)
        rows = order_by(best, self.result.corpus.document_lengths)
        return self._coded(rows[(self._wanted.any(axis=1) | self._own)[rows]])

    def code(self, document: Document, q: int) -> Coding:
        """Return the coding of a document with a query."""
        scores, j = self._scores[q], document.index
        s = int(scores.main[j])
        return Coding(
            q=q,
            query=self.result.topics[q].name,
            rank=int(self._rank[q][j]),
            relevance=float(scores.relevance[j]),
            about=bool(scores.about[j]),
            names_it=bool(scores.names[j]),
            subtopic=self._below[q][s] if s >= 0 else None,
            passage=self._reasons[q].passage(document),
            tags=self.result.codes.tags_of(j),
        )

    def shares(self, document: Document, q: int) -> list[tuple[Topic, float]]:
        """Return what of a document is in each of the subtopics of a query."""
        shares = self._scores[q].shares[document.index].tolist()
        return list(zip(self._below[q], shares, strict=True))

    def _coded(self, rows: NDArray[np.int64]) -> Iterator[tuple[Document, tuple[Coding, ...]]]:
        for document in self.result.corpus.documents.select(rows.tolist()):
            wanted = np.flatnonzero(self._wanted[document.index]).tolist()
            yield document, tuple(self.code(document, q) for q in wanted)

    @cached_property
    def _scores(self) -> list[QueryScores]:
        return [self.result.scores(q) for q in self.queries]

    @cached_property
    def _wanted(self) -> NDArray[np.bool_]:  # (D, Q)
        about = np.stack([each.about for each in self._scores], axis=1)
        return np.ones_like(about) if self._all else about

    @cached_property
    def _own(self) -> NDArray[np.bool_]:  # (D,)
        own = np.zeros(self.result.corpus.n_documents, np.bool_)
        own[list(self.result.codes.coded_rows)] = True
        return own

    @cached_property
    def _order(self) -> list[NDArray[np.int64]]:
        lengths = self.result.corpus.document_lengths
        return [order_by(scores.relevance, lengths) for scores in self._scores]

    @cached_property
    def _rank(self) -> list[NDArray[np.int64]]:
        return [np.argsort(order, kind="stable") + 1 for order in self._order]  # the inverse

    @cached_property
    def _below(self) -> list[list[Topic]]:
        return [topic.below() for topic in self.result.topics]

    @cached_property
    def _reasons(self) -> list[Reasons]:
        return [self.result.reasons(q) for q in self.queries]
