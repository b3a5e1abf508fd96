"""`Trends` in, figures of topics over time and by group out."""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.errors import ParameterError
from qdtm.figures.canvas import dress, plain, plotly
from qdtm.report.palette import series
from qdtm.results.result import Result
from qdtm.results.trends import Trends


def over_time(result: Result, trends: Trends, query: str | int | None = None) -> Any:
    """Draw the share of documents about topics over time, with their 95 % intervals.

    Parameters
    ----------
    result : Result
    trends : Trends
        From `topics_over_time`.
    query : str or int, optional
        Its subtopics; without, the parent topics.
    """
    if trends.starts is None:
        raise ParameterError("These are topics by group; use visualize_topics_per_class.")
    figure = plotly().Figure()
    when = trends.starts.astype("datetime64[s]").astype(object)
    for number, (name, column) in enumerate(_columns(result, trends, query)):
        share, low, high = (values[:, column] for values in (trends.share, trends.low, trends.high))
        known = np.isfinite(share)
        band = plotly().Scatter(
            x=[*when[known], *when[known][::-1]],
            y=[*high[known], *low[known][::-1]],
            fill="toself",
            fillcolor=series(number),
            opacity=0.15,
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=str(column),
        )
        line = plotly().Scatter(
            x=when, y=share, name=plain(name), line={"color": series(number)}, legendgroup=str(column),
            hovertemplate="%{x|%Y-%m-%d}: %{y:.2%}<extra></extra>",
        )  # fmt: skip
        figure.add_traces([band, line])
    title = f"{_what(result, query)} over time ({trends.column})"
    return dress(
        figure,
        title,
        height=480,
        yaxis={"tickformat": ".1%", "rangemode": "tozero", "title": "share of documents about it"},
    )


def per_class(result: Result, trends: Trends, query: str | int | None = None) -> Any:
    """Draw the share of documents about topics in each group, with their 95 % intervals.

    Parameters
    ----------
    result : Result
    trends : Trends
        From `topics_per_class`.
    query : str or int, optional
        Its subtopics; without, the parent topics.
    """
    figure = plotly().Figure()
    for number, (name, column) in enumerate(_columns(result, trends, query)):
        share = trends.share[:, column]
        bars = plotly().Bar(
            x=[plain(group) for group in trends.bins],
            y=share,
            name=plain(name),
            marker_color=series(number),
            error_y={
                "type": "data", "symmetric": False, "thickness": 1,
                "array": trends.high[:, column] - share, "arrayminus": share - trends.low[:, column],
            },
            hovertemplate="%{x}: %{y:.2%}<extra></extra>",
        )  # fmt: skip
        figure.add_trace(bars)
    title = f"{_what(result, query)} by {trends.column}"
    return dress(
        figure,
        title,
        height=480,
        barmode="group",
        yaxis={"tickformat": ".1%", "title": "share of documents about it"},
    )


def _columns(result: Result, trends: Trends, query: str | int | None) -> list[tuple[str, int]]:
    """Return the names of the topics that are drawn, and where they stand among the trends."""
    if query is None:
        topics = list(result.topics)
    else:
        parent = result.topics[result.query_index(query)]
        topics = list(parent.subtopics) or [parent]
    return [(f"{topic.id} {topic.short_name}"[:60], trends.topics.index(topic.id)) for topic in topics]


def _what(result: Result, query: str | int | None) -> str:
    return "Topics" if query is None else f"Subtopics of {result.topics[result.query_index(query)].name}"
