"""Results as CSV files that a spreadsheet opens: `topics.csv` and `documents.csv`.

In: topics, or scores and documents, and an open text file. Out: rows, written one by one. The same result
gives the same bytes. A cell that a spreadsheet would run as a formula is written as text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.concept import Concept
from qdtm.corpus.store import DocumentStore
from qdtm.results.documents import distinct_names
from qdtm.results.scores import DocumentScores
from qdtm.results.splits import above
from qdtm.results.topic import Topic

TOPIC_COLUMNS = ("id", "parent", "kind", "name", "prevalence", "tokens", "top words", "concept words")
QUERY_COLUMNS = ("relevance", "about", "subtopic", "subtopic name")
"""What is said of a document for each query, in every table of documents."""
N_TOP_WORDS = 20

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?%?")


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet runs: what looks like a formula gets an apostrophe before it.

    A plain number such as "-3.5" is left as it is. Old line ends become new ones, which `csv.writer` puts
    between quotes; what follows a bare carriage return would be a row of its own, and could be a formula.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def write_topics(
    file: TextIO, parents: Sequence[Topic], background: Sequence[Topic], concepts: Sequence[Concept]
) -> None:
    """Write a row for each topic: parents with their subtopics below them, then the background.

    Parameters
    ----------
    file : text file
        Opened with `newline=""`.
    parents, background : sequence of Topic
        From `build_topics`.
    concepts : sequence of Concept
        One for each parent.
    """
    writer = _writer(file)
    writer.writerow(TOPIC_COLUMNS)
    for parent, concept in zip(parents, concepts, strict=True):
        words = " ".join(word.word for word in concept.words)
        writer.writerow(_topic_row(parent, "parent", concept_words=words))
        writer.writerows(
            _topic_row(topic, "subtopic", above(topic.id)) for topic in islice(parent.walk(), 1, None)
        )
    writer.writerows(_topic_row(topic, "background") for topic in background)


def write_documents(
    file: TextIO,
    documents: DocumentStore,
    scores: DocumentScores,
    parents: Sequence[Topic],
    *,
    rows: NDArray[np.int64] | None = None,
    with_text: bool = True,
) -> None:
    """Write a row for each document: its name, the user's own columns, `QUERY_COLUMNS` for each query, text.

    Parameters
    ----------
    file : text file
        Opened with `newline=""`.
    documents : DocumentStore
        Read one by one.
    scores : DocumentScores
        Of the documents that are written.
    parents : sequence of Topic
        The parent topic of each query, with subtopics.
    rows : ndarray of int64, optional
        Which documents to write; all by default.
    with_text : bool
        Whether the last column is the text.
    """
    ours = document_columns(parents)
    fields = documents.field_names
    named = distinct_names(fields, taken=["document", *ours, "text"])
    writer = _writer(file)
    writer.writerow([safe_cell(name) for name in ("document", *named, *ours, *["text"] * with_text)])
    written = documents if rows is None else documents.select(rows.tolist())
    for document, numbers in zip(written, score_rows(scores, parents), strict=True):
        theirs = [safe_cell(document.fields.get(name, "")) for name in fields]
        text = [safe_cell(document.text)] if with_text else []
        writer.writerow([safe_cell(document.id), *theirs, *numbers, *text])


def document_columns(parents: Sequence[Topic]) -> list[str]:
    """Return the names of the columns that say what a document has to do with each query."""
    return [f"{what}: {topic.name}" for topic in parents for what in QUERY_COLUMNS]


def yes_or_no(about: bool) -> str:
    """Return what a table says of a document that is about a query, or is not."""
    return "yes" if about else "no"


def score_rows(scores: DocumentScores, parents: Sequence[Topic]) -> Iterator[list[str]]:
    """Yield the cells under `document_columns` for each document."""
    names = [{s: (topic.id, _label(topic)) for s, topic in enumerate(p.below())} for p in parents]
    for row in zip(scores.relevance.tolist(), scores.about.tolist(), scores.subtopic.tolist(), strict=True):
        cells: list[str] = []
        for named, relevance, about, s in zip(names, *row, strict=True):
            cells += [f"{relevance:.6f}", yes_or_no(about), *named.get(s, ("", ""))]
        yield cells


def _topic_row(topic: Topic, kind: str, parent: str = "", concept_words: str = "") -> Iterable[str]:
    return (
        topic.id,
        parent,
        kind,
        safe_cell(topic.name),
        f"{topic.prevalence:.6f}",
        f"{topic.n_tokens:.1f}",
        safe_cell(" ".join(word for word, _ in topic.top_words(N_TOP_WORDS))),
        safe_cell(concept_words),
    )


def _label(topic: Topic) -> str:
    return safe_cell(topic.name)


def _writer(file: TextIO) -> Any:
    return csv.writer(file, lineterminator="\n")
