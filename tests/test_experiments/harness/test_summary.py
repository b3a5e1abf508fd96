from dataclasses import dataclass

import numpy as np
import pytest

from experiments.harness.cells import Cell
from experiments.harness.summary import Measured, find, grouped, mean_of, means


@dataclass(frozen=True)
class Found:
    cell: Cell
    seconds: float


def measured(seed, query, seconds=1.0, **figures):
    return Measured(Found(Cell("alone", "20news", "qdtm", seed, query), seconds), figures)


def test_means_are_over_queries_then_over_runs():
    [row] = means([measured(0, 0, 1.0, p=0.8), measured(0, 1, 3.0, p=0.6), measured(1, 0, 2.0, p=0.9),
                   measured(1, 1, 2.0, p=0.3)], ["p", "q"])  # fmt: skip
    assert (row.table, row.dataset, row.model, row.metric) == ("alone", "20news", "qdtm", "p")
    assert (row.mean, row.runs, row.seconds) == (pytest.approx(0.65), 2, 2.0)
    assert row.sd == pytest.approx(np.std([0.7, 0.6], ddof=1))


def test_each_run_can_be_looked_up_whatever_the_order_in_which_they_ended():
    runs = [measured(2, 0, p=0.3), measured(0, 0, p=0.1), measured(1, 0, p=0.2)]
    [row] = means(runs, ["p"])
    assert row.by_run == (0.1, 0.2, 0.3)
    [alone] = means(runs[:1], ["p"])
    assert alone.by_run == ()


def test_a_figure_that_a_query_lacks_does_not_count_and_some_are_not_averaged():
    group = [measured(0, 0, p=1.0, n=1.0), measured(0, 1, n=1.0)]
    rows = list(means(group, ["n", "p"], {"n": sum}))
    assert [(row.metric, row.mean, row.sd) for row in rows] == [("n", 2.0, 0.0), ("p", 1.0, 0.0)]


def test_groups_stand_in_the_order_of_their_first():
    assert grouped("banana", lambda letter: letter) == [["b"], ["a"] * 3, ["n"] * 2]


def test_figures_are_found_by_model_metric_query_and_level():
    [row] = means([measured(0, 0, p=0.5)], ["p"])
    assert find([row], "qdtm", "p") is row
    assert mean_of([row], "qdtm", "p") == 0.5
    assert find([row], "qdtm", "p", "space") is find([row], "qdtm", "p", level=0.1) is None
    assert mean_of([row], "lda", "p") is None
