"""Golden runs: what the model is worth on each corpus must not change by more than noise.

`pytest -m slow tests/evaluation/test_golden.py` with QDTM_DATA set. The figures are those of docs/results,
the bands at least three standard deviations between seeds; a change beyond them, for better or worse, is to
be explained and written down here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qdtm.evaluation.bench import CellStore, Workbench, plan_cells, run_cells, summarise
from qdtm.evaluation.bench.alone import AloneStore, choose_queries, plan_alone, run_alone
from qdtm.evaluation.bench.alone.registry import make_rows
from qdtm.evaluation.datasets import concepts_of
from qdtm.evaluation.systems import SystemOptions, make_system

RECORDED = Path(__file__).parents[2] / "docs" / "results"
TOGETHER = {"accuracy": 0.015, "precision_at_k": 0.025, "coherence": 0.03}
ALONE = {"20news": ("hockey", 0.05), "tagmynews": ("health", 0.03), "searchsnippets": ("Health", 0.03)}


def recorded(table: str, **wanted: str) -> float:
    """Return a figure that was measured and written down."""
    rows = json.loads((RECORDED / f"{table}.json").read_text())
    found = [row["mean"] for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    assert len(found) == 1
    return float(found[0])


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ALONE)
def test_all_queries_together(data_folder: Path, tmp_path: Path, dataset: str) -> None:
    systems = {"qdtm-kld": make_system("qdtm-kld", "table1", SystemOptions())}
    cells = plan_cells("table1", [dataset], systems, runs=1, seed=0)
    rows = summarise(run_cells(cells, systems, Workbench(data_folder), CellStore(tmp_path)))
    for row in rows:
        gold = recorded("table1", dataset=dataset, model="qdtm-kld", metric=row.metric)
        assert row.mean == pytest.approx(gold, abs=TOGETHER[row.metric]), row.metric


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ALONE)
def test_one_query_alone(data_folder: Path, tmp_path: Path, dataset: str) -> None:
    query, band = ALONE[dataset]
    queries = choose_queries({dataset: concepts_of(dataset)}, [query])
    rows = make_rows(["qdtm"])
    cells = plan_alone(queries, rows, runs=1, seed=0)
    (found,) = run_alone(cells, rows, Workbench(data_folder), AloneStore(tmp_path))
    gold = recorded("alone", dataset=dataset, model="qdtm", metric="precision_at_k", query=query)
    assert found.precision_at_k == pytest.approx(gold, abs=band)
