"""Drawings in, .svg files for a paper out: plain shapes and colours that any program draws alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qdtm.present.charts import LineChart, TopicMap
from qdtm.present.legal_text import one_line, xml
from qdtm.present.theme import LIGHT, SERIES_LIGHT
from qdtm.results.topics import Topic

_MARGIN = 12
_BAR, _STEP, _COLUMN, _LABEL = 12, 18, 300, 130  # height of a bar and of its line; widths
_LONGEST = 22  # characters of a word beside its bar
_FONT = 'font-family="Helvetica, Arial, sans-serif"'


def map_svg(drawn: TopicMap, title: str) -> str:
    """Return a map of subtopics."""
    parts = []
    for disc in drawn.discs:
        x, y = disc.x, disc.y
        parts += [
            f'<circle cx="{x:g}" cy="{y:g}" r="{disc.radius:.1f}" fill="{_color(disc.color)}"/>',
            _text(x, y + 5, disc.id, anchor="middle", size=14, fill="#ffffff"),
            _text(x, y + disc.radius + 16, disc.name, anchor="middle", size=14),
        ]
    return _page(drawn.width, drawn.height, title, parts)


def line_svg(chart: LineChart, title: str, color: int = 0) -> str:
    """Return a line with its band."""
    shade, muted = _color(color), LIGHT["muted"]
    axis = f"M{chart.left:g} {chart.bottom:g}H{chart.width:g}"
    parts = [f'<path d="{axis}" stroke="{LIGHT["line"]}" fill="none"/>']
    if chart.band:
        parts.append(f'<path d="{chart.band}" fill="{shade}" opacity="0.17"/>')
    if chart.line:
        parts.append(f'<path d="{chart.line}" stroke="{shade}" stroke-width="2" fill="none"/>')
    parts += [f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{shade}"/>' for x, y in chart.dots]
    parts += [_text(chart.left - 5, y, name, anchor="end", size=11, fill=muted) for y, name in chart.y_labels]
    parts += [
        _text(x, chart.height - 4, name, anchor=side, size=11, fill=muted) for x, side, name in chart.x_labels
    ]
    return _page(chart.width, chart.height, title, parts)


def words_svg(topics: Sequence[Topic], title: str, n_words: int = 10, columns: int = 3) -> str:
    """Return the most probable words of topics as bars, the first in the ink of queries, then by colour."""
    height = (n_words + 2) * _STEP
    parts: list[str] = []
    for place, topic in enumerate(topics):
        left, top = (place % columns) * _COLUMN, (place // columns) * height
        parts += _bars(topic, left, top, _color(place), n_words)
    rows = -(-len(topics) // columns)
    return _page(min(len(topics), columns) * _COLUMN, rows * height, title, parts)


def _bars(topic: Topic, left: float, top: float, color: str, n_words: int) -> Iterable[str]:
    words = topic.top_words(n_words)
    longest = max((p for _, p in words), default=1.0) or 1.0
    room = _COLUMN - _LABEL - 20
    yield _text(left, top + 14, f"{topic.id} {topic.short_name}", size=13, weight="bold")
    for i, (word, probability) in enumerate(words, start=1):
        y = top + 6 + i * _STEP
        yield _text(left + _LABEL - 6, y + _BAR - 2, _cut(word, _LONGEST), anchor="end", size=11)
        width = room * probability / longest
        yield f'<rect x="{left + _LABEL:g}" y="{y:g}" width="{width:.1f}" height="{_BAR}" fill="{color}"/>'


# --- shapes ------------------------------------------------------------------------------------------------


def _color(number: int) -> str:
    """Return a colour of the series, from 1; 0 is the ink of queries."""
    return LIGHT["accent"] if number == 0 else SERIES_LIGHT[(number - 1) % len(SERIES_LIGHT)]


def _text(
    x: float,
    y: float,
    said: str,
    *,
    anchor: str = "start",
    size: int = 12,
    fill: str = LIGHT["ink"],
    weight: str = "normal",
) -> str:
    shown = _cut(one_line(said), 2 * _LONGEST)
    looks = f'text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
    return f'<text x="{x:g}" y="{y:g}" {looks}>{xml(shown)}</text>'


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _page(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    w, h = width + 2 * _MARGIN, height + 2 * _MARGIN
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="{w:g}" '
        f'height="{h:g}" viewBox="{-_MARGIN} {-_MARGIN} {w:g} {h:g}" {_FONT}>\n'
        f"<title>{xml(one_line(title))}</title>\n"
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{w:g}" height="{h:g}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
