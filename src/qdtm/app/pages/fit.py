"""The fit page: the first answer at once, how far the fit is, live; then the full result takes its place."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from nicegui import ui

from qdtm.app.context import AppContext
from qdtm.app.drafts import Draft
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import connected, frame, page, show_problem
from qdtm.app.pages.live import AnswerPanel, look_up
from qdtm.app.pages.result import open_result
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel
from qdtm.app.workspace import NotFoundError
from qdtm.present.charts import LineChart, line_chart

_SECONDS = 0.3


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/fit/{job_id}")
    async def fit(job_id: str) -> None:
        job = context.jobs.get(job_id)
        if not isinstance(job.request, FitRequest):
            raise NotFoundError("There is no such fit.")
        names = ", ".join(query.name for query in job.request.queries)
        with frame(names, "Fit", {"Query": f"/ask/{job.request.corpus}"}):
            await FitPage(context, job_id, job.request, names).build()


class FitPage:
    """One visitor's look at a fit that goes on in the background."""

    def __init__(self, context: AppContext, job_id: str, request: FitRequest, names: str) -> None:
        self._context, self._id, self._request, self._names = context, job_id, request, names
        self._has_ended = False

    async def build(self) -> None:
        """Make the elements."""
        self._head = Panel("fit.html", {"stop": lambda _: self._context.jobs.cancel(self._id)})
        self._answers = ui.element("div")
        self._details = Panel("fit_details.html", job=None)
        self._timer = ui.timer(_SECONDS, self._look)
        await self._look()
        if not self._has_ended:
            await self._show_answers()

    async def _look(self) -> None:
        """Show how far the fit is, and go to its result when it is there."""
        if self._has_ended:
            return
        job = self._context.jobs.get(self._id)
        if not job.has_ended:
            shown = {"job": job, "request": self._request}
            self._head.show(**shown, names=self._names, share=share_of(job.progress))
            self._details.show(**shown, curves=curves_of(job))
            return
        self._has_ended = True
        self._timer.cancel()
        if not job.has_result:
            self._show_failure(job)
            return
        q = len(self._request.queries) - 1 if self._request.base else 0  # the newest
        if ui.context.client.has_socket_connection:  # somebody reads; the result's page is to come at once
            await asyncio.to_thread(open_result, self._context, self._id, q)
        ui.navigate.to(f"/result/{self._id}?query={q}" if q else f"/result/{self._id}")

    def _show_failure(self, job: Job) -> None:
        for panel in (self._head, self._answers, self._details):
            panel.delete()
        message = job.message or "The server went away during this fit, and nothing was kept. Start it again."
        show_problem(message, f"/ask/{self._request.corpus}", "Back to the query")
        Panel("mentions.html", mentions=job.outcome.get("mentions", ()))

    async def _show_answers(self) -> None:
        """Show the first answer to each query that is asked, which is known from the query page as a rule."""
        asked = self._request.added_queries if self._request.base else self._request.queries
        with self._answers:
            panels = [AnswerPanel() for _ in asked]
        await connected()
        opened = await asyncio.to_thread(self._context.opened.corpus, self._request.corpus)
        drafts = [Draft.of(query) for query in self._request.queries]
        async for stage in look_up(opened, drafts, self._is_wanted):
            for panel, found in zip(panels, stage.looked[-len(asked) :], strict=True):
                panel.show_found(found, stage, named=len(asked) > 1)

    def _is_wanted(self) -> bool:
        return not self._has_ended and not self._answers.is_deleted


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
