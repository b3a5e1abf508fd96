"""A small working day in the reader: along the list by keys, tags on a document and a passage, a restart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .driving import ENTER, Page, RunningApp, assert_quiet

pytestmark = pytest.mark.browser

ESCAPE = "\ue00c"
SELECT = """
const nodes = [], walk = document.createTreeWalker(document.querySelector("#reader-text .block"), 4);
for (let node; (node = walk.nextNode()); ) nodes.push(node);
const range = document.createRange();
range.setStart(nodes[0], 0);
range.setEnd(nodes.at(-1), 1);
getSelection().removeAllRanges();
getSelection().addRange(range);
return range.toString();
"""


def row(page: Page) -> str:
    return page.path.partition("row=")[2].partition("&")[0]


def press_and_wait(page: Page, key: str) -> str:
    """Press a key that leads to another document; return the row of that."""
    before = row(page)
    page.press(key)
    page.until(lambda _: row(page) != before)
    page.find(f"#reader-text[data-row='{row(page)}']")
    return row(page)


def focused(page: Page) -> str:
    return str(page.driver.execute_script("return document.activeElement.outerHTML"))


def test_a_day_of_reading(
    start_app: Callable[..., RunningApp], page: Page, app: RunningApp, afghanistan: str, browser: Any
) -> None:
    page.open(f"/result/{afghanistan}?sort=edge")
    page.find("ol.documents a.title")
    page.press("j")
    page.press("j")
    page.press(ENTER)
    page.find("#reader-text")
    second = row(page)
    first = press_and_wait(page, "k")
    assert press_and_wait(page, "j") == second
    page.press("n")
    page.find("#reader-text .at")

    page.press("?")
    page.find("dialog[open]")
    page.press("j")  # a dialog is open
    assert "next document" in page.find("dialog[open]").text
    page.press(ESCAPE)
    page.gone("dialog[open]")
    assert row(page) == second

    page.press("t")
    page.press("Ashes <b>jukx</b>", ENTER)  # keys are letters here
    page.says("Ashes <b>jukx</b>")
    assert row(page) == second
    page.press(ESCAPE)

    chosen = page.driver.execute_script(SELECT)
    page.find("[data-selection]:not([hidden])")
    page.press("t")
    page.says("For the passage")
    page.press("opening", ENTER)
    page.find("#reader-text .coded")
    coded = "".join(each.text for each in page.all("#reader-text .coded"))
    assert coded.split() == chosen.split()
    page.type("textarea", "Compare with the others")
    page.click("h1")
    page.says("Note on a passage")

    page.press("y")
    page.find("[data-act=judge][data-value=yes][aria-pressed=true]")
    page.press("u")
    page.find("[data-act=judge][data-value=yes][aria-pressed=false]")

    page.click("#back-to-list")
    page.until(lambda _: f'data-key="read-{second}"' in focused(page))
    assert "sort=edge" in page.path
    page.press("/")
    page.until(lambda _: "Search in these documents" in focused(page))

    page.open(f"/codes/{afghanistan}")
    page.click("[data-act=rename][data-value=opening]")
    field = page.find(".q-dialog input")
    page.until(lambda _: field.get_attribute("value") == "opening")
    field.send_keys("s", ENTER)
    page.find("[data-act=rename][data-value=openings]")
    page.click("[data-act=undo]")
    page.find("[data-act=rename][data-value=opening]")
    page.says("Compare with the others")
    page.click(".codebook a")
    page.find("ol.documents a.title")
    assert len(page.all("ol.documents > li")) == 1
    assert first != second
    page.open(f"/result/{afghanistan}")
    page.click("article.q-card a.title")  # along the documents of its subtopic
    page.find("#reader-text")
    assert "subtopic=0.1" in page.path
    assert_quiet(page, app)

    other = start_app(workspace=app.workspace)  # as after a restart
    again = Page(browser, other.address)
    again.open(f"/read/{afghanistan}?row={second}")
    again.says("Ashes <b>jukx</b>")
    again.find("#reader-text .coded")
    again.open(f"/read/{afghanistan}?row=99999999")
    again.says("There is no document 99,999,999")
    assert again.driver.execute_script("return document.querySelector('b')") is None
