"""The documents behind a topic: scores and a corpus in, a table of the most relevant ones out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.errors import MissingExtraError, ParameterError, QueryError
from qdtm.results.distributions import FloatArray
from qdtm.results.fit import ModelFit
from qdtm.results.scores import DocumentScores
from qdtm.results.topics import topic_id

_EXCERPT = 60  # characters of a text in a table's repr


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
        p(z|d): the share of the document that is about the query.
    subtopic : str or None
        The id of the subtopic that most of it is in.
    subtopic_share : float
        The share of the document in that subtopic.
    text : str
    fields : mapping of str to str
        The other columns of the user's table.
    """

    rank: int
    index: int
    id: str
    relevance: float
    subtopic: str | None
    subtopic_share: float
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class DocumentTable(Sequence[RelevantDocument]):
    """Documents in the order of their relevance to a query.

    Attributes
    ----------
    query : str
        The query's name.
    rows : tuple of RelevantDocument
    """

    query: str
    rows: tuple[RelevantDocument, ...]

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
            return DocumentTable(self.query, self.rows[index])
        return self.rows[index]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: our columns, then the user's own (prefixed if they share a name).

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingExtraError(
                "to_frame needs pandas, which is not installed: pip install 'qdtm[pandas]'."
            ) from None
        ours = ["rank", "index", "id", "relevance", "subtopic", "subtopic_share", "text"]
        theirs = dict.fromkeys(name for row in self.rows for name in row.fields)
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in self.rows] for name in ours}
        for name, unused in zip(theirs, distinct_names(theirs, taken=ours), strict=True):
            columns[unused] = [row.fields.get(name, "") for row in self.rows]
        return DataFrame(columns)

    def __repr__(self) -> str:
        if not self.rows:
            return f"DocumentTable({self.query!r}: no documents)"
        head = ("rank", "relevance", "subtopic", "document", "text")
        cells = [head, *map(_cells, self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(head) - 1)]
        lines = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)), row[-1]])
            for row in cells
        ]
        return "\n".join(lines)


def rank_documents(
    relevance: FloatArray, n: int | None = None, *, n_tokens: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the rows of the `n` most relevant documents, best first.

    Parameters
    ----------
    relevance : ndarray of shape (D,)
    n : int, optional
        All of them without.
    n_tokens : ndarray of shape (D,), optional
        The length of each document. Among equally relevant ones the longer comes first: it gives the better
        reason. What is still equal keeps the order of the corpus.
    """
    length = np.zeros(len(relevance), np.int64) if n_tokens is None else n_tokens
    order = np.lexsort((-length, -np.round(relevance, 9)))  # stable; rounding noise is no reason for a rank
    return order if n is None else order[:n]


def relevant_documents(
    fit: ModelFit,
    corpus: Corpus,
    scores: DocumentScores,
    query: str | int | None = None,
    *,
    n: int | None = 10,
    subtopic: str | None = None,
) -> DocumentTable:
    """Find the documents that are most about a query, or about one of its subtopics.

    Parameters
    ----------
    fit : ModelFit
    corpus : Corpus
        The documents that `scores` are of.
    scores : DocumentScores
        From `score_documents`.
    query : str or int, optional
        The query's name or position; may be left out if there is only one.
    n : int or None
        How many documents at most; None for all.
    subtopic : str, optional
        The id of a subtopic ("0.2"): only documents whose main subtopic it is, by their share in it.
    """
    q = find_query(fit, query)
    if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1):
        raise ParameterError(f"The number of documents is {n!r}; give a whole number above 0.")
    candidates = np.arange(len(scores))
    value = scores.relevance[:, q]
    if subtopic is not None:
        candidates = np.flatnonzero(scores.subtopic[:, q] == find_subtopic(fit, q, subtopic))
        value = scores.subtopic_share[:, q]
    best = rank_documents(value[candidates], n, n_tokens=scores.n_tokens[candidates])
    return DocumentTable(fit.concepts[q].name, tuple(_rows(fit, corpus, scores, q, candidates[best])))


def find_query(fit: ModelFit, query: str | int | None) -> int:
    """Return the position of a query, given its name or position (None: the only one).

    Raises
    ------
    QueryError
        If there is no such query.
    """
    names = [concept.name for concept in fit.concepts]
    if query is None and len(names) == 1:
        return 0
    if isinstance(query, str):
        wanted = " ".join(query.split()).casefold()
        for q, name in enumerate(names):
            if name.casefold() == wanted:
                return q
    elif isinstance(query, int | np.integer) and not isinstance(query, bool) and 0 <= query < len(names):
        return int(query)
    known = ", ".join(f"'{name}'" for name in names)
    asked = "Give a query" if query is None else f"The model has no query {query!r}"
    raise QueryError(f"{asked}; there are: {known}.")


def find_subtopic(fit: ModelFit, q: int, subtopic: str) -> int:
    """Return the column of a subtopic of query `q`, given its id.

    Raises
    ------
    QueryError
        If there is no such subtopic.
    """
    ids = [topic_id(q, fit.n_queries, s) for s in range(fit.subtopic_counts[q].shape[1])]
    if subtopic in ids:
        return ids.index(subtopic)
    there = f"it has {ids[0]} to {ids[-1]}" if len(ids) > 1 else f"it has {ids[0]}" if ids else "it has none"
    raise QueryError(f"Query '{fit.concepts[q].name}' has no subtopic {subtopic!r}; {there}.")


def distinct_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return the names, changed where they are taken already: "id" becomes "id (yours)", "id (yours 2)"."""
    used = {name.casefold() for name in taken}
    kept = []
    for name in names:
        free, number = name, 1
        while free.casefold() in used:
            free = f"{name} (yours)" if number == 1 else f"{name} (yours {number})"
            number += 1
        used.add(free.casefold())
        kept.append(free)
    return kept


def _rows(
    fit: ModelFit, corpus: Corpus, scores: DocumentScores, q: int, rows: NDArray[np.int64]
) -> Iterator[RelevantDocument]:
    indices = [int(j) for j in rows]
    for rank, document in enumerate(corpus.documents.select(indices), start=1):
        j = document.index
        s = int(scores.subtopic[j, q])
        yield RelevantDocument(
            rank=rank,
            index=j,
            id=document.id,
            relevance=float(scores.relevance[j, q]),
            subtopic=topic_id(q, fit.n_queries, s) if s >= 0 else None,
            subtopic_share=float(scores.subtopic_share[j, q]),
            text=document.text,
            fields=document.fields,
        )


def _cells(row: RelevantDocument) -> tuple[str, ...]:
    text = " ".join(row.text.split())
    excerpt = text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
    return str(row.rank), f"{row.relevance:.3f}", row.subtopic or "", row.id, excerpt
