"""The page of keyword in context: what is searched, every place in the corpus that has it, aligned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from nicegui import ui

from qdtm.app.context import AppContext
from qdtm.app.corpora import read_about
from qdtm.app.explorer import Explorer
from qdtm.app.pages.frame import button, dialog, frame, page, while_waiting
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded
from qdtm.app.workspace import NotFoundError
from qdtm.corpus import Corpus
from qdtm.corpus.tokenizer import is_right_to_left
from qdtm.errors import QdtmError
from qdtm.progress import Cancelled, cancel_when
from qdtm.queries.concordance import LONGEST_SEARCH, Concordance, ConcordanceLine
from qdtm.results.passages import Mark, Passage, whole

_LINES = 1_000
_WIDTH = 90  # characters on either side; the page shows what there is room for
_LONGEST = 20_000  # characters of a document that are shown
_AT_ONCE = asyncio.Semaphore(2)  # searches, of all visitors together


@dataclass(frozen=True)
class Searched:
    """What is searched: a corpus, or that of a result, whose relevance and dates are known too."""

    corpus_id: str
    name: str
    corpus: Corpus
    job_id: str = ""
    explorer: Explorer | None = None
    q: int = 0

    @property
    def columns(self) -> dict[str, str]:
        """What lines can be sorted by, and how the columns are headed."""
        known = {"left": "Before", "": "Found", "right": "After", "document": "Document"}
        if self.explorer is not None:
            known["relevance"] = "Relevance"
            known |= {"date": "Date"} if self.explorer.days is not None else {}
        return known

    def find(self, text: str, sort: str) -> Concordance:
        """Return the lines, the first of all in their order."""
        if self.explorer is None:
            return self.corpus.concordance(text, width=_WIDTH, sort=sort, limit=_LINES)
        return self.explorer.result.concordance(text, width=_WIDTH, sort=sort, limit=_LINES, of=self.q)

    def further(self, line: ConcordanceLine) -> list[str]:
        """Return what stands in the columns after the document."""
        if self.explorer is None:
            return []
        cells = [f"{self.explorer.scores(self.q).relevance[line.row]:.2f}"]
        if self.explorer.days is not None:
            day = self.explorer.days[line.row]
            cells.append("" if np.isnat(day) else str(day))
        return cells


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/kwic/{corpus_id}")
    async def kwic(
        corpus_id: str, q: str = "", sort: str = "document", job: str = "", query: int = 0
    ) -> None:
        opening = _of_result(context, corpus_id, job, query) if job else _of_corpus(context, corpus_id)
        links = {"Query": f"/ask/{corpus_id}"} | ({"Explore": f"/result/{job}?query={query}"} if job else {})
        with frame("Search", "", links):
            searched = await while_waiting("Opening the corpus …", opening)
            await KwicPage(searched, q, sort).build()


def _of_corpus(context: AppContext, corpus_id: str) -> Callable[[], Searched]:
    about = read_about(context.workspace, corpus_id)
    return lambda: Searched(corpus_id, about.name, context.opened.corpus(corpus_id).corpus)


def _of_result(context: AppContext, corpus_id: str, job_id: str, q: int) -> Callable[[], Searched]:
    request = context.jobs.get(job_id).request
    if not isinstance(request, FitRequest) or request.corpus != corpus_id:
        raise NotFoundError("There is no such result of this corpus.")
    number = q if 0 <= q < len(request.queries) else 0

    def opened() -> Searched:
        explorer = context.opened.result(job_id)
        return Searched(corpus_id, request.corpus_name, explorer.result.corpus, job_id, explorer, number)

    return opened


class KwicPage:
    """One visitor's search."""

    def __init__(self, searched: Searched, text: str, sort: str) -> None:
        self._searched, self._text = searched, text
        self._sort = sort if sort and sort in searched.columns else "document"
        self._found: Concordance | None = None
        self._turn = 0

    async def build(self) -> None:
        """Make the elements."""
        Panel("kwic_title.html", name=self._searched.name, n_documents=self._searched.corpus.n_documents)
        field = ui.input("Search", value=self._text, on_change=lambda e: guarded(self._typed, e.value))
        field.props(f"outlined debounce=350 clearable autofocus autocomplete=off maxlength={LONGEST_SEARCH}")
        field.classes("query-text")
        self._lines = Panel("kwic.html", {"sort": self._sort_by, "open": self._open})
        with dialog("The document", "dialog wide") as self._dialog:
            self._document = Panel("kwic_document.html", document=None)
            with ui.element("div").classes("actions"):
                button("Close", self._dialog.close, id="close-document")
        await self._search()

    async def _typed(self, text: str | None) -> None:
        self._text = text or ""
        await self._search()

    async def _sort_by(self, sort: str) -> None:
        if sort and sort in self._searched.columns:
            self._sort = sort
            await self._search()

    async def _search(self) -> None:
        """Search anew; what is overtaken by a newer search ends, and is not shown."""
        self._turn += 1
        turn, text, sort = self._turn, self._text.strip(), self._sort
        self._remember(text)
        if not text:
            self._show(None)
            return
        self._lines.classes("stale")  # until something is shown
        async with _AT_ONCE:
            if turn != self._turn:
                return
            try:
                with cancel_when(lambda: turn != self._turn or self._lines.is_deleted):
                    found = await asyncio.to_thread(self._searched.find, text, sort)
            except Cancelled:
                return
            except QdtmError as error:
                if turn == self._turn:
                    self._show(None, str(error))
                return
        if turn == self._turn and not self._lines.is_deleted:
            self._show(found)

    def _remember(self, text: str) -> None:
        """Keep the search in the address, so that it can be sent and comes back."""
        state = {"q": text, "sort": self._sort}
        if self._searched.job_id:
            state |= {"job": self._searched.job_id, "query": str(self._searched.q)}
        ui.navigate.history.replace(f"/kwic/{self._searched.corpus_id}?{urlencode(state)}")

    def _show(self, found: Concordance | None, problem: str = "") -> None:
        self._found = found
        self._lines.classes(remove="stale")
        lines = [(line, self._searched.further(line)) for line in found or ()]
        self._lines.show(
            found=found,
            lines=lines,
            problem=problem,
            sort=self._sort,
            columns=self._searched.columns,
            job=self._searched.job_id,
            query=self._searched.q,
            direction="rtl" if lines and is_right_to_left(lines[0][0].keyword) else "ltr",
        )

    async def _open(self, row: str) -> None:
        """Show the text of a document, with what was found in it."""
        corpus, found = self._searched.corpus, self._found
        if found is None or not row.isdecimal() or len(row) > 18 or int(row) >= corpus.n_documents:
            return
        document = await asyncio.to_thread(corpus.documents.__getitem__, int(row))
        marks = [Mark(x.start, x.end, 1.0) for x in found if x.row == int(row)]
        self._document.show(document=document, passage=_shown(document.text, marks))
        self._dialog.open()


def _shown(text: str, marks: list[Mark]) -> Passage:
    passage = whole(text[:_LONGEST], [mark for mark in marks if mark.end <= _LONGEST])
    return Passage(passage.pieces, cut_after=len(text) > _LONGEST)
