"""The documents behind a topic: shares of documents in, a table of the most relevant ones out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import DOCUMENT, DocumentStore
from qdtm.errors import ParameterError, QueryError
from qdtm.results.distributions import FloatArray
from qdtm.results.passages import Passage
from qdtm.results.reasons import Reasons
from qdtm.results.relevance import QueryScores
from qdtm.results.splits import above, is_within
from qdtm.results.topics import Topic

_EXCERPT = 72  # characters of a passage in a table's repr


@dataclass(frozen=True)
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
    marked: Passage = field(default=Passage(()), repr=False, compare=False)

    @property
    def passage(self) -> str:
        """Where the words stand that make it relevant, on one line."""
        return self.marked.line


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

    def __repr__(self) -> str:
        if not self.rows:
            return f"DocumentTable({self.query!r}: no documents)"
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
    reasons : Reasons
        What chooses the passages.

    Returns
    -------
    DocumentTable
        What is equal keeps the order of the corpus.
    """
    _check_number(n)
    below, main = topic.below(), scores.main
    share = scores.main_share
    if subtopic is None:
        rows = order_by(scores.relevance, lengths, n)
    else:
        share = scores.shares[:, subtopic_position(topic, subtopic)]
        wanted = [s for s, each in enumerate(below) if is_within(each.id, subtopic)]
        candidates = np.flatnonzero(np.isin(main, wanted))
        rows = candidates[order_by(share[candidates], None if lengths is None else lengths[candidates], n)]
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
                marked=reasons.passage(document),
            )
        )
    return DocumentTable(scores.query, tuple(found), documents.id_name, documents.title_name)


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
    return str(row.rank), f"{row.relevance:.3f}", row.subtopic or "", row.id, row.marked.shortened(_EXCERPT)
