"""A `Sensitivity` in, a figure out: what becomes of each subtopic when it is asked for otherwise."""

from __future__ import annotations

from typing import Any

from qdtm.figures.canvas import dress, plain, plotly
from qdtm.report.palette import LIGHT
from qdtm.results.sensitivity import Sensitivity


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
