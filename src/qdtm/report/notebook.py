"""Results in, HTML for a notebook out: the bars, marks and colours of the report, in a box of their own."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from qdtm.report.building import word_bars
from qdtm.report.palette import series_number
from qdtm.report.rendering import render_template
from qdtm.report.theme import component_css, theme_css
from qdtm.report.view import SubtopicView

if TYPE_CHECKING:
    from qdtm.results.explain import Explanation
    from qdtm.results.result import Result
    from qdtm.results.topic import Topic
    from qdtm.sampler.progress import Progress

_STAGES = {"background": "background", "parents": "parent topics", "subtopics": "subtopics"}


def topic_html(topic: Topic) -> str:
    """Return a topic with its words, and its subtopics beside it."""
    return _box("notebook_topics.html", topics=[_topic_values(topic, 10)], title="")


def result_html(result: Result) -> str:
    """Return the topics of all queries."""
    topics = [_topic_values(t, 8, result.relevance(q).summary()) for q, t in enumerate(result.topics)]
    n = result.corpus.n_documents
    return _box("notebook_topics.html", topics=topics, title=f"{n:,} documents, {len(topics)} queries")


def explanation_html(explanation: Explanation) -> str:
    """Return a document with the words that count marked, and what became of its tokens."""
    counts = [(topic, explanation.names.get(topic, topic), n) for topic, n in explanation.topic_counts()[:8]]
    heaviest = sorted(explanation.tokens, key=lambda token: -token.share)[:10]
    return _box(
        "notebook_explanation.html",
        explanation=explanation,
        passage=explanation.passage(4_000),
        counts=counts,
        tokens=heaviest,
    )


def progress_html(progress: Progress | None) -> str:
    """Return a bar that shows where a fit is; None is its end."""
    if progress is None:
        return "<div>done</div>"
    share = 100 * progress.sweep / max(progress.max_sweeps, 1)
    name = progress.run + _STAGES.get(progress.stage, progress.stage)
    if progress.query is not None:
        name += f" of {progress.query}"
    note = progress.note
    return (
        f'<div style="display:flex;gap:.8em;align-items:center;font-family:system-ui,sans-serif">'
        f'<span style="min-width:12em">{html.escape(name)}</span>'
        f'<progress max="100" value="{share:.0f}" style="flex:0 0 14em"></progress><span>{note}</span></div>'
    )


def _topic_values(topic: Topic, n_words: int, about: str = "") -> dict[str, Any]:
    subtopics = [
        SubtopicView(
            id=each.id,
            name=each.short_name,
            color=series_number(s),
            of_parent=each.prevalence / topic.prevalence_below if topic.prevalence_below else 0.0,
            words=word_bars(each.top_words(n_words)),
            documents=(),
        )
        for s, each in enumerate(topic.subtopics[:6])
    ]
    n_more = len(topic.subtopics) - len(subtopics)
    words = word_bars(topic.top_words(n_words))
    return {"topic": topic, "about": about, "words": words, "subtopics": subtopics, "n_more": n_more}


def _box(template: str, **values: Any) -> str:
    """Fill a template, with the style sheet before it, whose rules reach no further than the box."""
    style = theme_css(".q-notebook") + f".q-notebook{{{component_css()}}}"
    return render_template(template, style=style, **values)
