"""The compare and contrast pages: two results side by side, or two queries of one."""

from __future__ import annotations

from typing import Any

from qdtm.app.context import AppContext
from qdtm.app.explorer import Explorer
from qdtm.app.pages.frame import frame, page, while_waiting
from qdtm.app.templating import Panel
from qdtm.app.workspace import NotFoundError
from qdtm.present.report_builder import view_contrast, word_bars
from qdtm.results.comparison import Comparison, compare_topics
from qdtm.results.contrast import contrast_queries

# --- two results --------------------------------------------------------------------------------------------


def register(context: AppContext) -> None:
    """Add both pages."""

    @page("/compare/{left_id}/{left_query}/{right_id}/{right_query}")
    async def compare(left_id: str, left_query: int, right_id: str, right_query: int) -> None:
        def work() -> dict[str, Any]:
            left, right = context.opened.result(left_id), context.opened.result(right_id)
            q_left, q_right = _within(left, left_query), _within(right, right_query)
            sides = [_side(left, left_id, q_left), _side(right, right_id, q_right)]
            return {"sides": sides, "comparison": _compare(left, q_left, right, q_right)}

        with frame("Compare", "Explore"):
            values = await while_waiting("Opening the results …", work)
            Panel("compare.html", **values)

    @page("/contrast/{job_id}/{left}/{right}")
    async def contrast(job_id: str, left: int, right: int) -> None:
        with frame("Contrast", "Explore"):
            values = await while_waiting(
                "Opening the result …", lambda: _contrast(context.opened.result(job_id), left, right)
            )
            Panel("contrast.html", job=job_id, **values)


def _within(explorer: Explorer, q: int) -> int:
    return q if 0 <= q < explorer.result.fit.n_queries else 0


def _compare(left: Explorer, q_left: int, right: Explorer, q_right: int) -> Comparison:
    scores = left.scores(q_left), right.scores(q_right)
    return compare_topics(left.result, q_left, right.result, q_right, scores=scores)


def _side(explorer: Explorer, job_id: str, q: int) -> dict[str, object]:
    topic, concept = explorer.result.topics[q], explorer.result.fit.concepts[q]
    return {
        "job": job_id,
        "q": q,
        "topic": topic,
        "subtopics": {each.id: each for each in topic.subtopics},
        "words": word_bars(topic.top_words(12), concept),
        "n_documents": explorer.result.corpus.n_documents,
    }


# --- two queries --------------------------------------------------------------------------------------------
#
# The contrast page: two queries of a result, and what one has and the other has not.

_WORDS, _DOCUMENTS = 15, 5


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
