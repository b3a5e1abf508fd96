"""A `Result` in, a REFI-QDA project (.qdpx) or codebook (.qdc) out, for tools of qualitative analysis.

In a project the documents about a query are sources, the user's columns their variables, queries are codes
with their subtopics below, and each passage that makes a document relevant is coded with its subtopic, with a
comment that says how relevant. The user's own tags are codes too, of documents and passages, and so are the
notes. The format is the standard of 18 March 2019 (www.qdasoftware.org): a zip with
`project.qde` and the sources as plain text; places in a text are counted in Unicode code points.

The same result gives the same bytes: identifiers are made of what they stand for, and every date is that of
`_WHEN`, since a result has none; but what a person said has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO
from uuid import UUID, uuid5

from qdtm.corpus.document_store import Document
from qdtm.corpus.titles import id_beside
from qdtm.present.codings import Coding, Codings
from qdtm.present.legal_text import DistinctNames, file_name, one_line, same_places, xml
from qdtm.present.methods import methods_paragraph, settings_table
from qdtm.present.theme import series
from qdtm.results.codes import Code, Codes, Note
from qdtm.results.passages import Span
from qdtm.results.result import Result
from qdtm.results.topics import Topic
from qdtm.storage.archive import Archive

_ROOT = UUID("7c0b9b6e-6f5d-5b0e-9a53-2f3f6f0b7d11")
_WHEN = "1980-01-01T00:00:00Z"
_HEAD = '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n'
_PROJECT = "urn:QDA-XML:project:1.0"
_CODEBOOK = "urn:QDA-XML:codebook:1.0"
_N_WORDS = 15
_IN_MEMORY = 1 << 26  # characters of sources that are kept there, not on the disk


def write_codebook(result: Result, path: Path, *, all_documents: bool = False) -> None:  # noqa: ARG001
    """Write the queries and subtopics of a result as a codebook; documents have no part in it."""
    book = _Identifiers(result)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f'{_HEAD}<CodeBook xmlns="{_CODEBOOK}" origin="{xml(_origin(result))}">\n')
        file.writelines(_codes(result, book))
        file.write("</CodeBook>\n")


def write_project(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write a result as a project: sources with coded passages, and the codebook."""
    ids = _Identifiers(result)
    codings = Codings(result, all_documents=all_documents)
    names = result.corpus.documents.field_names
    with (
        Archive(path) as archive,
        SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as body,
    ):
        titles = DistinctNames()
        for document, coded in codings.documents(own=True):
            text = same_places(document.text)
            archive.write(f"sources/{ids.source(document)}.txt", text)
            body.writelines(_source(document, coded, text, titles, ids, names, result.codes))
        archive.write(f"sources/{ids.note}.txt", _about(result))
        with archive.open("project.qde") as file:
            _write_project_file(result, file, body, ids, names)


def _write_project_file(
    result: Result, file: IO[bytes], sources: IO[str], ids: _Identifiers, names: Sequence[str]
) -> None:
    """Write the parts of a project in the order of the schema."""

    def write(text: str) -> None:
        file.write(text.encode("utf-8"))

    by = f'creatingUser="{ids.user}" creationDateTime="{_WHEN}"'
    write(
        f'{_HEAD}<Project xmlns="{_PROJECT}" name="{xml(_title(result))}" origin="{xml(_origin(result))}" '
        f'creatingUserGUID="{ids.user}" creationDateTime="{_WHEN}">\n'
        f'<Users><User guid="{ids.user}" name="qdtm"/></Users>\n<CodeBook>\n'
    )
    for line in _codes(result, ids):
        write(line)
    write("</CodeBook>\n")
    if names:
        write("<Variables>\n")
        for name in names:
            variable = f'guid="{ids.variable(name)}" name="{xml(one_line(name))}" typeOfVariable="Text"'
            write(f"<Variable {variable}/>\n")
        write("</Variables>\n")
    if sources.tell():
        sources.seek(0)
        write("<Sources>\n")
        while block := sources.read(1 << 20):
            write(block)
        write("</Sources>\n")
    path = f'plainTextPath="internal://{ids.note}.txt"'
    write(f'<Notes><Note guid="{ids.note}" name="How this was made" {path} {by}/>\n')
    for note in result.codes.notes:
        write(_own_note(note, ids))
    write(
        "</Notes>\n"
        f"<Description>{xml(methods_paragraph(result))}</Description>\n"
        f'<NoteRef targetGUID="{ids.note}"/>\n</Project>\n'
    )


# --- codes -------------------------------------------------------------------------------------------------


def _codes(result: Result, ids: _Identifiers) -> Iterator[str]:
    """Yield the element with all codes, a line each."""
    names = DistinctNames()  # some tools refuse two codes of one name
    yield "<Codes>\n"
    for topic in result.topics:
        yield from _code(topic, ids, names, number=None)
    for count in result.codes.book:
        name = names.name(one_line(count.tag), " (tag {})")
        yield f'<Code guid="{ids.tag(count.tag)}" name="{xml(name)}" isCodable="true"/>\n'
    yield "</Codes>\n"


def _code(topic: Topic, ids: _Identifiers, names: DistinctNames, number: int | None) -> Iterator[str]:
    name = names.name(one_line(topic.short_name) or topic.id, f" ({topic.id})")
    color = "" if number is None else f' color="{series(number)}"'
    yield f'<Code guid="{ids.code(topic.id)}" name="{xml(name)}" isCodable="true"{color}>\n'
    words = ", ".join(word for word, _ in topic.top_words(_N_WORDS))
    yield f"<Description>{xml(f'{topic.id}: {words}')}</Description>\n"
    for s, below in enumerate(topic.subtopics):
        yield from _code(below, ids, names, s if number is None else number)
    yield "</Code>\n"


# --- sources -----------------------------------------------------------------------------------------------


def _source(
    document: Document,
    coded: Sequence[Coding],
    text: str,
    titles: DistinctNames,
    ids: _Identifiers,
    names: Sequence[str],
    codes: Codes,
) -> Iterator[str]:
    """Yield a document with its coded passages, the user's tags and notes, and the user's columns."""
    guid = ids.source(document)
    title = titles.name(file_name(document.title or document.id, "document"))
    by = f'creatingUser="{ids.user}" creationDateTime="{_WHEN}"'
    path = f'plainTextPath="internal://{guid}.txt"'
    yield f'<TextSource guid="{guid}" name="{xml(title)}" {path} {by}>\n'
    noted = [note for note in codes.notes_of(document.index) if note.span is None]
    named = ": ".join(filter(None, (id_beside(document.id, document.title), document.title)))
    said = "\n".join([named, *(note.text for note in noted)])
    yield f"<Description>{xml(same_places(said))}</Description>\n"
    for coding in coded:
        yield from _selection(document, coding, text, ids, by)
    yield from _own_selections(document, text, codes, ids)
    if not text:  # no passage can have its tags
        yield from (_own_coding(code, ids) for code in codes.codes_of(document.index))
    yield from (_note_reference(note, ids) for note in noted)
    for name in names:
        value = document.fields.get(name, "")
        if value:
            reference = f'<VariableRef targetGUID="{ids.variable(name)}"/>'
            yield f"<VariableValue>{reference}<TextValue>{xml(value)}</TextValue></VariableValue>\n"
    yield "</TextSource>\n"


def _selection(document: Document, coding: Coding, text: str, ids: _Identifiers, by: str) -> Iterator[str]:
    """Yield a coded passage; without text there is nothing to code."""
    first = coding.passage.start
    start, end = _place(document.text, (first, first + len(coding.passage.text)))
    if start >= end:
        return
    guid = ids.of("selection", str(document.index), str(coding.q))
    shown = one_line(text[start : start + 60])
    place = f'startPosition="{start}" endPosition="{end}"'
    yield f'<PlainTextSelection guid="{guid}" name="{xml(shown)}" {place} {by}>\n'
    yield f"<Description>{xml(coding.sentence())}</Description>\n"
    made = ids.of("coding", str(document.index), str(coding.q))
    yield f'<Coding guid="{made}" {by}><CodeRef targetGUID="{ids.code(coding.code)}"/></Coding>\n'
    yield "</PlainTextSelection>\n"


def _place(text: str, span: Span) -> Span:
    """Return where a passage stands in the text as it is written: each line end is one character there."""
    return len(same_places(text[: span[0]])), len(same_places(text[: span[1]]))


# --- what the user said ------------------------------------------------------------------------------------


def _own_selections(document: Document, text: str, codes: Codes, ids: _Identifiers) -> Iterator[str]:
    """Yield the passages with the user's tags and notes, each once; of a tag of all of it, the whole text.

    The text of a note is the passage's description too, and tags are on passages alone: not all programs look
    for notes and codings elsewhere (QualCoder does not).
    """
    coded, noted = codes.codes_of(document.index), codes.notes_of(document.index)
    whole = (0, len(document.text))
    spans = {each.span or whole for each in coded} | {each.span for each in noted if each.span}
    for span in sorted(spans):
        start, end = _place(document.text, span)
        if start >= end:
            continue
        own = [code for code in coded if (code.span or whole) == span]
        notes = [note for note in noted if note.span == span]
        guid = ids.of("passage", str(document.index), *map(str, span))
        by = _by((own or notes)[0].at, ids)
        place = f'startPosition="{start}" endPosition="{end}"'
        name = xml(one_line(text[start : min(end, start + 60)]))
        yield f'<PlainTextSelection guid="{guid}" name="{name}" {place} {by}>\n'
        if notes:
            texts = same_places("\n".join(note.text for note in notes))
            yield f"<Description>{xml(texts)}</Description>\n"
        yield from (_own_coding(code, ids) for code in own)
        yield from (_note_reference(note, ids) for note in notes)
        yield "</PlainTextSelection>\n"


def _own_coding(code: Code, ids: _Identifiers) -> str:
    guid = ids.of("own coding", str(code.row), str(code.span), code.tag)
    reference = f'<CodeRef targetGUID="{ids.tag(code.tag)}"/>'
    return f'<Coding guid="{guid}" {_by(code.at, ids)}>{reference}</Coding>\n'


def _own_note(note: Note, ids: _Identifiers) -> str:
    """Return a note of the user's, whose text stands in it."""
    head = f'guid="{ids.own_note(note)}" name="{xml(one_line(note.text)[:60])}" {_by(note.at, ids)}'
    content = f"<PlainTextContent>{xml(same_places(note.text))}</PlainTextContent>"
    return f"<Note {head}>{content}</Note>\n"


def _note_reference(note: Note, ids: _Identifiers) -> str:
    return f'<NoteRef targetGUID="{ids.own_note(note)}"/>\n'


def _by(at: str, ids: _Identifiers) -> str:
    return f'creatingUser="{ids.user}" creationDateTime="{xml(at.replace("+00:00", "Z"))}"'


# --- the rest ----------------------------------------------------------------------------------------------


class _Identifiers:
    """GUIDs, made of what they stand for: one result has the same ones always."""

    def __init__(self, result: Result) -> None:
        queries = "\0".join(concept.name for concept in result.fit.concepts)
        self._result = uuid5(_ROOT, f"{result.fit.corpus_fingerprint}\0{queries}".encode().hex())
        self.user, self.note = self.of("user"), self.of("note")

    def of(self, *what: str) -> str:
        return str(uuid5(self._result, "\0".join(what).encode("utf-8", "replace").hex()))

    def code(self, topic: str) -> str:
        return self.of("code", topic)

    def tag(self, tag: str) -> str:
        return self.of("tag", tag)

    def own_note(self, note: Note) -> str:
        return self.of("own note", str(note.row), str(note.span))

    def source(self, document: Document) -> str:
        return self.of("source", str(document.index))

    def variable(self, name: str) -> str:
        return self.of("variable", name)


def _title(result: Result) -> str:
    return one_line(", ".join(topic.name for topic in result.topics))[:200]


def _origin(result: Result) -> str:
    return f"qdtm {result.fit.versions.get('qdtm', '')}".strip()


def _about(result: Result) -> str:
    lines = [methods_paragraph(result), "", *(f"{name}: {value}" for name, value in settings_table(result))]
    return same_places("\n".join(lines) + "\n")
