"""The documents behind a topic: shares of documents in, a table of the most relevant ones out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import DOCUMENT, DocumentStore
from qdtm.errors import ParameterError, QueryError
from qdtm.reprs import quoted
from qdtm.results.distributions import FloatArray
from qdtm.results.passages import Passage
from qdtm.results.query_scores import QueryScores
from qdtm.results.reasons import Reasons
from qdtm.results.relevance import Relevance
from qdtm.results.splits import above, is_within
from qdtm.results.topics import Topic

View = Literal["about", "below", "named-out", "unnamed-in", "near", "all"]
VIEWS: tuple[View, ...] = ("about", "below", "named-out", "unnamed-in", "near", "all")

BELOW = 0.5
"""Documents just below the cut-off have at least this much of its relevance: half of it."""

_EXCERPT = 72  # characters of a passage in a table's repr


@dataclass(frozen=True, repr=False)
class RelevantDocument:
    """A document and what it has to do with a query.

    Attributes
    ----------
    rank : int
        Its place in the table, from 1.
    index : int
        Its row in the corpus, from 0.
    id : str
        Its name.
    relevance : float
        How likely it is to be about the query.
    about : bool
        Whether it is taken to be about the query: from the cut-off up.
    names_it : bool
        Whether it names the query.
    subtopic : str or None
        The id of the subtopic that most of it is in, the deepest where it was opened; None if it is not about
        the query.
    subtopic_name : str or None
        What that is called.
    subtopic_share : float
        The share of the document in that subtopic, or in the one that was asked for.
    title : str
        What the document is called: its title, or its first words.
    text : str
    fields : mapping of str to str
        The other columns of the user's table.
    n_copies : int
        How many copies and near copies of it are not listed, since it stands for them.
    copy_of : str or None
        The id of the first document in the corpus that it is a copy of; None if of none.
    marked : Passage
        The passage with its words marked.
    """

    rank: int
    index: int
    id: str
    relevance: float
    about: bool
    names_it: bool
    subtopic: str | None
    subtopic_name: str | None
    subtopic_share: float
    title: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    n_copies: int = 0
    copy_of: str | None = None
    marked: Passage = field(default=Passage(()), repr=False, compare=False)

    @property
    def copies_said(self) -> str:
        """That it stands for copies of it: "and 3 copies"."""
        return "and 1 copy" if self.n_copies == 1 else f"and {self.n_copies:,} copies"

    @property
    def passage(self) -> str:
        """Where the words stand that make it relevant, on one line."""
        return self.marked.line

    def __repr__(self) -> str:
        about = "about it" if self.about else "not about it"
        said = f"{self.rank}, {quoted(self.id)}, relevance {self.relevance:.3f}, {about}"
        return f"RelevantDocument({said}: {quoted(self.text)})"


@dataclass(frozen=True, repr=False)
class DocumentTable(Sequence[RelevantDocument]):
    """Documents in the order of their relevance to a query.

    Attributes
    ----------
    query : str
        The query's name.
    rows : tuple of RelevantDocument
    id_name : str
        What the user calls the ids of documents.
    title_name : str, optional
        What the user calls their titles, if they are from a column.
    """

    query: str
    rows: tuple[RelevantDocument, ...]
    id_name: str = DOCUMENT
    title_name: str | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RelevantDocument]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> RelevantDocument: ...

    @overload
    def __getitem__(self, index: slice) -> DocumentTable: ...

    def __getitem__(self, index: int | slice) -> RelevantDocument | DocumentTable:
        if isinstance(index, slice):
            return replace(self, rows=self.rows[index])
        return self.rows[index]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: the columns of the table of documents (`qdtm.results.tables`).

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        from qdtm.results.table_formats import table_frame
        from qdtm.results.tables import listed_table

        return table_frame(listed_table([self]))

    def _repr_html_(self) -> str:
        from qdtm.present.notebook import documents_html

        return documents_html(self)

    def __repr__(self) -> str:
        if not self.rows:
            return f"DocumentTable({quoted(self.query)}: no documents)"
        head = ("rank", "relevance", "subtopic", "document", "passage")
        cells = [head, *map(_cells, self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(head) - 1)]
        lines = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)), row[-1]])
            for row in cells
        ]
        return "\n".join(lines)


def most_relevant(
    documents: DocumentStore,
    scores: QueryScores,
    topic: Topic,
    *,
    n: int | None = 10,
    subtopic: str | None = None,
    lengths: NDArray[np.int64] | None = None,
    reasons: Reasons,
    first_copy: NDArray[np.int64] | None = None,
    within: NDArray[np.bool_] | None = None,
) -> DocumentTable:
    """Find the documents that are most about a query, or about one of its subtopics.

    Parameters
    ----------
    documents : DocumentStore
        Only those in the table are read.
    scores : QueryScores
        Of all of them.
    topic : Topic
        The query's parent topic.
    n : int or None
        How many documents at most; None for all.
    subtopic : str, optional
        The id of a subtopic ("0.2"): only documents whose main subtopic it is or is below it, by their share
        in it.
    lengths : ndarray of shape (D,), optional
        The tokens of each document: among equals the longer comes first, since it gives the better reason.
    first_copy : ndarray of shape (D,), optional
        The row of the first of its copies (`Corpus.first_copy`): one of several is listed.
    reasons : Reasons
        What chooses the passages.
    within : ndarray of bool, shape (D,), optional
        Only these; see `in_view`.

    Returns
    -------
    DocumentTable
        What is equal keeps the order of the corpus.
    """
    _check_number(n)
    below, main = topic.below(), scores.main
    share = scores.main_share
    copies = CopyGroups(scores, first_copy)
    score, candidates = scores.relevance, np.arange(len(main))
    if subtopic is not None:
        score = share = scores.shares[:, subtopic_position(topic, subtopic)]
        wanted = [s for s, each in enumerate(below) if is_within(each.id, subtopic)]
        candidates = np.flatnonzero(np.isin(main, wanted))
    if within is not None:
        candidates = candidates[within[candidates]]
    own = None if lengths is None else lengths[candidates]
    rows = copies.first(candidates[order_by(score[candidates], own, copies.enough(n))])[:n]
    originals = copies.originals(rows)
    ids = {document.index: document.id for document in documents.select(sorted(set(originals.values())))}
    found = []
    for rank, document in enumerate(documents.select(int(j) for j in rows), start=1):
        j = document.index
        main_one = below[main[j]] if main[j] >= 0 else None
        found.append(
            RelevantDocument(
                rank=rank,
                index=j,
                id=document.id,
                relevance=float(scores.relevance[j]),
                about=bool(scores.about[j]),
                names_it=bool(scores.names[j]),
                subtopic=None if main_one is None else main_one.id,
                subtopic_name=None if main_one is None else main_one.short_name,
                subtopic_share=float(share[j]),
                title=document.title,
                text=document.text,
                fields=document.fields,
                n_copies=copies.n_others(j),
                copy_of=ids[originals[j]] if j in originals else None,
                marked=reasons.passage(document),
            )
        )
    return DocumentTable(scores.query, tuple(found), documents.id_name, documents.title_name)


def in_view(relevance: Relevance, view: View) -> NDArray[np.bool_]:
    """Return which documents a person reads to see where a query ends, (D,).

    Parameters
    ----------
    relevance : Relevance
    view : {"about", "below", "named-out", "unnamed-in", "near", "all"}
        Those about it; those just below the cut-off, from half of it up; those that name it and are left out;
        those about it that do not name it; those near it; all of the corpus.

    Raises
    ------
    ParameterError
        If there is no such view.
    """
    if view not in VIEWS:
        raise ParameterError(f"The view is {view!r}; give {', '.join(map(repr, VIEWS))}.")
    about, names = relevance.about, relevance.names
    if view == "below":
        return np.asarray(~about & (relevance.scores >= BELOW * relevance.cutoff))
    if view == "all":
        return np.ones(len(about), np.bool_)
    chosen = {
        "about": about,
        "named-out": names & ~about,
        "unnamed-in": about & ~names,
        "near": relevance.near,
    }
    return np.array(chosen[view])


class CopyGroups:
    """Which documents are copies of each other, near ones too, and have the same to do with a query.

    One that names the query where its copies do not, or is about it where they are not, stands alone.

    Parameters
    ----------
    scores : QueryScores
    first_copy : ndarray of shape (D,), optional
        The row of the first of its copies (`Corpus.first_copy`); without, there are none.
    """

    def __init__(self, scores: QueryScores, first_copy: NDArray[np.int64] | None) -> None:
        self._first = np.arange(len(scores.about)) if first_copy is None else first_copy
        self._group = 4 * self._first + 2 * scores.about + scores.names
        self._size = np.bincount(self._group)
        self._any = bool(self._size.max(initial=0) > 1)

    def enough(self, n: int | None) -> int | None:
        """Return how many documents to look at for `n` that are no copies of each other; None for all."""
        return None if self._any else n

    def first(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first of each group, in the order of the rows given."""
        if not self._any:
            return rows
        return rows[np.sort(np.unique(self._group[rows], return_index=True)[1])]

    def n_others(self, row: int) -> int:
        """How many copies a document has."""
        return int(self._size[self._group[row]]) - 1

    def originals(self, rows: NDArray[np.int64]) -> dict[int, int]:
        """Return the row of the first document that some are copies of, for those that are of another."""
        return {int(row): int(of) for row, of in zip(rows, self._first[rows], strict=True) if row != of}


def order_by(
    relevance: FloatArray, lengths: NDArray[np.int64] | None = None, n: int | None = None
) -> NDArray[np.int64]:
    """Return the rows of the `n` most relevant documents, best first; ties by length, then by row."""
    rounded = np.round(relevance, 9)  # rounding noise is no reason for a rank
    rows = np.arange(len(rounded))
    if n is not None and 0 < n < len(rounded):
        rows = np.flatnonzero(rounded >= np.partition(rounded, -n)[-n])  # far fewer to sort
    length = np.zeros(len(rows), np.int64) if lengths is None else lengths[rows]
    return rows[np.lexsort((-length, -rounded[rows]))[:n]]  # stable


def subtopic_position(topic: Topic, subtopic: str) -> int:
    """Return which of all subtopics below a query's topic, in level order, has an id."""
    ids = [each.id for each in topic.below()]
    if subtopic in ids:
        return ids.index(subtopic)
    if above(subtopic) in ids and not any(above(id) == above(subtopic) for id in ids):
        raise QueryError(f"Subtopic {above(subtopic)} has not been opened: drill_down, or `qdtm drill`.")
    first, last = (topic.subtopics[0].id, topic.subtopics[-1].id) if ids else ("", "")
    there = f"it has {first} to {last}" if first != last else f"it has {first}" if ids else "it has none"
    raise QueryError(f"Query '{topic.name}' has no subtopic {subtopic!r}; {there}.")


def _check_number(n: object) -> None:
    if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1):
        raise ParameterError(f"The number of documents is {n!r}; give a whole number above 0.")


def _cells(row: RelevantDocument) -> tuple[str, ...]:
    excerpt = row.marked.shortened(_EXCERPT)
    copies = f" ({row.copies_said})" if row.n_copies else ""
    return str(row.rank), f"{row.relevance:.3f}", row.subtopic or "", row.id, excerpt + copies
