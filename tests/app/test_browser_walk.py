"""One walk through the app in a real browser, for every run: a query, its fit and what it found."""

from __future__ import annotations

from .driving import Page, RunningApp, assert_quiet


def n_documents(page: Page) -> int:
    """Return how many documents the result page says it has found."""
    return int(page.find("ol.documents").find_element("xpath", "preceding-sibling::p").text.split()[0])


def test_subtopics_documents_and_an_explanation(page: Page, app: RunningApp, afghanistan: str) -> None:
    page.open(f"/result/{afghanistan}")
    page.find("article.q-card [data-act=drop-word], article.q-card li")
    n_subtopics = len(page.all("article.q-card"))
    assert n_subtopics >= 2
    every = n_documents(page)
    page.click("[data-act=only][data-value='0.2']")
    page.find("[data-act=only][data-value='0.2'][aria-pressed=true]")
    assert {badge.text for badge in page.all("ol.documents .q-id")} == {"0.2"}
    page.click("[data-act=only][data-value='']")
    page.type("input[aria-label='Search in these documents']", "pentagon")
    page.until(lambda _: 0 < n_documents(page) < every)
    page.click("ol.documents a.title")
    page.says("The words that carry its share in the topic")
    assert page.all("#reader-text mark.mc")
    assert_quiet(page, app)
