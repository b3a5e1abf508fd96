"""`qdtm codes`, and documents by tag and by likeness."""

from __future__ import annotations

import json
import shutil

import pytest

from qdtm.results.result import Result


@pytest.fixture
def saved(result, tmp_path):
    """A copy of a saved result, which may be tagged."""
    return shutil.copytree(result, tmp_path / "result")


def test_tags_and_notes_are_given_listed_and_taken_back(run, saved):
    assert "no tags or notes yet" in run("codes", saved).stdout
    run("codes", saved, "--add", "n1", "[red]Fire[/red] & wind")
    run("codes", saved, "--add", "n4", "later")
    run("codes", saved, "--note", "n1", "look again")
    text = run("codes", saved).stdout
    assert "[red]Fire[/red] & wind" in text
    assert "look again" in text
    run("codes", saved, "--rename", "LATER", "[red]fire[/red] & wind")
    assert [tag["n_documents"] for tag in json.loads(run("codes", saved, "--json").stdout)["tags"]] == [2]
    run("codes", saved, "--undo")
    only = json.loads(run("codes", saved, "--tag", "later", "--json").stdout)
    assert [row["document"] for row in only["codes"]] == ["n4"]
    run("codes", saved, "--remove", "later")
    assert Result.load(saved).codes.tags == ("[red]Fire[/red] & wind",)


def test_documents_of_a_tag_and_like_another(run, saved):
    run("codes", saved, "--add", "n2", "sport")
    rows = json.loads(run("docs", saved, "-q", "fire", "--tag", "Sport", "--json").stdout)
    assert "n2" in json.dumps(rows)
    assert "n1" not in json.dumps(rows)
    alike = json.loads(run("docs", saved, "--like", "n1", "-n", 2, "--json").stdout)
    assert len(alike) == 2
    assert alike[0]["similarity"] >= alike[1]["similarity"] > 0
    assert alike[0]["words"][0] in run("docs", saved, "--like", "n1", "-n", 2).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--add", "nobody", "x"), "There is no document with the id 'nobody'"),
        (("--add", "n1", "x" * 101), "The tag has 101 characters; give 1 to 100 characters."),
        (("--note", "n1", "x" * 10_001), "The note has 10,001 characters; give at most 10,000."),
        (("--tag", "x"), "There is no tag 'x' in this result."),
        (("--rename", "x", "y"), "There is no tag 'x' in this result."),
        (("--undo",), "There are no tags or notes to undo."),
        (("--undo", "--remove", "x"), "at a time"),
    ],
)
def test_mistakes_are_one_line(run, saved, options, message):
    failed = run("codes", saved, *options, code=2)
    assert message in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1
    assert not (saved / "journal.jsonl").exists()


def test_likeness_stands_alone(run, saved):
    assert "goes with" in run("docs", saved, "--like", "n1", "--tag", "x", code=2).stderr
