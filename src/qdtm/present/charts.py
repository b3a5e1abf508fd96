"""Numbers in, the geometry of small drawings out: a map of subtopics, and lines, for templates to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.present.theme import series_number
from qdtm.results.topic_distances import scale_to_plane, spread, topic_distances
from qdtm.results.topics import Topic

MAP_WIDTH, MAP_HEIGHT = 400, 280
CHART_WIDTH, CHART_HEIGHT = 320, 110
_SMALLEST, _LARGEST = 15.0, 42.0  # radii
_NAME_SPACE = 22.0  # below a disc
_GAP = 5.0  # around a disc and its name
_LINE = 22  # characters of a name on a map
_LETTER = 7.6  # how wide one is, about
_LEFT, _TOP, _BOTTOM = 42, 8, 18


@dataclass(frozen=True)
class Disc:
    """A subtopic on a map."""

    id: str
    name: str
    color: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class TopicMap:
    """Subtopics as discs: the nearer, the more words they share; the larger, the more prevalent."""

    width: float
    height: float
    discs: Sequence[Disc]


@dataclass(frozen=True)
class LineChart:
    """A line with a band around it, as SVG paths; a lone point is a dot."""

    width: float
    height: float
    line: str
    band: str
    dots: Sequence[tuple[float, float]]
    left: float
    bottom: float
    y_labels: Sequence[tuple[float, str]]
    x_labels: Sequence[tuple[float, str, str]]
    places: Sequence[float] = ()  # where each value stands, across


@dataclass(frozen=True)
class HistogramBar:
    """How many values there are from `low` to `high`, and how high that is, in percent."""

    low: float
    high: float
    n: int
    height: float


@dataclass(frozen=True)
class Histogram:
    """Values from 0 to 1 counted, on a scale of logarithms: few are seen beside very many."""

    bars: Sequence[HistogramBar]
    ticks: Sequence[tuple[float, str]]  # how high a count is, in percent, and the count


def histogram(values: NDArray[np.float64], n_bars: int = 50) -> Histogram:
    """Draw how many values from 0 to 1 there are around each."""
    counts, edges = np.histogram(values, n_bars, (0.0, 1.0))
    most = float(np.log1p(max(int(counts.max(initial=0)), 9)))
    heights = np.round(100 * np.log1p(counts) / most, 1)
    bars = zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), heights.tolist(), strict=True)
    ticks = [
        (round(100 * float(np.log1p(n)) / most, 1), f"{n:,}") for n in (1, 10, 100, 1_000, 10_000, 10**5)
    ]
    return Histogram([HistogramBar(*bar) for bar in bars], [tick for tick in ticks if tick[0] <= 100])


def map_subtopics(topics: Sequence[Topic]) -> TopicMap | None:
    """Lay subtopics out on a plane; None for fewer than two, which say nothing about each other."""
    if len(topics) < 2:
        return None
    places = scale_to_plane(topic_distances(np.stack([topic.probabilities for topic in topics])))
    share = np.array([topic.prevalence for topic in topics])
    radii = np.maximum(_LARGEST * np.sqrt(share / max(share.max(), 1e-12)), _SMALLEST)
    size = np.array([MAP_WIDTH, MAP_HEIGHT]) - 2 * _LARGEST
    extent = np.maximum(np.ptp(places, axis=0), 1e-9)
    places = (places - places.min(axis=0)) * min(size / extent)
    names = [_short(topic.short_name) for topic in topics]
    aside = np.maximum(radii, [_LETTER * len(name) / 2 for name in names])  # (S,): half as wide as its name
    halves = np.stack([aside + _GAP, radii + (_NAME_SPACE + _GAP) / 2], axis=1)  # of a disc with its name
    places = spread(places, halves)  # the middles of these
    low, high = (places - halves).min(axis=0), (places + halves).max(axis=0)
    places[:, 1] -= _NAME_SPACE / 2
    discs = []
    for s, (topic, name) in enumerate(zip(topics, names, strict=True)):
        x, y = np.round(places[s] - low, 1).tolist()
        discs.append(Disc(topic.id, name, series_number(s), x, y, float(radii[s])))
    width, height = np.ceil(high - low).tolist()
    return TopicMap(width, height, discs)


def line_chart(
    values: NDArray[np.float64],
    x: NDArray[np.float64] | NDArray[np.int64] | None = None,
    low: NDArray[np.float64] | None = None,
    high: NDArray[np.float64] | None = None,
    *,
    x_names: Sequence[str] = (),
    from_zero: bool = False,
    percent: bool = False,
    top: float | None = None,
) -> LineChart:
    """Draw values as a line, with a band from `low` to `high`; NaN is a gap.

    Parameters
    ----------
    values, low, high : ndarray of shape (n,)
    x : ndarray of shape (n,), optional
        Rising; 0, 1, ... without.
    x_names : sequence of str
        What the first and the last value are called.
    from_zero, percent : bool
    top : float, optional
        The largest value of the axis, where several charts share one.
    """
    x = np.arange(len(values), dtype=float) if x is None else x.astype(float)
    low_, high_ = (values if low is None else low), (values if high is None else high)
    known = np.isfinite(values)
    bottom_value = 0.0 if from_zero or not known.any() else float(low_[known].min())
    top_value = top or (float(high_[known].max()) if known.any() else 1.0)
    top_value = top_value if top_value > bottom_value else bottom_value + 1e-9
    inner_width, inner_height = CHART_WIDTH - _LEFT - 8, CHART_HEIGHT - _TOP - _BOTTOM
    span = max(x[-1] - x[0], 1e-9) if len(x) else 1.0

    def at(i: int, value: float) -> tuple[float, float]:
        across = (x[i] - x[0]) / span if len(x) > 1 else 0.5
        up = min(max((value - bottom_value) / (top_value - bottom_value), 0.0), 1.0)
        return round(_LEFT + inner_width * across, 1), round(_TOP + inner_height * (1 - up), 1)

    runs = _runs(known)
    lines = [[at(i, values[i]) for i in run] for run in runs]
    bands = [[at(i, high_[i]) for i in run] + [at(i, low_[i]) for i in reversed(run)] for run in runs]
    form = "{:.2f}" if not percent else "{:.0%}" if top_value >= 0.995 else "{:.1%}"
    ends = [(0, "start"), (len(x) - 1, "end")] if len(x_names) > 1 else [(0, "middle")] if x_names else []
    return LineChart(
        width=CHART_WIDTH,
        height=CHART_HEIGHT,
        line=" ".join(_path(points) for points in lines if len(points) > 1),
        band="" if low is None else " ".join(_path(points) + "Z" for points in bands if len(points) > 2),
        dots=[points[0] for points in lines if len(points) == 1],
        left=_LEFT,
        bottom=CHART_HEIGHT - _BOTTOM,
        y_labels=[(_TOP + 8, form.format(top_value)), (CHART_HEIGHT - _BOTTOM, form.format(bottom_value))],
        x_labels=[(at(i, bottom_value)[0], side, x_names[i]) for i, side in ends],
        places=[at(i, bottom_value)[0] for i in range(len(x))],
    )


def _runs(known: NDArray[np.bool_]) -> list[list[int]]:
    """Return the stretches of values without a gap."""
    places = np.flatnonzero(known)
    return [run.tolist() for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(run)]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def _short(name: str) -> str:
    return name if len(name) <= _LINE else name[: _LINE - 1].rstrip(" ,") + "…"
