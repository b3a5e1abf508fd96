"""The documents of a query: filters from and to addresses, counts that agree, and the list in a browser."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm import QueryDrivenTopicModel
from qdtm.app.explorer import LONGEST, SORTS, DocumentFilter, Explorer
from qdtm.app.pages.documents import chips_of, ends_of, period_said
from qdtm.corpus import Corpus
from qdtm.results.codes import Codes
from qdtm.results.documents import BELOW, VIEWS, in_view
from qdtm.results.journal import Act

from .driving import Page, RunningApp, assert_quiet
from .texts import rows, write_table

ARROW_LEFT = "\ue012"


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    table = rows()
    fields = {"published": [row[1] for row in table], "party": [row[2] for row in table]}
    corpus = Corpus.from_texts([row[3] for row in table], ids=[row[0] for row in table], fields=fields)
    model = QueryDrivenTopicModel(["school", "hospital"], max_sweeps=30).fit(corpus)
    model = model.set_columns(time_column="published", group_column="party")
    tagged = Codes.of([Act(1, "2026-01-01T00:00:00Z", "", "tag", {"row": 4, "tag": "a tag"})], len(table))
    return Explorer(model.result_, lambda: tagged)


# --- addresses ---------------------------------------------------------------------------------------------

texts = st.text(max_size=300)
filters = st.builds(
    lambda **values: DocumentFilter().changed(values),
    query=st.integers(0, 999_999).map(str),
    view=st.sampled_from(VIEWS),
    subtopic=st.sampled_from(["", "0.1", "12.3.4"]),
    search=texts,
    **{"from": st.dates().map(str), "to": st.dates().map(str)},
    group=texts,
    word=texts,
    tag=texts,
    least=st.integers(0, 100).map(lambda n: f"{n / 100:.2f}"),
    most=st.integers(0, 100).map(lambda n: f"{n / 100:.2f}"),
    sort=st.sampled_from(SORTS),
)


@given(filters)
def test_an_address_gives_the_same_filter_again(wanted: DocumentFilter) -> None:
    assert DocumentFilter.from_query(dict(parse_qsl(wanted.to_query()))) == wanted


@given(
    st.dictionaries(st.sampled_from(["query", "view", "from", "to", "least", "most", "sort", "group"]), texts)
)
def test_no_parameter_can_hurt(params: dict[str, str]) -> None:
    wanted = DocumentFilter.from_query(params)
    assert 0 <= wanted.query < 10**6
    assert 0.0 <= wanted.least <= 1.0
    assert 0.0 <= wanted.most <= 1.0
    assert max(map(len, (wanted.search, wanted.group, wanted.word, wanted.tag))) <= LONGEST
    assert DocumentFilter.from_query(dict(parse_qsl(wanted.to_query()))) == wanted


@pytest.mark.parametrize(
    "params",
    [
        {"query": "-1"},
        {"query": "9" * 400},
        {"query": "٣"},
        {"view": "everything"},
        {"least": "nan"},
        {"least": "-0.1", "most": "1.5"},
        {"least": "1e-3", "most": "inf"},
        {"from": "2020-02-31", "to": "2020"},
        {"from": "٢٠٢٠-٠١-٠١", "to": "99999-01-01"},
        {"subtopic": "../../etc", "sort": "__class__"},
        {"subtopic": "0." * 500 + "1"},
        {"search": "\0 \n\t", "group": "\ud800"},
    ],
)
def test_what_makes_no_sense_is_as_if_it_were_not_there(params: dict[str, str]) -> None:
    assert DocumentFilter.from_query(params) == DocumentFilter()


def test_an_address_says_only_what_is_not_usual() -> None:
    assert DocumentFilter().to_query() == ""
    wanted = DocumentFilter(view="below", first=date(2009, 1, 1), group="Grün & Weiß", least=0.25)
    assert wanted.to_query() == "view=below&from=2009-01-01&group=Gr%C3%BCn+%26+Wei%C3%9F&least=0.25"
    assert DocumentFilter(query=3).within(2).query == 0


# --- what is found -----------------------------------------------------------------------------------------


def test_counts_are_the_results_own(explorer: Explorer) -> None:
    relevance = explorer.result.relevance(0)
    views = explorer.counts(DocumentFilter()).views
    assert views["about"] == relevance.n_listed
    assert views["near"] == relevance.n_near
    assert views["all"] == explorer.result.corpus.n_documents
    assert views["named-out"] + int((relevance.about & relevance.names).sum()) == relevance.n_names
    assert views["unnamed-in"] == int((relevance.about & ~relevance.names).sum())
    below = (relevance.scores < relevance.cutoff) & (relevance.scores >= BELOW * relevance.cutoff)
    assert views["below"] == int(below.sum())
    for view in VIEWS:
        assert explorer.find(DocumentFilter(view=view)).n_found == views[view]
        assert views[view] == int(in_view(relevance, view).sum())


def test_each_count_is_what_its_filter_finds(explorer: Explorer) -> None:
    wanted = DocumentFilter(search="council", group="left", first=date(2011, 1, 1), least=0.1)
    counts, trends, groups = explorer.counts(wanted), explorer.over_time, explorer.groups
    assert trends is not None
    assert groups is not None
    for view in VIEWS:
        assert explorer.find(wanted.changed({"view": view})).n_found == counts.views[view]
    for g, name in enumerate(groups.names):
        assert explorer.find(wanted.changed({"group": name})).n_found == counts.groups[g]
    assert trends.starts is not None
    assert trends.ends is not None
    for start, end, n in zip(trends.starts, trends.ends, counts.periods, strict=True):
        assert explorer.find(wanted.changed({"from": str(start), "to": str(end)})).n_found == n
    without = explorer.find(wanted.changed({"least": "", "view": "all"}))
    assert len(counts.relevance) == without.n_found


def test_documents_by_group_day_word_tag_and_relevance(explorer: Explorer) -> None:
    table = rows()
    everything = DocumentFilter(view="all", n=500)
    left = explorer.find(everything.changed({"group": "left"}))
    assert sorted(left.rows) == [j for j, row in enumerate(table) if row[2] == "left"]
    early = explorer.find(everything.changed({"to": "2011-06-30"}))
    assert sorted(early.rows) == [j for j, row in enumerate(table) if row[1] <= "2011-06-30"]
    word = explorer.find(everything.changed({"word": "homework"}))
    assert word.rows
    assert sorted(word.rows) == [j for j, row in enumerate(table) if "homework" in row[3].lower()]
    assert explorer.find(everything.changed({"tag": "a tag"})).rows == (4,)
    between = explorer.find(everything.changed({"least": "0.2", "most": "0.8"}))
    scores = explorer.relevance(0).scores
    assert sorted(between.rows) == np.flatnonzero((scores >= 0.2) & (scores <= 0.8)).tolist()
    for nothing in ({"group": "nobody"}, {"word": "zebra"}, {"tag": "other"}, {"subtopic": "0.99"}):
        assert explorer.find(everything.changed(nothing)).n_found == 0


def test_the_nearest_to_the_cutoff_come_first(explorer: Explorer) -> None:
    relevance = explorer.relevance(0)
    found = explorer.rows(DocumentFilter(view="all", sort="edge"))
    assert (np.diff(np.abs(relevance.scores[found] - relevance.cutoff)) >= 0).all()


def test_the_handles_stand_where_a_view_ends(explorer: Explorer) -> None:
    relevance = explorer.relevance(0)
    for view in VIEWS:
        low, high = ends_of(relevance, view)
        scores = relevance.scores[in_view(relevance, view)]
        assert ((scores >= low) & (scores <= high)).all()


def test_chips_say_what_is_filtered(explorer: Explorer) -> None:
    wanted = DocumentFilter(
        first=date(2009, 1, 1), last=date(2011, 12, 31), group="left", least=0.25, search="<b>", tag="x"
    )
    said = [f"{chip.name} {chip.said}".strip() for chip in chips_of(wanted, explorer)]
    assert said == ["2009 to 2011", "party left", "relevance 0.25 to 1.00", "tag x", "search <b>"]
    for chip in chips_of(wanted, explorer):
        wanted = wanted.changed(dict.fromkeys(chip.clears.split(), ""))
    assert wanted == DocumentFilter()


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ((2009, 1, 1), (2009, 12, 31), "2009"),
        ((2009, 3, 1), (2009, 4, 30), "2009-03 to 2009-04"),
        ((2009, 3, 2), (2009, 3, 2), "2009-03-02"),
        ((2009, 1, 1), None, "from 2009"),
        (None, (9999, 12, 31), "up to 9999"),
    ],
)
def test_a_stretch_of_time_is_said_shortly(first: Any, last: Any, said: str) -> None:
    days = (None if each is None else date(*each) for each in (first, last))
    assert period_said(*days) == said


# --- in a browser ------------------------------------------------------------------------------------------


def shown(page: Page) -> list[str]:
    return [each.get_attribute("id") for each in page.all("ol.documents > li[id]")]


def found(page: Page) -> str:
    """Return what the page says was found."""
    return str(page.find("ol.documents").find_element("xpath", "preceding-sibling::p[1]").text)


def after(page: Page, before: str) -> None:
    page.until(lambda _: found(page) != before, message=f"still {before!r}")


@pytest.fixture(scope="module")
def dated(app: RunningApp, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A result with dates and groups."""
    page = Page(browser, app.address)
    page.open("/")
    page.upload(write_table(tmp_path_factory.mktemp("table") / "reports.csv"))
    page.find("table.preview")
    page.click("label:has([aria-label='Group'])")
    page.until(lambda _: any(o.text == "party" for o in page.all(".q-menu .q-item")))
    next(option for option in page.all(".q-menu .q-item") if option.text == "party").click()
    page.gone(".q-menu")
    page.click("#read-corpus")
    page.type(".query-text input", "school")
    page.find(".chips li")
    page.click("#find-topics:not([disabled])")
    page.click(".open-result")
    page.find("ol.documents > li[id]")
    return page.path.split("/")[2].partition("?")[0]


@pytest.mark.browser
def test_what_one_sees_filters_the_list_and_stands_in_the_address(
    page: Page, app: RunningApp, dated: str
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    page.open(f"/result/{dated}")
    page.find("ol.documents > li[id]")
    start = found(page)

    slider = page.find("[data-key=least]")  # by keyboard, below the cut-off: all of the corpus is looked at
    for _ in range(round((float(slider.get_attribute("value")) - 0.2) * 100)):
        slider.send_keys(ARROW_LEFT)
    page.until(lambda _: "view=all" in page.path and "least=0.2" in page.path)
    after(page, start)
    page.click("[data-act=clear][data-value='least most']")
    page.click("[data-act=view][data-value=about]")
    page.until(lambda _: found(page) == start)

    chart = page.find("[data-brush]")
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    width = chart.size["width"]
    drag = ActionChains(page.driver).move_to_element_with_offset(chart, -width * 0.2, 0).click_and_hold()
    drag.move_by_offset(width * 0.3, 0).release().perform()
    page.until(lambda _: "from=" in page.path and "to=" in page.path)
    after(page, start)
    brushed, address = found(page), page.path
    assert page.find("[data-key=from]").get_attribute("value") in address
    assert page.find(".band").is_displayed()

    page.click("button[data-act=group][data-value=left]")
    page.until(lambda _: "group=left" in page.path)
    after(page, brushed)
    both, both_rows = found(page), shown(page)
    assert len(page.all(".chips [data-act=clear]")) == 3  # two filters, and all

    page.driver.switch_to.new_window("tab")  # the address, sent to somebody
    page.open(page.address + address + "&group=left")
    page.find("ol.documents > li[id]")
    assert (found(page), shown(page)) == (both, both_rows)
    page.driver.close()
    page.driver.switch_to.window(page.driver.window_handles[0])

    page.driver.back()
    page.until(lambda _: found(page) == brushed)
    assert "group=" not in page.path
    page.driver.forward()
    page.until(lambda _: found(page) == both)
    page.click("[data-act=clear][data-value='from to']")
    page.until(lambda _: "from=" not in page.path)
    after(page, both)
    assert page.find("[data-key=from]").get_attribute("value") == ""
    page.click("[data-key=clear-all]")
    page.until(lambda _: found(page) == start)
    assert page.path == f"/result/{dated}?"
    assert_quiet(page, app)


@pytest.mark.browser
def test_any_document_is_judged_from_the_list(page: Page, app: RunningApp, dated: str) -> None:
    page.open(f"/result/{dated}?view=all&sort=edge")
    row = page.find("ol.documents > li[id]").get_attribute("id").removeprefix("d")
    yes = f"[data-act=judge][data-value='{row} yes']"
    page.click(yes)
    page.find(f"{yes}[aria-pressed=true]")
    page.open(f"/result/{dated}?view=all")  # kept, and at the head of the list by now
    page.find(f"ol.documents > li:first-child {yes}[aria-pressed=true]")
    page.says("Checked: 1 document by hand")
    page.click(yes)
    page.find(f"{yes}[aria-pressed=false]")
    page.open(f"/result/{dated}?view=all&sort=edge")
    page.find(f"{yes}[aria-pressed=false]")
    assert_quiet(page, app)


@pytest.mark.browser
def test_hostile_addresses_show_the_list(page: Page, app: RunningApp, dated: str) -> None:
    hostile = (
        "view=%3Cscript%3E&least=nan&most=-9&from=0000-00-00&group=%00&word=%3Cimg%20src%3Dx%3E&query=99"
    )
    page.open(f"/result/{dated}?{hostile}")
    page.says("No document passes.")
    assert page.find(".chips").text.startswith("word <img src=x>")
    page.click("[data-key=clear-none]")
    page.find("ol.documents > li[id]")
    assert_quiet(page, app)
