"""The compare page: two results side by side, such as two phrasings of one question."""

from __future__ import annotations

from typing import Any

from qdtm.app.context import AppContext
from qdtm.app.exploring import Explorer
from qdtm.app.pages.frame import frame, page, while_waiting
from qdtm.app.panel import Panel
from qdtm.report.building import word_bars
from qdtm.results.comparison import Comparison, compare_topics


def register(context: AppContext) -> None:
    """Add the page."""

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
