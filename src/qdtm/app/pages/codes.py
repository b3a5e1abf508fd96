"""Tags and notes: the box beside a document in which they are given, and the codebook, a page of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from qdtm.app.annotations import read_codes
from qdtm.app.context import AppContext
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import NameDialog, frame, page, while_waiting
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded
from qdtm.app.workspace import NotFoundError
from qdtm.corpus.document_store import Document, DocumentStore
from qdtm.errors import ParameterError
from qdtm.results.codes import (
    CODE,
    KINDS,
    MAX_NOTE,
    MAX_TAG,
    NOTE,
    TAG,
    UNTAG,
    Code,
    Codes,
    code_values,
    note_values,
    tag_values,
)
from qdtm.results.journal import Act, Journal
from qdtm.results.passages import Span

_OFFERED = 8
_QUOTE = 90  # characters of a passage by which it is known
_NOTES_LISTED = 200
_LAST_ACTS = 10


def quote_of(document: Document, span: Span | None) -> str:
    """Return the beginning of a passage, on one line; nothing for a whole document."""
    if span is None:
        return ""
    quoted = " ".join(document.text[span[0] : min(span[1], span[0] + 4 * _QUOTE)].split())
    return quoted if len(quoted) <= _QUOTE else quoted[:_QUOTE].rsplit(" ", 1)[0] + " …"


def said(act: Act) -> str:
    """Say what an act about codes did, in a few words."""
    tag, to = str(act.values.get("tag", "")), str(act.values.get("to", ""))
    what = "a passage" if "start" in act.values else "a document"
    if act.kind == CODE:
        return f"“{tag}” is now “{to}”" if to else f"“{tag}” is removed"
    if act.kind == NOTE:
        return f"Note on {what}" if act.values.get("text") else f"Note on {what} removed"
    return f"“{tag}” on {what}" if act.kind == TAG else f"“{tag}” taken off {what}"


# --- beside a document --------------------------------------------------------------------------------------


class CodesBox:
    """Where a document, or a passage of it, gets its tags and its note.

    Parameters
    ----------
    job : Job
    n_documents : int
    done : callable
        Is told of each act, once it is kept.
    """

    def __init__(self, job: Job, n_documents: int, done: Callable[[Act], Awaitable[None]]) -> None:
        self._job, self._n_documents, self._done = job, n_documents, done
        self._span: Span | None = None
        self._shown: tuple[Code, ...] = ()

    def build(self) -> None:
        """Make the elements."""
        actions = {"untag": self._untag, "offer": self._tag, "passage": self._open, "whole": self._leave}
        self._panel = Panel("reader_codes.html", actions)
        self._input = ui.input("Tag").props(f"outlined dense maxlength={MAX_TAG} aria-keyshortcuts=t")
        self._input.on("keydown.enter", lambda: guarded(self._tag, self._input.value))
        self._note = ui.textarea("Note").props(f"outlined dense autogrow maxlength={MAX_NOTE}")
        self._note.on("blur", lambda: guarded(self._keep_note))

    def codes(self) -> Codes:
        """Return all tags and notes as they are now."""
        return read_codes(self._job.folder, self._n_documents)

    def show(self, document: Document, span: Span | None = None) -> None:
        """Show the tags and notes of a document; those to come are for a passage of it, if it is given."""
        self._document, self._span = document, span
        codes = self.codes()
        self._shown = codes.codes_of(document.index)
        own = {code.tag for code in self._shown if code.span == span}
        often = sorted(codes.book, key=lambda count: -count.n_documents)
        self._panel.show(
            job=self._job,
            quote=quote_of(document, span),
            own=[(i, code.tag) for i, code in enumerate(self._shown) if code.span == span],
            passages=self._passages(codes),
            offered=[count.tag for count in often if count.tag not in own][:_OFFERED],
        )
        self._input.set_autocomplete(list(codes.tags))
        self._notes = {note.span: note.text for note in codes.notes_of(document.index)}
        self._note.set_value(self._notes.get(span, ""))

    def choose(self, value: str) -> Span:
        """Go on with a passage, given as "start-end"; what makes no sense raises."""
        start, _, end = value.partition("-")
        if not (start.isdecimal() and end.isdecimal() and len(value) <= 30):
            raise ParameterError("Select a part of the text first.")
        chosen = self._document.text[int(start) : int(end)]
        first = int(start) + len(chosen) - len(chosen.lstrip())
        span = (first, first + len(chosen.strip()))
        if span[0] >= span[1]:
            raise ParameterError("Select a part of the text first.")
        self.show(self._document, span)
        self._input.run_method("focus")
        return span

    def _passages(self, codes: Codes) -> list[tuple[str, str, list[str], bool]]:
        """Return the passages with a tag or a note: place, beginning, tags, and whether there is a note."""
        notes = {note.span for note in codes.notes_of(self._document.index)}
        spans = sorted({code.span for code in self._shown if code.span} | {each for each in notes if each})
        return [
            (
                f"{span[0]}-{span[1]}",
                quote_of(self._document, span),
                [code.tag for code in self._shown if code.span == span],
                span in notes,
            )
            for span in spans
            if span != self._span
        ]

    async def _tag(self, tag: str | None) -> None:
        self._input.set_value("")
        values = tag_values(self._document.index, self._span, tag or "")
        own = {code.tag.casefold() for code in self._shown if code.span == self._span}
        if values["tag"].casefold() not in own:  # once is enough
            await self._keep(TAG, values)

    async def _untag(self, value: str) -> None:
        if value.isdecimal() and len(value) < 6 and int(value) < len(self._shown):
            code = self._shown[int(value)]
            await self._keep(UNTAG, tag_values(code.row, code.span, code.tag))

    async def _keep_note(self) -> None:
        text = self._note.value or ""
        if text.strip() != self._notes.get(self._span, ""):
            await self._keep(NOTE, note_values(self._document.index, self._span, text))

    async def _keep(self, kind: str, values: dict[str, Any]) -> None:
        act = await asyncio.to_thread(Journal(self._job.folder).append, kind, values)
        self.show(self._document, self._span)
        await self._done(act)

    def _open(self, value: str) -> None:
        self.choose(value)

    def _leave(self, _: str) -> None:
        self.show(self._document)


# --- the codebook -------------------------------------------------------------------------------------------


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/codes/{job_id}")
    async def codes(job_id: str) -> None:
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such result.")
        with frame("Codebook", "Explore", {"Explore": f"/result/{job_id}"}):
            explorer = await while_waiting("Opening the result …", lambda: context.opened.result(job_id))
            CodebookPage(job, explorer.result.corpus.documents).build()


class CodebookPage:
    """One visitor's look at the tags and notes of a result."""

    def __init__(self, job: Job, documents: DocumentStore) -> None:
        self._job, self._documents = job, documents
        self._journal = Journal(job.folder)

    def build(self) -> None:
        """Make the elements."""
        actions = {"rename": self._ask, "remove": self._remove, "undo": self._undo}
        self._panel = Panel("codebook.html", actions)
        label = "Name (one that is there already: both become one)"
        self._naming = NameDialog("Rename this tag", label, MAX_TAG, self._rename)
        self._show()

    def _show(self) -> None:
        codes = read_codes(self._job.folder, len(self._documents))
        acts = [act for act in self._journal.acts if act.kind in KINDS]
        self._panel.show(
            job=self._job,
            book=[(count, self._list(count.tag)) for count in codes.book],
            notes=self._notes(codes),
            n_notes=len(codes.notes),
            acts=[(act.number, said(act), act.at) for act in reversed(acts[-_LAST_ACTS:])],
        )
        self._naming.field.set_autocomplete(list(codes.tags))

    def _list(self, tag: str) -> str:
        return f"/result/{self._job.id}?{urlencode({'view': 'all', 'tag': tag})}#documents"

    def _notes(self, codes: Codes) -> list[dict[str, Any]]:
        """Return the last notes, each with its document and where that is read."""
        last = codes.notes[: -_NOTES_LISTED - 1 : -1]
        documents = self._documents.select(note.row for note in last)
        return [
            {
                "title": document.title or document.id,
                "quote": quote_of(document, note.span),
                "text": note.text,
                "address": f"/read/{self._job.id}?row={note.row}",
            }
            for note, document in zip(last, documents, strict=True)
        ]

    def _ask(self, tag: str) -> None:
        self._renamed = tag
        self._naming.ask(tag)

    async def _rename(self, new: str) -> None:
        if not new:
            raise ParameterError("A tag needs a name; to get rid of it, remove it.")
        if new != self._renamed:
            await self._keep(code_values(self._renamed, new))

    async def _remove(self, tag: str) -> None:
        await self._keep(code_values(tag))

    async def _keep(self, values: dict[str, str]) -> None:
        await asyncio.to_thread(self._journal.append, CODE, values)
        self._show()

    async def _undo(self, number: str) -> None:
        if number.isdecimal() and len(number) < 12:
            await asyncio.to_thread(self._journal.undo, int(number))
            self._show()
