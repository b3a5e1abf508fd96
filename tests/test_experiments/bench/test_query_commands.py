"""`alone`, `rare`, `staying` and `subtopics` on planted corpora: printed, written, kept and refused."""

import gzip
import json

import numpy as np
import pytest

from experiments.datasets.concepts import concepts_of
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.workbench import Workbench
from qdtm.corpus import Corpus

from .planted_levels import write_planted

FILLERS = ("people", "time", "year", "thing")
ALONE = ("--dataset", "tagmynews", "--model", "qdtm", "--model", "bm25-query", "--max-sweeps", 8)


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


RARE = ("--dataset", "tagmynews", "--query", "health", "--model", "qdtm", "--model", "bm25-query",
        "--level", 0.1, "--level", 0.05, "--max-sweeps", 8, "--runs", 1)  # fmt: skip
ASKED = {"about": "x", "20news": {"specific": ["cricket match", "fire"], "passing": ["jet lag", "wind"]}}
POSTS = (*["The fire burns in the forest, a fire in strong wind"] * 6, *["A cricket match was won"] * 3,
         *["The minister lost the election after a debate in parliament"] * 6)  # fmt: skip


@pytest.fixture(autouse=True)
def planted(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    for module in ("alone", "rare"):
        monkeypatch.setattr(f"experiments.bench.{module}.Workbench", PlantedWorkbench)


def shown_lines(shown):
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    return [" ".join(line.split()) for line in shown.stdout.splitlines()]


# --- alone -----------------------------------------------------------------------------------------------


def test_the_options_of_the_other_tables_and_its_own(run):
    text = run("alone", "--help").stdout
    for option in ("--dataset", "--model", "--runs", "--seed", "--max-sweeps", "--jobs", "--data", "--out",
                   "--fresh", "--json", "--query", "--together", "--subtopics", "--every-query"):  # fmt: skip
        assert option in text


def test_a_table_a_corpus_with_means_targets_and_words(run):
    shown = run("alone", *ALONE, "--runs", 1, "--together")
    lines = shown_lines(shown)
    assert "query qdtm bm25-query share together" in lines
    queries = [concept.phrase for concept in concepts_of("tagmynews")]
    for query in (*queries, "mean"):
        assert any(line.startswith(f"{query} ") for line in lines)
    assert any(line.startswith("tagmynews 5 of 5 0.") for line in lines)
    assert any(line.startswith("alone, P@K >= 0.68 ") for line in lines)
    assert any(line.startswith("queries with a size ratio of 0.5 to 2 >= 80% ") for line in lines)
    assert "own0x" in shown.stdout
    assert "20 of 20 runs" in shown.stderr


def test_json_and_file_hold_rows_of_the_tables(run, tmp_path):
    out = tmp_path / "alone.json"
    shown = run("alone", *ALONE, "--runs", 1, "--query", "health", "--query", 0, "--json", "--out", out)
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
    args = ("alone", *ALONE, "--query", "health")
    assert "6 of 6 runs," in run(*args, "--runs", 2, "--model", "share").stderr
    assert "9 of 9 runs (6 kept from before)" in run(*args).stderr


def test_a_natural_data_set_is_asked_by_its_categories(run, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.bench.alone.Workbench", Workbench)
    words = {"wild_horses": ["horse", "wild", "mustang", "foal"], "tax law": ["tax", "law", "bill"]}
    rows = [{"text": " ".join([*own[j % 2 :], own[0]]), "label": label}
            for label, own in words.items() for j in range(20)]  # fmt: skip
    rows += [{"text": "a zebra here", "label": label} for label in ("unicorns", "other")]
    (tmp_path / "corpora").mkdir()
    with gzip.open(tmp_path / "corpora" / "uscongress.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    shown = run("alone", "--data", tmp_path, "--dataset", "uscongress", "--model", "rm3-query",
                "--model", "bm25", "--runs", 1)  # fmt: skip
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert "Measured without what a row refuses: unicorns." in lines
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
    refused = run("alone", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


# --- rare ------------------------------------------------------------------------------------------------


def test_a_table_a_metric_with_the_levels_rising_then_the_targets(run):
    shown = run("rare", *RARE)
    lines = shown_lines(shown)
    assert lines[0] == "tagmynews"
    assert "row 5 % 10 % queries x runs" in lines
    assert any(line.startswith("Share of the topic's ten top words") for line in lines)
    assert any("at 5 %, P@K >" in line and "(bm25-query)" in line for line in lines)
    assert "rare tagmynews qdtm seed 0: " in shown.stderr
    assert "'health' at 5 % precision_at_k" in shown.stderr


def test_json_and_file_hold_the_same_rows_and_nothing_is_run_twice(run, tmp_path):
    out = tmp_path / "rare.json"
    shown = run("rare", *RARE, "--json", "--out", out)
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert {(row["table"], row["level"]) for row in rows} == {("rare", 0.05), ("rare", 0.1)}
    assert {row["query"] for row in rows if "query" in row} == {"health"}
    assert "4 of 4 runs (4 kept from before)" in run("rare", *RARE).stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--query", "gardening"], "There is no query 'gardening'"),
        (["--model", "gpt"], "There is no row 'gpt'. Choose one of qdtm, evidence, paper, share"),
        (["--level", "1.5"], "--level"),
    ],
)
def test_a_rare_query_that_makes_no_sense_is_refused_in_one_line(run, args, words):
    refused = run("rare", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


# --- staying ---------------------------------------------------------------------------------------------


@pytest.fixture
def posts(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("experiments.bench.staying.load_whole", lambda *_: POSTS)
    (tmp_path / "data").mkdir()
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "staying.json").write_text(json.dumps(ASKED))


def test_the_share_that_is_acceptable_then_a_line_a_query(run, posts):
    shown = run("staying", "--max-sweeps", 8)
    lines = shown_lines(shown)
    assert lines[0] == "corpus row acceptable of all specific passing"
    assert any(line.startswith("acceptable answers of qdtm >= 90% ") for line in lines)
    assert any(line.startswith("passing jet lag 0 refused") for line in lines)
    assert "'jet lag' is acceptable" in shown.stderr
    assert "4 of 4 runs (4 kept from before)" in run("staying", "--max-sweeps", 8).stderr


def test_json_and_file_hold_the_shares_and_the_answers(run, posts, tmp_path):
    out = tmp_path / "staying.json"
    shown = run("staying", "--max-sweeps", 8, "--query", "Fire", "--json", "--out", out)
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
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
def test_what_nobody_asks_is_refused_in_one_line(run, posts, args, words):
    refused = run("staying", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_without_queries_it_says_where_to_name_them(run, monkeypatch):
    monkeypatch.delenv("QDTM_DATA", raising=False)
    assert "No file of queries is named. Give one with --queries" in run("staying", code=2).stderr


# --- subtopics -------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    return write_planted(tmp_path / "mine.csv")


def test_means_then_targets_then_splits(run, table):
    args = ("subtopics", "--corpus", table, "--upper", "area", "--lower", "kind", "--model", "qdtm",
            "--model", "kmeans-svd")  # fmt: skip
    shown = run(*args)
    lines = shown_lines(shown)
    assert lines[0] == "mine"
    assert "2 of 2 queries count." in lines
    assert any(line.startswith("kmeans-svd ") for line in lines)
    assert any(line.startswith("sports ") for line in lines)
    assert any("subtopics found again >= 80%" in line for line in lines)
    assert "'sports' AMI " in shown.stderr
    assert "4 of 4 runs (4 kept from before)" in run(*args).stderr


def test_json_and_file_hold_means_and_splits(run, table, tmp_path):
    (tmp_path / "q.json").write_text('{"food": "food OR oven"}')
    out = tmp_path / "out.json"
    shown = run("subtopics", "--corpus", table, "--upper", "area", "--lower", "kind", "--queries",
                tmp_path / "q.json", "--model", "kmeans-glove", "--json", "--out", out)  # fmt: skip
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert [row.get("query") for row in rows] == [None, "food OR oven"]
    assert {row["table"] for row in rows} == {"subtopics"}


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
def test_what_cannot_be_split_is_refused(run, table, monkeypatch, tmp_path, args, words):
    monkeypatch.chdir(tmp_path)
    shown = run("subtopics", *args, code=2)
    assert words in " ".join(shown.stderr.split())
