"""`qdtm drill`: a subtopic of a saved result is opened, there or in another folder."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from qdtm.cli.main import cli


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A result whose first subtopic can be opened, with its report."""
    path = str(tmp_path_factory.mktemp("drill") / "result")
    for args in (["demo", "-q", "afghanistan", "-o", path, "--quiet"], ["report", path]):
        done = CliRunner().invoke(cli, args)
        assert done.exit_code == 0, done.output
    return Path(path)


def test_opened_in_another_folder_with_tree_and_report(run, saved, tmp_path):
    before = (saved / "qdtm.json").read_bytes()
    shown = run("drill", saved, "0.1", "-o", tmp_path / "deep").stdout
    assert "  0.1.1 " in shown
    assert (saved / "qdtm.json").read_bytes() == before
    tree = run("show", tmp_path / "deep").stdout
    assert "\n    0.1.1 " in tree
    assert "subtopics of 0.1 " in tree
    assert 'id="t0.1.1"' in (tmp_path / "deep" / "report.html").read_text("utf-8")
    assert "0.1.1 · " in (tmp_path / "deep" / "topics.csv").read_text("utf-8")
    listed = json.loads(run("docs", tmp_path / "deep", "--subtopic", "0.1", "-n", 99, "--json").stdout)
    rows = listed["documents"]
    assert any(row["subtopic"].startswith("0.1.") for row in rows)
    assert all((row["subtopic"] + ".").startswith("0.1.") for row in rows)
    why = json.loads(
        run("explain", tmp_path / "deep", "--doc", "background-184", "--subtopic", "0.1.2", "--json").stdout
    )
    assert why["topic"] == "0.1.2"


def test_several_with_documents_leave_out_those_without_and_the_share_says_of_what(run, saved, tmp_path):
    shown = run("drill", saved, "0.1", "-o", tmp_path / "deep").stdout
    assert "share of 0.1" in shown
    rows = [line.split() for line in shown.splitlines() if line.startswith("  0.1.")]
    assert len(rows) > 1
    assert sum(int(n_documents) > 0 for _, n_documents, *_ in rows) in (1, len(rows))
    tree = run("show", tmp_path / "deep").stdout
    assert "share of" not in tree


def test_opened_in_place_gives_the_same_bytes(run, tmp_path):
    saved = tmp_path / "result"
    run("demo", "-q", "australia", "-o", saved, "--quiet")
    run("drill", saved, "0.1", "-o", tmp_path / "a", "--quiet")
    run("drill", saved, "0.2", "-o", tmp_path / "b", "--quiet")
    found = json.loads(run("drill", tmp_path / "b", "0.1", "--json").stdout)
    assert found["opened"] == ["0.1"]
    below = [row["topic"] for row in found["topics"] if row["parent"] == "0.1"]
    assert below[:2] == ["0.1.1", "0.1.2"]
    run("drill", tmp_path / "a", "0.2", "--quiet")
    for name in ("model.safetensors", "topics.csv", "documents.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize(
    ("id", "message"),
    [("0.9", "There is no subtopic '0.9'"), ("0.1.1", "open it first"), ("x", "is no subtopic")],
)
def test_what_cannot_be_opened_is_one_line_and_nothing_is_saved(run, saved, tmp_path, id, message):
    failed = run("drill", saved, id, "-o", tmp_path / "no", code=2)
    assert message in failed.stderr.splitlines()[-1]
    assert not (tmp_path / "no").exists()


def test_another_result_is_replaced_only_with_force(run, saved, tmp_path):
    run("drill", saved, "0.1", "-o", tmp_path / "deep", "--quiet")
    assert "--force" in run("drill", saved, "0.1", "-o", tmp_path / "deep", code=2).stderr
    run("drill", saved, "0.1", "-o", tmp_path / "deep", "--force", "--quiet")
    assert "There is no folder" in run("drill", tmp_path / "none", "0.1", code=2).stderr
