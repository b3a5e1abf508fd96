"""HTML for a notebook: results in the colours of the report, and how far a fit is."""

from __future__ import annotations

import html
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from qdtm.corpus.titles import id_beside
from qdtm.present.report import render_template
from qdtm.present.report_builder import word_bars
from qdtm.present.report_view import SubtopicView
from qdtm.present.theme import component_css, series_number, theme_css
from qdtm.progress import in_notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qdtm.progress import Progress
    from qdtm.queries import Concept
    from qdtm.results.documents import DocumentTable
    from qdtm.results.explain import Explanation
    from qdtm.results.result import Result
    from qdtm.results.topics import Topic


# --- results ------------------------------------------------------------------------------------------------

_MOST_ROWS, _CELL = 50, 200  # of a table, and characters of a cell

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


def concept_html(concept: Concept) -> str:
    """Return the words of a query with what supports each."""
    head = ("word", "from", "documents", "retrieved")
    rows = [(w.word, w.origin, f"{w.n_documents:,}", f"{w.n_retrieved:,}") for w in concept.words]
    return _table(concept.name, concept.check.reason, head, rows)


def documents_html(table: DocumentTable) -> str:
    """Return a list of documents as a table."""
    head = ("relevance", "about it", "subtopic", table.id_name, "title", "passage")
    rows = [
        (f"{row.relevance:.2f}", "yes" if row.about else "no", row.subtopic_name or "", row.id,
         _cut(row.title) if id_beside(row.id, row.title) else "",
         row.marked.after(row.title).shortened(_CELL))
        for row in table.rows[:_MOST_ROWS]
    ]  # fmt: skip
    n_more = len(table) - len(rows)
    return _table(table.query, f"{len(table):,} documents", head, rows, n_more)


def _table(title: str, note: str, head: Sequence[str], rows: Sequence[Sequence[str]], n_more: int = 0) -> str:
    return _box("notebook_table.html", title=title, note=note, head=head, rows=rows, n_more=n_more)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CELL else line[: _CELL - 1] + "…"


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


# --- progress -----------------------------------------------------------------------------------------------
#
# `ProgressBar`: shows how far a fit is, in a notebook as an element that is updated, elsewhere as a line.
#
# In: a `Progress` after each sweep. Out: what the user sees; nothing where nobody looks.

_SECONDS = 0.1  # between two looks
_WIDTH = 78  # of a line


class ProgressBar:
    """What a model shows by itself where somebody looks; a copy of your own may write to another stream.

    Parameters
    ----------
    stream : text stream, optional
        Where the line goes outside of notebooks; stderr by default, and only if it is a terminal.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream
        self._handle: Any = None
        self._next = 0.0
        self._stages: set[tuple[int, str, str | None]] = set()

    def __call__(self, progress: Progress) -> None:
        """Show where the fit is, at most ten times a second."""
        stage, now = (progress.chain, progress.stage, progress.query), time.monotonic()
        if stage in self._stages and now < self._next and progress.sweep < progress.max_sweeps:
            return
        self._stages.add(stage)
        self._next = now + _SECONDS
        if in_notebook():
            self._show_element(progress)
        else:
            self._show_line(progress)

    def close(self) -> None:
        """Take the line away, or say in the element that it is done; nothing where nothing was shown."""
        if self._handle is not None:
            self._handle.update(_html(progress_html(None)))
            self._handle = None
        elif self._stages and not in_notebook() and (stream := self.stream or sys.stderr).isatty():
            stream.write(f"\r{'':<{_WIDTH}}\r")
            stream.flush()
        self._stages = set()

    def _show_element(self, progress: Progress) -> None:
        from IPython.display import display

        element = _html(progress_html(progress))
        if self._handle is None:
            self._handle = display(element, display_id=True)
        else:
            self._handle.update(element)

    def _show_line(self, progress: Progress) -> None:
        stream = self.stream or sys.stderr
        if stream.isatty():
            of = f" of {progress.query}" if progress.query else ""
            line = f"{progress.run}{progress.stage}{of}: {progress.note}"
            stream.write(f"\r{line[:_WIDTH]:<{_WIDTH}}")
            stream.flush()

    def __getstate__(self) -> dict[str, Any]:
        return {"stream": None, "_handle": None, "_next": 0.0, "_stages": set()}  # a copy shows its own


def _html(text: str) -> Any:
    from IPython.display import HTML

    return HTML(text)
