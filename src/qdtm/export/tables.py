"""A `Result` in, tables out: topics, subtopics, concept words, documents. Rows are made one by one.

A cell is a text, a number or None. Whoever writes it decides how a text that looks like a formula is kept a
text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.store import Document
from qdtm.results.documents import distinct_names
from qdtm.results.result import Result
from qdtm.results.scores import judged_about, rows_about, score_documents
from qdtm.results.splits import above
from qdtm.results.tables import document_columns, yes_or_no
from qdtm.results.topic import Topic

Cell = str | int | float | None
Row = Sequence[Cell]

N_WORDS = 20
_OVERALL = ("main query", "top words", "text")
_BLOCK = 65_536  # documents scored at a time


@dataclass(frozen=True, eq=False)
class Table:
    """A table that is read once or more, a row at a time.

    Attributes
    ----------
    name : str
    columns : tuple of str
    rows : callable
        Returns an iterator over the rows.
    own_columns : range
        Which columns are the user's own: texts, whatever they look like.
    own_rows : callable
        Returns an iterator over the values in these columns alone.
    """

    name: str
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    own_columns: range = range(0)
    own_rows: Callable[[], Iterator[Sequence[str]]] = lambda: iter(())


def result_tables(result: Result, *, all_documents: bool = False) -> tuple[Table, ...]:
    """Return all tables of a result; that of documents has those about a query, or all."""
    documents = documents_table(result, all_documents=all_documents)
    return topics_table(result), subtopics_table(result), concept_words_table(result), documents


def topics_table(result: Result) -> Table:
    """Return the parent and background topics, a row each."""
    columns = (
        "id", "kind", "name", "query", "prevalence", "tokens", "subtopics", "top words", "concept words",
    )  # fmt: skip

    def rows() -> Iterator[Row]:
        for topic, concept in zip(result.topics, result.fit.concepts, strict=True):
            words = " ".join(word.word for word in concept.words)
            yield (topic.id, "parent", topic.name, concept.query.text or concept.name, topic.prevalence,
                   topic.n_tokens, len(topic.subtopics), _words(topic), words)  # fmt: skip
        for topic in result.background:
            yield (topic.id, "background", topic.name, None, topic.prevalence, topic.n_tokens, 0,
                   _words(topic), None)  # fmt: skip

    return Table("topics", columns, rows)


def subtopics_table(result: Result) -> Table:
    """Return the subtopics of all queries, a row each, those of opened subtopics after them."""
    columns = (
        "id", "query", "name", "distinctive words", "prevalence", "share of parent", "tokens", "documents",
        "top words", "stability", "found in",
    )  # fmt: skip

    def rows() -> Iterator[Row]:
        for q, parent in enumerate(result.topics):
            scores, known = result.scores(q), {topic.id: topic for topic in parent.walk()}
            for s, topic in enumerate(parent.below()):
                whole = known[above(topic.id)].prevalence_below
                of_parent = topic.prevalence / whole if whole else None
                n_documents = int(scores.mainly_in(s).sum())
                yield (topic.id, parent.name, topic.name, " ".join(topic.label_words), topic.prevalence,
                       of_parent, topic.n_tokens, n_documents, _words(topic),
                       *_stability(result, topic))  # fmt: skip

    return Table("subtopics", columns, rows)


def _stability(result: Result, topic: Topic) -> tuple[float | None, str | None]:
    """Return the score of a subtopic and the runs in which it is found, if there were any."""
    known = None if result.stability is None else result.stability.of(topic.id)
    return (None, None) if known is None else (known.score, f"{known.n_found} of {len(known.likeness)}")


def concept_words_table(result: Result) -> Table:
    """Return the concept words of all queries, those that were left out at the end."""
    columns = ("query", "word", "status", "origin", "score", "documents", "retrieved", "supported by")

    def rows() -> Iterator[Row]:
        for concept in result.fit.concepts:
            for word in concept.words:
                support = [document.id for document in result.corpus.documents.select(word.documents)]
                yield (concept.name, word.word, "concept word", word.origin, word.score, word.n_documents,
                       word.n_retrieved, ", ".join(support))  # fmt: skip
            for rejected in concept.rejected:
                yield (
                    concept.name,
                    rejected.word,
                    f"left out: {rejected.reason}",
                    None,
                    None,
                    None,
                    None,
                    None,
                )

    return Table("concept words", columns, rows)


def documents_table(result: Result, *, all_documents: bool = False) -> Table:
    """Return the documents about a query, or all: name, the user's columns, what each has to do with it.

    They are in the order of the corpus. `main query` is the one that a document is most relevant to, of those
    that it is about; `top words` are of its main subtopic there. The text comes last.
    """
    fields = result.corpus.documents.field_names
    ours = document_columns(result.topics)
    theirs = distinct_names(fields, taken=["document", *ours, *_OVERALL])
    named = [_named(topic) for topic in result.topics]
    listed = np.arange(result.corpus.n_documents) if all_documents else rows_about(result.fit)

    def documents() -> Iterator[Document]:
        known = result.corpus.documents
        return iter(known) if all_documents else known.select(listed.tolist())

    def rows() -> Iterator[Row]:
        for document, (relevance, about, main) in zip(documents(), _scores(result, listed), strict=True):
            cells: list[Cell] = [document.id, *(document.fields.get(name, "") for name in fields)]
            for names, score, is_about, s in zip(named, relevance, about, main, strict=True):
                cells += [round(score, 6), yes_or_no(is_about), *names[s][:2]]
            best = max((q for q, is_in in enumerate(about) if is_in), key=relevance.__getitem__, default=None)
            words = None if best is None else named[best][main[best]][2]
            cells += [None if best is None else result.topics[best].name, words, document.text]
            yield cells

    def own_rows() -> Iterator[Sequence[str]]:
        return ([document.fields.get(name, "") for name in fields] for document in documents())

    columns = ("document", *theirs, *ours, *_OVERALL)
    return Table("documents", columns, rows, range(1, 1 + len(fields)), own_rows)


def _scores(result: Result, rows: NDArray[np.int64]) -> Iterator[tuple[list[float], list[bool], list[int]]]:
    """Yield for each document its relevance to each query, whether it is about it, and its main subtopic."""
    counts = result.corpus.document_term_matrix
    relevance, about = judged_about(result.fit)
    for start in range(0, len(rows), _BLOCK):
        at = rows[start : start + _BLOCK]
        scores = score_documents(result.fit, counts[at], relevance[at], about[at])
        columns = (scores.relevance, scores.about, scores.subtopic)
        yield from zip(*(column.tolist() for column in columns), strict=True)


def _named(topic: Topic) -> list[tuple[str | None, str | None, str | None]]:
    """Return id, name and words of each subtopic; the last is for none, whose number is -1."""
    known = [(each.id, each.name, _words(each, 10)) for each in topic.below()]
    return [*known, (None, None, None)]


def _words(topic: Topic, n: int = N_WORDS) -> str:
    return " ".join(word for word, _ in topic.top_words(n))
