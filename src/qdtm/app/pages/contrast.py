"""The contrast page: two queries of a result, and what one has and the other has not."""

from __future__ import annotations

from typing import Any

from qdtm.app.context import AppContext
from qdtm.app.exploring import Explorer
from qdtm.app.pages.frame import frame, page, while_waiting
from qdtm.app.panel import Panel
from qdtm.app.workspace import NotFoundError
from qdtm.report.contrasts import view_contrast
from qdtm.results.contrast import contrast_queries

_WORDS, _DOCUMENTS = 15, 5


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/contrast/{job_id}/{left}/{right}")
    async def contrast(job_id: str, left: int, right: int) -> None:
        with frame("Contrast", "Explore"):
            values = await while_waiting(
                "Opening the result …", lambda: _contrast(context.opened.result(job_id), left, right)
            )
            Panel("contrast.html", job=job_id, **values)


def _contrast(explorer: Explorer, left: int, right: int) -> dict[str, Any]:
    n_queries = explorer.result.fit.n_queries
    if left == right or not (0 <= left < n_queries and 0 <= right < n_queries):
        raise NotFoundError("There are no two such queries in this result.")
    found = contrast_queries(explorer.result, left, right, n_words=_WORDS, n_documents=_DOCUMENTS)
    return {
        "queries": (left, right),
        "found": found,
        "view": view_contrast(explorer.result, left, right, found),
    }
