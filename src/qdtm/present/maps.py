"""A `Result` in, maps out: of topics, of documents, and of what subtopics have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.errors import ParameterError
from qdtm.present.figures import dress, plain, plotly
from qdtm.present.theme import LIGHT, series
from qdtm.results.distributions import FloatArray, average_over_tokens, word_topic_probabilities
from qdtm.results.result import Result
from qdtm.results.topic_distances import scale_to_plane, topic_distances, topic_overlaps
from qdtm.results.topics import Topic

_PLANE = {"xaxis": {"visible": False}, "yaxis": {"visible": False, "scaleanchor": "x"}}


def topic_map(result: Result, query: str | int | None = None) -> Any:
    """Draw topics on a plane: the nearer, the more words they share; the larger, the more prevalent.

    Parameters
    ----------
    result : Result
    query : str or int, optional
        Its subtopics; without, all parents with their subtopics and the background.
    """
    topics, colours, title = _chosen(result, query)
    places = _places(topics)
    share = np.array([topic.prevalence for topic in topics])
    size = 18 + 60 * np.sqrt(share / max(share.max(), 1e-12))
    trace = plotly().Scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="markers+text",
        text=[topic.id for topic in topics],
        textposition="middle center",
        textfont={"color": LIGHT["on-color"]},
        marker={"size": size, "color": colours, "line": {"width": 0}},
        customdata=[[plain(topic.name), topic.prevalence, plain(_words(topic), 40)] for topic in topics],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]:.1%}<br>%{customdata[2]}<extra></extra>",
    )
    return dress(plotly().Figure(trace), f"Map of {title}", height=600, **_PLANE)


def document_map(result: Result, query: str | int | None = None, n: int = 2_000) -> Any:
    """Draw documents on the map of topics, each between the topics it is about.

    A document lies at the mean of the topics' places, weighted by its shares in them.

    Parameters
    ----------
    result : Result
    query : str or int, optional
        Documents and subtopics of this query; without, all documents and topics.
    n : int
        Documents at most; of more, so many are drawn at even distances through the corpus.
    """
    if isinstance(n, bool) or n < 1:
        raise ParameterError(f"The number of documents is {n!r}; give a whole number above 0.")
    topics, colours, title = _chosen(result, query, with_subtopics=query is not None)
    rows = np.arange(result.corpus.n_documents)
    if query is not None:
        rows = np.flatnonzero(result.scores(result.query_index(query)).main >= 0)
    if len(rows) > n:
        rows = rows[np.linspace(0, len(rows) - 1, n).astype(np.int64)]
    shares = _shares(result, query, rows)  # (n, T)
    places, main = _places(topics), shares.argmax(axis=1) if len(topics) else np.zeros(len(rows), int)
    where = shares @ places
    figure = plotly().Figure()
    documents = list(result.corpus.documents.select(rows.tolist()))
    for t, topic in enumerate(topics):
        mine = np.flatnonzero(main == t)
        trace = plotly().Scattergl(
            x=where[mine, 0],
            y=where[mine, 1],
            mode="markers",
            name=plain(f"{topic.id} {topic.short_name}"[:50]),
            marker={"color": colours[t], "size": 5, "opacity": 0.65},
            customdata=[[plain(documents[i].id), plain(documents[i].text[:160], 50)] for i in mine],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        )
        figure.add_trace(trace)
    shown = f"{len(rows):,} documents on the map of {title}"
    return dress(figure, shown, height=650, **_PLANE)


def heatmap(result: Result, query: str | int | None = None) -> Any:
    """Draw how much each pair of subtopics has in common, 0 to 1 (Bhattacharyya's coefficient).

    Parameters
    ----------
    result : Result
    query : str or int, optional
        Its subtopics; without, those of all queries.
    """
    queries = result.topics if query is None else (result.topics[result.query_index(query)],)
    topics = [topic for parent in queries for topic in parent.subtopics] or list(queries)
    overlaps = topic_overlaps(np.stack([topic.probabilities for topic in topics]))
    names = [plain(f"{topic.id} {topic.short_name}"[:40]) for topic in topics]
    trace = plotly().Heatmap(
        z=overlaps,
        x=names,
        y=names,
        zmin=0.0,
        zmax=1.0,
        colorscale=[[0.0, LIGHT["paper"]], [1.0, LIGHT["accent"]]],
        hovertemplate="%{y}<br>%{x}<br>%{z:.2f}<extra></extra>",
    )
    figure = plotly().Figure(trace)
    height = 260 + 22 * len(topics)
    return dress(figure, "What subtopics have in common", height=height, yaxis={"autorange": "reversed"})


def _chosen(
    result: Result, query: str | int | None, *, with_subtopics: bool = True
) -> tuple[list[Topic], list[str], str]:
    """Return topics, their colours and what they are."""
    if query is not None:
        parent = result.topics[result.query_index(query)]
        topics = list(parent.subtopics) or [parent]
        return topics, [series(s) for s in range(len(topics))], f"the subtopics of {parent.name}"
    topics, colours = [], []
    for q, parent in enumerate(result.topics):
        mine = [parent, *parent.subtopics] if with_subtopics else [parent]
        topics += mine
        colours += [series(q)] * len(mine)
    grey = [LIGHT["muted"]] * len(result.background)
    return [*topics, *result.background], [*colours, *grey], "all topics"


def _places(topics: list[Topic]) -> FloatArray:
    return scale_to_plane(topic_distances(np.stack([topic.probabilities for topic in topics])))


def _shares(result: Result, query: str | int | None, rows: Any) -> FloatArray:
    """Return the shares of documents in the topics that are drawn, (n, T); rows sum to 1."""
    if query is None:
        weights = word_topic_probabilities(result.fit.word_topic)  # (V, K)
    else:
        q = result.query_index(query)
        n = len(result.topics[q].subtopics)
        weights = result.subtopic_weights(q)[:, :n] if n else result.fit.query_weights[:, [q]]
    counts = result.corpus.document_term_matrix[rows]
    even = np.full(weights.shape[1], 1.0 / weights.shape[1])
    shares = average_over_tokens(counts, weights, even)
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0, shares / np.maximum(total, 1e-300), even)


def _words(topic: Topic) -> str:
    return ", ".join(word for word, _ in topic.top_words(10))
