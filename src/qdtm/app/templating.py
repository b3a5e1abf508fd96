"""Templates in, HTML out, all text of the user's escaped; panels of a page; and the style sheet."""

from __future__ import annotations

import hashlib
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from qdtm.errors import QdtmError
from qdtm.present.report import template_environment
from qdtm.present.theme import DARK, LIGHT, component_css, page_css, theme_css

# --- templates ----------------------------------------------------------------------------------------------


def render(template: str, **values: Any) -> str:
    """Fill a template of the app or of the report."""
    return str(template_environment("qdtm.app", "qdtm.present").get_template(template).render(**values))


@cache
def style_sheet() -> str:
    """Return the report's colours, parts and layout, then what is the app's alone."""
    return theme_css() + component_css() + page_css() + _over_quasar() + _static("app.css")


@cache
def script() -> str:
    """Return the app's own script: keys, the reader, and the focus where it was when a part is renewed."""
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


# --- panels -------------------------------------------------------------------------------------------------
#
# A part of a page that is a template of ours: values in, elements out, and clicks on them back.
#
# Buttons in a template carry `data-act` (what to do) and `data-value` (with what). Two fields of a range are
# in an element with `data-range` (what to do); their values come joined by "..", once they are settled.
# What comes back may be anything, since a browser sends it; handlers look values up and never trust them.

Action = Callable[[str], Awaitable[None] | None]

UNEXPECTED = "Something went wrong that should not have; the server's log has more."

_log = logging.getLogger("qdtm.app")
_LONGEST = 10_000
_ON_CLICK = """(event) => {
  const button = event.target.closest("[data-act]");
  if (!button || (button.href && (event.ctrlKey || event.metaKey || event.shiftKey))) return;
  if (button.href) event.preventDefault();
  emit(button.dataset.act, button.dataset.value ?? "");
}"""
_ON_SETTLED = """(event) => {
  const [low, high] = event.target.querySelectorAll("input");
  emit(event.target.dataset.range, low.value + ".." + high.value);
}"""


class Panel(ui.html):
    """A template on a page.

    Parameters
    ----------
    template : str
    actions : mapping of str to callable, optional
        What a click on an element with this `data-act` does, given its `data-value`.
    tag : str
    """

    def __init__(
        self, template: str, actions: Mapping[str, Action] | None = None, *, tag: str = "div", **values: Any
    ) -> None:
        super().__init__("", sanitize=False, tag=tag)
        self._template, self._actions = template, actions or {}
        if self._actions:
            self.on("click", self._clicked, js_handler=_ON_CLICK)
            self.on("settled", self._clicked, js_handler=_ON_SETTLED)
        if values or not self._actions:
            self.show(**values)

    def show(self, **values: Any) -> None:
        """Fill the template with these values."""
        self.set_content(render(self._template, **values))

    async def _clicked(self, event: GenericEventArguments) -> None:
        if (
            isinstance(event.args, list)
            and len(event.args) == 2
            and all(isinstance(a, str) for a in event.args)
        ):
            act, value = event.args
            if act in self._actions and len(value) <= _LONGEST:
                await guarded(self._actions[act], value)


async def guarded(action: Callable[..., Awaitable[None] | None], *args: Any) -> None:
    """Do something; what goes wrong is one line on the page, and never more."""
    try:
        outcome = action(*args)
        if inspect.isawaitable(outcome):
            await outcome
    except QdtmError as error:
        tell(str(error))
    except Exception:
        _log.exception("an action failed")
        tell(UNEXPECTED)


def tell(message: str) -> None:
    """Show a line at the foot of the page."""
    ui.notify(message, position="bottom", multi_line=len(message) > 60, timeout=8_000, close_button="Close")
