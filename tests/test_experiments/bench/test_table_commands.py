"""`table1`, `table3` and `topics` with a tiny data set and a fake row: printed, written, kept and refused."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from experiments.datasets.concepts import concepts_of
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.workbench import Workbench
from experiments.metrics.coherence import count_texts
from experiments.systems.registry import Outcome, Row, SubtopicGroup
from qdtm.corpus import Corpus

FIELDS = {"table", "dataset", "model", "metric", "mean", "sd", "runs", "seconds"}
WORDS = tuple(f"word{w}" for w in range(16))


class TinyWorkbench(Workbench):
    """Ten documents a concept, each of two words of its own."""

    def _dataset(self, name):
        concepts = concepts_of(name)
        labels = np.repeat(np.arange(len(concepts)), 10)
        return Dataset(name, Corpus.from_tokens([[WORDS[q], "said"] for q in labels]), labels, concepts)

    def _windows(self, name):
        return count_texts([WORDS], self.dataset(name).corpus.vocabulary)

    def _vectors(self, name):
        return np.eye(self.dataset(name).corpus.n_words, dtype=np.float32)


@dataclass(frozen=True)
class Oracle:
    """Knows the labels, but for as many documents as its seed says."""

    name: str
    preset: str

    @property
    def settings(self):
        return {"preset": self.preset}

    def fit(self, dataset, seed, *, subtopics=False):
        n_queries, n_words = len(dataset.concepts), dataset.corpus.n_words
        if seed == 99:
            raise KeyboardInterrupt
        shares = np.eye(16)[dataset.labels][:, :n_queries]
        shares[:seed] = -1.0
        topics = np.linspace(1, 2, n_queries * n_words).reshape(n_queries, n_words)
        group = SubtopicGroup(topics[:1].repeat(2, axis=0), np.array([0.2, 0.1]))
        return Outcome(shares, shares, topics, (group,) * n_queries if subtopics else None)


def make_oracle(name, options):
    return Oracle(name, options.preset)


@pytest.fixture(autouse=True)
def tiny(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("experiments.bench.paper_tables.Workbench", TinyWorkbench)
    row = Row(f"{__name__}:make_oracle", ("table1", "table3", "topics"), ("table1", "topics"))
    other = Row(f"{__name__}:make_oracle", ("table1", "table3"), ("table3",))
    rows = {"qdtm-kld": row, "oracle": other}
    monkeypatch.setattr("experiments.systems.registry.ROWS", rows)
    monkeypatch.setattr("experiments.bench.paper_tables.ROWS", rows)
    monkeypatch.setattr("experiments.bench.paper_tables.PRINTED_NAMES", {"qdtm-kld": "KLD"})


@pytest.mark.parametrize("command", ["table1", "table3", "topics"])
def test_every_table_has_its_options(run, command):
    text = run(command, "--help").stdout
    for option in ("--dataset", "--model", "--runs", "--seed", "--max-sweeps", "--jobs", "--data", "--out",
                   "--json", "--preset", "--debug"):  # fmt: skip
        assert option in text


def test_the_table_shows_paper_ours_and_difference_within_80_columns(run):
    shown = run("table1", "--dataset", "20news", "--runs", 2, "--model", "qdtm-kld", "--model", "oracle")
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert "20news" in lines
    text = shown.stdout
    assert "0.677" in text
    assert "0.997 ± 0.004" in text
    assert "+0.320" in text
    assert "Seconds of a run" in lines
    assert all(len(line) <= 80 for line in text.splitlines())


def test_json_and_file_hold_the_same_list(run, tmp_path):
    out = tmp_path / "results" / "table.json"
    datasets = ("--dataset", "tagmynews", "--dataset", "20news")
    shown = run("table1", *datasets, "--runs", 2, "--json", "--out", out)
    rows = json.loads(shown.stdout)
    assert json.loads(out.read_text()) == rows
    assert all(FIELDS | {"by_run"} <= set(row) <= FIELDS | {"by_run", "paper"} for row in rows)
    assert all(len(row["by_run"]) == row["runs"] == 2 for row in rows)
    assert [(row["dataset"], row["metric"]) for row in rows] == [
        (dataset, metric)
        for dataset in ("tagmynews", "20news")
        for metric in ("accuracy", "coherence", "precision_at_k")
    ]
    assert {row["runs"] for row in rows} == {2}
    assert rows[0]["paper"] == 0.828


def test_table_3(run):
    rows = json.loads(run("table3", "--dataset", "20news", "--runs", 1, "--json").stdout)
    assert [row["metric"] for row in rows] == ["diversity", "cohesion", "overall"]
    assert {row["model"] for row in rows} == {"oracle"}
    assert rows[0]["mean"] == 0.5  # the two subtopics are the same


def test_a_run_that_was_stopped_says_how_to_go_on_and_does(run, tmp_path):
    args = ("table1", "--dataset", "20news")
    stopped = run(*args, "--seed", 97, "--runs", 3, "--out", tmp_path / "out.json", code=130)
    assert "2 of 3 runs are finished and kept" in stopped.stderr
    assert not (tmp_path / "out.json").exists()
    assert "2 of 2 runs (2 kept from before)" in run(*args, "--seed", 97, "--runs", 2).stderr
    assert "kept" not in run(*args, "--seed", 97, "--runs", 2, "--fresh").stderr
    assert "kept" not in run(*args, "--seed", 97, "--runs", 2, "--preset", "paper").stderr


def test_words_beside_the_papers(run):
    shown = run("topics", "--dataset", "tagmynews", "--runs", 1).stdout
    assert "tagmynews, table 2, qdtm-kld" in shown
    assert "1 run, mean overlap 0%." in shown
    assert "profit business bank sell usa" in " ".join(shown.split())
    [*_, last] = json.loads(run("topics", "--dataset", "20news", "--runs", 1, "--json").stdout)
    assert (last["table"], last["phrase"], len(last["our_subtopics"])) == ("table 4", "business", 2)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--dataset", "reuters"], "'reuters' is not one of '20news'"),
        (["--model", "lda"], "table1 has no row 'lda'. Choose one of qdtm-kld, oracle."),
        (["--runs", "0"], "--runs"),
        (["--jobs", "0"], "--jobs"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, args, words):
    refused = run("table1", *args, code=2)
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_an_unwritable_file_is_refused_before_anything_is_run(run, tmp_path):
    (tmp_path / "file").write_text("")
    refused = run("table1", "--out", tmp_path / "file" / "x.json", code=2)
    assert "Choose another file" in refused.stderr
    assert not Path(tmp_path / "cache").exists()


def test_every_row_and_rows_of_others_that_stay(run, tmp_path):
    def models(*options):
        run("table1", "--runs", 1, "--dataset", "tagmynews", "--out", tmp_path / "t.json", *options)
        return list(dict.fromkeys(row["model"] for row in json.loads((tmp_path / "t.json").read_text())))

    assert models("--every-row") == ["qdtm-kld", "oracle"]
    assert models("--model", "qdtm-kld", "--update") == ["qdtm-kld", "oracle"]
    assert models("--model", "qdtm-kld") == ["qdtm-kld"]
