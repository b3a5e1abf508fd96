"""A `Sensitivity` in, a page about it out: what stays when a question is asked otherwise, one HTML file."""

from __future__ import annotations

import os
from pathlib import Path

from qdtm.placing import placed_file, write_errors
from qdtm.report.rendering import render_template
from qdtm.report.theme import component_css, page_css, theme_css
from qdtm.results.sensitivity import Sensitivity


def render_comparison(sensitivity: Sensitivity) -> str:
    """Return a page about a comparison, as HTML."""
    return render_template(
        "comparison.html", view=sensitivity, style=theme_css() + component_css() + page_css()
    )


def write_comparison(sensitivity: Sensitivity, path: str | os.PathLike[str]) -> Path:
    """Write a page about a comparison to a file, whole or not at all.

    Raises
    ------
    StorageError
        If the place cannot be written to.
    """
    with placed_file(path) as file, write_errors(path):
        file.write_text(render_comparison(sensitivity), encoding="utf-8", errors="replace")
    return Path(path)
