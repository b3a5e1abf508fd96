"""The page of keyword in context."""

from __future__ import annotations

import re
from urllib.parse import quote

from .driving import Page, RunningApp, assert_quiet

FIELD = "input[aria-label='Search']"


def column(page: Page, name: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((cell) => cell.innerText.trim())"
    return [str(text) for text in page.driver.execute_script(script, f".kwic td.k-{name}")]


def test_search_sort_and_read(page: Page, app: RunningApp, afghanistan: str) -> None:
    page.open("/ask/demo")
    page.click("#search-corpus")
    page.type(FIELD, "wickets")
    page.find(".kwic td.k-found")
    assert {word.lower() for word in column(page, "found")} <= {"wicket", "wickets"}
    page.click("[data-act=sort][data-value=right]")
    page.find("th.k-right[aria-sort=ascending]")
    assert "q=wickets&sort=right" in page.path
    after = [re.findall(r"\w+", text.casefold())[:1] for text in column(page, "right")]
    assert after == sorted(after)
    page.click("[data-act=open]")
    page.until(lambda _: page.find(".dialog .read mark.m3").text.lower().startswith("wicket"))
    page.click("#close-document")
    page.gone(".q-dialog__backdrop")

    page.open(f"/result/{afghanistan}")
    page.click("#search-corpus")
    page.type(FIELD, "the")
    page.says("the first 1,000 are shown")
    page.click("[data-act=sort][data-value=relevance]")
    page.find("th.k-relevance[aria-sort=descending]")
    relevance = [float(text) for text in column(page, "further")]
    assert relevance == sorted(relevance, reverse=True)
    title = page.find(".kwic td.k-found a").get_attribute("title")
    page.click(".kwic td.k-found a")
    page.until(lambda _: page.path.startswith(f"/read/{afghanistan}?row="))
    page.says(str(title))
    assert_quiet(page, app)


def test_a_bad_search_is_one_line_and_a_sent_address_comes_back(
    page: Page, app: RunningApp, afghanistan: str
) -> None:
    for text, said in (
        ("(", "There is no word in"),
        ("<script>alert(1)</script>", "There is no word in"),
        ("x" * 10_000, "10,000 characters"),
        ("🔥", "No document has"),
        ('"fire', "without its partner"),
    ):
        page.open(f"/kwic/demo?q={quote(text)}&sort=nonsense")
        page.says(said)
    page.open("/kwic/demo?q=" + quote('"prime minister"') + "&sort=left")
    page.find("th.k-left[aria-sort=ascending]")
    page.open(f"/kwic/demo?q=fire&job={afghanistan}x")
    page.says("no such")
    assert_quiet(page, app)
