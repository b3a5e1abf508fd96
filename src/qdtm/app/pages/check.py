"""The check page: documents one by one, yes, no or not sure, and what these answers say."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

from nicegui import ui
from nicegui.events import KeyEventArguments

from qdtm.app.annotations import with_checks
from qdtm.app.context import AppContext
from qdtm.app.explorer import Explorer
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import connected, frame, page, while_waiting
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded, tell
from qdtm.app.workspace import NotFoundError
from qdtm.results.hand_check.answers import MAX_NAME, MAX_NOTE, VERDICTS
from qdtm.results.hand_check.files import begin_check, keep_check
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.rounds import next_round
from qdtm.results.passages import Passage

_N_DOCUMENTS = 50
_LONGEST = 4_000  # characters of a document that are shown
_KEYS = {"y": "yes", "n": "no", "?": "unsure", "s": "skip", "b": "back"}
_RECALL = 0.95  # what "find nearly all" goes for
_NAME = "qdtm-name"  # where the browser remembers who answers


class Shown(NamedTuple):
    """A document to answer: which it is, and its text, its words marked."""

    id: str
    title: str
    passage: Passage


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
        result = with_checks(job.folder, explorer.result)
        self._kept = result.fit.check_of(q)
        self._check = begin_check(result, q, _N_DOCUMENTS)
        self._skipped: list[int] = []
        self._recall: float | None = None

    async def build(self) -> None:
        """Make the elements; the letters y, n, ?, s and b do what the buttons do."""
        self._intro = Panel("check_title.html", query=self._check.query)
        with ui.element("div").classes("fields-row"):
            self._name = ui.input("Your name, if several people answer", on_change=self._named)
            self._name.props(f"outlined dense maxlength={MAX_NAME} for=check-name").classes("word-input")
            self._note = ui.input("Note with the next answer")
            self._note.props(f"outlined dense maxlength={MAX_NOTE} for=check-note").classes("word-input")
        await connected()
        self._name.value = str(await ui.run_javascript(f"localStorage.getItem({_NAME!r}) ?? ''"))[:MAX_NAME]
        answers = dict.fromkeys(map(str, VERDICTS), self._say)
        self._panel = Panel(
            "check.html",
            {
                **answers,
                "skip": self._skip,
                "back": self._back,
                "more": self._more,
                "nearly_all": self._nearly_all,
                "settle": self._settle,
            },
        )
        ui.keyboard(on_key=self._pressed, ignore=["input", "select", "textarea"])
        await self._show()

    @property
    def _by(self) -> str:
        return " ".join(str(self._name.value or "").split())[:MAX_NAME]

    async def _named(self) -> None:
        ui.run_javascript(f"localStorage.setItem({_NAME!r}, {json.dumps(self._by)})")
        if hasattr(self, "_panel"):
            self._skipped.clear()
            await self._show()

    async def _pressed(self, event: KeyEventArguments) -> None:
        held = event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta
        act = _KEYS.get(event.key.name)
        if act is not None and event.action.keydown and not event.action.repeat and not held:
            handler = {"skip": self._skip, "back": self._back}.get(act, self._say)
            await guarded(handler, act)

    # --- what a visitor does -------------------------------------------------------------------------------

    @property
    def _left(self) -> list[int]:
        """The documents that this visitor has still to answer, those that were skipped last."""
        open_rows = self._check.open_for(self._by)
        return sorted(open_rows, key=lambda row: self._skipped.index(row) + 1 if row in self._skipped else 0)

    async def _say(self, answer: str) -> None:
        if self._left and answer in VERDICTS:
            row, note = self._left[0], str(self._note.value or "")
            await self._keep(self._check.answer(row, answer, by=self._by, note=note))
            self._note.value = ""

    async def _skip(self, _: str) -> None:
        if self._left:
            row = self._left[0]
            self._skipped = [*(each for each in self._skipped if each != row), row]
            await self._show()

    async def _back(self, _: str) -> None:
        await self._keep(self._check.without_last(self._by))

    async def _more(self, _: str) -> None:
        await self._draw()

    async def _nearly_all(self, _: str) -> None:
        self._recall = _RECALL
        await self._draw()

    async def _draw(self) -> None:
        """Draw another round, unless there is something left to answer."""
        if not self._left:
            check = await asyncio.to_thread(
                next_round, self._explorer.result, self._check, recall=self._recall
            )
            await self._keep(check)

    async def _settle(self, value: str) -> None:
        """Settle a document that people see differently: its row and what is agreed on."""
        row, _, answer = value.partition(" ")
        disagreements = {str(each): each for each in self._check.agreement.disagreements}
        if row in disagreements and answer in VERDICTS:
            await self._keep(self._check.settle(disagreements[row], answer))
        else:
            tell("That document is settled already.")

    async def _keep(self, check: HandCheck) -> None:
        """Keep the answers; the next who opens the result sees relevance that agrees with them."""
        n_documents = self._explorer.result.corpus.n_documents
        since = self._kept or HandCheck(check.query, self._check.sample)
        self._check = await asyncio.to_thread(keep_check, self._job.folder, check, n_documents, since=since)
        self._kept = self._check
        if self._recall is not None and not self._left:
            reached = await asyncio.to_thread(self._check.certificate)
            if not reached.reaches(self._recall) and len(self._check.sample) < n_documents:
                await self._draw()
                return
        await self._show()

    # --- what is shown -------------------------------------------------------------------------------------

    async def _show(self) -> None:
        values = await asyncio.to_thread(self._values)
        self._panel.show(**values)

    def _values(self) -> dict[str, Any]:
        check, left = self._check, self._left
        documents = self._explorer.result.corpus.documents
        return {
            "check": check,
            "job": self._job,
            "q": self._q,
            "n_left": len(left),
            "is_again": bool(left) and check.answer_of(left[0], self._by) is not None,
            "has_own": any(answer.by == self._by for answer in check.answers),
            "document": self._text(left[0]) if left else None,
            "estimate": check.estimate() if check.can_be_quoted else None,
            "recall": _RECALL,
            "certificate": check.certificate() if check.sample.audited or self._recall else None,
            "disagreements": [
                (row, documents[row], [each for each in check.answers if each.row == row])
                for row in check.agreement.disagreements
            ],
            "relevance": self._explorer.result.with_check(check).relevance(self._q),
            "n_documents": self._explorer.result.corpus.n_documents,
        }

    def _text(self, row: int) -> Shown:
        explanation = self._explorer.explain(self._q, row)
        document = explanation.document
        return Shown(document.id, document.title, explanation.passage(_LONGEST))
