"""A `Result` in, its documents as references out: RIS and BibTeX, most relevant first.

A document is one reference, however many queries it is about; its place in the file is that of its largest
relevance. The user's columns become fields where they are called as bibliographies call them. Rank, relevance
and subtopic stand in notes that programs can read back (JSON), the queries and subtopics in keywords. Where a
person has said whether a document is about a query, RIS says so in the words that ASReview knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qdtm.corpus.document_store import Document
from qdtm.present.codings import Coding, Codings
from qdtm.present.legal_text import DistinctNames, one_line
from qdtm.results.codes import Codes
from qdtm.results.result import Result

LONGEST_ABSTRACT = 20_000
"""Characters; of a longer text the passages stand for it."""

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "authors": ("authors", "author", "au", "author names", "author full names", "creator", "creators"),
    "year": ("year", "py", "publication year", "pubyear", "date", "published", "publication date", "pubdate"),
    "journal": ("journal", "venue", "source title", "publication title", "booktitle", "jo"),
    "doi": ("doi", "do"),
    "url": ("url", "link", "ur"),
    "abstract": ("abstract", "ab", "abstract note", "description"),
    "keywords": ("keywords", "kw", "author keywords", "manual tags", "tags"),
}
"""What bibliographies, library exports and reference managers call their columns, in small letters."""

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d|21\d\d)(?!\d)")


@dataclass(frozen=True)
class Reference:
    """A document as a bibliography has it, all on one line each.

    Attributes
    ----------
    id, title, year, journal, doi, url, abstract : str
        Empty where there is none.
    authors : tuple of str
    keywords : tuple of str
        The user's own, then the queries and subtopics, then the user's tags.
    notes : tuple of str
        What the document has to do with each query, as JSON; then the user's notes.
    label : bool or None
        Whether a person said that it is about a query.
    """

    id: str
    title: str
    authors: tuple[str, ...]
    year: str
    journal: str
    doi: str
    url: str
    abstract: str
    keywords: tuple[str, ...]
    notes: tuple[str, ...]
    label: bool | None


def references(result: Result, *, all_documents: bool = False) -> Iterator[Reference]:
    """Yield the documents of a result as references, most relevant first."""
    said = _said(result)
    for document, codings in Codings(result, all_documents=all_documents).documents_by_relevance():
        yield _reference(document, codings, said.get(document.index), result.codes)


def write_ris(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write the documents of a result as RIS."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for reference in references(result, all_documents=all_documents):
            file.writelines(f"{tag}  - {value}\n" for tag, value in _ris(reference))
            file.write("ER  - \n\n")


def write_bibtex(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write the documents of a result as BibTeX."""
    names = DistinctNames()
    with path.open("w", encoding="utf-8", newline="") as file:
        for reference in references(result, all_documents=all_documents):
            key = names.name(re.sub(r"[^A-Za-z0-9:._/-]+", "_", reference.id).strip("_") or "document", "-{}")
            kind = "article" if reference.journal else "misc"
            fields = "".join(f",\n  {name} = {{{value}}}" for name, value in _bibtex(reference))
            file.write(f"@{kind}{{{key}{fields}\n}}\n\n")


# --- a reference -------------------------------------------------------------------------------------------


def _reference(document: Document, codings: Sequence[Coding], label: bool | None, codes: Codes) -> Reference:
    own = _own_columns(document.fields)
    year = _YEAR.search(own["year"])
    keywords = [each.strip() for each in re.split(r"[;|]", own["keywords"])]
    for coding in codings:
        keywords += [coding.query, *([coding.subtopic.short_name] if coding.subtopic else [])]
    keywords += codes.tags_of(document.index)
    own_notes = (one_line(note.text) for note in codes.notes_of(document.index))
    return Reference(
        id=one_line(document.id),
        title=one_line(document.title),
        authors=_authors(own["authors"]),
        year=year.group() if year else "",
        journal=own["journal"],
        doi=re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)\s*", "", own["doi"], flags=re.IGNORECASE),
        url=own["url"],
        abstract=own["abstract"] or _abstract(document, codings),
        keywords=tuple(dict.fromkeys(filter(None, map(one_line, keywords)))),
        notes=(*map(_note, codings), *own_notes),
        label=label,
    )


def _own_columns(fields: Mapping[str, str]) -> dict[str, str]:
    """Return what the user's columns say of a reference; of several columns, the best known name wins."""
    by_name = {name.strip().casefold().replace("_", " "): one_line(value) for name, value in fields.items()}
    found = {}
    for field, names in _COLUMNS.items():
        found[field] = next((by_name[name] for name in names if by_name.get(name)), "")
    return found


def _authors(text: str) -> tuple[str, ...]:
    """Return the authors that a cell names: parted by ";" or "|", "and", or commas between full names."""
    if ";" in text or "|" in text:
        parts = re.split(r"[;|]", text)
    elif " and " in text and "," not in text.split(" and ")[-1]:
        parts = re.split(r",| and ", text)
    elif " and " in text:
        parts = text.split(" and ")
    else:
        parts = text.split(",")
        parts = parts if all(" " in part.strip() for part in parts) else [text]
    return tuple(part.strip() for part in parts if part.strip())


def _abstract(document: Document, codings: Sequence[Coding]) -> str:
    """Return the text without the title that it begins with; of a long one, its passages."""
    if len(document.text) <= LONGEST_ABSTRACT:
        title, _, rest = document.text.partition("\n\n")
        is_title = rest.strip() and one_line(title) == one_line(document.title)
        return one_line(rest if is_title else document.text)
    passages = dict.fromkeys(one_line(coding.passage.text) for coding in codings)
    return " […] ".join(passages) or one_line(document.text[:LONGEST_ABSTRACT])


def _note(coding: Coding) -> str:
    content = {
        "query": coding.query,
        "rank": coding.rank,
        "relevance": round(coding.relevance, 6),
        "about": coding.about,
        "subtopic": None if coding.subtopic is None else coding.subtopic.id,
        "subtopic_name": None if coding.subtopic is None else coding.subtopic.short_name,
    }
    if coding.passage.page is not None:
        content["page"] = coding.passage.page
    return "qdtm: " + json.dumps(content, ensure_ascii=False, default=str)


def _said(result: Result) -> dict[int, bool]:
    """Return what a person said of documents, by row: whether they are about any query."""
    found: dict[int, bool] = {}
    for check in result.fit.checks:
        for j, is_about in check.said.items():
            found[j] = found.get(j, False) or is_about
    return found


# --- fields ------------------------------------------------------------------------------------------------


def _ris(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR" if reference.journal else "GEN"
    yield "ID", reference.id
    yield "TI", reference.title
    yield from (("AU", author) for author in reference.authors)
    single = {"PY": reference.year, "T2": reference.journal, "DO": reference.doi, "UR": reference.url}
    yield from ((tag, value) for tag, value in single.items() if value)
    yield "AB", reference.abstract
    yield from (("KW", keyword) for keyword in reference.keywords)
    if reference.label is not None:
        yield "N1", "ASReview_relevant" if reference.label else "ASReview_irrelevant"
    yield from (("N1", note) for note in reference.notes)


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", **{sign: f"\\{sign}" for sign in "&%$#_"},
}  # fmt: skip


def _tex(text: str) -> str:
    """Return a text that TeX prints as it is, and whose braces are balanced."""
    return "".join(_TEX.get(letter, letter) for letter in text)


def _bibtex(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "title", f"{{{_tex(reference.title)}}}"
    if reference.authors:
        yield "author", " and ".join(map(_tex, reference.authors))
    for name, value in (("year", reference.year), ("journal", _tex(reference.journal))):
        if value:
            yield name, value
    for name, value in (("doi", reference.doi), ("url", reference.url)):  # which styles print as they are
        if value:
            yield name, re.sub(r"[{}\\\s]", "", value)
    yield "abstract", _tex(reference.abstract)
    yield "keywords", ", ".join(_tex(one_line(keyword.replace(",", " "))) for keyword in reference.keywords)
    yield "note", " ".join(_tex(note) for note in reference.notes)
