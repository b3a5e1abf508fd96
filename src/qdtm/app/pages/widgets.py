"""Small elements that pages share."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from nicegui import ui


def button(label: str, on_click: Callable[[], Any], *, id: str = "", plain: bool = False) -> ui.element:
    """Make a button that looks like those in the templates."""
    element = ui.element("button").props("type=button").classes("button plain" if plain else "button")
    if id:
        element.props(f"id={id}")
    element.on("click", on_click)
    with element:
        ui.html(escape(label), sanitize=False, tag="span")
    return element
