"""A `Result` in, a folder of Markdown notes out, which Obsidian and other note-takers open.

A folder for each query has a note for each of its documents, most relevant first in the query's own note,
which links them all. What the note is about stands in its front matter (YAML), so that it can be searched and
sorted; tags are the query, the subtopic, and the user's own. The user's tags and notes have a note of their
own too, with the passages, whichever documents they are on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from qdtm.corpus.document_store import Document
from qdtm.corpus.titles import id_beside
from qdtm.present.codings import Coding, Codings
from qdtm.present.legal_text import DistinctNames, file_name, one_line
from qdtm.present.methods import CITATION, methods_paragraph
from qdtm.results.codes import Note
from qdtm.results.passages import Passage
from qdtm.results.result import Result
from qdtm.results.topics import Topic

_LINE_START = re.compile(r"^(\s*)(#{1,6}\s|[-+*>]|\d+[.)]|={3,}|-{3,}|`{3,}|~{3,}|:{3,})", re.MULTILINE)
_INLINE = re.compile(r"[\\`*_\[\]<>|^$&#]|([=~%])(?=\1)|(?<=([=~%]))\2|https?(?=:)|www(?=\.)")


def write_notes(result: Result, folder: Path, *, all_documents: bool = False) -> None:
    """Write a note for each document that is about a query, one for each query, and one about all."""
    codings = Codings(result, all_documents=all_documents)
    names = DistinctNames()
    names.name("README")
    places = [names.name(file_name(topic.name, "query")) for topic in result.topics]
    for q, place in enumerate(places):
        (folder / place).mkdir()
        listed = list(_write_documents(codings, q, folder / place))
        _write(folder / f"{place}.md", _query_note(result, q, listed))
    own = names.name("Codebook") if result.codes else None
    if own is not None:
        _write(folder / f"{own}.md", _codebook_note(result))
    _write(folder / "README.md", _first_note(result, places, own))


def _write_documents(codings: Codings, q: int, folder: Path) -> Iterator[tuple[str, str, Coding]]:
    """Write the notes of a query's documents; yield the link, the title and the coding of each."""
    names = DistinctNames()
    for document, coding in codings.of_query(q):
        title = one_line(document.title or document.id)
        name = names.name(file_name(title, "document"))
        notes = codings.result.codes.notes_of(document.index)
        _write(folder / f"{name}.md", _document_note(document, coding, title, notes))
        yield f"{folder.name}/{name}", title, coding


def _write(path: Path, lines: Iterator[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="replace", newline="")


# --- notes -------------------------------------------------------------------------------------------------


def _document_note(document: Document, coding: Coding, title: str, notes: Sequence[Note]) -> Iterator[str]:
    subtopic = coding.subtopic
    front = {
        "id": one_line(document.id),
        "title": title,
        "query": coding.query,
        "relevance": round(coding.relevance, 4),
        "rank": coding.rank,
        "about": coding.about,
        "names_it": coding.names_it,
        "subtopic": None if subtopic is None else subtopic.id,
        "subtopic_name": None if subtopic is None else subtopic.short_name,
        **({} if coding.passage.page is None else {"page": coding.passage.page}),
        "tags": _tags(coding),
        **{f"own_{_tag(name)}": one_line(value) for name, value in document.fields.items() if value.strip()},
    }
    yield from _front_matter(front)
    yield f"# {_inline(title)}\n"
    yield f"{_inline(coding.sentence()).capitalize()}.\n"
    if coding.passage.text.strip():
        yield f"> {_marked(coding.passage)}\n"
    if notes:
        yield "## Notes\n"
        yield from (f"{_own_note(document, note)}\n" for note in notes)
    yield "## Text\n"
    yield _block(document.text)


def _query_note(result: Result, q: int, listed: list[tuple[str, str, Coding]]) -> Iterator[str]:
    topic, relevance = result.topics[q], result.relevance(q)
    low, high = relevance.n_about_interval
    front = {
        "query": topic.name,
        "documents": len(listed),
        "n_about": round(relevance.n_about),
        "cutoff": round(relevance.cutoff, 4),
        "tags": [f"query/{_tag(topic.name)}"],
    }
    yield from _front_matter(front)
    yield f"# {_inline(topic.name)}\n"
    yield (
        f"{relevance.n_about:,.0f} documents are about it ({low:,.0f} to {high:,.0f}); "
        f"{len(listed):,} are listed here. Words: {_inline(_words(topic))}.\n"
    )
    for subtopic in topic.below():
        yield f"- {subtopic.id} **{_inline(subtopic.short_name)}**: {_inline(_words(subtopic))}"
    yield "\n| rank | relevance | document | subtopic |\n|---|---|---|---|"
    for link, title, coding in listed:
        name = (
            "" if coding.subtopic is None else f"{coding.subtopic.id} {_inline(coding.subtopic.short_name)}"
        )
        shown = _inline(_link_text(title))
        yield f"| {coding.rank} | {coding.relevance:.3f} | [[{link}\\|{shown}]] | {name} |"


def _named(document: Document) -> str:
    """Return the title of a document with its id, where that says more."""
    title = document.title or document.id
    id = id_beside(document.id, title)
    return f"{_inline(title)} ({_inline(id)})" if id else _inline(title)


def _codebook_note(result: Result) -> Iterator[str]:
    """Yield the user's tags with the documents and passages that have them, then all notes."""
    codes = result.codes
    documents = {each.index: each for each in result.corpus.documents.select(codes.coded_rows)}
    yield "# Codebook\n"
    for count in codes.book:
        yield f"## {_inline(count.tag)}\n"
        for code in (each for each in codes.codes if each.tag == count.tag):
            document = documents[code.row]
            passage = "" if code.span is None else f": {_inline(document.text[slice(*code.span)])}"
            yield f"- {_named(document)}{passage}"
        yield ""
    if codes.notes:
        yield "## Notes\n"
    for note in codes.notes:
        document = documents[note.row]
        yield f"- {_inline(document.title or document.id)}: {_own_note(document, note)}"


def _own_note(document: Document, note: Note) -> str:
    """Return a note of the user's on one line, with the passage that it is on."""
    about = "" if note.span is None else f"“{_inline(document.text[slice(*note.span)])}” "
    return f"{about}{_inline(note.text)}"


def _first_note(result: Result, places: list[str], own: str | None) -> Iterator[str]:
    yield "# Queries\n"
    for topic, place in zip(result.topics, places, strict=True):
        yield f"- [[{place}|{_inline(_link_text(topic.name))}]]"
    if own is not None:
        yield f"- [[{own}]]"
    yield f"\n{_inline(methods_paragraph(result))}\n"
    yield _inline(CITATION)


# --- texts -------------------------------------------------------------------------------------------------


def _front_matter(values: Mapping[str, object]) -> Iterator[str]:
    """Yield YAML; JSON is YAML, and quotes whatever a text begins with."""
    yield "---"
    for name, value in values.items():
        yield f"{name}: {json.dumps(value, ensure_ascii=False)}"
    yield "---\n"


def _tags(coding: Coding) -> list[str]:
    query = f"query/{_tag(coding.query)}"
    subtopic = [] if coding.subtopic is None else [f"{query}/{_tag(coding.subtopic.short_name)}"]
    return [query, *subtopic, *map(_tag, coding.tags)]


def _tag(text: str) -> str:
    """Return a tag: letters, digits, "_" and "-", with at least one that is no digit."""
    kept = re.sub(r"[^\w-]+", "-", one_line(text).casefold()).strip("-_")[:60] or "other"
    return f"n{kept}" if re.fullmatch(r"[\d-]+", kept) else kept


def _words(topic: Topic) -> str:
    return ", ".join(word for word, _ in topic.top_words(10))


def _inline(text: str) -> str:
    """Return a text on one line that Markdown shows as it is: no HTML, no link, no emphasis."""
    return _INLINE.sub(lambda found: _plain(found.group()), one_line(text))


def _plain(found: str) -> str:
    return f"{found}\u2060" if found.isalnum() else f"\\{found}"  # a word joiner: no address


def _link_text(title: str) -> str:
    """Return what stands in a link: brackets and bars would end it."""
    return re.sub(r"[\[\]|]", " ", title)


def _marked(passage: Passage) -> str:
    """Return a passage with its strong words in bold."""
    parts = []
    for piece in passage.pieces:
        text = _inline(piece.text)
        before, after = (" " if piece.text[:1].isspace() else ""), (" " if piece.text[-1:].isspace() else "")
        marked = f"**{text}**" if text and piece.level >= 2 else text
        parts.append(f"{before}{marked}{after}" if text else " ")
    dots = ("… " if passage.cut_before else "", " …" if passage.cut_after else "")
    return dots[0] + " ".join("".join(parts).split()) + dots[1]


def _block(text: str) -> str:
    """Return a text of paragraphs, each on a line of its own."""
    paragraphs = re.split(r"\n\s*\n|\f", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = (_inline(paragraph) for paragraph in paragraphs)
    return "\n\n".join(_LINE_START.sub(r"\1\\\2", line) for line in lines if line)
