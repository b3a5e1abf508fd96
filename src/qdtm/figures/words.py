"""A `Result` in, figures of its words and sizes out."""

from __future__ import annotations

from typing import Any

from qdtm.errors import ParameterError
from qdtm.figures.canvas import dress, plain, plotly
from qdtm.report.palette import LIGHT, series
from qdtm.results.result import Result
from qdtm.results.splits import above
from qdtm.results.topic import Topic

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
