import json

import pytest

from qdtm.errors import StorageError
from qdtm.evaluation.bench import Cell, CellResult, Figure, summarise
from qdtm.evaluation.bench.summary import as_json, check_writable, write_json


def result(seed, seconds, model="qdtm-kld", table="table1", **figures):
    return CellResult(
        Cell(table, "20news", model, seed), tuple(Figure(m, v) for m, v in figures.items()), (), seconds
    )


def test_runs_are_put_together_beside_the_papers_figure():
    rows = summarise(
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
    assert accuracy.difference == 0.005
    assert (precision.metric, precision.sd) == ("precision_at_k", 0.0)


def test_one_run_has_no_spread_and_an_unknown_row_no_paper():
    [row] = summarise([result(0, 1.0, model="qdtm-default", accuracy=0.7)])
    assert (row.sd, row.runs, row.paper, row.difference) == (0.0, 1, None, None)


def test_json_has_exactly_the_promised_fields(tmp_path):
    rows = summarise([result(0, 1.0, accuracy=0.7), result(0, 1.0, table="table3", overall=0.6)])
    write_json(tmp_path / "new" / "out.json", rows)
    read = json.loads((tmp_path / "new" / "out.json").read_text())
    assert read == as_json(rows)
    names = ["table", "dataset", "model", "metric", "mean", "sd", "runs", "paper", "seconds"]
    assert [list(row) for row in read] == [names, names]
    assert [(row["table"], row["metric"], row["paper"]) for row in read] == [
        ("table1", "accuracy", 0.705),
        ("table3", "overall", 0.56),
    ]


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "out.json"):
        with pytest.raises(StorageError, match="Choose another file"):
            check_writable(path)


@pytest.mark.parametrize(
    ("figures", "winner"),
    [
        ({"accuracy": 0.7054}, "tie"),
        ({"accuracy": 0.7056}, "ours"),
        ({"accuracy": 0.704}, "paper"),
        ({"coherence": 0.9}, None),
    ],
)
def test_who_wins_is_told_to_three_places_and_not_of_coherence(figures, winner):
    [row] = summarise([result(0, 1.0, **figures)])
    assert row.winner == winner
