"""A `Result` in, maps out: of topics, of documents, and of what subtopics have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Document
from qdtm.corpus.titles import id_beside
from qdtm.errors import ParameterError
from qdtm.present.figures import dress, plain, plotly
from qdtm.present.theme import LIGHT, series
from qdtm.results.distributions import FloatArray, average_over_tokens, word_topic_probabilities
from qdtm.results.result import Result
from qdtm.results.topic_distances import scale_to_plane, spread, topic_distances, topic_overlaps
from qdtm.results.topics import Topic

_WIDTH, _HEIGHT = 960, 640  # of a map
_MARGINS = (90, 120)  # around it, as `dress` has them
_PLANE = {"xaxis": {"visible": False}, "yaxis": {"visible": False, "scaleanchor": "x"}, "width": _WIDTH}
_LETTER = 7.0  # how wide a letter of a name is, about
_NAME = 26  # characters of a name
_NAME_SPACE = 18.0  # below a disc
_SMALLEST, _LARGEST = 18.0, 70.0  # diameters of discs
_SPECK = 9.0  # of a topic of the background
_MOST_COLOURS = 10  # as many as there are; what comes after is "other"


def topic_map(result: Result, query: str | int | None = None) -> Any:
    """Draw topics on a plane: the nearer, the more words they share; the larger, the more prevalent.

    Topics of queries have their name, and are moved apart where names would overlap. Those of the background
    are grey specks, which say what they are when they are pointed at.

    Parameters
    ----------
    result : Result
    query : str or int, optional
        Its subtopics; without, all parents with their subtopics and the background.
    """
    topics, colours, title = _chosen(result, query)
    background = list(result.background) if query is None else []
    places = _places([*topics, *background]) * [1.0, -1.0]
    extent = np.maximum(np.ptp(places, axis=0), 1e-9)
    places *= min(np.array([_WIDTH, _HEIGHT]) * 0.7 / extent)  # as pixels
    share = np.array([topic.prevalence for topic in topics])
    size = np.maximum(_LARGEST * np.sqrt(share / max(share.max(), 1e-12)), _SMALLEST)
    names = [f"{topic.id} {topic.short_name}" for topic in topics]
    names = [name if len(name) <= _NAME else name[: _NAME - 1] + "…" for name in names]
    shown = _apart(places[: len(topics)], size / 2, names)
    figure = plotly().Figure()
    grey = [LIGHT["line"]] * len(background)
    figure.add_trace(_discs(background, places[len(topics) :], np.full(len(grey), _SPECK), grey))
    figure.add_trace(_discs(topics, shown, size, colours))
    for (x, y), name, across in zip(shown, names, size, strict=True):
        figure.add_annotation(
            x=x, y=y, yshift=-across / 2 - 9, text=plain(name), showarrow=False, font={"size": 12}
        )
    drawn = np.vstack([shown, places])
    return dress(figure, f"Map of {title}", showlegend=False, **_true_to_scale(drawn))


def _true_to_scale(places: FloatArray) -> dict[str, Any]:
    """Return the layout of a plane in which a unit is a pixel, with room for discs and names at its edge."""
    room = np.array([_LETTER * _NAME / 2, _LARGEST / 2 + _NAME_SPACE])
    middle, extent = (places.max(axis=0) + places.min(axis=0)) / 2, np.ptp(places, axis=0) + 2 * room
    extent = np.maximum(extent, [_WIDTH - _MARGINS[0], _HEIGHT - _MARGINS[1]])
    low, high = middle - extent / 2, middle + extent / 2
    x, y = ({"visible": False, "range": [low[k], high[k]]} for k in range(2))
    width, height = np.ceil(extent + _MARGINS).tolist()
    return {"xaxis": x, "yaxis": y, "width": width, "height": int(height)}


def _apart(places: FloatArray, radii: FloatArray, names: list[str]) -> FloatArray:
    """Move discs (T, 2) as little as keeps them and the names below them from overlapping."""
    aside = np.maximum(radii, [_LETTER * len(name) / 2 for name in names])
    halves = np.stack([aside + 4, radii + _NAME_SPACE / 2 + 3], axis=1)
    below = np.array([0.0, _NAME_SPACE / 2])
    return np.asarray(spread(places - below, halves) + below)


def _discs(topics: list[Topic], places: FloatArray, size: FloatArray, colours: list[str]) -> Any:
    return plotly().Scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="markers",
        marker={"size": size, "color": colours, "line": {"width": 0}, "opacity": 1.0},
        customdata=[[plain(topic.name), topic.prevalence, plain(_words(topic), 40)] for topic in topics],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]:.1%} of the corpus’ words<br>%{customdata[2]}"
        "<extra></extra>",
    )


def document_map(result: Result, query: str | int | None = None, n: int = 2_000) -> Any:
    """Draw documents on the map of topics, each between those it has words of.

    A document lies at the mean of the topics' places, weighted by the squares of its shares in them. It has
    the colour of the query that it is about, or of its main subtopic; one about no query is grey.

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
    group = _groups(result, query)
    rows = np.arange(len(group)) if query is None else np.flatnonzero(group >= 0)
    n_all = len(rows)
    if n_all > n:
        rows = rows[np.linspace(0, n_all - 1, n).astype(np.int64)]
    weights = _shares(result, query, rows) ** 2  # (n, T)
    every = topics if query is not None else [*topics, *result.background]
    where = (weights / weights.sum(axis=1, keepdims=True)) @ _places(every)
    documents = list(result.corpus.documents.select(rows.tolist()))
    figure = plotly().Figure()
    names = [f"{topic.id} {topic.short_name}"[:50] for topic in topics[:_MOST_COLOURS]]
    kinds = [(-1, "about no query", LIGHT["line"]), *zip(range(len(names)), names, colours, strict=False)]
    if len(topics) > _MOST_COLOURS:
        kinds.insert(1, (_MOST_COLOURS, f"{len(topics) - _MOST_COLOURS} more", LIGHT["muted"]))
    for number, name, colour in kinds[query is not None :]:
        mine = np.flatnonzero(np.minimum(group[rows], _MOST_COLOURS) == number)
        trace = plotly().Scattergl(
            x=where[mine, 0],
            y=where[mine, 1],
            mode="markers",
            name=plain(name),
            marker={"color": colour, "size": 7 if number >= 0 else 4, "opacity": 0.75},
            customdata=[_hovered(documents[i]) for i in mine],
            hovertemplate="%{customdata}<extra></extra>",
        )
        figure.add_trace(trace)
    some = f"{len(rows):,} of {n_all:,}" if n_all > n else f"{n_all:,}"
    shown = f"{some} documents on the map of {title}"
    return dress(figure, shown, height=_HEIGHT, legend={"itemsizing": "constant"}, **_PLANE)


def _hovered(document: Document) -> str:
    """Return what is said of a document that is pointed at: its title, and below its id if that says more."""
    lines = plain(document.title, 60), plain(id_beside(document.id, document.title))
    return "<br>".join(filter(None, lines))


def _groups(result: Result, query: str | int | None) -> NDArray[np.int64]:
    """Return the query that each document is about, or which of a query's subtopics; -1 for none, (D,)."""
    if query is None:
        relevance = [result.relevance(q) for q in range(result.fit.n_queries)]
        scores = np.stack([np.where(each.about, each.scores, -1.0) for each in relevance])  # (Q, D)
        return np.where(scores.max(axis=0) >= 0, scores.argmax(axis=0), -1)
    q = result.query_index(query)
    scores_of, n = result.scores(q), len(result.topics[q].subtopics)
    group = np.where(scores_of.about, 0 if not n else -1, -1)
    for s in range(n):
        group[scores_of.mainly_in(s)] = s
    return group


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
    """Return topics of queries, their colours and what they are."""
    if query is not None:
        parent = result.topics[result.query_index(query)]
        topics = list(parent.subtopics) or [parent]
        return topics, [series(s) for s in range(len(topics))], f"the subtopics of {parent.name}"
    topics, colours = [], []
    for q, parent in enumerate(result.topics):
        mine = [parent, *parent.subtopics] if with_subtopics else [parent]
        topics += mine
        colours += [series(q)] * len(mine)
    return topics, colours, "all topics"


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
