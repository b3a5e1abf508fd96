"""The colours of everything that is shown: the report, the figures, the notebook and the app use these alone.

Subtopic `s` of a query has the colour `s` modulo their number, wherever it is shown.
"""

from __future__ import annotations

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
