"""The reader: one document of a list as a whole, why it is there, what is like it; judged, tagged, and on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import ui

from qdtm.app.annotations import keep_judgement
from qdtm.app.context import AppContext
from qdtm.app.explorer import DocumentFilter, Explorer
from qdtm.app.jobs import Job
from qdtm.app.pages.codes import CodesBox, said
from qdtm.app.pages.frame import frame, page, while_waiting
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, render
from qdtm.app.workspace import NotFoundError
from qdtm.corpus.document_store import Document
from qdtm.present.reading import Block, blocks
from qdtm.present.theme import series_number
from qdtm.results.codes import Codes
from qdtm.results.journal import Act, Journal
from qdtm.results.one_group import one_group
from qdtm.results.passages import Mark, Span
from qdtm.results.splits import path_of
from qdtm.results.topics import Topic

_NEIGHBOURS = 8
_CARRIERS = 12
_TOPICS = 8
_REASON = 420  # characters of the passage that makes a document relevant
_LONGEST = 2_000_000  # characters of a document that are shown
_ANSWERS = {"yes": "about it", "no": "not about it", "unsure": "not sure"}
_SHORTCUTS = (
    ("j", "next document"),
    ("k", "previous document"),
    ("n", "next marked word or passage"),
    ("p", "previous marked word or passage"),
    ("y", "about it"),
    ("x", "not about it"),
    ("t", "tag the document, or what is selected"),
    ("u", "undo what you did last"),
    ("/", "search in the list"),
    ("Esc", "leave a field"),
    ("?", "these keys"),
)


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/read/{job_id}")
    async def read(job_id: str, row: int, request: Request) -> None:
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such result.")
        wanted = DocumentFilter.from_query(request.query_params).within(len(job.request.queries))
        links = {"Explore": f"/result/{job_id}?{wanted.to_query()}"}
        with frame("Read", "Explore", links):
            explorer = await while_waiting("Opening the document …", lambda: context.opened.result(job_id))
            await ReaderPage(job, explorer, wanted).build(row)


@dataclass(frozen=True)
class Reading:
    """A document as the reader shows it.

    Attributes
    ----------
    document : Document
    marks : list of Mark
        The words that count.
    reason : (int, int) or None
        The passage that makes it relevant; None of a document that is hardly longer.
    page : int or None
        On which page that is.
    relevance : float
        To the query.
    about, names_it : bool
    subtopic : Topic or None
        Its main one.
    color : int
        Of that; 0 without.
    """

    document: Document
    marks: list[Mark]
    reason: Span | None
    page: int | None
    relevance: float
    about: bool
    names_it: bool
    subtopic: Topic | None
    color: int

    def blocks(self, codes: Codes) -> list[Block]:
        """Return its text with what is marked in it, and the passages that have a tag or a note."""
        row = self.document.index
        spans = {code.span for code in codes.codes_of(row) if code.span}
        spans |= {note.span for note in codes.notes_of(row) if note.span}
        return blocks(self.document.text[:_LONGEST], self.marks, self.reason, sorted(spans))

    @property
    def n_left_out(self) -> int:
        """Characters that are not shown."""
        return max(0, len(self.document.text) - _LONGEST)


def read_document(explorer: Explorer, q: int, row: int) -> Reading:
    """Find what a reader is shown of a document of a query."""
    result, scores = explorer.result, explorer.scores(q)
    document, reasons = result.corpus.documents[row], result.reasons(q)
    marks = reasons.marks(document)
    passage = reasons.passage(document, _REASON)
    s = int(scores.main[row])
    topic = result.topics[q]
    subtopic = None if s < 0 or one_group(result, topic) else topic.below()[s]
    return Reading(
        document,
        marks,
        (passage.start, passage.start + len(passage.text)) if len(document.text) > _REASON else None,
        passage.page,
        float(scores.relevance[row]),
        bool(scores.about[row]),
        bool(scores.names[row]),
        subtopic,
        0 if subtopic is None else series_number(path_of(subtopic.id)[1] - 1),
    )


class ReaderPage:
    """One visitor's reading along a list of documents."""

    def __init__(self, job: Job, explorer: Explorer, wanted: DocumentFilter) -> None:
        self._job, self._explorer, self._wanted = job, explorer, wanted
        self._q = wanted.query
        self._check = explorer.result.fit.check_of(self._q)
        self._codes = CodesBox(job, explorer.result.corpus.n_documents, self._coded)
        self._done: list[tuple[str, Callable[[], Awaitable[None]]]] = []  # and how each is undone

    async def build(self, row: int) -> None:
        """Make the elements, and show a document."""
        self._check_row(row)
        self._rows = (await asyncio.to_thread(self._explorer.rows, self._wanted)).tolist()
        self._places = {each: place for place, each in enumerate(self._rows)}
        actions = {"go": self._go, "judge": self._judge, "select": self._select, "undo": self._undo}
        with ui.element("div").classes("reader"):
            self._bar = Panel("reader_bar.html", actions).classes("reader-bar")
            self._head = Panel("reader_head.html", tag="header", reading=None)
            with ui.element("div").classes("reader-parts"):
                self._text = ui.html("", sanitize=False).classes("reader-main")
                with ui.element("div").classes("reader-side").props("role=complementary"):
                    self._codes.build()
                    self._around = Panel("reader_around.html", {"go": self._go})
        Panel("shortcuts.html", shortcuts=_SHORTCUTS)
        await self._show(row)

    def _check_row(self, row: int) -> None:
        n = self._explorer.result.corpus.n_documents
        if not 0 <= row < n:
            raise NotFoundError(f"There is no document {row:,}; the corpus has {n:,}, from 0.")

    # --- along the list ----------------------------------------------------------------------------------

    async def _go(self, row: str) -> None:
        """Show another document; the address is that of it, and one step back still leads to the list."""
        if row.isdecimal() and len(row) <= 18:
            self._check_row(int(row))
            await self._show(int(row))
            ui.navigate.history.replace(self._address(int(row)))

    def _address(self, row: int) -> str:
        query = self._wanted.to_query()
        return f"/read/{self._job.id}?row={row}{'&' if query else ''}{query}"

    async def _show(self, row: int) -> None:
        """Show the text first; what takes longer follows."""
        self._row = row
        reading = await asyncio.to_thread(read_document, self._explorer, self._q, row)
        if self._row != row:
            return  # somebody went on in the meantime
        self._reading = reading
        ui.page_title(f"{reading.document.title} · qdtm")
        self._show_bar()
        self._head.show(reading=reading, query=self._explorer.result.topics[self._q].name)
        self._show_text()
        self._codes.show(reading.document)
        values = await asyncio.to_thread(self._why, row)
        if self._row == row:
            self._around.show(**values)

    def _show_bar(self) -> None:
        place, row = self._places.get(self._row), self._row
        begins, ends = self._beside(row)
        before = self._rows[begins - 1] if begins else None
        after = self._rows[ends : ends + 1]
        query = self._wanted.to_query()
        verdict = None if self._check is None else self._check.verdicts.get(row)
        self._bar.show(
            row=row,
            place=place,
            n=len(self._rows),
            before=None if before is None else (before, self._address(before)),
            after=(after[0], self._address(after[0])) if after else None,
            back=f"/result/{self._job.id}?{query}{'&' if query else ''}{urlencode({'at': row})}",
            verdict=verdict,
            answer=_ANSWERS.get(verdict or "", ""),
            done=self._done[-1][0] if self._done else "",
        )

    def _beside(self, row: int) -> tuple[int, int]:
        """Return how many documents of the list come before one, and which is next to come.

        One that is not in it, perhaps since somebody said so a moment ago, stands where its relevance was.
        """
        place = self._places.get(row)
        if place is not None:
            return place, place + 1
        if self._wanted.sort != "relevance":
            return 0, 0
        relevance, _ = self._explorer.result.unchecked_relevance(self._q)
        place = int((relevance[self._rows] > relevance[row]).sum())
        return place, place

    def _show_text(self) -> None:
        text = render(
            "reader_text.html", reading=self._reading, blocks=self._reading.blocks(self._codes.codes())
        )
        self._text.set_content(text.replace("\r", "&#13;"))  # a browser would drop it, and count otherwise

    def _why(self, row: int) -> dict[str, Any]:
        """Return what carries a document's share in the topic, and the documents like it."""
        explanation = self._explorer.explain(self._q, row)
        counts = explanation.topic_counts()[:_TOPICS]
        similar = self._explorer.result.similar(row, _NEIGHBOURS)
        return {
            "words": [word for word in explanation.words() if word.share > 0][:_CARRIERS],
            "counts": [(topic, explanation.names.get(topic, topic), n) for topic, n in counts],
            "similar": [(each, self._address(each.index)) for each in similar],
            "query": explanation.query,
        }

    # --- what the visitor says ---------------------------------------------------------------------------

    async def _judge(self, answer: str) -> None:
        if answer not in _ANSWERS:
            return
        row = self._row
        before = None if self._check is None else self._check.answer_of(row)
        await self._keep_answer(row, answer)

        async def undo() -> None:
            await self._keep_answer(row, None if before is None else before.about)

        self._did(_ANSWERS[answer].capitalize(), undo)

    async def _keep_answer(self, row: int, answer: str | None) -> None:
        folder, result = self._job.folder, self._explorer.result
        self._check = await asyncio.to_thread(keep_judgement, folder, result, self._q, row, answer)

    async def _coded(self, act: Act) -> None:
        async def undo() -> None:
            await asyncio.to_thread(Journal(self._job.folder).undo, act.number)
            self._codes.show(self._reading.document)

        self._show_text()
        self._did(said(act), undo)

    def _select(self, span: str) -> None:
        self._codes.choose(span)

    def _did(self, what: str, undo: Callable[[], Awaitable[None]]) -> None:
        self._done.append((what, undo))
        self._show_bar()

    async def _undo(self, _: str) -> None:
        if self._done:
            _, undo = self._done.pop()
            await undo()
            self._show_text()
            self._show_bar()
