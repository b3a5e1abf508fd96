import numpy as np
import pytest

from experiments.bench.paper_tables import (
    TABLE_3,
    Figure,
    TableResult,
    difference,
    feature_table,
    figure_table,
    parent_figures,
    reading_table,
    subtopic_figures,
    summarise_table,
    winner,
)
from experiments.harness.cells import Cell
from experiments.harness.report import markdown
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.summary import Summary
from experiments.systems.registry import Outcome, Reading, SubtopicGroup

from .fakes import FakeSystem, TinyWorkbench, fits

VECTORS = np.eye(6, dtype=np.float32)


@pytest.fixture
def bench():
    return TinyWorkbench()


def figures(found):
    return {figure.metric: figure.value for figure in found}


def test_a_perfect_outcome(bench):
    dataset = bench.dataset("20news")
    shares = np.eye(2)[dataset.labels]
    topics = np.zeros((2, 6))
    topics[0, [dataset.corpus.vocabulary.index(word) for word in ("fire", "smoke", "forest")]] = 1 / 3
    topics[1] = (1 - 3 * topics[0]) / 3
    found = figures(parent_figures(Outcome(shares, shares, topics), dataset, bench.windows("20news")))
    assert found["accuracy"] == found["precision_at_k"] == 1.0
    assert -1 <= found["coherence"] <= 1
    assert list(found) == ["accuracy", "coherence", "precision_at_k"]


def test_both_readings_are_measured_and_shares_once_if_they_are_the_same(bench):
    dataset = bench.dataset("20news")
    right = np.eye(2)[dataset.labels]
    outcome = Outcome(right, right, own=Reading(1 - right))
    found = figures(parent_figures(outcome, dataset, bench.windows("20news")))
    assert found == {"accuracy": 1.0, "precision_at_k_own": 0.0, "precision_at_k_mixed": 1.0}


def test_a_row_with_more_to_say_of_a_document_is_measured_by_both(bench):
    dataset = bench.dataset("20news")
    right = np.eye(2)[dataset.labels]
    outcome = Outcome(right, np.zeros_like(right), all_features=np.column_stack([right, right]))
    found = figures(parent_figures(outcome, dataset, bench.windows("20news")))
    assert found.pop("accuracy") < 0.6  # of nothing
    assert found == {"accuracy_all_features": 1.0, "n_features": 4.0, "precision_at_k": 1.0}


def test_a_system_without_topics_has_only_precision(bench):
    dataset = bench.dataset("20news")
    scores = np.eye(2)[1 - dataset.labels]  # every document for the wrong concept
    found = figures(parent_figures(Outcome(scores), dataset, bench.windows("20news")))
    assert found == {"precision_at_k": 0.0}
    assert subtopic_figures(Outcome(scores), VECTORS) == ()


def test_subtopics_by_hand():
    """Two equal subtopics, the parent half-way between them and two others: the numbers are known."""
    parent = np.array([0.5, 0.5, 0, 0, 0, 0])
    same = SubtopicGroup(np.array([[1.0, 0, 0, 0, 0, 0]] * 2), np.array([0.1, 0.1]))
    lone = SubtopicGroup(np.eye(6)[:1], np.array([0.3]))
    rare = SubtopicGroup(np.eye(6)[:2], np.array([0.1, 0.0049]))
    outcome = Outcome(np.empty((0, 3)), None, np.stack([parent] * 3), (same, lone, rare))
    found = figures(subtopic_figures(outcome, VECTORS))
    assert found["diversity"] == 0.5  # six words, each in both
    assert found["cohesion"] == pytest.approx(np.sqrt(0.5))
    assert found["overall"] == pytest.approx(0.5 * np.sqrt(0.5))


def test_overall_is_the_mean_of_products_not_the_product_of_means():
    parents = np.eye(6)[:2]
    near = SubtopicGroup(np.eye(6)[[0, 0]], np.ones(2))
    far = SubtopicGroup(np.eye(6)[[2, 3]], np.ones(2))
    found = figures(subtopic_figures(Outcome(np.empty((0, 2)), None, parents, (near, far)), VECTORS))
    assert found["cohesion"] == 0.5
    assert found["overall"] == 0.25  # (0.5 * 1 + 0.5 * 0) / 2


def test_no_parent_with_two_subtopics_has_no_figures():
    empty = SubtopicGroup(np.empty((0, 6)), np.empty(0))
    assert subtopic_figures(Outcome(np.empty((0, 1)), None, np.eye(6)[:1], (empty,)), VECTORS) == ()


def test_table_3_asks_for_subtopics(tmp_path):
    system, cell = FakeSystem("fake", tmp_path / "fits.txt"), Cell("table3", "searchsnippets", "fake", 0)
    store = CellStore(TABLE_3, tmp_path / "cells")
    [found] = run_cells(TABLE_3, [cell], {"fake": system}, TinyWorkbench(), store)
    assert fits(system.notes) == ["searchsnippets fake 0 True"]
    assert [figure.metric for figure in found.figures] == ["diversity", "cohesion", "overall"]


# --- summing up and showing ------------------------------------------------------------------------------


def result(seed, seconds, model="qdtm-kld", table="table1", **figures):
    found = tuple(Figure(metric, value) for metric, value in figures.items())
    return TableResult(Cell(table, "20news", model, seed), found, seconds)


def test_runs_are_put_together_beside_the_papers_figure():
    rows = summarise_table(
        [result(0, 1.0, accuracy=0.70, precision_at_k=0.6), result(1, 3.0, accuracy=0.72, precision_at_k=0.6)]
    )
    accuracy, precision = rows
    assert (accuracy.mean, accuracy.runs, accuracy.paper, accuracy.seconds) == (
        pytest.approx(0.71),
        2,
        0.705,
        2,
    )
    assert accuracy.sd == pytest.approx(0.02 / 2**0.5)
    assert difference(accuracy) == 0.005
    assert (precision.metric, precision.sd) == ("precision_at_k", 0.0)


def test_one_run_has_no_spread_and_an_unknown_row_no_paper():
    [row] = summarise_table([result(0, 1.0, model="qdtm-default", accuracy=0.7)])
    assert (row.sd, row.runs, row.paper, difference(row)) == (0.0, 1, None, None)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"accuracy": 0.7054}, "tie"),
        ({"accuracy": 0.7056}, "ours"),
        ({"accuracy": 0.704}, "paper"),
        ({"coherence": 0.9}, None),
    ],
)
def test_who_wins_is_told_to_three_places_and_not_of_coherence(figures, expected):
    [row] = summarise_table([result(0, 1.0, **figures)])
    assert winner(row) == expected


def test_the_better_side_is_bold():
    rows = (
        Summary("table1", "20news", "qdtm-kld", "accuracy", 0.7131, 0.003, 5, 9.0, 0.705),
        Summary("table1", "20news", "qdtm-kld", "precision_at_k", 0.6, 0.0, 5, 9.0, 0.677),
        Summary("table1", "20news", "qdtm-default", "accuracy", 0.5, 0.0, 1, 9.0, None),
        Summary("table1", "tagmynews", "qdtm-kld", "accuracy", 0.9, 0.0, 5, 9.0, 0.828),
    )
    lines = markdown([figure_table(rows, "20news")]).splitlines()
    assert "| `qdtm-kld` | 0.705 | **0.713 ± 0.003** | +0.008 | **0.677** | 0.600 ± 0.000 | -0.077 |" in lines
    assert lines[-1] == "| `qdtm-default` (1 run) |  | 0.500 ± 0.000 |  |  |  |  |"


def test_a_row_of_the_paper_that_was_not_run_says_so():
    rows = [Summary("table3", "20news", "qdtm-kld", "diversity", 0.8, 0.0, 5, 9.0, 0.71)]
    assert markdown([figure_table(rows, "20news")]).splitlines()[2:] == [
        "| `htm` | 0.940 | not run |  |",
        "| `qdtm-kld` | 0.710 | **0.800 ± 0.000** | +0.090 |",
    ]


def test_all_features_stand_beside_as_many_as_the_others_have():
    means = {"accuracy": 0.6, "accuracy_all_features": 0.75, "n_features": 211.4}
    rows = [
        Summary("table1", "20news", "bertopic", metric, mean, 0.0, 2, 9.0, None)
        for metric, mean in means.items()
    ]
    assert markdown([feature_table(rows)]).splitlines()[2:] == [
        "| 20news | `bertopic` | 0.600 | 0.750 | 211 |"
    ]
    assert "211" not in markdown([figure_table(rows, "20news")])


def test_the_better_reading_is_bold():
    means = {
        "accuracy_own": 0.6,
        "accuracy_mixed": 0.7,
        "precision_at_k_own": 0.5,
        "precision_at_k_mixed": 0.4,
    }
    rows = [
        Summary("table1", "20news", "lda", metric, mean, 0.0, 5, 9.0, None) for metric, mean in means.items()
    ]
    rows.append(Summary("table1", "20news", "sbert", "precision_at_k_own", 0.5, 0.0, 5, 9.0, None))
    assert markdown([reading_table(rows, "20news")]).splitlines()[2:] == [
        "| `lda` | 0.600 | **0.700** | **0.500** | 0.400 |",
        "| `sbert` |  |  | **0.500** |  |",
    ]
