"""`qdtm bench staying` on a few made-up posts: what is printed, written, kept and refused."""

import json

import pytest

from qdtm.evaluation.bench.staying import running

from .conftest import TEXTS

QUERIES = {"about": "x", "20news": {"specific": ["cricket match", "fire"], "passing": ["jet lag", "wind"]}}
QUICK = ("--max-sweeps", 8)


@pytest.fixture(autouse=True)
def posts(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("QDTM_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(running, "load_whole", lambda *_: TEXTS)
    (tmp_path / "data").mkdir()
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "staying.json").write_text(json.dumps(QUERIES))


def test_a_line_a_query_then_the_share_that_is_acceptable(run):
    shown = run("bench", "staying", *QUICK)
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0].startswith("20news: specific queries qdtm, acceptable: specific ")
    assert any(line.startswith("query it count word ten found times unnamed fails") for line in lines)
    assert any(line.startswith("cricket match 3 ") or line.startswith("cricket 3 ") for line in lines)
    assert "jet lag 0 refused" in lines
    assert any(line.startswith("acceptable qdtm: ") and " of 4 (" in line for line in lines)
    assert any(line.startswith(("met acceptable answers >= 90%", "missed acceptable")) for line in lines)
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    assert "staying 20news 'jet lag' is acceptable, qdtm seed 0: 0.0 s" in shown.stderr
    assert "4 of 4 runs (4 kept from before)" in run("bench", "staying", *QUICK).stderr


def test_json_and_file_hold_the_shares_and_the_answers(run, tmp_path):
    out = tmp_path / "staying.json"
    shown = run("bench", "staying", *QUICK, "--query", "Fire", "--json", "--out", out)
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert {row["table"] for row in rows} == {"staying"}
    [answer] = [row for row in rows if "query" in row]
    assert (answer["query"], answer["kind"], answer["n_named"]) == ("fire", "specific", 6)
    assert {(row["dataset"], row["kind"], row["n_asked"]) for row in rows if "query" not in row} == {
        ("all", "all", 1), ("all", "specific", 1), ("20news", "all", 1), ("20news", "specific", 1)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--query", "gardening"], "There is no query 'gardening'. Give one of: cricket match"),
        (["--dataset", "reuters"], "There are no queries for 'reuters'. The file has some for 20news."),
        (["--queries", "none.json"], "Cannot read queries from 'none.json'"),
        (["--model", "bm25"], "'bm25' is not one of 'qdtm', 'evidence'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, args, words):
    refused = run("bench", "staying", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_without_queries_it_says_where_to_name_them(run, monkeypatch):
    monkeypatch.delenv("QDTM_DATA")
    refused = run("bench", "staying", code=2)
    assert "No file of queries is named. Give one with --queries" in refused.stderr
