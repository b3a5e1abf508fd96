"""A part of a page that is a template of ours: values in, elements out, and clicks on them back.

Buttons in a template carry `data-act` (what to do) and `data-value` (with what). What comes back may be
anything, since a browser sends it; handlers look values up and never trust them.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from qdtm.app.rendering import render
from qdtm.errors import QdtmError

Action = Callable[[str], Awaitable[None] | None]

_log = logging.getLogger("qdtm.app")
_LONGEST = 2_000
_ON_CLICK = """(event) => {
  const button = event.target.closest("[data-act]");
  if (button) emit(button.dataset.act, button.dataset.value ?? "");
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
        tell("Something went wrong that should not have; the server's log has more.")


def tell(message: str) -> None:
    """Show a line at the foot of the page."""
    ui.notify(message, position="bottom", multi_line=len(message) > 60, timeout=8_000, close_button="Close")
