from pathlib import Path

import pytest

from qdtm.evaluation.bench import Summary
from qdtm.evaluation.bench.markdown import feature_table, figure_table, read_summaries, reading_table
from qdtm.evaluation.bench.summary import write_json
from qdtm.evaluation.datasets import DATASETS

DOCS = Path(__file__).parents[3] / "docs"


def test_the_better_side_is_bold(tmp_path):
    rows = (
        Summary("table1", "20news", "qdtm-kld", "accuracy", 0.7131, 0.003, 5, 0.705, 9.0),
        Summary("table1", "20news", "qdtm-kld", "precision_at_k", 0.6, 0.0, 5, 0.677, 9.0),
        Summary("table1", "20news", "qdtm-default", "accuracy", 0.5, 0.0, 1, None, 9.0),
        Summary("table1", "tagmynews", "qdtm-kld", "accuracy", 0.9, 0.0, 5, 0.828, 9.0),
    )
    write_json(tmp_path / "rows.json", rows)
    assert read_summaries(tmp_path / "rows.json") == rows
    lines = figure_table(rows, "20news").splitlines()
    assert "| `qdtm-kld` | 0.705 | **0.713 ± 0.003** | +0.008 | **0.677** | 0.600 ± 0.000 | -0.077 |" in lines
    assert lines[-1] == "| `qdtm-default` (1 run) |  | 0.500 ± 0.000 |  |  |  |  |"


def test_a_row_of_the_paper_that_was_not_run_says_so():
    rows = [Summary("table3", "20news", "qdtm-kld", "diversity", 0.8, 0.0, 5, 0.71, 9.0)]
    assert figure_table(rows, "20news").splitlines()[2:] == [
        "| `htm` | 0.940 | not run |  |",
        "| `qdtm-kld` | 0.710 | **0.800 ± 0.000** | +0.090 |",
    ]


@pytest.mark.parametrize("table", ["table1", "table3"])
@pytest.mark.parametrize("dataset", DATASETS)
def test_the_documented_tables_are_those_of_the_results(table, dataset):
    summaries = read_summaries(DOCS / "results" / f"{table}.json")
    assert figure_table(summaries, dataset) in (DOCS / "reproduction.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_documented_readings_are_those_of_the_results(dataset):
    summaries = read_summaries(DOCS / "results" / "table1.json")
    table = reading_table(summaries, dataset)
    assert len(table.splitlines()) > 4
    assert table in (DOCS / "reproduction.md").read_text(encoding="utf-8")


def test_the_documented_features_are_those_of_the_results():
    table = feature_table(read_summaries(DOCS / "results" / "table1.json"))
    assert "`bertopic`" in table
    assert table in (DOCS / "reproduction.md").read_text(encoding="utf-8")


def test_all_features_stand_beside_as_many_as_the_others_have():
    means = {"accuracy": 0.6, "accuracy_all_features": 0.75, "n_features": 211.4}
    rows = [
        Summary("table1", "20news", "bertopic", metric, mean, 0.0, 2, None, 9.0)
        for metric, mean in means.items()
    ]
    assert feature_table(rows).splitlines()[2:] == ["| 20news | `bertopic` | 0.600 | 0.750 | 211 |"]
    assert "211" not in figure_table(rows, "20news")


def test_the_better_reading_is_bold():
    means = {
        "accuracy_own": 0.6,
        "accuracy_mixed": 0.7,
        "precision_at_k_own": 0.5,
        "precision_at_k_mixed": 0.4,
    }
    rows = [
        Summary("table1", "20news", "lda", metric, mean, 0.0, 5, None, 9.0) for metric, mean in means.items()
    ]
    rows.append(Summary("table1", "20news", "sbert", "precision_at_k_own", 0.5, 0.0, 5, None, 9.0))
    assert reading_table(rows, "20news").splitlines()[2:] == [
        "| `lda` | 0.600 | **0.700** | **0.500** | 0.400 |",
        "| `sbert` |  |  | **0.500** |  |",
    ]
