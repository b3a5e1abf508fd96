"""The tables that a result is handed on as: their columns, with names, kinds and meanings.

In: nothing. Out: the columns of all tables, and `Table`, whose rows are made once (`qdtm.results.tables`) and
read by whoever writes them: .csv, .xlsx, JSON, data frames, `--json`. A writer renders each kind of cell in
its own way, and decides about nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from qdtm.corpus.store import DOCUMENT

Kind = Literal["text", "id", "number", "count", "flag", "list", "own"]
"""What the cells of a column are.

"id" is a `TopicId`, "number" a float, "count" an int, "flag" a bool (yes or no), "list" several texts; "own"
is of the user's own columns: a text, which may be read as the number or the date that it looks like. Any cell
may be None: nothing.
"""


@dataclass(frozen=True, slots=True)
class TopicId:
    """The id of a topic, with what it is called.

    JSON and data frames have the id alone. A spreadsheet, and pandas that reads one, would take "0.10" for
    the number 0.1, whatever type the cell had: there it stands with the name, as "0.10 · asylum seeker".
    """

    id: str
    name: str

    def __str__(self) -> str:
        return f"{self.id} · {self.name}"


Cell = str | float | tuple[str, ...] | TopicId | None
Row = Sequence[Cell]


class Column(NamedTuple):
    """A column: what it is called, what its cells are, and what they mean."""

    name: str
    kind: Kind
    meaning: str


TOPICS = (
    Column("topic", "id", 'of a query ("0"), one of its subtopics ("0.1"), or of the background ("b1")'),
    Column("parent", "id", "the topic that a subtopic is part of"),
    Column("query", "text", "the query that it answers; none of the background"),
    Column("name", "text", "your label, or what tells it from its siblings"),
    Column("share", "number", "of the words of its parent's subtopics; without a parent, of the corpus"),
    Column("documents", "count", "about the query, from the cut-off up; of a subtopic, those mainly in it"),
    Column(
        "n_about", "number", "how many documents are about the query: the sum of all relevance, or as checked"
    ),
    Column("n_about_low", "number", "the lower end of its interval"),
    Column("n_about_high", "number", "the upper end"),
    Column("found_in", "count", "runs that found the subtopic"),
    Column("runs", "count", "of so many"),
    Column("words", "list", "the most probable words, best first"),
)
"""A row for each topic: of a query, then its subtopics, each before those below it; the background last."""

WORDS = (
    Column("topic", "id", "see topics"),
    Column("word", "text", "a word or phrase"),
    Column("probability", "number", "of the word in the topic"),
)
"""A row for each of the most probable words of each topic, best first."""

CONCEPT_WORDS = (
    Column("query", "text", "whose concept it belongs to"),
    Column("word", "text", "a word or phrase"),
    Column("left_out", "text", "why it is no concept word, if it is none"),
    Column("origin", "text", "where it is from: the query, its expansion, the user"),
    Column("score", "number", "of the expansion"),
    Column("documents", "count", "that have it"),
    Column("retrieved", "count", "of these, those that the query retrieves"),
    Column("supported_by", "list", "the ids of documents that support it best"),
)
"""A row for each word of a query's concept, those that were left out at the end."""

DOCUMENTS = (
    Column("query", "text", "what the rest of the row is about"),
    Column("about", "flag", "whether the document is about the query: its relevance reaches the cut-off"),
    Column("relevance", "number", "the probability that it is"),
    Column("names_it", "flag", "whether it has the query's words"),
    Column("subtopic", "id", "its main subtopic, if it is about the query"),
    Column("subtopic_name", "text", "what that is called"),
)
"""A row for each document and query; before these its id and the user's own columns (`document_columns`)."""

TEXT = Column("text", "text", "of the document")


def document_columns(
    fields: Iterable[str], id_name: str = DOCUMENT, *, with_text: bool = True
) -> tuple[Column, ...]:
    """Return the columns of a table of documents: the id and the user's own under their own names, then ours.

    A name of the user's that is one of ours, or was met before, is changed.
    """
    ours = (*DOCUMENTS, *[TEXT] * with_text)
    known, *theirs = distinct_names([id_name, *fields], taken=[column.name for column in (*DOCUMENTS, TEXT)])
    own = [Column(name, "own", "your own") for name in theirs]
    return Column(known, "text", "which document"), *own, *ours


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


@dataclass(frozen=True, eq=False)
class Table:
    """A table that is read once or more, a row at a time.

    Attributes
    ----------
    name : str
    columns : tuple of Column
    rows : callable
        Returns an iterator over the rows.
    own_rows : callable
        Returns an iterator over the cells of the user's own columns alone, which cost less.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[Row]]
    own_rows: Callable[[], Iterator[Sequence[str]]] = lambda: iter(())

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(column.name for column in self.columns)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row as an object for JSON, by column; what is not finite is null."""
        names = self.names
        for row in self.rows():
            yield dict(zip(names, map(_json_cell, row), strict=True))


def _json_cell(cell: Cell) -> Cell:
    if isinstance(cell, TopicId):
        return cell.id
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
