"""Corrections by hand in the app: merged, hidden, undone, in two tabs, over a restart of the server."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from qdtm.results.journal import Journal

from .driving import Page, RunningApp, assert_quiet

pytestmark = pytest.mark.browser


def documents_in(page: Page, job: str) -> dict[str, int]:
    """Return how many documents of the download are mainly in each subtopic."""
    with urlopen(f"{page.address}/download/{job}/csv") as answer:
        archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    name = next(name for name in archive.namelist() if name.endswith("documents.csv"))
    counts: dict[str, int] = {}
    for row in csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))):
        id = row["subtopic"].partition(" ")[0]
        counts[id] = counts.get(id, 0) + 1
    return counts


def test_subtopics_are_merged_hidden_and_brought_back(
    start_app: Callable[..., RunningApp], start_browser: Callable[..., Any], tmp_path: Path
) -> None:
    app = start_app(workspace=tmp_path / "workspace")
    page = Page(start_browser(), app.address)
    page.open("/")
    page.click("#use-demo")
    page.type(".query-text input", "afghanistan")
    page.says("Answerable.")
    page.click("#find-topics:not([disabled])")
    page.click(".open-result")
    page.find("article.q-card")
    job = page.path.split("/")[2].partition("?")[0]
    before = documents_in(page, job)

    page.choose("merge", "0.2")
    page.click("[data-act=merge-with][data-value='0.1']")
    page.says("0.2 was merged into 0.1.")
    page.gone("[id='t0.2']")
    assert documents_in(page, job)["0.1"] == before["0.1"] + before["0.2"]

    page.choose("hide", "0.1")
    page.says("0.1 was hidden.")
    page.says("Hidden by hand: 0.1")
    assert_quiet(page, app)
    app.stop()

    app = start_app(workspace=tmp_path / "workspace")
    page = Page(start_browser(), app.address)
    page.open(f"/result/{job}")
    page.says("What was corrected by hand (2)")
    page.gone("[id='t0.1']")
    page.click("#corrected summary")
    page.click("[data-key='undo-2']")
    page.says("Undone: 0.1 was hidden.")
    page.find("[id='t0.1']")
    page.click("#undo-last")
    page.gone("[id='t0.1']")
    page.click("#undo-last")
    page.find("[id='t0.1']")
    page.click("#corrected summary")
    page.click("[data-key='undo-1']")
    page.find("[id='t0.2']")
    assert documents_in(page, job) == before
    assert_quiet(page, app)


def test_a_stale_tab_says_so_and_loses_nothing(page: Page, app: RunningApp, afghanistan: str) -> None:
    page.open(f"/result/{afghanistan}")
    page.find("article.q-card")
    elsewhere = Journal(app.workspace / "jobs" / afghanistan)
    elsewhere.append("rename", {"topic": "0.1", "name": "Elsewhere"})
    word = page.find("[data-act=drop-word]")
    page.driver.execute_script("arguments[0].click()", word)
    page.says("It was corrected elsewhere meanwhile; here is how it is now.")
    page.says("Elsewhere")
    assert [act.kind for act in elsewhere.acts][-1] == "rename"
    page.driver.execute_script("arguments[0].click()", page.find("[data-act=drop-word]"))
    page.says("was dropped from the words of 0.")
    page.click("[data-act=ask-again]")
    page.find("[data-act=restore]")
    assert [act.kind for act in elsewhere.acts][-2:] == ["rename", "drop_word"]
    elsewhere.undo()
    elsewhere.undo()
    assert_quiet(page, app)
