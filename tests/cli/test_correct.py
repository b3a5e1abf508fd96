"""`qdtm correct`: a saved result is put right by hand, and what was written with it follows."""

from __future__ import annotations

import json
import shutil

import pytest

from qdtm import QueryDrivenTopicModel
from qdtm.corpus import load_demo_corpus


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    path = tmp_path_factory.mktemp("correct") / "afghanistan"
    model = QueryDrivenTopicModel("afghanistan", min_sweeps=4, max_sweeps=8, random_state=0)
    model.fit(load_demo_corpus()).save(path)
    model.report(path / "report.html")
    return path


@pytest.fixture
def saved(fitted, tmp_path):
    """A result with subtopics and a report, which may be corrected."""
    return shutil.copytree(fitted, tmp_path / "result")


def topics(saved):
    return (saved / "topics.csv").read_text("utf-8-sig")


def test_names_merges_and_what_is_hidden_reach_tables_and_report(run, saved):
    text = run("correct", saved, "rename", "0.1", "[red]the Ashes[/red]").stdout
    assert "0.1 was named “[red]the Ashes[/red]”" in text
    assert "[red]the Ashes[/red]" in topics(saved)
    assert "[red]the Ashes[/red]" in (saved / "report.html").read_text("utf-8")
    run("correct", saved, "merge", "0.1", "0.2", "--quiet")
    assert "0.2" not in topics(saved)
    acts = json.loads(run("correct", saved, "list", "--json").stdout)["corrections"]
    assert [act["said"] for act in acts] == [
        "0.1 was named “[red]the Ashes[/red]”",
        "0.2 was merged into 0.1",
    ]
    run("correct", saved, "undo")
    assert "0.2" in topics(saved)
    run("correct", saved, "undo", acts[0]["number"])
    assert "the Ashes" not in topics(saved)
    assert "the Ashes" not in (saved / "report.html").read_text("utf-8")
    assert "Nothing was corrected by hand." in run("correct", saved, "list").stdout
    run("correct", saved, "redo")
    assert "the Ashes" in run("show", saved).stdout


def test_a_word_is_dropped_and_a_subtopic_hidden(run, saved):
    word = QueryDrivenTopicModel.load(saved).topics_[0].top_words(1)[0][0]
    run("correct", saved, "drop-word", "0", word)
    run("correct", saved, "hide", "0.2")
    model = QueryDrivenTopicModel.load(saved)
    assert word not in dict(model.topics_[0].top_words(50))
    assert [topic.id for topic in model.topics_[0].subtopics] == ["0.1"]
    assert "one subtopic was hidden" in (saved / "report.html").read_text("utf-8").lower()


def test_mistakes_are_one_line_and_change_nothing(run, saved):
    before = {path.name: path.read_bytes() for path in saved.iterdir() if path.is_file()}
    for args, message in (
        (("hide", "0.9"), "There is no subtopic '0.9'"),
        (("merge", "0.1"), "Give merge SUBTOPIC SUBTOPIC"),
        (("undo",), "There is nothing to undo"),
        (("drop-word", "0", "zebra"), "'zebra' is not among the words of 0"),
        (("paint", "0.1"), "'paint' is not one of"),
    ):
        failed = run("correct", saved, *args, code=2)
        assert message in failed.output
        assert "Traceback" not in failed.output
    assert {path.name: path.read_bytes() for path in saved.iterdir() if path.is_file()} == before
