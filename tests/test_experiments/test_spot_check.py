"""Runs drawn from result files and run again: which there are, how they are drawn, and what is compared."""

import json

import pytest
from click.testing import CliRunner

from experiments import spot_check as module
from experiments.__main__ import experiments
from experiments.pages import RESULTS
from experiments.spot_check import Check, Run, compare, draw, runs_of


def summary(model="qdtm-kld", metric="accuracy", **more):
    row = {"table": "table1", "dataset": "20news", "model": model, "metric": metric, "mean": 0.5, "sd": 0.0}
    return row | {"runs": 1, "seconds": 1.0} | more


def split(query, seed, ami):
    row = {"table": "subtopics", "dataset": "clinc150", "model": "lda-true", "query": query, "seed": seed}
    return row | {"counted": True, "ami": ami, "found_again": None, "seconds": 2.0, "words": ["a b"]}


def test_each_run_of_a_row_has_its_own_figures():
    rows = [
        summary(runs=2, by_run=[0.4, 0.6]),
        summary(metric="precision_at_k", runs=2, by_run=[0.1, 0.2]),
        summary(model="avitm"),
    ]
    first, second, once = runs_of("table1", rows)
    assert first.figures == {("accuracy", None, None): 0.4, ("precision_at_k", None, None): 0.1}
    assert (second.seed, second.figures[("accuracy", None, None)]) == (1, 0.6)
    assert (once.model, once.seed, once.figures) == ("avitm", 0, {("accuracy", None, None): 0.5})


def test_runs_of_which_some_are_missing_or_not_told_are_left_out():
    rows = [
        summary(dataset="tagmynews", runs=3, by_run=[0.1, 0.2, 0.3]),
        summary(runs=2, by_run=[0.4, 0.6]),  # of which two of the three?
        summary(model="lda", runs=3),
    ]
    assert {(run.dataset, run.model) for run in runs_of("table1", rows)} == {("tagmynews", "qdtm-kld")}


def test_queries_are_asked_one_by_one_and_means_over_them_are_no_runs():
    rows = [
        {"table": "subtopics", "dataset": "clinc150", "model": "lda-true", "ami": 0.2, "seconds": 1.0},
        split("travel", 0, 0.1),
        split("travel", 1, 0.3),
    ]
    first, second = runs_of("subtopics", rows)
    assert first.figures == {("travel", "ami"): 0.1, ("travel", "counted"): True}
    assert second.arguments == (
        "subtopics", "--dataset", "clinc150", "--model", "lda-true", "--query", "travel", "--seed", "1",
        "--runs", "1",
    )  # fmt: skip


def test_the_command_of_a_run_has_its_query_level_and_preset():
    [rare] = runs_of("rare", [summary(query="space", level=0.01)])
    assert rare.arguments[:9] == (
        "rare", "--dataset", "20news", "--model", "qdtm-kld", "--query", "space", "--level", "0.01",
    )  # fmt: skip
    [paper] = runs_of("table1-paper", [summary()])
    assert paper.arguments[0] == "table1"
    assert paper.arguments[5:7] == ("--preset", "paper")


def test_short_files_are_drawn_as_often_as_long_ones_and_no_run_twice():
    long = [Run("alone", "20news", "qdtm", 0, ("--query", str(n)), {}) for n in range(1000)]
    short = [Run("staying", "20news", "qdtm", 0, ("--query", str(n)), {}) for n in range(50)]
    drawn = draw([*long, *short], 60, seed=0)
    assert len({(run.file, *run.asked) for run in drawn}) == 60
    assert 15 <= sum(run.file == "staying" for run in drawn) <= 45
    assert draw([*long, *short], 60, seed=0) == drawn
    assert len(draw(short, 60, seed=0)) == 50


@pytest.mark.parametrize(
    ("mean", "apart", "is_alike"), [(0.4, 0.0, True), (0.4004, 0.0004, True), (0.41, 0.01, False)]
)
def test_the_largest_difference_counts(mean, apart, is_alike):
    run = Run("table1", "20news", "lda", 0, (), {("accuracy", None, None): 0.4, ("n", None, None): 3.0})
    again = [summary("lda", mean=mean), summary("lda", "n", mean=3.0), summary("share", mean=0.9)]
    check = compare(run, again)
    assert check.n_compared == 2
    assert check.apart == pytest.approx(apart)
    assert check.is_alike is is_alike


def test_nothing_to_compare_is_not_alike():
    check = compare(Run("table1", "20news", "lda", 0, (), {("accuracy", None, None): 0.4}), [])
    assert (check.n_compared, check.apart, check.is_alike) == (0, None, False)


# --- the command -----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    rows = [summary(), summary("lda", mean=0.3)]
    (tmp_path / "table1.json").write_text(json.dumps(rows))
    return tmp_path


def said(*arguments):
    return CliRunner().invoke(experiments, ["spot-check", *map(str, arguments)])


def test_a_figure_that_differs_is_an_error(folder, monkeypatch):
    monkeypatch.setattr(module, "run_again", lambda run, _: Check(run, 1, 0.2 * (run.model == "lda")))
    good = said("--folder", folder, "--model", "qdtm-kld")
    assert good.exit_code == 0
    assert "20news qdtm-kld seed 0" in good.stdout
    bad = said("--folder", folder)
    assert bad.exit_code == 1
    assert "2.0e-01 differs" in bad.stdout


def test_runs_are_listed_without_being_run(folder):
    listed = said("--folder", folder, "--list", "--runs", "9").stdout.splitlines()
    assert sorted(listed) == [
        f"python -m experiments table1 --dataset 20news --model {model} --seed 0 --runs 1"
        for model in ("lda", "qdtm-kld")
    ]


def test_what_is_not_there_is_said(folder):
    assert (
        "There is no file 'alone' of runs. Choose one of table1."
        in said("--folder", folder, "--file", "alone").stderr
    )
    assert "No file has runs of bert." in said("--folder", folder, "--model", "bert").stderr


def test_every_committed_file_of_a_bench_has_runs():
    for path in RESULTS.glob("*.json"):
        if path.stem.removesuffix("-paper") in module.ASKED_BY:
            runs = runs_of(path.stem, json.loads(path.read_text("utf-8")))
            assert runs, path.stem
            assert all(run.figures for run in runs)
