"""`qdtm bench subtopics` on a planted table: what is printed, written, kept and refused."""

import json

import pytest

from evaluation.bench.subtopics.planted import write_planted
from qdtm.cli import bench_subtopics
from qdtm.evaluation.datasets import two_level

ROWS = ("--model", "qdtm", "--model", "kmeans-svd")


@pytest.fixture(autouse=True)
def table(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    return write_planted(tmp_path / "mine.csv")


def test_means_then_splits_then_targets(run, table):
    args = ("bench", "subtopics", "--corpus", table, "--upper", "area", "--lower", "kind", *ROWS)
    shown = run(*args)
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0] == "mine: means 2 of 2 splits count"
    assert any(line.startswith("kmeans-svd ") for line in lines)
    assert {"mine: qdtm", "mine: kmeans-svd"} <= set(lines)
    assert any(line.startswith("sports ") for line in lines)
    assert any("subtopics found again >= 80%" in line for line in lines)
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    assert "subtopics mine 'sports' AMI " in shown.stderr
    assert "4 of 4 runs (4 kept from before)" in run(*args).stderr


def test_json_and_file_hold_means_and_splits(run, table, tmp_path):
    (tmp_path / "q.json").write_text('{"food": "food OR oven"}')
    out = tmp_path / "out.json"
    shown = run("bench", "subtopics", "--corpus", table, "--upper", "area", "--lower", "kind",
                "--queries", tmp_path / "q.json", "--model", "kmeans-glove", "--json",
                "--out", out)  # fmt: skip
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert [row.get("query") for row in rows] == [None, "food OR oven"]
    assert {row["table"] for row in rows} == {"subtopics"}


def test_the_command_knows_every_two_level_corpus():
    assert bench_subtopics.TWO_LEVEL == two_level.TWO_LEVEL


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--upper", "area"], "--upper, --lower, --text and --queries are for a file of yours (--corpus)."),
        (["--corpus", "mine.csv", "--upper", "area"], "A file of yours needs --upper and --lower"),
        (["--corpus", "mine.csv", "--upper", "area", "--lower", "sort"], "There is no column 'sort'."),
        (
            ["--corpus", "mine.csv", "--upper", "area", "--lower", "kind", "--query", "jazz"],
            "no query 'jazz'",
        ),
        (["--corpus", "mine.csv", "--upper", "area", "--lower", "kind", "--model", "x"], "no row 'x'"),
    ],
)
def test_what_cannot_be_run_is_refused(run, monkeypatch, tmp_path, args, words):
    monkeypatch.chdir(tmp_path)
    shown = run("bench", "subtopics", *args, code=2)
    assert words in " ".join(shown.stderr.split())
