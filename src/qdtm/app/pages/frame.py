"""What every page has around it: the head, the way back, where in the work one is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import Any, TypeVar

from nicegui import ui

from qdtm.app.templating import UNEXPECTED, Panel, guarded, render, script, style_sheet, version_of
from qdtm.app.workspace import InBinError
from qdtm.errors import QdtmError

# --- the frame ----------------------------------------------------------------------------------------------

T = TypeVar("T")
PageFunction = Callable[..., Awaitable[None]]

_log = logging.getLogger("qdtm.app")
_SECONDS_TO_CONNECT = 60.0
STEPS = ("Corpus", "Ask", "Explore")


@dataclass(frozen=True)
class Step:
    """A step of the work, and where one gets back to it."""

    name: str
    link: str | None = None


@contextmanager
def frame(title: str, step: str, links: dict[str, str] | None = None) -> Iterator[None]:
    """Put a page around what the block makes.

    Parameters
    ----------
    title : str
        For the window; the user's words may be in it.
    step : str
        One of `STEPS`.
    links : dict of str to str, optional
        Where the earlier steps are.
    """
    ui.page_title(f"{title} · qdtm")
    ui.add_head_html(
        f'<link rel="stylesheet" href="/app.css?v={version_of(style_sheet())}">'
        f'<script defer src="/app.js?v={version_of(script())}"></script>'
    )
    known = {"Corpus": "/", **(links or {})}
    steps = [Step(name, known.get(name)) for name in STEPS]
    ui.add_body_html(render("frame.html", steps=steps, now=step))  # painted before any script has come
    with ui.element("div").props("id=main tabindex=-1"):  # inside NiceGUI's own <main>
        try:
            yield
        except QdtmError as error:
            show_error(error)
        except TimeoutError:
            raise  # nobody is there
        except Exception:
            _log.exception("a page failed")
            show_problem(UNEXPECTED)


def page(path: str) -> Callable[[PageFunction], PageFunction]:
    """Serve what a function makes at a path; an error that a user can cause becomes a line on the page."""

    def decorate(make: PageFunction) -> PageFunction:
        @wraps(make)
        async def made(*args: Any, **arguments: Any) -> None:
            try:
                await make(*args, **arguments)
            except QdtmError as error:
                with frame("Not there", "Corpus"):
                    text("Not there", "h1")
                    show_error(error)
            except TimeoutError:
                return  # nobody is there: a program asked for the page, or the tab was closed at once

        return ui.page(path)(made)

    return decorate


async def connected() -> None:
    """Wait until somebody looks at the page."""
    await ui.context.client.connected(_SECONDS_TO_CONNECT)


async def while_waiting(message: str, work: Callable[[], T]) -> T:
    """Do what takes its time in a thread, with the page shown already."""
    waiting = Panel("waiting.html", message=message)
    await connected()
    try:
        made = await asyncio.to_thread(work)
    finally:
        was_closed = waiting.is_deleted
        if not was_closed:
            waiting.delete()
    if was_closed:
        raise TimeoutError("the page was closed while its work was done")
    return made


def show_problem(message: str, link: str = "/", label: str = "Back to the start") -> None:
    """Say what is wrong, and where to go from here."""
    Panel("problem.html", message=message, link=link, label=label)


def show_error(error: QdtmError) -> None:
    """Say what is wrong; what is in the bin can be brought back from there."""
    where = ("/bin", "Open the bin") if isinstance(error, InBinError) else ("/", "Back to the start")
    show_problem(str(error), *where)


# --- elements -----------------------------------------------------------------------------------------------
#
# Small elements that pages share.


def button(label: str, on_click: Callable[[], Any], *, id: str = "", plain: bool = False) -> ui.element:
    """Make a button that looks like those in the templates."""
    element = ui.element("button").props("type=button").classes("button plain" if plain else "button")
    if id:
        element.props(f"id={id}")
    element.on("click", on_click)
    with element:
        text(label)
    return element


def text(words: str, tag: str = "span") -> ui.html:
    """Make an element of plain words."""
    return ui.html(escape(words), sanitize=False, tag=tag)


@contextmanager
def dialog(label: str, classes: str = "dialog") -> Iterator[ui.dialog]:
    """Make a dialog of what the block makes, to be opened later; the label is for screen readers."""
    made = ui.dialog()
    made.props["aria-label"] = label
    with made, ui.element("div").classes(classes).props("role=document"):
        yield made


class NameDialog:
    """A dialog that asks for a name; Enter keeps it.

    Parameters
    ----------
    title, label : str
        Of the dialog and of its field.
    longest : int
        Characters of a name.
    keep : callable
        Is given the name.
    """

    def __init__(self, title: str, label: str, longest: int, keep: Callable[[str], Any]) -> None:
        async def kept() -> None:
            self._dialog.close()
            await guarded(keep, (self.field.value or "").strip())

        with dialog(title) as self._dialog:
            text(title, "h2")
            self.field = ui.input(label).props(f"outlined maxlength={longest} autofocus dir=auto")
            self.field.on("keydown.enter", kept)
            with ui.element("div").classes("actions"):
                button("Keep", kept, id="keep-name")
                button("Cancel", self._dialog.close, plain=True)

    def ask(self, name: str) -> None:
        """Ask; the name as it is stands in the field."""
        self.field.set_value(name)
        self._dialog.open()


class Question:
    """A dialog that asks before something goes; Enter and Escape both leave things as they are.

    It names what goes; the focus is on Cancel.
    """

    def __init__(self) -> None:
        self._do: Callable[[], Any] = lambda: None
        self._dialog = ui.dialog().props("aria-labelledby=question-title")
        with self._dialog, ui.element("div").classes("dialog"):
            self._text = Panel("question.html", title="", text="")
            with ui.element("div").classes("actions"):
                button("Cancel", self._dialog.close, plain=True, id="cancel").props("autofocus")
                self._yes = button("Remove", self._answered, id="confirm")

    def ask(self, title: str, says: str, label: str, do: Callable[[], Any]) -> None:
        """Ask, and do it if the answer is yes."""
        self._do = do
        self._text.show(title=title, text=says)
        self._yes.clear()
        with self._yes:
            text(label)
        self._dialog.open()

    async def _answered(self) -> None:
        self._dialog.close()
        await guarded(self._do)
