"""Colours and style sheets of everything that is shown: report, figures, notebook and app.

`theme_css` are the variables (`--q-ink`, `--q-c1`, ...) for light and dark; `component_css` are bars, marks,
chips, cards and maps, all prefixed `q-`, for any page that includes the first; `page_css` is the report's own
layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

# --- colours ------------------------------------------------------------------------------------------------
#
# The colours of everything that is shown: the report, the figures, the notebook and the app use these alone.
#
# Subtopic `s` of a query has the colour `s` modulo their number, wherever it is shown.

LIGHT = {
    "paper": "#fbfaf7",
    "panel": "#ffffff",
    "sunken": "#f1efe9",
    "ink": "#1f1e1b",
    "muted": "#5d5a53",
    "line": "#dcd8ce",
    "accent": "#22577a",
    "on-color": "#ffffff",
    "good": "#2c6e49",
    "warn": "#8a5a00",
    "bad": "#a4262c",
    "mark": "34 87 122",
}
DARK = {
    "paper": "#15171a",
    "panel": "#1c1f23",
    "sunken": "#24282d",
    "ink": "#e9e6df",
    "muted": "#a9a69d",
    "line": "#363b42",
    "accent": "#8ec1e6",
    "on-color": "#15171a",
    "good": "#7fc89b",
    "warn": "#e0b252",
    "bad": "#f0938f",
    "mark": "142 193 230",
}
"""Names of surfaces and inks; `mark` is red, green and blue, to be used with an opacity."""

SERIES_LIGHT = (
    "#2f6690", "#b0492a", "#38734a", "#77468f", "#8c6100",
    "#a83657", "#1f747b", "#67584b", "#4f5aad", "#626d17",
)  # fmt: skip
SERIES_DARK = (
    "#7fb2dc", "#e59a78", "#86c79a", "#c39be0", "#d9b04c",
    "#e98ba6", "#74c4ca", "#bfb0a1", "#a3acee", "#bcc664",
)  # fmt: skip
"""For subtopics, in order. Text in `on-color` can be read on each of them, and each on `paper`."""


def series(index: int) -> str:
    """Return the colour of a subtopic on a light ground."""
    return SERIES_LIGHT[index % len(SERIES_LIGHT)]


def series_number(index: int) -> int:
    """Return the number of a subtopic's colour in the style sheet (`.q-c1` and so on), from 1."""
    return index % len(SERIES_LIGHT) + 1


# --- style sheets -------------------------------------------------------------------------------------------


def theme_css(scope: str = ":root") -> str:
    """Return the variables for light and dark, set on `scope`."""
    light, dark = _variables(LIGHT, SERIES_LIGHT), _variables(DARK, SERIES_DARK)
    numbers = "".join(f".q-c{n}{{--q-c:var(--q-c{n})}}" for n in range(1, len(SERIES_LIGHT) + 1))
    return (
        f"{scope}{{color-scheme:light dark;{light}}}"
        f"@media (prefers-color-scheme:dark){{{scope}{{{dark}}}}}"
        f"@media print{{{scope}{{color-scheme:light;{light}}}}}{numbers}"
    )


def component_css() -> str:
    """Return the rules for bars, marks, chips, cards and maps."""
    return _static("components.css")


def page_css() -> str:
    """Return the rules for the report's own layout."""
    return _static("page.css")


def page_script() -> str:
    """Return the report's script: filters, a menu that closes, methods in print. The page reads without."""
    return _static("report.js")


def _variables(names: Mapping[str, str], colours: Sequence[str]) -> str:
    series = {f"c{number}": colour for number, colour in enumerate(colours, start=1)}
    return "".join(f"--q-{name}:{value};" for name, value in {**names, **series}.items())


def _static(name: str) -> str:
    return (files("qdtm.present") / "static" / name).read_text("utf-8")
