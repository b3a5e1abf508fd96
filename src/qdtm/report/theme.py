"""The style sheet in parts: colours as variables, then what is built from them.

`theme_css` are the variables (`--q-ink`, `--q-c1`, ...) for light and dark; `component_css` are bars, marks,
chips, cards and maps, all prefixed `q-`, for any page that includes the first; `page_css` is the report's own
layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from qdtm.report.palette import DARK, LIGHT, SERIES_DARK, SERIES_LIGHT


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
    """Return the report's script: filters, and everything open in print. The page can be read without."""
    return _static("report.js")


def _variables(names: Mapping[str, str], colours: Sequence[str]) -> str:
    series = {f"c{number}": colour for number, colour in enumerate(colours, start=1)}
    return "".join(f"--q-{name}:{value};" for name, value in {**names, **series}.items())


def _static(name: str) -> str:
    return (files("qdtm.report") / "static" / name).read_text("utf-8")
