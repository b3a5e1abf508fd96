"""`qdtm bench alone` on a planted corpus: what is printed, written, kept and refused."""

import gzip
import json

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.evaluation.bench import Workbench
from qdtm.evaluation.datasets import Dataset, concepts_of

FILLERS = ("people", "time", "year", "thing")
QUICK = ("--dataset", "tagmynews", "--model", "qdtm", "--model", "bm25-query", "--max-sweeps", 8)


class PlantedWorkbench(Workbench):
    """Thirty documents a category, of ten words of its own; every third has the query."""

    def _dataset(self, name):
        rng = np.random.default_rng(1)
        concepts = concepts_of(name)
        labels = np.repeat(np.arange(len(concepts)), 30)
        documents = [
            [*(concepts[q].query.lower().split() if j % 3 == 0 else ()),
             *(f"own{q}x{w}" for w in rng.integers(0, 10, 6)), *rng.choice(FILLERS, 2)]
            for j, q in enumerate(labels)
        ]  # fmt: skip
        return Dataset(name, Corpus.from_tokens(documents), labels, concepts)


@pytest.fixture(autouse=True)
def planted(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("qdtm.evaluation.bench.Workbench", PlantedWorkbench)


def test_the_options_of_the_other_tables_and_its_own(run):
    text = run("bench", "alone", "--help").stdout
    for option in ("--dataset", "--model", "--runs", "--seed", "--max-sweeps", "--jobs", "--data", "--out",
                   "--fresh", "--json", "--query", "--together", "--subtopics", "--every-query"):  # fmt: skip
        assert option in text


def test_a_table_a_corpus_with_means_targets_and_words(run):
    shown = run("bench", "alone", *QUICK, "--runs", 1, "--together")
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0] == "tagmynews: precision@K of queries asked alone 1 run"
    assert "query qdtm query share together size" in lines
    queries = [concept.phrase for concept in concepts_of("tagmynews")]
    for query in (*queries, "mean"):
        assert any(line.startswith(f"{query} ") for line in lines)
    assert "answered 5 of 5 queries" in lines
    assert any(line.startswith("retrieval 0.") and line.endswith("at best (bm25-query)") for line in lines)
    for name in ("P@K ", "topic x", "count x"):
        assert any(line.startswith(name) for line in lines)
    assert "query p(z|d) true topic count in wide error words" in lines
    assert any(line.startswith(("met alone, P@K >= 0.68", "missed alone, P@K >= 0.68")) for line in lines)
    assert any("queries with a size ratio of 0.5 to 2 >= 80%" in line for line in lines)
    assert any(line.startswith("business ") and "own0x" in line for line in lines)
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    assert "20 of 20 runs" in shown.stderr


def test_json_and_file_hold_rows_of_the_tables(run, tmp_path):
    out = tmp_path / "alone.json"
    shown = run(
        "bench", "alone", *QUICK, "--runs", 1, "--query", "health", "--query", 0, "--json", "--out", out
    )
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert {row["table"] for row in rows} == {"alone"}
    assert {row["query"] for row in rows if "query" in row} == {"business", "health"}
    [mean] = [
        row for row in rows if "query" not in row and (row["model"], row["metric"]) == ("qdtm", "margin")
    ]
    assert mean["dataset"] == "tagmynews"
    assert -1 <= mean["mean"] <= 1


def test_a_finished_query_is_not_asked_again(run):
    args = ("bench", "alone", *QUICK, "--query", "health")
    assert "6 of 6 runs," in run(*args, "--runs", 2, "--model", "share").stderr
    assert "9 of 9 runs (6 kept from before)" in run(*args).stderr


def test_a_natural_data_set_is_asked_by_its_categories(run, tmp_path, monkeypatch):
    monkeypatch.setattr("qdtm.evaluation.bench.Workbench", Workbench)
    words = {"wild_horses": ["horse", "wild", "mustang", "foal"], "tax law": ["tax", "law", "bill"]}
    rows = [{"text": " ".join([*own[j % 2 :], own[0]]), "label": label}
            for label, own in words.items() for j in range(20)]  # fmt: skip
    rows += [{"text": "a zebra here", "label": label} for label in ("unicorns", "other")]
    (tmp_path / "corpora").mkdir()
    with gzip.open(tmp_path / "corpora" / "uscongress.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    shown = run("bench", "alone", "--data", tmp_path, "--dataset", "uscongress", "--model", "rm3-query",
                "--model", "bm25", "--runs", 1)  # fmt: skip
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0] == "uscongress: precision@K of queries asked alone 1 run"
    assert "left out refused by a row: unicorns" in lines
    assert any(line.startswith("wild horses 1.000") for line in lines)
    assert "9 of 9 runs" in shown.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--query", "gardening"], "There is no query 'gardening'"),
        (["--model", "gpt"], "There is no row 'gpt'. Choose one of qdtm, evidence, paper, share"),
        (["--dataset", "ohsumed23"], "'corpora/ohsumed23.jsonl.gz' is needed. Name the folder"),
        (["--dataset", "reuters"], "'reuters' is not one of '20news'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, args, words, monkeypatch):
    monkeypatch.delenv("QDTM_DATA", raising=False)
    refused = run("bench", "alone", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
