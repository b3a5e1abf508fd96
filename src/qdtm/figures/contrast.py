"""Two queries in, a figure of the words that tell them apart out."""

from __future__ import annotations

from typing import Any

from qdtm.figures.canvas import dress, plain, plotly
from qdtm.report.palette import series
from qdtm.results.contrast import SURE, contrast_queries
from qdtm.results.result import Result


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
