"""`Trends` in, what a page shows of them out: a chart for each topic over time, a row for each group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qdtm.present.charts import line_chart
from qdtm.present.report_view import GroupRow, TrendView
from qdtm.present.theme import series_number
from qdtm.results.topics import Topic
from qdtm.results.trends import Trends

MOST_SUBTOPICS = 8
"""Subtopics of a query that are followed over time, and that have a column by group."""


def trend_views(trends: Trends | None, topic: Topic) -> Iterator[TrendView]:
    """Yield the parent and its largest subtopics over time, the subtopics on one scale."""
    if trends is None:
        return
    shown = [topic, *topic.subtopics[:MOST_SUBTOPICS]]
    columns = [trends.topics.index(each.id) for each in shown]
    tops = [_top(trends, columns[:1])] + [_top(trends, columns[1:])] * (len(columns) - 1)
    days = None if trends.starts is None else trends.starts.astype(float)
    for s, (each, column, top) in enumerate(zip(shown, columns, tops, strict=True), start=-1):
        chart = line_chart(
            trends.share[:, column], days, trends.low[:, column], trends.high[:, column],
            x_names=trends.bins, from_zero=True, percent=True, top=top,
        )  # fmt: skip
        color = series_number(s) if s >= 0 else 0
        yield TrendView(each.id, each.short_name, color, chart, _said(trends, column))


def _top(trends: Trends, columns: list[int]) -> float:
    """Return the end of an axis that has room for the lines of some topics.

    The band may go beyond it: what is possible in a period of three documents would flatten all others.
    """
    lines = float(np.nanmax(trends.share[:, columns], initial=0.0))
    bands = float(np.nanmax(trends.high[:, columns], initial=0.0))
    return max(min(2.0 * lines, bands), 1e-3) if lines > 0 else bands or 1.0


def _said(trends: Trends, column: int) -> str:
    """Say a chart in words: its first, highest and last period."""
    known = np.flatnonzero(trends.n_documents)
    best = known[np.nanargmax(trends.share[known, column])]
    parts = [
        f"{trends.about[b, column]:,} of {trends.n_documents[b]:,} documents in {trends.bins[b]}"
        for b in dict.fromkeys((known[0], best, known[-1]))
    ]
    return ", ".join(parts)


def group_rows(trends: Trends | None, topic: Topic) -> Iterator[GroupRow]:
    """Yield a row for each group: documents about the query, their share, and those of its subtopics."""
    if trends is None:
        return
    column = trends.topics.index(topic.id)
    subtopics = [trends.topics.index(each.id) for each in topic.subtopics[:MOST_SUBTOPICS]]
    widest = max(float(np.nanmax(trends.high[:, column])), 1e-12)
    for b, group in enumerate(trends.bins):
        share, low, high = (float(x[b, column]) for x in (trends.share, trends.low, trends.high))
        yield GroupRow(
            group=group,
            n_documents=int(trends.n_documents[b]),
            about=int(trends.about[b, column]),
            share=share,
            low=low,
            high=high,
            widest=widest,
            subtopics=[int(trends.about[b, c]) for c in subtopics],
        )
