"""A fit and its corpus in, their tables out: topics, words, concept words, documents; rows one by one.

The columns are those of `qdtm.results.schema`; all that is handed on, in whatever format, is made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.concept import Concept
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.store import Document
from qdtm.results.fit import ModelFit
from qdtm.results.relevance import Relevance
from qdtm.results.schema import CONCEPT_WORDS, TOPICS, WORDS, Cell, Row, Table, TopicId, document_columns
from qdtm.results.scores import QueryScores, relevance_to, score_documents
from qdtm.results.topic import Topic
from qdtm.results.topics import build_topics

if TYPE_CHECKING:
    from qdtm.results.documents import DocumentTable

N_WORDS = 20
_BLOCK = 65_536  # documents scored at a time


def result_tables(fit: ModelFit, corpus: Corpus, *, all_documents: bool = False) -> tuple[Table, ...]:
    """Return all tables of a result; that of documents has those about a query, or all."""
    return (
        topics_table(fit, corpus),
        words_table(fit),
        concept_words_table(fit.concepts, corpus),
        documents_table(fit, corpus, all_documents=all_documents),
    )


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
    scores = score_documents(fit, q, corpus.document_term_matrix, relevance)
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


# --- documents ---------------------------------------------------------------------------------------------


def documents_table(fit: ModelFit, corpus: Corpus, *, all_documents: bool = False) -> Table:
    """Return what documents have to do with the queries that they are about, or all with all.

    They are in the order of the corpus, each with its queries in their order. The text comes last.
    """
    found = [relevance_to(fit, corpus, q) for q in range(fit.n_queries)]
    wanted = np.stack([each.about | all_documents for each in found], axis=1)
    return _documents_table(fit, corpus, found, wanted)


def document_table(fit: ModelFit, corpus: Corpus, j: int, q: int) -> Table:
    """Return what one document has to do with one query."""
    found = [relevance_to(fit, corpus, each) for each in range(fit.n_queries)]
    wanted = np.zeros((corpus.n_documents, fit.n_queries), np.bool_)
    wanted[j, q] = True
    return _documents_table(fit, corpus, found, wanted)


def new_documents_table(fit: ModelFit, new: Corpus, found: Sequence[Relevance]) -> Table:
    """Return what new documents have to do with all queries; without their text, which the user has.

    Parameters
    ----------
    fit : ModelFit
    new : Corpus
    found : sequence of Relevance
        Of the new documents to each query; see `relevance_to`.
    """
    wanted = np.ones((new.n_documents, fit.n_queries), np.bool_)
    return _documents_table(fit, new, found, wanted, with_text=False)


def listed_table(lists: Sequence[DocumentTable]) -> Table:
    """Return lists of the most relevant documents as one table."""
    fields = list(dict.fromkeys(name for each in lists for row in each for name in row.fields))

    def rows() -> Iterator[Row]:
        for each in lists:
            for row in each:
                own = [row.fields.get(name, "") for name in fields]
                subtopic = TopicId(row.subtopic, row.subtopic_name or "") if row.subtopic else None
                yield (row.id, *own, each.query, row.about, row.relevance, row.names_it, subtopic,
                       row.subtopic_name, row.text)  # fmt: skip

    id_names = [each.id_name for each in lists[:1]]
    return Table("documents", document_columns(fields, *id_names), rows)


def _documents_table(
    fit: ModelFit,
    corpus: Corpus,
    found: Sequence[Relevance],
    wanted: NDArray[np.bool_],
    *,
    with_text: bool = True,
) -> Table:
    """Return a table of documents, given their relevance to each query and which pairs are wanted (D, Q)."""
    store, fields = corpus.documents, corpus.documents.field_names
    listed = np.flatnonzero(wanted.any(axis=1))

    def documents() -> Iterator[Document]:
        return iter(store) if len(listed) == len(store) else store.select(listed.tolist())

    def own(document: Document) -> list[str]:
        return [document.fields.get(name, "") for name in fields]

    def rows() -> Iterator[Row]:
        judged = _judged(fit, corpus.document_term_matrix, found, listed)
        for document, row in zip(documents(), judged, strict=True):
            before, text = (document.id, *own(document)), [document.text] * with_text
            yield from ((*before, *cells, *text) for q, cells in enumerate(row) if wanted[document.index, q])

    def own_rows() -> Iterator[Sequence[str]]:
        return (own(document) for document in documents())

    columns = document_columns(fields, store.id_name, with_text=with_text)
    return Table("documents", columns, rows, own_rows)


def _judged(
    fit: ModelFit, counts: Any, found: Sequence[Relevance], rows: NDArray[np.int64]
) -> Iterator[tuple[tuple[Cell, ...], ...]]:
    """Yield for each document, query by query, the cells that say what it has to do with it."""
    named = [{each.id: _id(each) for each in topic.walk()} for topic in build_topics(fit)[0]]
    for start in range(0, len(rows), _BLOCK):
        at = rows[start : start + _BLOCK]
        scores = [score_documents(fit, q, counts[at], each.select(at)) for q, each in enumerate(found)]
        yield from zip(*(_cells(*each) for each in zip(scores, named, strict=True)), strict=True)


def _cells(scores: QueryScores, named: dict[str, TopicId]) -> Iterator[tuple[Cell, ...]]:
    known: list[tuple[Cell, Cell]] = [(named[id], named[id].name) for id in scores.ids]
    known.append((None, None))  # for none, whose number is -1
    columns = (scores.about, scores.relevance, scores.names, scores.main)
    for about, relevance, names_it, s in zip(*(column.tolist() for column in columns), strict=True):
        yield (scores.query, about, relevance, names_it, *known[s])
