"""Fits that a visitor follows: each as it settles, what can be done with it, then what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import numpy as np
from nicegui import ui

from qdtm.app.context import AppContext
from qdtm.app.drafts import Draft, drafts_to_text
from qdtm.app.findings import read_findings
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import page, text
from qdtm.app.pages.result import open_result
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel
from qdtm.app.workspace import NotFoundError
from qdtm.errors import QdtmError, StorageError
from qdtm.present.charts import LineChart, line_chart

_SECONDS = 0.3
MOST_FOLLOWED = 6
"""Fits that are shown on one page."""


def register(context: AppContext) -> None:
    """Add the address of a fit: its result, or the page on which it was asked, with the fit beside it."""

    @page("/fit/{job_id}")
    async def fit(job_id: str) -> None:
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such fit.")
        ui.navigate.to(f"/result/{job_id}" if job.has_result else ask_address(job.request, [job_id]))


def ask_address(request: FitRequest, fits: list[str]) -> str:
    """Return the page on which something was asked, with fits beside it."""
    asked = request.added_queries if request.base else request.queries
    values = {"ask": drafts_to_text([Draft.of(query) for query in asked]), "fit": "~".join(fits)}
    if request.base:
        values["add_to"] = request.base
    return f"/ask/{request.corpus}?{urlencode(values)}"


class FitList:
    """The fits on a page, the newest first; those of other corpora, or gone, are passed over.

    Parameters
    ----------
    context : AppContext
    corpus : str
        Its id.
    ids : sequence of str
        As they stand in the address.
    on_change : callable
        Called when a fit comes or goes.
    """

    def __init__(
        self, context: AppContext, corpus: str, ids: list[str], on_change: Callable[[], None]
    ) -> None:
        self._context, self._on_change = context, on_change
        self._box = ui.element("div").classes("fits").props("id=fits")
        self._cards: list[FitCard] = []
        for id in reversed(ids[:MOST_FOLLOWED]):
            try:
                job = context.jobs.get(id)
            except (NotFoundError, StorageError):
                continue
            if isinstance(job.request, FitRequest) and job.request.corpus == corpus:
                self._show(id, job.request)
        self._timer = ui.timer(_SECONDS, self._look)

    @property
    def ids(self) -> list[str]:
        """Of the fits that are shown, the newest first."""
        return [card.id for card in self._cards]

    def find(self, request: FitRequest) -> Job | None:
        """Return the fit on this page that was asked the same and has not failed, if there is one."""
        for card in self._cards:
            job = self._context.jobs.get(card.id) if card.request == request else None
            if job is not None and (job.state == "done" or not job.has_ended):
                return job
        return None

    def add(self, id: str, request: FitRequest) -> None:
        """Show one more fit, before the others."""
        self._show(id, request)
        while len(self._cards) > MOST_FOLLOWED:
            self._cards.pop().delete()
        self._on_change()

    def _show(self, id: str, request: FitRequest) -> None:
        with self._box:
            card = FitCard(self._context, id, request, self._leave)
        card.box.move(target_index=0)
        self._cards.insert(0, card)

    def _leave(self, card: FitCard) -> None:
        self._cards.remove(card)
        card.delete()
        self._on_change()

    async def _look(self) -> None:
        for card in list(self._cards):
            await card.look()


class FitCard:
    """One fit on a page: how far it is, the words and subtopics so far; then what was found."""

    def __init__(
        self, context: AppContext, id: str, request: FitRequest, leave: Callable[[FitCard], None]
    ) -> None:
        self._context, self.id, self.request = context, id, request
        self._has_ended = False
        self.box = ui.element("section").classes("fit").props(f"id=fit-{id}")
        self.box.props["aria-label"] = f"Fit of {request.title}"
        with self.box:
            text(request.title, "h2").props("dir=auto")
            self._status = Panel("fit_status.html", job=None).props("role=status").classes("stage")
            self._details = Panel("fit.html", job=None, problem="")
            actions = {"stop": lambda _: context.jobs.cancel(id), "leave": lambda _: leave(self)}
            self._actions = Panel("fit_actions.html", actions)
        self._show(context.jobs.get(id))

    async def look(self) -> None:
        """Show how far it is; when it has ended, what was found."""
        if self._has_ended:
            return
        try:
            job = self._context.jobs.get(self.id)
        except NotFoundError as error:
            self._has_ended = True
            self._status.set_content("")
            self._details.show(job=None, problem=str(error))
            self._actions.show(gone=True)
            return
        if job.has_result and ui.context.client.has_socket_connection:
            self._has_ended = True  # before the wait: looks do not overlap
            await self._open()  # somebody reads; the result's page is to come at once
        if not self.box.is_deleted:
            self._show(job)

    async def _open(self) -> None:
        try:
            await asyncio.to_thread(open_result, self._context, self.id, self._newest)
        except QdtmError:
            return  # its page will say why

    @property
    def _newest(self) -> int:
        return len(self.request.queries) - 1 if self.request.base else 0

    def _show(self, job: Job) -> None:
        self._has_ended = job.has_ended
        findings = read_findings(job.folder) if job.has_result else ()
        shown = {"job": job, "request": self.request, "findings": findings}
        self._status.show(**shown)
        self._details.show(**shown, problem="", share=share_of(job.progress), curves=curves_of(job))
        self._actions.show(**shown, gone=False, q=self._newest)

    def delete(self) -> None:
        """Take it off the page; the fit goes on."""
        self.box.delete()


def share_of(progress: dict[str, Any]) -> float:
    """Return how much of its stage a fit has done at least, in percent."""
    most = progress.get("max_sweeps") or 0
    return min(100.0, 100.0 * progress.get("sweep", 0) / most) if most else 0.0


def curves_of(job: Job) -> list[tuple[str, LineChart]]:
    """Return the likelihood over the sweeps of each stage so far."""
    curves = []
    for name, points in job.progress.get("curves", {}).items():
        sweeps = np.array([sweep for sweep, _ in points], np.int64)
        values = np.array([value for _, value in points], np.float64)
        if len(sweeps) > 1:
            names = [f"sweep {sweep}" for sweep in sweeps]
            curves.append((name, line_chart(values, sweeps, x_names=names)))
    return curves
