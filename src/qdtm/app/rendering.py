"""Templates in, HTML out, all text of the user's escaped; and the style sheet: the report's and ours."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from qdtm.report.palette import DARK, LIGHT
from qdtm.report.rendering import template_environment
from qdtm.report.theme import component_css, page_css, theme_css


def render(template: str, **values: Any) -> str:
    """Fill a template of the app or of the report."""
    return str(template_environment("qdtm.app", "qdtm.report").get_template(template).render(**values))


@cache
def style_sheet() -> str:
    """Return the report's colours, parts and layout, then what is the app's alone."""
    return theme_css() + component_css() + page_css() + _over_quasar() + _static("app.css")


@cache
def script() -> str:
    """Return the app's own script: it keeps the focus where it was when a part of a page is renewed."""
    return _static("app.js")


@cache
def version_of(text: str) -> str:
    """Return a short mark that changes with a text, so that browsers may keep it for ever."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _over_quasar() -> str:
    """Return our colours for the widgets, which write theirs into the body, `--q-accent` too."""
    names = ("primary", "secondary", "accent")
    light, dark = (
        "".join(f"--q-{name}:{colours['accent']} !important;" for name in names)
        + f"--q-negative:{colours['bad']} !important;--q-dark:{colours['panel']} !important;"
        for colours in (LIGHT, DARK)
    )
    return f"body{{{light}}}@media (prefers-color-scheme:dark){{body{{{dark}}}}}"


def _static(name: str) -> str:
    return (files("qdtm.app") / "static" / name).read_text("utf-8")
