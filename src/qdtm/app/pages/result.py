"""The result page: topics, subtopics and documents, looked into, named, asked again, taken away."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request
from nicegui import ui

from qdtm.app.context import AppContext
from qdtm.app.corpora import CorpusGoneError
from qdtm.app.downloads import KINDS, source_of, unavailable
from qdtm.app.drafts import Draft, drafts_to_text
from qdtm.app.explorer import DocumentFilter, Explorer
from qdtm.app.jobs import Job
from qdtm.app.pages.bin import Remains, tell_of_corpus
from qdtm.app.pages.documents import DocumentsSection
from qdtm.app.pages.frame import frame, page, while_waiting
from qdtm.app.pages.topic import TopicSection
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Action, Panel
from qdtm.app.workspace import NotFoundError
from qdtm.present.methods import methods_paragraph
from qdtm.present.program import program


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/result/{job_id}")
    async def result(job_id: str, request: Request) -> None:
        wanted = DocumentFilter.from_query(request.query_params)
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such result.")
        if not job.has_result:
            ui.navigate.to(f"/fit/{job_id}")
            return
        wanted = wanted.within(len(job.request.queries))
        q = wanted.query
        again = drafts_to_text([Draft.of(each) for each in job.request.queries])
        links = {"Ask": f"/ask/{job.request.corpus}?ask={quote(again)}"}
        with frame(job.request.queries[q].name, "Explore", links):
            try:
                explorer = await while_waiting(
                    "Opening the result …", lambda: open_result(context, job_id, q)
                )
            except CorpusGoneError:
                Remains(job, job.request, q)
                return
            tell_of_corpus(context, job.request)
            at = request.query_params.get("at", "")
            await ResultPage(context, job, job.request, explorer, wanted, at).build()


def open_result(context: AppContext, job_id: str, q: int) -> Explorer:
    """Open a result, and work out what its page shows first."""
    explorer = context.opened.result(job_id)
    explorer.view(q)
    return explorer


class ResultPage:
    """One visitor's look at one query of a result."""

    def __init__(
        self,
        context: AppContext,
        job: Job,
        request: FitRequest,
        explorer: Explorer,
        wanted: DocumentFilter,
        at: str = "",
    ) -> None:
        self._context, self._job, self._request = context, job, request
        self._explorer, self._q = explorer, wanted.query
        self._documents = DocumentsSection(job, explorer, wanted, at)

    async def build(self) -> None:
        """Make the elements."""
        actions: dict[str, Action] = {"documents": self._documents.only, "word": self._documents.word}
        topic = TopicSection(
            self._context, self._job, self._request, self._explorer, self._q, actions, self._reopened
        )
        await topic.build()
        self._documents.build()
        self._build_take_away()
        await self._documents.show()

    async def _reopened(self, explorer: Explorer) -> None:
        """Show the documents of a result that was corrected."""
        self._explorer = explorer
        await self._documents.show(explorer)

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
            kinds=[(kind, unavailable(kind)) for kind in KINDS],
            program=program(self._explorer.result, source_of(self._request)),
            methods=methods_paragraph(self._explorer.result),
            others=others[:20],
            q=self._q,
            siblings=[(i, name) for i, name in enumerate(names) if i != self._q],
        )
