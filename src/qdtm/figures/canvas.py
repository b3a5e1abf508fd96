"""What all figures share: plotly, imported when a figure is asked for, and how they look.

Names of topics come from the user's texts, and plotly shows some tags as markup: `plain` makes them text.
"""

from __future__ import annotations

import html
import textwrap
from typing import Any

from qdtm.errors import MissingExtraError
from qdtm.report.palette import LIGHT, SERIES_LIGHT

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
