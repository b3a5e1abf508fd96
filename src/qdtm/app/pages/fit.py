"""The fit page: how far it is, live; it can be closed, and found again."""

from __future__ import annotations

from typing import Any

import numpy as np
from nicegui import ui

from qdtm.app.context import AppContext
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import frame, page, show_problem
from qdtm.app.panel import Panel
from qdtm.app.requests import FitRequest
from qdtm.app.workspace import NotFoundError
from qdtm.report.charts import LineChart, line_chart

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
            _watch(context, job_id, job.request, names)


def _watch(context: AppContext, job_id: str, request: FitRequest, names: str) -> None:
    panel = Panel("fit.html", {"stop": lambda _: context.jobs.cancel(job_id)})

    def look() -> None:
        job = context.jobs.get(job_id)
        if job.has_result:
            timer.cancel()
            newest = f"?query={len(request.queries) - 1}" if request.base else ""
            ui.navigate.to(f"/result/{job_id}{newest}")
        elif job.has_ended:
            timer.cancel()
            panel.delete()
            message = (
                job.message or "The server went away during this fit, and nothing was kept. Start it again."
            )
            show_problem(message, f"/ask/{request.corpus}", "Back to the query")
            Panel("mentions.html", mentions=job.outcome.get("mentions", ()))
        else:
            panel.show(
                job=job, names=names, request=request, curves=curves_of(job), share=share_of(job.progress)
            )

    timer = ui.timer(_SECONDS, look)
    look()


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
