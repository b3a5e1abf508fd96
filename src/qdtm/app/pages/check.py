"""The check page: documents one by one, yes or no, and how good the relevance is by these answers."""

from __future__ import annotations

import asyncio

from nicegui import ui
from nicegui.events import KeyEventArguments

from qdtm.app.context import AppContext
from qdtm.app.explorer import Explorer
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import frame, page, while_waiting
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded
from qdtm.app.workspace import NotFoundError
from qdtm.results.hand_check.files import begin_check, keep_check
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.passages import Passage

_N_DOCUMENTS = 50
_LONGEST = 4_000  # characters of a document that are shown
_KEYS = {"y": "yes", "n": "no", "s": "skip", "b": "back"}


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/check/{job_id}")
    async def check(job_id: str, query: int = 0) -> None:
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such result.")
        q = query if 0 <= query < len(job.request.queries) else 0
        with frame("Check", "Explore", {"Explore": f"/result/{job_id}?query={q}"}):
            explorer = await while_waiting("Opening the result …", lambda: context.opened.result(job_id))
            await CheckPage(job, explorer, q).build()


class CheckPage:
    """One visitor's answers about one query of a result."""

    def __init__(self, job: Job, explorer: Explorer, q: int) -> None:
        self._job, self._explorer, self._q = job, explorer, q
        self._check = begin_check(explorer.result, q, _N_DOCUMENTS)
        self._answers = {"yes": True, "no": False, "skip": None}

    async def build(self) -> None:
        """Make the elements; the letters y, n, s and b do what the buttons do."""
        actions = {**dict.fromkeys(self._answers, self._say), "back": self._back}
        self._panel = Panel("check.html", actions)
        ui.keyboard(on_key=self._pressed, ignore=["input", "select", "textarea"])
        await self._show()

    async def _pressed(self, event: KeyEventArguments) -> None:
        held = event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta
        act = _KEYS.get(event.key.name)
        if act is not None and event.action.keydown and not event.action.repeat and not held:
            await guarded(self._back if act == "back" else self._say, act)

    async def _say(self, answer: str) -> None:
        if self._check.open and answer in self._answers:
            await self._keep(self._check.answer(self._check.open[0], self._answers[answer]))

    async def _back(self, _: str) -> None:
        await self._keep(self._check.without_last())

    async def _keep(self, check: HandCheck) -> None:
        """Keep the answers; the next who opens the result sees relevance that agrees with them."""
        n_documents = self._explorer.result.corpus.n_documents
        await asyncio.to_thread(keep_check, self._job.folder, check, n_documents)
        self._check = check
        await self._show()

    async def _show(self) -> None:
        check = self._check
        document, passage = await asyncio.to_thread(self._next)
        estimate = await asyncio.to_thread(check.estimate) if check.said else None
        self._panel.show(
            check=check,
            job=self._job,
            q=self._q,
            document=document,
            passage=passage,
            estimate=estimate,
            n_documents=self._explorer.result.corpus.n_documents,
        )

    def _next(self) -> tuple[str, Passage | None]:
        """Return the id and the text of the next document, its words marked; nothing after the last."""
        if not self._check.open:
            return "", None
        explanation = self._explorer.explain(self._q, self._check.open[0])
        return explanation.document.id, explanation.passage(_LONGEST)
