"""A result as plotly figures (extra `plot`), returned and never shown.

Names of topics come from the user's texts, and plotly shows some tags as markup: `plain` makes them text.
"""

from __future__ import annotations

import html
import textwrap
from typing import Any

import numpy as np

from qdtm.errors import MissingExtraError, ParameterError
from qdtm.present.theme import LIGHT, SERIES_LIGHT, series
from qdtm.results.comparison import Sensitivity
from qdtm.results.contrast import SURE, contrast_queries
from qdtm.results.result import Result
from qdtm.results.splits import above, path_of
from qdtm.results.topics import Topic
from qdtm.results.trends import Trends

# --- plotly -------------------------------------------------------------------------------------------------

_FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif"


def plotly() -> Any:
    """Return `plotly.graph_objects`.

    Raises
    ------
    MissingExtraError
        If plotly is not installed.
    """
    try:
        import plotly.graph_objects as graph_objects
    except ImportError:
        raise MissingExtraError(
            "A figure needs plotly, which is not installed: pip install 'qdtm[plot]'."
        ) from None
    return graph_objects


def dress(figure: Any, title: str, *, height: int | None = None, **layout: Any) -> Any:
    """Give a figure its title and the look of the report."""
    figure.update_layout(
        title={"text": plain(title), "x": 0.02, "xanchor": "left"},
        template="plotly_white",
        font={"family": _FONT, "color": LIGHT["ink"]},
        paper_bgcolor=LIGHT["panel"],
        plot_bgcolor=LIGHT["panel"],
        colorway=list(SERIES_LIGHT),
        margin={"l": 60, "r": 30, "t": 70, "b": 50},
        height=height,
        **layout,
    )
    return figure


def plain(text: str, width: int | None = None) -> str:
    """Return a text that plotly shows as it is, broken into lines of `width` characters."""
    lines = textwrap.wrap(text, width) if width else [text]
    return "<br>".join(html.escape(line, quote=False) for line in lines)


# --- words and sizes ----------------------------------------------------------------------------------------
#
# A `Result` in, figures of its words and sizes out.

_COLUMNS = 3
_MOST = 12


def barchart(result: Result, query: str | int | None = None, n_words: int = 8) -> Any:
    """Draw the words of topics as bars.

    Parameters
    ----------
    result : Result
    query : str or int, optional
        Its parent topic and its subtopics; without, the parent topics of all queries.
    n_words : int
        Of each topic.

    Returns
    -------
    plotly Figure
    """
    plotly()
    from plotly.subplots import make_subplots

    if query is None:
        topics, title = list(result.topics), "Topics and their most probable words"
        colours = [series(k) for k in range(len(topics))]
    else:
        parent = result.topics[result.query_index(query)]
        topics, title = [parent, *parent.subtopics], f"{parent.name}: the topic and its subtopics"
        colours = [LIGHT["accent"], *(series(s) for s in range(len(parent.subtopics)))]
    left_out = len(topics) - _MOST
    topics = topics[:_MOST]
    n_rows = -(-len(topics) // _COLUMNS)
    figure = make_subplots(
        rows=n_rows,
        cols=min(_COLUMNS, len(topics)),
        subplot_titles=[plain(f"{topic.id} {topic.short_name}"[:60], 30) for topic in topics],
        horizontal_spacing=0.12,
        vertical_spacing=min(0.15, 0.4 / n_rows),
    )
    for position, (topic, colour) in enumerate(zip(topics, colours, strict=False)):
        figure.add_trace(_bars(topic, n_words, colour), position // _COLUMNS + 1, position % _COLUMNS + 1)
    more = f" (the {len(topics)} largest of {len(topics) + left_out})" if left_out > 0 else ""
    return dress(figure, title + more, height=110 + n_rows * (90 + 22 * n_words), showlegend=False)


def _bars(topic: Topic, n_words: int, colour: str) -> Any:
    words = topic.top_words(n_words)[::-1]
    return plotly().Bar(
        x=[probability for _, probability in words],
        y=[plain(word) for word, _ in words],
        orientation="h",
        marker_color=colour,
        hovertemplate="%{y}: %{x:.4f}<extra></extra>",
    )


def hierarchy(result: Result, kind: str = "treemap") -> Any:
    """Draw parents, their subtopics and the background by size.

    Parameters
    ----------
    result : Result
    kind : {"treemap", "sunburst"}
    """
    if kind not in ("treemap", "sunburst"):
        raise ParameterError(f"kind is {kind!r}; give 'treemap' or 'sunburst'.")
    ids, parents, names, values, colours = ["corpus"], [""], ["corpus"], [0.0], [LIGHT["sunken"]]
    for k, topic in enumerate((*result.topics, *result.background)):
        is_query = k < len(result.topics)
        for each in topic.walk():
            rest = each.prevalence - sum(below.prevalence for below in each.subtopics)
            ids.append(each.id)
            parents.append(above(each.id) or "corpus")
            names.append(plain(each.short_name))
            values.append(max(rest, 0.0))
            colours.append(series(k) if is_query else LIGHT["line"])
    draw = plotly().Treemap if kind == "treemap" else plotly().Sunburst
    trace = draw(
        ids=ids,
        parents=parents,
        labels=names,
        values=values,
        marker={"colors": colours},
        hovertemplate="%{label}<br>%{percentRoot:.1%} of the corpus<extra></extra>",
    )
    return dress(plotly().Figure(trace), "Topics and subtopics by their share of the corpus", height=600)


# --- time and groups ----------------------------------------------------------------------------------------
#
# `Trends` in, figures of topics over time and by group out.


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
            customdata=np.stack([trends.about[:, column], trends.n_documents], axis=1),
            hovertemplate="%{x|%Y-%m-%d}: %{customdata[0]} of %{customdata[1]}, %{y:.1%}<extra></extra>",
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
            customdata=np.stack([trends.about[:, column], trends.n_documents], axis=1),
            hovertemplate="%{x}: %{customdata[0]} of %{customdata[1]}, %{y:.1%}<extra></extra>",
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


# --- two queries --------------------------------------------------------------------------------------------
#
# Two queries in, a figure of the words that tell them apart out.


def contrast(result: Result, left: str | int, right: str | int, n_words: int = 12) -> Any:
    """Draw the words that one of two queries has more than the other: log-odds with 95 % intervals.

    Parameters
    ----------
    result : Result
    left, right : str or int
    n_words : int
        Of each side.
    """
    found = contrast_queries(result, left, right, n_words=n_words, n_documents=0)
    words = [*reversed(found.right_words), *reversed(found.left_words)]
    words.sort(key=lambda word: word.log_odds)
    figure = plotly().Figure(
        plotly().Bar(
            x=[word.log_odds for word in words],
            y=[plain(word.word) for word in words],
            orientation="h",
            marker_color=[series(0) if word.log_odds > 0 else series(1) for word in words],
            error_x={"type": "data", "array": [SURE * word.error for word in words], "thickness": 1},
            hovertemplate="%{y}: %{x:.2f}<extra></extra>",
        )
    )
    title = f"{found.right} (left) against {found.left} (right): difference of log-odds"
    return dress(figure, title, height=160 + 20 * len(words), showlegend=False)


# --- variants -----------------------------------------------------------------------------------------------
#
# A `Sensitivity` in, a figure out: what becomes of each subtopic when it is asked for otherwise.


def fates(sensitivity: Sensitivity) -> Any:
    """Draw a row for each subtopic and a column for each other way: how alike, and what became of it.

    Parameters
    ----------
    sensitivity : Sensitivity
        From `model.compare`.
    """
    rows = [sensitivity.fates(id) for id, _ in sensitivity.subtopics]  # (S, variants)
    trace = plotly().Heatmap(
        z=[[each.likeness for each in row] for row in rows],
        text=[
            [f"{each.fate}<br>{' + '.join(each.to)}" if each.to else each.fate for each in row]
            for row in rows
        ],
        texttemplate="%{text}",
        x=[plain(variant.label, 24) for variant in sensitivity.variants],
        y=[plain(f"{id} {name}"[:48]) for id, name in sensitivity.subtopics],
        zmin=0.0,
        zmax=1.0,
        colorscale=[[0.0, LIGHT["sunken"]], [1.0, "#8fb3cc"]],
        colorbar={"title": "alike"},
        hovertemplate="%{y}<br>%{x}: %{text}<br>%{z:.2f}<extra></extra>",
    )
    title = f"What becomes of the subtopics of {sensitivity.name}"
    height = 240 + 44 * len(rows)
    return dress(plotly().Figure(trace), title, height=height, yaxis={"autorange": "reversed"})


# --- sweeps -------------------------------------------------------------------------------------------------
#
# A `Result` in, a figure of how the sampler went out.


def convergence(result: Result) -> Any:
    """Draw the log likelihood of a token over the sweeps of each phase; it should rise, then level off."""
    fit = result.fit
    figure = plotly().Figure()
    phases = [("parent topics", fit.parent_trace, LIGHT["accent"])]
    for q, (concept, trace) in enumerate(zip(fit.concepts, fit.subtopic_traces, strict=False)):
        phases.append((f"subtopics of {concept.name}", trace, series(q)))
    for split in fit.splits:
        phases.append((f"subtopics of {split.of}", split.trace, series(path_of(split.of)[0])))
    for name, trace, colour in phases:
        figure.add_trace(
            plotly().Scatter(
                x=trace.sweeps, y=trace.log_likelihood, name=plain(name[:60]), line={"color": colour},
                hovertemplate="sweep %{x}: %{y:.3f}<extra></extra>",
            )
        )  # fmt: skip
    axes = {"xaxis": {"title": "sweep"}, "yaxis": {"title": "log likelihood of a token"}}
    return dress(figure, "Did it converge?", height=460, **axes)
