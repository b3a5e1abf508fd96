"""What people do in a real browser: waiting is on conditions, never on time."""

from __future__ import annotations

import shutil
import signal
import zipfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from .driving import ENTER, Page, RunningApp, assert_quiet, words
from .texts import write_table

pytestmark = pytest.mark.browser

TAB, BACKSPACE, ESCAPE = "\ue004", "\ue003", "\ue00c"


def ask(page: Page, query: str, corpus: str = "demo") -> None:
    page.open("/")
    page.click("#use-demo")
    page.find(".query-text input")
    if corpus != "demo":
        page.open(f"/ask/{corpus}")
    page.type(".query-text input", query)
    page.find(".chips li")


def fit(page: Page) -> str:
    """Start a fit and open its result; return its id."""
    page.click("#find-topics:not([disabled])")
    page.click(".open-result")
    page.find("#words")
    return page.path.split("/")[2].partition("?")[0]


def download(page: Page, job: str, kind: str) -> bytes:
    with urlopen(f"{page.address}/download/{job}/{kind}") as answer:
        assert "attachment" in answer.headers["content-disposition"]
        return bytes(answer.read())


def test_a_subtopic_is_named_for_everybody_and_in_the_report(
    page: Page, app: RunningApp, afghanistan: str
) -> None:
    page.open(f"/result/{afghanistan}")
    page.choose("rename", "0.1")
    page.type(".q-dialog input", "The <b>Test</b> series", ENTER)
    page.says("The <b>Test</b> series")
    page.open(f"/result/{afghanistan}")
    page.says("The <b>Test</b> series")
    report = download(page, afghanistan, "report").decode()
    assert "The &lt;b&gt;Test&lt;/b&gt; series" in report
    assert_quiet(page, app)


def test_everything_can_be_taken_away(page: Page, afghanistan: str) -> None:
    page.open(f"/result/{afghanistan}")
    assert page.find("#download-report").get_attribute("href").endswith(f"/download/{afghanistan}/report")
    assert b"<!doctype html>" in download(page, afghanistan, "report")
    assert download(page, afghanistan, "xlsx")[:2] == b"PK"
    names = zipfile.ZipFile(BytesIO(download(page, afghanistan, "csv"))).namelist()
    assert any(name.endswith("documents.csv") for name in names)
    names = zipfile.ZipFile(BytesIO(download(page, afghanistan, "model"))).namelist()
    assert any(name.endswith("qdtm.json") for name in names)
    program = download(page, afghanistan, "python").decode()
    assert "add=('tennis',)" in program
    assert "load_demo_corpus" in program


def test_looking_deeper_opens_a_subtopic(page: Page, app: RunningApp) -> None:
    page.open("/")
    page.click("#use-demo")
    page.type(".query-text input", "afghanistan")  # which has subtopics that are large enough to open
    page.says("Answerable.")
    found = fit(page)
    page.choose("split", "0.1")
    page.find("[id='t0.1.1']")
    page.click("[data-act=documents][data-value='0.1.1']")
    page.open(f"/result/{found}")
    page.find("[id='t0.1.2']")
    assert b'id="t0.1.1"' in download(page, found, "report")
    assert 'model.drill_down("0.1")' in download(page, found, "python").decode()
    assert_quiet(page, app)


def test_a_query_is_added_and_held_against_the_first(page: Page, app: RunningApp, afghanistan: str) -> None:
    page.open(f"/result/{afghanistan}")
    page.click("#add-query")
    page.says("What else are you looking for?")
    page.type(".query-text input", "cricket")
    page.find(".chips li")
    both = fit(page)
    assert both != afghanistan
    assert page.find("nav.queries [aria-current]").text == "cricket"
    page.click("#contrast-0")
    page.says("What tells them apart")
    assert {"taliban", "wicket"} <= set(page.text.split())
    assert "model.add_query(Query(text='cricket'" in download(page, both, "python").decode()
    page.open(f"/result/{afghanistan}")  # it stays as it was
    page.find("#words")
    assert not page.all("nav.queries, [id^=contrast]")
    assert_quiet(page, app)


def test_a_subtopics_words_can_be_asked_for(page: Page, afghanistan: str) -> None:
    page.open(f"/result/{afghanistan}")
    page.click("[data-act=ask][data-value='0.2']")
    page.says("Answerable.")
    page.until(lambda _: len(words(page)) >= 5)


def answer(page: Page) -> str:
    """Return the first answer that is shown, once it is one to what is asked now."""
    return str(page.find("section.first:not(.stale) ol.documents").find_element("xpath", "../../..").text)


def test_the_first_answer_comes_while_one_types_and_no_old_one_after_it(page: Page, app: RunningApp) -> None:
    page.open("/ask/demo")
    page.type(".query-text input", "cricket")
    assert "documents are about it" in answer(page)
    assert "wicket" in answer(page)
    page.driver.execute_script(
        """
        const panel = document.querySelector("section.first").parentElement;
        const field = document.querySelector(".query-text input");
        window.shown = [];
        new MutationObserver(() => {
          const fresh = panel.querySelector("section.first:not(.stale)");
          window.shown.push([field.value, fresh ? fresh.textContent : ""]);
        }).observe(panel, { childList: true, subtree: true });
        """
    )
    for text in ("economy", "asylum seekers", "afghanistan"):
        for _ in range(len(page.find(".query-text input").get_attribute("value"))):
            page.type(".query-text input", BACKSPACE)
        for letter in text:
            page.type(".query-text input", letter)
    page.until(lambda _: "taliban" in answer(page))
    page.until(lambda _: "afghanistan" in words(page))
    shown = page.driver.execute_script("return window.shown")
    last = [text for value, text in shown if value == "afghanistan" and text]
    assert last
    assert all("taliban" in text for text in last)
    before = answer(page)
    page.click("[data-act=drop][data-value=taliban]")
    page.until(lambda _: "taliban" not in words(page))
    page.until(lambda _: answer(page) != before)
    said, said_before = (each.splitlines()[1].partition("(")[0] for each in (answer(page), before))
    assert said == said_before  # as many documents as before
    assert_quiet(page, app)


def test_without_a_word_of_its_own_another_query_is_asked(page: Page, app: RunningApp) -> None:
    page.open("/ask/demo")
    page.type(".query-text input", "union workers")
    both = answer(page)
    page.click("[data-act=drop][data-value=worker]")
    page.until(lambda _: page.find(".query-text input").get_attribute("value") == "union")
    page.until(lambda _: answer(page) != both)
    page.click("[data-act=undo]")
    page.until(lambda _: page.find(".query-text input").get_attribute("value") == "union workers")
    page.until(lambda _: answer(page) == both)
    assert_quiet(page, app)


def test_enter_asks_and_the_fit_settles_beside_the_answer(page: Page, app: RunningApp) -> None:
    page.open("/ask/demo")
    page.type(".query-text input", "economy", ENTER)  # before the answer can be there
    page.find("section.fit")
    first = answer(page)
    page.find(".open-result")
    assert page.path.startswith("/ask/demo")  # and not away from what is read
    assert answer(page) == first
    assert "documents are about it" in page.find("section.fit").text
    page.type(".query-text input", ENTER)
    page.says("found already")
    assert len(page.all("section.fit")) == 1
    page.type(".query-text input", " australia")  # another query leaves the fit where it is
    page.until(lambda _: answer(page) != first)
    assert page.all("section.fit .open-result")
    job = page.find("section.fit").get_attribute("id").removeprefix("fit-")
    page.driver.refresh()
    assert page.find("section.fit").get_attribute("id") == f"fit-{job}"
    assert page.find(".query-text input").get_attribute("value") == "economy australia"
    page.click("section.fit [data-act=leave]")
    page.gone("section.fit")
    page.until(lambda _: "fit=" not in page.path)
    page.open(f"/fit/{job}")  # its own address
    page.find("#words")
    assert page.path.startswith(f"/result/{job}")
    assert_quiet(page, app)


def test_a_fit_is_stopped_on_the_page_and_keeps_what_there_is(page: Page, app: RunningApp) -> None:
    page.open("/ask/demo?runs=8")  # which takes a while
    page.type(".query-text input", "government", ENTER)
    page.click(".stop-fit")
    page.find(".open-result")
    assert "this is what was found until then" in page.find("section.fit").text
    page.click(".open-result")
    page.says("Stopped by you")
    assert_quiet(page, app)


def test_a_query_in_passing_has_its_mentions_and_no_answer(page: Page, app: RunningApp) -> None:
    page.open("/ask/demo")
    page.type(".query-text input", "music")
    page.says("Documents that mention it")
    page.find(".q-verdict.passing")
    assert not page.all("section.first ol.documents")
    assert page.find("#find-topics").get_attribute("disabled")
    page.type(".query-text input", ENTER)  # asks for nothing that cannot be answered
    page.says("Mend the query first")
    assert not page.all("section.fit")
    assert_quiet(page, app)


def test_by_keyboard_alone(page: Page, app: RunningApp, afghanistan: str) -> None:
    page.open("/")
    page.find("#use-demo")

    def tab_to(css: str) -> None:
        for _ in range(60):
            if page.driver.execute_script("return document.activeElement.matches(arguments[0])", css):
                return
            page.press(TAB)
        raise AssertionError(f"{css} is not reached with the tab key")

    tab_to("#use-demo")
    page.press(ENTER)
    page.find(".query-text input")
    tab_to(".query-text input")
    page.press("afghanistan")
    page.find(".chips li")
    before = words(page)
    tab_to("[data-act=drop][data-key=drop-3]")
    page.press(ENTER)
    page.until(lambda _: before[2] not in words(page))
    page.until(lambda _: page.driver.execute_script("return document.activeElement.dataset.key") == "drop-3")
    tab_to("#find-topics")
    page.press(ENTER)
    page.find(".open-result")
    tab_to(".open-result")
    page.press(ENTER)
    page.find("ol.documents a.title")
    if not page.all("#reader-text"):
        tab_to("ol.documents a.title")
        page.press(ENTER)
    page.says("The words that carry its share in the topic")
    assert_quiet(page, app)


def test_a_table_with_dates_and_groups_and_a_hostile_document(
    page: Page, app: RunningApp, tmp_path: Path
) -> None:
    page.open("/")
    page.upload(write_table(tmp_path / "reports.csv"))
    page.find("table.preview")
    page.says("<script>window.hurt = 1</script>")
    for label in ("Text (several are joined)", "Name of a document", "Date", "Group", "Language"):
        page.find(f"[aria-label='{label}']")
    page.click("label:has([aria-label='Group'])")
    page.until(lambda _: any(o.text == "party" for o in page.all(".q-menu .q-item")))
    next(option for option in page.all(".q-menu .q-item") if option.text == "party").click()
    page.gone(".q-menu")
    page.click("#read-corpus")
    page.type(".query-text input", "school")
    page.find(".chips li")
    job = fit(page)
    page.says("Over time")
    page.says("By party")
    page.find("[aria-label='Order']")
    page.type("input[aria-label='Search in these documents']", "onerror")
    page.until(lambda _: len(page.all("ol.documents > li")) == 1)
    page.click("ol.documents a.title")
    page.says("The words that carry its share in the topic")
    assert "<script>" in page.text
    assert page.driver.execute_script("return window.hurt") is None
    assert b"Corpus.read" in download(page, job, "python")
    page.open("/")
    page.says("reports.csv")
    page.says("school")
    assert_quiet(page, app)


def test_a_title_is_joined_to_its_text(page: Page, app: RunningApp, tmp_path: Path) -> None:
    rows = [
        f"The school of village {n},The teacher of class {n} read a lesson in the morning.\n"
        for n in range(30)
    ]
    (tmp_path / "titled.csv").write_text("".join(["title,body\n", *rows]))
    page.open("/")
    page.upload(tmp_path / "titled.csv")
    page.find("table.preview")
    chosen = page.find("label:has([aria-label='Text (several are joined)'])").text
    assert "title, body" in chosen
    page.click("#read-corpus")
    page.type(".query-text input", "village")  # which only titles say
    page.find(".chips li")
    assert_quiet(page, app)


def test_bad_files_are_refused_in_one_line(page: Page, app: RunningApp, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "fine"}\n{"text": oops\n')
    page.open("/")
    page.upload(bad)
    page.says("is not JSON")
    strange = tmp_path / "strange.exe"
    strange.write_bytes(b"MZ\0\0")
    page.open("/")
    page.upload(strange)
    page.says("files of this kind cannot be read")
    assert_quiet(page, app)


def test_several_files_of_any_kind_at_once(page: Page, app: RunningApp, tmp_path: Path) -> None:
    paths = [tmp_path / f"note {n}.md" for n in range(30)]
    for n, path in enumerate(paths):
        path.write_text(f"# Note {n}\n\nThe school of the village and its teacher, {n}.")
    paths += [tmp_path / name for name in ("<b>refs.ris", "broken.docx", "strange.exe")]
    paths[-3].write_text("TY  - JOUR\nTI  - A school <script>window.hurt = 1</script>\nPY  - 2001\nER  - \n")
    paths[-2].write_bytes(b"nothing")
    paths[-1].write_bytes(b"MZ\0\0")
    page.open("/")
    page.upload(*paths)
    page.says("32 files, 31 documents")
    page.says("'broken.docx' is not a .docx file, or is damaged")
    page.says("'strange.exe': files of this kind cannot be read")
    assert page.driver.execute_script("return window.hurt") is None
    page.find("[aria-label='Date']")
    assert not page.all("[aria-label='Name of a document']")  # nothing to choose where there is no table
    page.click("#read-corpus")
    page.find(".query-text input")
    page.says("31 documents")
    assert_quiet(page, app)


def test_what_is_not_there_says_so(page: Page, app: RunningApp) -> None:
    for path in (
        "/result/20200101-000000-00000000",
        "/ask/..%2f..",
        "/fit/x",
        "/compare/a/0/b/0",
        "/contrast/a/0/1",
        "/check/x",
        "/columns/demo",
    ):
        page.open(path)
        page.says("There is no such")
    assert "Traceback" not in page.text
    page.problems()  # the browser's own notes of 404


def test_two_people_do_not_disturb_each_other(
    app: RunningApp, start_browser: Callable[..., Any], page: Page, afghanistan: str
) -> None:
    other = Page(start_browser(390, 844), app.address)
    ask(page, "israel palestinian")
    ask(other, "asylum seekers")
    page.click("#find-topics:not([disabled])")
    other.click("#find-topics:not([disabled])")
    for each in (page, other):
        each.click(".open-result")
        each.find("#words")
    assert page.find("h1").text == "israel palestinian"
    assert other.find("h1").text == "asylum seekers"
    assert not other.driver.execute_script("return document.documentElement.scrollWidth > innerWidth")
    first, second = (each.path.split("/")[2] for each in (page, other))
    page.open(f"/compare/{first}/0/{second}/0")
    page.says("Side by side")
    page.says("asylum seekers")
    assert_quiet(page, app)


def test_a_fit_whose_server_was_killed_is_shown_as_interrupted(
    start_app: Callable[..., RunningApp], browser: Any, app: RunningApp, afghanistan: str, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    shutil.copytree(app.workspace / "corpora" / "demo", workspace / "corpora" / "demo")
    own = start_app(workspace=workspace)
    page = Page(browser, own.address)
    ask(page, "government")
    page.click("#find-topics:not([disabled])")
    page.find(".stop-fit")  # it is at work; sweeps may be over before anybody can look
    own.stop(signal.SIGKILL)
    again = start_app(workspace=own.workspace)
    page = Page(browser, again.address)

    def is_interrupted(_: Any) -> bool:
        page.open("/")
        page.find("table.recent")
        return "interrupted" in page.text

    page.until(is_interrupted)


def test_documents_are_checked_by_hand_with_buttons_and_keys(
    page: Page, app: RunningApp, afghanistan: str
) -> None:
    page.open(f"/result/{afghanistan}")
    page.click("#check")
    page.says("0 of 50 done")
    first = page.find(".read .source").text
    page.click("[data-act=yes]")
    page.says("1 of 50 done")
    assert page.find(".read .source").text != first
    page.press("n")
    page.says("2 of 50 done")
    page.open(f"/check/{afghanistan}")  # they were kept
    page.says("2 of 50 done")
    page.click("[data-act=back]")
    page.says("1 of 50 done")
    page.open(f"/result/{afghanistan}")
    page.says("Checked: 1 document by hand, 49 of 50 still open; ")
    assert b"Checked: 1 document by hand" in download(page, afghanistan, "report")
    assert_quiet(page, app)


def test_a_result_goes_to_the_bin_and_comes_back(page: Page, app: RunningApp) -> None:
    ask(page, "cricket")
    job = fit(page)
    page.open("/")
    page.click(f"[data-act=remove][data-value='{job}']")
    page.says("Remove the result 'cricket'?")
    page.until(lambda _: page.driver.execute_script("return document.activeElement.id") == "cancel")
    page.press(ENTER)  # on Cancel
    page.gone(".q-dialog__backdrop")
    page.click(f"[data-act=remove][data-value='{job}']")
    page.click("#confirm")
    page.gone(f"[data-act=remove][data-value='{job}']")
    page.open(f"/result/{job}")
    page.says("This result is in the bin")
    page.open("/bin")
    page.click(f"[data-act=back][data-value='jobs/{job}']")
    page.says("The bin is empty")
    page.open(f"/result/{job}")
    page.find("#words")
    assert_quiet(page, app)


def test_a_result_whose_corpus_goes_can_be_read_until_the_end(
    page: Page, app: RunningApp, tmp_path: Path
) -> None:
    page.open("/")
    page.upload(write_table(tmp_path / "minutes.csv"))
    page.click("#read-corpus")
    page.type(".query-text input", "school")
    page.find(".chips li")
    corpus = page.path.split("/")[2].partition("?")[0]
    job = fit(page)
    page.open("/")
    page.click(f"[data-act=remove-corpus][data-value='{corpus}']")
    page.says("1 result of it can be read as before until then")
    page.click("#confirm")
    page.gone(f"[data-act=remove-corpus][data-value='{corpus}']")
    page.open(f"/ask/{corpus}")
    page.says("This corpus is in the bin")
    page.open(f"/result/{job}")
    page.says("of this result is in the bin until")
    page.find("ol.documents mark")
    assert download(page, job, "model")[:2] == b"PK"
    page.click("#bring-back")
    page.gone("#bring-back")
    page.open("/")
    page.click(f"[data-act=remove-corpus][data-value='{corpus}']")
    page.click("#confirm")
    page.gone(f"[data-act=remove-corpus][data-value='{corpus}']")
    page.open("/bin")
    page.click(f"[data-act=delete][data-value='corpora/{corpus}']")
    page.says("1 result read")
    page.click("#confirm")
    page.says("The bin is empty")
    page.open(f"/result/{job}")
    page.says("was removed for good")
    assert len(page.all("ol.documents > li")) == 20
    with urlopen(f"{page.address}/kept/{job}/documents.csv") as table:
        assert b"relevance" in table.readline()
    assert page.driver.execute_script("return window.hurt") is None
    assert_quiet(page, app)


NAME = "input[aria-label='Your name, if several people answer']"


def answer_as(page: Page, name: str, says: str) -> None:
    """Give another name, and again if a crowded machine mixed up the keys of the two."""
    from selenium.common.exceptions import TimeoutException

    def given(_: Any) -> bool:
        page.clear(NAME)
        page.type(NAME, name)
        with suppress(TimeoutException):
            page.until(lambda _: says in page.text, 20)
        return says in page.text

    page.until(given, message=f"{says!r} is not on the page")


def test_two_people_check_by_hand_and_settle_what_they_see_differently(
    page: Page, app: RunningApp, afghanistan: str
) -> None:
    page.open(f"/check/{afghanistan}")
    page.says("of 50 done")
    page.type(NAME, "Ann")
    page.says("0 of 50 done")
    page.type("input[aria-label='Note with the next answer']", "a hint")
    page.click("[data-act=yes]")
    page.says("1 of 50 done")
    page.click("[data-act=skip]")
    page.says("1 of 50 done")
    page.click("[data-act=unsure]")
    page.says("2 of 50 done")
    page.open(f"/check/{afghanistan}")  # the name is remembered
    page.says("2 of 50 done")
    page.until(lambda _: page.find(NAME).get_attribute("value") == "Ann")
    answer_as(page, "Bo", "0 of 50 done")
    page.press(ESCAPE)  # out of the field: letters are letters there
    page.press("n")
    page.says("Seen differently")
    page.says("Ann: yes (a hint); Bo: no")
    page.click("[data-act=settle]")
    page.gone("#disagreements")
    page.clear(NAME)
    assert_quiet(page, app)


def test_a_check_in_two_tabs_loses_no_answer(page: Page, app: RunningApp, afghanistan: str) -> None:
    page.open(f"/check/{afghanistan}")
    page.says("of 50 done")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.open(f"/check/{afghanistan}")
    page.says("of 50 done")
    page.type(NAME, "Cy")
    page.says("0 of 50 done")
    page.click("[data-act=no]")
    page.says("1 of 50 done")
    page.driver.close()
    page.driver.switch_to.window(first)  # it has not seen that answer
    page.click("[data-act=yes]")
    page.says("Back (b)")
    page.open(f"/check/{afghanistan}")  # the name is remembered
    page.says("1 of 50 done")
    page.clear(NAME)
    assert_quiet(page, app)
