"""`qdtm bench rare` on a planted corpus: what is printed, written, kept and refused."""

import json

import pytest

from .test_bench_alone import PlantedWorkbench

QUICK = ("--dataset", "tagmynews", "--query", "health", "--model", "qdtm", "--model", "bm25-query",
         "--level", 0.1, "--level", 0.05, "--max-sweeps", 8, "--runs", 1)  # fmt: skip


@pytest.fixture(autouse=True)
def planted(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("qdtm.evaluation.bench.Workbench", PlantedWorkbench)


def test_a_table_a_metric_with_the_levels_rising_then_the_targets(run):
    shown = run("bench", "rare", *QUICK)
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0] == "tagmynews: precision@K 1 query, 1 run"
    assert "row 5 % 10 %" in lines
    assert any(line.startswith("tagmynews: share of the topic's ten top words") for line in lines)
    assert any("at 5 %, P@K >" in line and "(bm25-query)" in line for line in lines)
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    assert "rare tagmynews 'health' at 5 % qdtm seed 0" in shown.stderr


def test_json_and_file_hold_the_same_rows_and_nothing_is_run_twice(run, tmp_path):
    out = tmp_path / "rare.json"
    shown = run("bench", "rare", *QUICK, "--json", "--out", out)
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert {(row["table"], row["level"]) for row in rows} == {("rare", 0.05), ("rare", 0.1)}
    assert {row["query"] for row in rows if "query" in row} == {"health"}
    assert "4 of 4 runs (4 kept from before)" in run("bench", "rare", *QUICK).stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--query", "gardening"], "There is no query 'gardening'"),
        (["--model", "gpt"], "There is no row 'gpt'. Choose one of qdtm, evidence, paper, share"),
        (["--level", "1.5"], "--level"),
        (["--dataset", "reuters"], "'reuters' is not one of '20news'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, args, words):
    refused = run("bench", "rare", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
