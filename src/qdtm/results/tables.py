"""The tables of a result: which columns they have, and their rows. Every format renders these.

The columns are those of `qdtm.results.tables`; all that is handed on, in whatever format, is made here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.document_store import DOCUMENT, Document, DocumentStore
from qdtm.queries.concept import Concept
from qdtm.results.codes import Code, Codes, Note
from qdtm.results.fit import ModelFit
from qdtm.results.passages import Aligner
from qdtm.results.query_scores import QueryScores, deciding_counts, score_documents
from qdtm.results.reasons import reasons_of
from qdtm.results.relevance import Relevance, relevance_to
from qdtm.results.topics import Topic, build_topics

if TYPE_CHECKING:
    from qdtm.queries.concordance import Concordance
    from qdtm.results.documents import DocumentTable


# --- columns ------------------------------------------------------------------------------------------------
#
# The tables that a result is handed on as: their columns, with names, kinds and meanings.
#
# In: nothing. Out: the columns of all tables, and `Table`, whose rows are made once (`qdtm.results.tables`)
# and read by whoever writes them: .csv, .xlsx, JSON, data frames, `--json`. A writer renders each kind of
# cell in its own way, and decides about nothing else.

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
    Column("share", "number", "of the words of its parent that were split; without a parent, of the corpus"),
    Column("documents", "count", "about the query, from the cut-off up; of a subtopic, those mainly in it"),
    Column("n_about", "number", "how many are about the query: as many, or as counted by hand"),
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
    Column("passage", "text", "where it says what makes it relevant, if it is about the query"),
)
"""A row for each document and query; before these its id, title and own columns (`document_columns`)."""

CONCORDANCE = (
    Column("left", "text", "the text before it"),
    Column("keyword", "text", "what was searched, as it is written"),
    Column("right", "text", "the text after it"),
    Column("row", "count", "the document's row in the corpus, from 0"),
    Column("start", "count", "the first character of the keyword in the document's text, from 0"),
    Column("end", "count", "the one after its last"),
)
"""A row for each place where a corpus has what was searched; before these the document's id and title."""

TEXT = Column("text", "text", "of the document")
CUTOFF = Column("cutoff", "number", "the relevance from which up documents are about the query; of new ones")

PAGE = Column("page", "count", "on which the passage begins; there if documents have pages")
COPY_OF = Column("copy_of", "text", "the first document that it repeats, or nearly; there if any does")

TAGS = Column("tags", "list", "your own, on the document or a passage of it; there if any document has one")
NOTES = Column("notes", "text", "your own, on the document or a passage of it; there if any document has one")

CODES = (
    Column("document", "text", "which document"),
    Column("title", "text", "its title, or its first words"),
    Column("tag", "text", "your own; none of a note"),
    Column("note", "text", "your own; none of a tag"),
    Column("passage", "text", "that has it; none if it is the whole document"),
    Column("start", "count", "the first character of the passage in the text, from 0"),
    Column("end", "count", "the character after its last"),
    Column("by", "text", "who says so, if that is known"),
    Column("at", "text", "when, in UTC"),
)
"""A row for each of the user's tags and notes; there if there are any."""

TITLE = "title"
"""What titles are called that are from no column of the user's."""


def document_columns(
    fields: Iterable[str],
    id_name: str = DOCUMENT,
    title_name: str | None = None,
    *,
    with_text: bool = True,
    with_pages: bool = False,
    with_copies: bool = False,
    with_codes: bool = False,
) -> tuple[Column, ...]:
    """Return the columns of a table of documents: id, title and the user's own by their names, then ours.

    A name of the user's that is one of ours, or was met before, is changed.
    """
    codes = (TAGS, NOTES) if with_codes else ()
    ours = (*DOCUMENTS, *[PAGE] * with_pages, *[COPY_OF] * with_copies, *codes, *[TEXT] * with_text)
    taken = [column.name for column in (*DOCUMENTS, *[PAGE] * with_pages, COPY_OF, *codes, TEXT)]
    known, title, *theirs = distinct_names([id_name, title_name or TITLE, *fields], taken)
    own = [Column(name, "own", "your own") for name in theirs]
    first = Column(known, "text", "which document"), Column(title, "text", "its title, or its first words")
    return *first, *own, *ours


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


# --- rows ---------------------------------------------------------------------------------------------------

N_WORDS = 20
_BLOCK = 65_536  # documents scored at a time


def result_tables(
    fit: ModelFit, corpus: Corpus, codes: Codes | None = None, *, all_documents: bool = False
) -> tuple[Table, ...]:
    """Return all tables of a result; that of documents has those about a query, or all."""
    return (
        topics_table(fit, corpus),
        words_table(fit),
        concept_words_table(fit.concepts, corpus),
        documents_table(fit, corpus, codes, all_documents=all_documents),
        *([codes_table(codes, corpus)] if codes else []),
    )


def codes_table(codes: Codes, corpus: Corpus) -> Table:
    """Return the user's tags and notes, document by document."""

    def rows() -> Iterator[Row]:
        for document in corpus.documents.select(codes.coded_rows):
            said: list[tuple[str | None, str | None, Code | Note]] = []
            said += [(code.tag, None, code) for code in codes.codes_of(document.index)]
            said += [(None, note.text, note) for note in codes.notes_of(document.index)]
            for tag, note, each in said:
                start, end = each.span or (None, None)
                passage = None if each.span is None else document.text[start:end]
                yield (document.id, document.title, tag, note, passage, start, end, each.by or None, each.at)

    return Table("codes", CODES, rows)


# --- topics and words --------------------------------------------------------------------------------------


def topics_table(fit: ModelFit, corpus: Corpus, n_words: int = N_WORDS) -> Table:
    """Return the topics of all queries with their subtopics, then the background, a row each."""

    def rows() -> Iterator[Row]:
        parents, background = build_topics(fit)
        for q, parent in enumerate(parents):
            yield from _rows_of_query(fit, corpus, q, parent, n_words)
        for topic in background:
            yield (_id(topic), None, None, topic.name, topic.prevalence, *[None] * 6, _words(topic, n_words))

    return Table("topics", TOPICS, rows)


def _rows_of_query(fit: ModelFit, corpus: Corpus, q: int, parent: Topic, n_words: int) -> Iterator[Row]:
    query, relevance = fit.concepts[q].name, relevance_to(fit, corpus, q)
    decide = deciding_counts(corpus, relevance)
    scores = score_documents(fit, q, corpus.document_term_matrix, relevance, decide)
    about = (relevance.n_about, *relevance.n_about_interval)
    yield (_id(parent), None, query, parent.name, parent.prevalence, relevance.n_listed, *about, None, None,
           _words(parent, n_words))  # fmt: skip
    whole = {topic.id: above for above in parent.walk() for topic in above.subtopics}
    for topic in islice(parent.walk(), 1, None):
        above = whole[topic.id]
        share = topic.prevalence / above.prevalence_below if above.prevalence_below else None
        n_documents = int(scores.mainly_in(scores.ids.index(topic.id)).sum())
        yield (_id(topic), _id(above), query, topic.short_name, share, n_documents, None, None, None,
               *_found_in(fit, topic), _words(topic, n_words))  # fmt: skip


def _found_in(fit: ModelFit, topic: Topic) -> tuple[int | None, int | None]:
    """Return the runs that found a subtopic, and how many there were, if that is known."""
    known = None if fit.stability is None else fit.stability.of(topic.id)
    return (None, None) if known is None else (known.n_found, len(known.likeness))


def _id(topic: Topic) -> TopicId:
    return TopicId(topic.id, topic.short_name)


def _words(topic: Topic, n: int) -> tuple[str, ...]:
    return tuple(word for word, _ in topic.top_words(n))


def words_table(fit: ModelFit, n_words: int = N_WORDS) -> Table:
    """Return the words of all topics, with their probabilities."""

    def rows() -> Iterator[Row]:
        parents, background = build_topics(fit)
        for topic in (each for top in (*parents, *background) for each in top.walk()):
            yield from ((_id(topic), word, probability) for word, probability in topic.top_words(n_words))

    return Table("words", WORDS, rows)


def concept_words_table(concepts: Sequence[Concept], corpus: Corpus) -> Table:
    """Return the concept words of all queries, those that were left out at the end."""

    def rows() -> Iterator[Row]:
        for concept in concepts:
            for word in concept.words:
                support = tuple(document.id for document in corpus.documents.select(word.documents))
                yield (concept.name, word.word, None, word.origin, word.score, word.n_documents,
                       word.n_retrieved, support)  # fmt: skip
            for rejected in concept.rejected:
                yield (concept.name, rejected.word, rejected.reason, *[None] * 5)

    return Table("concept words", CONCEPT_WORDS, rows)


# --- keyword in context ------------------------------------------------------------------------------------


def concordance_table(found: Concordance) -> Table:
    """Return the lines of a concordance."""
    (id_name,) = distinct_names([found.id_name], [TITLE, *(column.name for column in CONCORDANCE)])
    first = Column(id_name, "text", "which document"), Column(TITLE, "text", "its title, or its first words")

    def rows() -> Iterator[Row]:
        for line in found:
            yield (line.id, line.title, line.left, line.keyword, line.right, line.row, line.start, line.end)

    return Table("lines", (*first, *CONCORDANCE), rows)


# --- documents ---------------------------------------------------------------------------------------------


def documents_table(
    fit: ModelFit, corpus: Corpus, codes: Codes | None = None, *, all_documents: bool = False
) -> Table:
    """Return what documents have to do with the queries that they are about, or all with all.

    They are in the order of the corpus, each with its queries in their order. The text comes last.
    """
    found = [relevance_to(fit, corpus, q) for q in range(fit.n_queries)]
    wanted = np.stack([each.about | all_documents for each in found], axis=1)
    return _documents_table(fit, corpus, found, wanted, codes=codes)


def document_table(fit: ModelFit, corpus: Corpus, j: int, q: int) -> Table:
    """Return what one document has to do with one query."""
    found = [relevance_to(fit, corpus, each) for each in range(fit.n_queries)]
    wanted = np.zeros((corpus.n_documents, fit.n_queries), np.bool_)
    wanted[j, q] = True
    return _documents_table(fit, corpus, found, wanted)


def new_documents_table(fit: ModelFit, new: Corpus, found: Sequence[Relevance]) -> Table:
    """Return what new documents have to do with all queries, and the cut-off; without their text.

    Parameters
    ----------
    fit : ModelFit
    new : Corpus
    found : sequence of Relevance
        Of the new documents to each query; see `relevance_to`.
    """
    wanted = np.ones((new.n_documents, fit.n_queries), np.bool_)
    table = _documents_table(fit, new, found, wanted, with_text=False)
    cutoffs: dict[Cell, float] = {each.query: each.cutoff for each in found}
    at = table.names.index("query")

    def rows() -> Iterator[Row]:
        return ((*row, cutoffs[row[at]]) for row in table.rows())

    return replace(table, columns=(*table.columns, CUTOFF), rows=rows)


def listed_table(lists: Sequence[DocumentTable]) -> Table:
    """Return lists of the most relevant documents as one table."""
    fields = list(dict.fromkeys(name for each in lists for row in each for name in row.fields))
    with_copies = any(row.copy_of is not None for each in lists for row in each)
    with_pages = any(row.marked.page is not None for each in lists for row in each)

    def rows() -> Iterator[Row]:
        for each in lists:
            for row in each:
                own = [row.fields.get(name, "") for name in fields]
                subtopic = TopicId(row.subtopic, row.subtopic_name or "") if row.subtopic else None
                yield (row.id, row.title, *own, each.query, row.about, row.relevance, row.names_it, subtopic,
                       row.subtopic_name, row.passage, *[row.marked.page] * with_pages,
                       *[row.copy_of] * with_copies, row.text)  # fmt: skip

    id_name, title_name = next(((each.id_name, each.title_name) for each in lists), (DOCUMENT, None))
    columns = document_columns(fields, id_name, title_name, with_pages=with_pages, with_copies=with_copies)
    return Table("documents", columns, rows)


_LOOKED_AT = 1_000  # documents of which one shows whether they have pages


def _documents_table(
    fit: ModelFit,
    corpus: Corpus,
    found: Sequence[Relevance],
    wanted: NDArray[np.bool_],
    *,
    with_text: bool = True,
    codes: Codes | None = None,
) -> Table:
    """Return a table of documents, given their relevance to each query and which pairs are wanted (D, Q)."""
    store, fields = corpus.documents, corpus.documents.field_names
    listed = np.flatnonzero(wanted.any(axis=1))
    first = corpus.first_copy
    copied = first != np.arange(len(first))
    with_copies = bool(copied.any())
    with_pages = any("\f" in document.text for document in store.select(listed[:_LOOKED_AT].tolist()))

    def documents() -> Iterator[Document]:
        return iter(store) if len(listed) == len(store) else store.select(listed.tolist())

    def own(document: Document) -> list[str]:
        return [document.fields.get(name, "") for name in fields]

    def rows() -> Iterator[Row]:
        judged = _judged(fit, corpus, found, listed)
        aligner, ids = Aligner(corpus), _ids_of(store, first[listed[copied[listed]]])
        reasons = [
            reasons_of(fit, corpus, q, aligner=aligner, passages=each.passages)
            for q, each in enumerate(found)
        ]
        for document, row in zip(documents(), judged, strict=True):
            j = document.index
            copy_of: Row = [ids[int(first[j])] if copied[j] else None] * with_copies
            coded: Row = _coded(codes, j) if codes else ()
            before, text = (document.id, document.title, *own(document)), [document.original] * with_text
            for q in np.flatnonzero(wanted[j]).tolist():
                passage = reasons[q].passage(document) if found[q].about[j] else None
                shown = None if passage is None else passage.line
                page: Row = [None if passage is None else passage.page] * with_pages
                yield (*before, *row[q], shown, *page, *copy_of, *coded, *text)

    def own_rows() -> Iterator[Sequence[str]]:
        return (own(document) for document in documents())

    columns = document_columns(
        fields,
        store.id_name,
        store.title_name,
        with_text=with_text,
        with_pages=with_pages,
        with_copies=with_copies,
        with_codes=bool(codes),
    )
    return Table("documents", columns, rows, own_rows)


def _coded(codes: Codes, j: int) -> tuple[Cell, Cell]:
    """Return the tags and the notes of a document."""
    notes = "\n\n".join(note.text for note in codes.notes_of(j))
    return codes.tags_of(j) or None, notes or None


def _ids_of(store: DocumentStore, rows: NDArray[np.int64]) -> dict[int, str]:
    """Return the ids of some documents, by row."""
    return {document.index: document.id for document in store.select(np.unique(rows).tolist())}


def _judged(
    fit: ModelFit, corpus: Corpus, found: Sequence[Relevance], rows: NDArray[np.int64]
) -> Iterator[tuple[tuple[Cell, ...], ...]]:
    """Yield for each document, query by query, the cells that say what it has to do with it."""
    named = [{each.id: _id(each) for each in topic.walk()} for topic in build_topics(fit)[0]]
    counts, decide = corpus.document_term_matrix, [deciding_counts(corpus, each) for each in found]
    for start in range(0, len(rows), _BLOCK):
        at = rows[start : start + _BLOCK]
        scores = [
            score_documents(fit, q, counts[at], each.select(at), None if own is None else own[at])
            for q, (each, own) in enumerate(zip(found, decide, strict=True))
        ]
        yield from zip(*(_cells(*each) for each in zip(scores, named, strict=True)), strict=True)


def _cells(scores: QueryScores, named: dict[str, TopicId]) -> Iterator[tuple[Cell, ...]]:
    known: list[tuple[Cell, Cell]] = [(named[id], named[id].name) for id in scores.ids]
    known.append((None, None))  # for none, whose number is -1
    columns = (scores.about, scores.relevance, scores.names, scores.main)
    for about, relevance, names_it, s in zip(*(column.tolist() for column in columns), strict=True):
        yield (scores.query, about, relevance, names_it, *known[s])
