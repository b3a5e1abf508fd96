"""The result page: topics, subtopics and documents, looked into, named, asked again, taken away."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from nicegui import ui

from qdtm.app.annotations import note_opened, write_label
from qdtm.app.context import AppContext
from qdtm.app.downloads import KINDS, source_of, unavailable
from qdtm.app.drafts import Draft, drafts_to_text
from qdtm.app.explorer import SORTS, DocumentFilter, Explorer, carriers
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import button, frame, page, while_waiting
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded
from qdtm.app.workspace import NotFoundError
from qdtm.present.methods import methods_paragraph
from qdtm.present.program import program

_PAGE = 10
_MOST_SHOWN = 500
_ASKED_WORDS = 8
_CARRIERS = 12
_LONGEST = 20_000  # characters of a document that are shown


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/result/{job_id}")
    async def result(job_id: str, query: int = 0) -> None:
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such result.")
        if not job.has_result:
            ui.navigate.to(f"/fit/{job_id}")
            return
        q = query if 0 <= query < len(job.request.queries) else 0
        again = drafts_to_text([Draft.of(each) for each in job.request.queries])
        links = {"Query": f"/ask/{job.request.corpus}?ask={quote(again)}"}
        with frame(job.request.queries[q].name, "Explore", links):
            explorer = await while_waiting("Opening the result …", lambda: open_result(context, job_id, q))
            await ResultPage(context, job, job.request, explorer, q).build()


def open_result(context: AppContext, job_id: str, q: int) -> Explorer:
    """Open a result, and work out what its page shows first."""
    explorer = context.opened.result(job_id)
    explorer.view(q)
    return explorer


class ResultPage:
    """One visitor's look at one query of a result."""

    def __init__(
        self, context: AppContext, job: Job, request: FitRequest, explorer: Explorer, q: int
    ) -> None:
        self._context, self._job, self._request = context, job, request
        self._explorer, self._q = explorer, q
        self._filter = DocumentFilter(n=_PAGE)

    async def build(self) -> None:
        """Make the elements."""
        actions = {"documents": self._only, "rename": self._ask_name, "drill": self._drill, "ask": self._ask}
        self._topic = Panel("topic.html", actions)
        self._build_documents()
        self._build_explanation()
        self._build_naming()
        Panel("trends.html", **await self._topic_values())
        self._build_take_away()
        await self._show_topic()
        await self._show_documents()

    # --- the topic ---------------------------------------------------------------------------------------

    async def _topic_values(self) -> dict[str, Any]:
        view = await asyncio.to_thread(self._explorer.view, self._q)
        result = self._explorer.result
        return {
            "job": self._job,
            "result": result,
            "query": view,
            "q": self._q,
            "notes": self._explorer.notes,
            "names": [topic.name for topic in result.topics],
            "columns": result.fit.presentation,
        }

    async def _show_topic(self) -> None:
        self._topic.show(**await self._topic_values())

    async def _drill(self, id: str) -> None:
        """Open a subtopic into its own; everybody who opens the result from now on sees them."""
        await asyncio.to_thread(note_opened, self._job.folder, self._explorer.result, id)
        await self._reopen()

    def _ask(self, id: str) -> None:
        """Ask for a subtopic as a query of its own: its most telling words are the keywords, any will do."""
        topic = self._explorer.result.topic(id)
        words = dict.fromkeys([*topic.label_words, *(word for word, _ in topic.top_words(_ASKED_WORDS))])
        asked = drafts_to_text([Draft(rule="or", keywords=tuple(words)[:_ASKED_WORDS])])
        ui.navigate.to(f"/ask/{self._request.corpus}?{urlencode({'ask': asked})}")

    # --- naming ------------------------------------------------------------------------------------------

    def _build_naming(self) -> None:
        self._named = ""
        with ui.dialog() as self._naming, ui.element("div").classes("dialog").props("role=document"):
            Panel("dialog_title.html", text="Name this subtopic")
            self._name = ui.input("Name (empty: from its words)").props("outlined maxlength=200 autofocus")
            self._name.on("keydown.enter", lambda: guarded(self._rename))
            with ui.element("div").classes("actions"):
                button("Keep", lambda: guarded(self._rename), id="keep-name")
                button("Cancel", self._naming.close, plain=True)

    def _ask_name(self, id: str) -> None:
        topic = self._explorer.result.topic(id)
        self._named = topic.id
        self._name.set_value(topic.label or "")
        self._naming.open()

    async def _rename(self) -> None:
        """Keep the name; everybody who opens the result from now on sees it."""
        write_label(self._job.folder, self._explorer.result, self._named, self._name.value or "")
        self._naming.close()
        await self._reopen()

    async def _reopen(self) -> None:
        """Show the result as it is now."""
        self._explorer = await asyncio.to_thread(self._context.opened.result, self._job.id)
        await self._show_topic()
        await self._show_documents()

    # --- documents ---------------------------------------------------------------------------------------

    def _build_documents(self) -> None:
        Panel("documents_title.html")
        with ui.element("div").classes("fields-row"):
            search = ui.input("Search in these documents", on_change=lambda e: guarded(self._search, e.value))
            search.props("outlined dense debounce=250 clearable maxlength=200").classes("word-input")
            if self._explorer.days is not None:
                options = {
                    "relevance": "most relevant first",
                    "newest": "newest first",
                    "oldest": "oldest first",
                }
                sort = ui.select(
                    options,
                    label="Order",
                    value="relevance",
                    on_change=lambda e: guarded(self._sort, e.value),
                )
                sort.props("outlined dense options-dense").classes("choice")
        actions = {"only": self._only, "more": self._more, "explain": self._explain}
        self._documents = Panel("documents.html", actions)

    async def _show_documents(self) -> None:
        found = await asyncio.to_thread(self._explorer.find, self._q, self._filter)
        topic = self._explorer.result.topics[self._q]
        self._documents.show(found=found, filter=self._filter, topic=topic, page=_PAGE)

    async def _only(self, subtopic: str) -> None:
        ids = self._explorer.scores(self._q).ids
        self._filter = replace(self._filter, subtopic=subtopic if subtopic in ids else None, n=_PAGE)
        await self._show_documents()

    async def _search(self, text: str | None) -> None:
        self._filter = replace(self._filter, search=text or "", n=_PAGE)
        await self._show_documents()

    async def _sort(self, value: str) -> None:
        self._filter = replace(self._filter, sort=next((s for s in SORTS if s == value), "relevance"))
        await self._show_documents()

    async def _more(self, _: str) -> None:
        self._filter = replace(self._filter, n=min(self._filter.n + 2 * _PAGE, _MOST_SHOWN))
        await self._show_documents()

    # --- a document's explanation ------------------------------------------------------------------------

    def _build_explanation(self) -> None:
        with ui.dialog() as self._explaining, ui.element("div").classes("dialog wide"):
            self._explanation = Panel("explanation.html", explanation=None)
            with ui.element("div").classes("actions"):
                button("Close", self._explaining.close, id="close-explanation")

    async def _explain(self, row: str) -> None:
        if not row.isdecimal() or len(row) > 18 or int(row) >= self._explorer.result.corpus.n_documents:
            return
        explanation = await asyncio.to_thread(self._explorer.explain, self._q, int(row))
        counts = [(t, explanation.names.get(t, t), n) for t, n in explanation.topic_counts()[:8]]
        self._explanation.show(
            explanation=explanation,
            passage=explanation.passage(_LONGEST),
            words=carriers(explanation)[:_CARRIERS],
            counts=counts,
        )
        self._explaining.open()

    # --- take away ---------------------------------------------------------------------------------------

    def _build_take_away(self) -> None:
        others = [
            (each.id, ", ".join(query.name for query in each.request.queries), each.request.corpus_name)
            for each in self._context.jobs.fits()
            if isinstance(each.request, FitRequest) and each.has_result and each.id != self._job.id
        ]
        names = [topic.name for topic in self._explorer.result.topics]
        Panel(
            "take_away.html",
            job=self._job,
            corpus=self._request.corpus,
            kinds=[(kind, unavailable(kind)) for kind in KINDS],
            program=program(self._explorer.result, source_of(self._request)),
            methods=methods_paragraph(self._explorer.result),
            others=others[:20],
            q=self._q,
            siblings=[(i, name) for i, name in enumerate(names) if i != self._q],
        )
