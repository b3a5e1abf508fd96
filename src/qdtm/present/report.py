"""A `Result` in, `report.html` out: templates of our own, everything of the user's escaped, one file.

The page asks for nothing: style, script and drawings are inside it, and its content security policy forbids
the browser to load anything or to run any script but ours.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from qdtm.corpus.titles import id_beside
from qdtm.present.report_builder import Limits, build_report
from qdtm.present.theme import component_css, page_css, page_script, theme_css
from qdtm.results.comparison import Sensitivity
from qdtm.results.result import Result
from qdtm.results.stability import says_rhat
from qdtm.storage.atomic import placed_file, write_errors

# --- the report ---------------------------------------------------------------------------------------------

MAX_BYTES = 4_800_000
"""A page that comes out larger is made again with less on it."""

ON_PAPER = 10
"""Documents of each query that are printed; the screen has more."""

_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_RIGHT_TO_LEFT = re.compile("('[^']*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc][^']*')")


def render_report(result: Result, limits: Limits | None = None) -> str:
    """Return a page about a result, as HTML.

    Parameters
    ----------
    result : Result
    limits : Limits, optional
        How much it shows; by default as much as keeps it below 5 MB.
    """
    given = limits is not None
    limits = limits or Limits.for_queries(result.fit.n_queries)
    while True:
        page = _render(result, limits)
        smaller = limits.halved()
        if given or smaller == limits or len(page.encode("utf-8", "replace")) <= MAX_BYTES:
            return page
        limits = smaller


def write_report(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write a page about a result to a file, whole or not at all.

    Raises
    ------
    StorageError
        If the place cannot be written to.
    """
    with placed_file(path) as file, write_errors(path):
        file.write_text(render_report(result), encoding="utf-8", errors="replace")
    return Path(path)


def render_template(name: str, **values: Any) -> str:
    """Fill a template of ours; values are escaped, and characters that HTML cannot hold are left out."""
    return str(template_environment("qdtm.present").get_template(name).render(**values))


def _render(result: Result, limits: Limits) -> str:
    script = page_script()
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return render_template(
        "report.html",
        view=build_report(result, limits),
        on_paper=ON_PAPER,
        style=theme_css() + component_css() + page_css(),
        script=script,
        script_digest=digest,
    )


@cache
def template_environment(*packages: str) -> Any:
    """Return what fills the templates of these packages: it escapes, and knows how we write numbers."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "count": "{:,}".format, "rhat": says_rhat}
    environment.filters |= {"isolated": isolated, "beside": id_beside}
    return environment


def percent(value: float) -> str:
    """Return a share as a person reads it: 12.3%, 0.04%, or <0.01%."""
    if 0 < value < 0.0001:
        return "<0.01%"
    return f"{value:.2%}" if value < 0.001 and value else f"{value:.1%}"


def isolated(sentence: str) -> Any:
    """Return a sentence of ours as HTML in which quoted words of right-to-left scripts keep together."""
    from markupsafe import Markup, escape

    pieces = _RIGHT_TO_LEFT.split(_UNSEEN.sub("", sentence))
    return Markup("").join(
        Markup("<bdi>{}</bdi>").format(piece) if n % 2 else escape(piece) for n, piece in enumerate(pieces)
    )


def _seen(value: Any) -> Any:
    """Return a value without the characters that a page cannot hold."""
    return _UNSEEN.sub("", value) if type(value) is str else value


# --- a comparison as a page ---------------------------------------------------------------------------------
#
# A `Sensitivity` in, a page about it out: what stays when a question is asked otherwise, one HTML file.


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
