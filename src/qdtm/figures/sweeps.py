"""A `Result` in, a figure of how the sampler went out."""

from __future__ import annotations

from typing import Any

from qdtm.figures.canvas import dress, plain, plotly
from qdtm.report.palette import LIGHT, series
from qdtm.results.result import Result
from qdtm.results.splits import path_of


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
