"""What is known of a result without opening it: its folder in, its counts and subtopics out, and its tables.

Opening a result takes seconds and needs its corpus. A list of results needs a sentence of each, and whoever
reads one whose corpus is gone for good has the tables that were saved with it.
"""

from __future__ import annotations

import csv
import heapq
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qdtm.app.workspace import read_json, write_json
from qdtm.corpus.readers.records import MAX_TEXT
from qdtm.results.one_group import one_group
from qdtm.results.result import Result
from qdtm.results.table_formats import safe_cell

_FOUND = "found.json"
TABLES = ("topics.csv", "documents.csv")
"""The tables inside a saved result."""

_MOST_SUBTOPICS = 30
_LONGEST = 1_500  # characters of a text that are shown


@dataclass(frozen=True)
class FoundSubtopic:
    """A subtopic: its id and name, and its share of the topic's words."""

    id: str
    name: str
    share: float


@dataclass(frozen=True)
class Finding:
    """What was found for a query.

    Attributes
    ----------
    query : str
    summary : str
        How many documents are about it, in a sentence.
    words : tuple of str
        Of its topic, the most probable first.
    subtopics : tuple of FoundSubtopic
    one_group : str
        That its documents are one group, where it has no subtopics to show.
    """

    query: str
    summary: str
    words: tuple[str, ...]
    subtopics: tuple[FoundSubtopic, ...]
    one_group: str = ""


def write_findings(folder: Path, result: Result) -> None:
    """Note beside a result what was found, as it is now."""
    found = [asdict(_finding(result, q)) for q in range(result.fit.n_queries)]
    if read_json(folder / _FOUND) != {"queries": found}:
        write_json(folder / _FOUND, {"queries": found})


def read_findings(folder: Path) -> tuple[Finding, ...]:
    """Return what was found for each query; nothing if it was not noted."""
    values = (read_json(folder / _FOUND) or {}).get("queries")
    try:
        return tuple(map(_read, values)) if isinstance(values, list) else ()
    except (KeyError, TypeError, ValueError, OverflowError):
        return ()


def _finding(result: Result, q: int) -> Finding:
    topic = result.topics[q]
    undivided, whole = one_group(result, topic), topic.prevalence_below or 1.0
    subtopics = tuple(
        FoundSubtopic(each.id, each.short_name, round(each.prevalence / whole, 4))
        for each in topic.subtopics[: 0 if undivided else _MOST_SUBTOPICS]
    )
    words = tuple(word for word, _ in topic.top_words(10))
    summary = result.relevance(q).summary()
    return Finding(result.fit.concepts[q].name, summary, words, subtopics, undivided)


def _read(values: dict[str, Any]) -> Finding:
    subtopics = tuple(
        FoundSubtopic(str(each["id"]), str(each["name"]), float(each["share"]))
        for each in values["subtopics"]
    )
    words, said = tuple(map(str, values["words"])), str(values.get("one_group", ""))
    return Finding(str(values["query"]), str(values["summary"]), words, subtopics, said)


# --- tables -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeptDocument:
    """A document as the table of a result has it: what it is called, how relevant it is, what it says."""

    id: str
    title: str
    relevance: float
    subtopic: str
    passage: str


def kept_documents(result: Path, query: str, n: int) -> tuple[tuple[KeptDocument, ...], int]:
    """Return the most relevant documents of a query from the table of a result, and how many it has.

    Parameters
    ----------
    result : Path
        The saved result; its corpus is not needed.
    n : int
        How many to return.
    """
    rows = list(_rows(result / "documents.csv", safe_cell(query)))
    return tuple(heapq.nlargest(n, rows, key=lambda row: row.relevance)), len(rows)


def _rows(path: Path, query: str) -> Iterator[KeptDocument]:
    csv.field_size_limit(max(csv.field_size_limit(), MAX_TEXT))
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                document = _kept(row, query)
                if document is not None:
                    yield document
    except (OSError, UnicodeError, csv.Error):
        return  # what could be read until then


def _kept(row: dict[str, str], query: str) -> KeptDocument | None:
    if row.get("query") != query:
        return None
    id, title, *_ = row.values()
    try:
        relevance = float(row["relevance"])
    except (KeyError, ValueError):
        return None
    said = row.get("passage") or row.get("text") or ""
    return KeptDocument(id, title, relevance, row.get("subtopic") or "", said[:_LONGEST])
