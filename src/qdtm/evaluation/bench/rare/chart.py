"""P@K against the level of a category as SVG: summaries of one corpus in, the text of a drawing out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.rare.summary import RareSummary, find, levels_of, models_of
from qdtm.report.palette import LIGHT, SERIES_LIGHT

WIDTH, HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 150, 30, 44
_NAME_GAP = 15.0  # between the names at the ends of lines

Point = tuple[float, float]


def precision_chart(rows: Sequence[RareSummary], title: str) -> str:
    """Draw a line a model: P@K at each level, the levels on a log scale; ours is thicker."""
    levels = levels_of(rows)
    lines = {model: _line(rows, model, levels) for model in models_of(rows)}
    top = _round_up(max((y for points in lines.values() for _, y in points), default=1.0))
    places = {model: [_place(point, levels, top) for point in line] for model, line in lines.items() if line}
    parts = [*_frame(title, levels, top), *_drawn(places)]
    style = f'font-family="sans-serif" font-size="12" fill="{LIGHT["ink"]}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>'
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>"]) + "\n"


def _line(rows: Sequence[RareSummary], model: str, levels: Sequence[float]) -> list[Point]:
    found = [(level, find(rows, model, level, "precision_at_k")) for level in levels]
    return [(level, row.mean) for level, row in found if row is not None]


def _round_up(value: float) -> float:
    """Return the next tenth."""
    return max(0.1, math.ceil(value * 10 - 1e-9) / 10)


def _place(point: Point, levels: Sequence[float], top: float) -> Point:
    level, value = point
    span = math.log(levels[-1] / levels[0]) or 1.0
    across = math.log(level / levels[0]) / span
    x = _LEFT + across * (WIDTH - _LEFT - _RIGHT)
    return round(x, 1), round(_TOP + (1 - value / top) * (HEIGHT - _TOP - _BOTTOM), 1)


def _frame(title: str, levels: Sequence[float], top: float) -> Iterator[str]:
    """Yield the title, lines at every tenth, and the names of the levels."""
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{LIGHT["panel"]}"/>'
    yield f'<text x="{_LEFT}" y="18" font-weight="bold">{escape(title)}</text>'
    step = 0.1 if top <= 0.6 else 0.2
    for tick in range(round(top / step + 1e-9) + 1):
        _, y = _place((levels[0], tick * step), levels, top)
        yield f'<line x1="{_LEFT}" y1="{y}" x2="{WIDTH - _RIGHT}" y2="{y}" stroke="{LIGHT["line"]}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{tick * step:.1f}</text>'
    for level in levels:
        x, _ = _place((level, 0.0), levels, top)
        yield f'<text x="{x}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{level * 100:g} %</text>'
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    note = "share of the category in the corpus"
    yield f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle" fill="{LIGHT["muted"]}">{note}</text>'


def _drawn(places: dict[str, list[Point]]) -> Iterator[str]:
    """Yield the lines, and their names beside their ends, none upon another."""
    names = _spread({model: points[-1][1] for model, points in places.items()})
    for s, (model, points) in enumerate(places.items()):
        color = SERIES_LIGHT[s % len(SERIES_LIGHT)]
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        width = 3.5 if model == OURS else 1.5
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>'
        for x, y in points:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="2.5" fill="{color}"/>'
        weight = ' font-weight="bold"' if model == OURS else ""
        name = f'x="{WIDTH - _RIGHT + 10}" y="{names[model] + 4:g}" fill="{color}"{weight}'
        yield f"<text {name}>{escape(model)}</text>"


def _spread(heights: dict[str, float]) -> dict[str, float]:
    """Push names apart that would overlap: from the bottom up, then back down from the top if need be."""
    order = sorted(heights, key=lambda model: -heights[model])
    placed: dict[str, float] = {}
    limit = HEIGHT - _BOTTOM + 4.0
    for model in order:
        placed[model] = min(heights[model], limit)
        limit = placed[model] - _NAME_GAP
    limit = float(_TOP)
    for model in reversed(order):
        placed[model] = max(placed[model], limit)
        limit = placed[model] + _NAME_GAP
    return placed
