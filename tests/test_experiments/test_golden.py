"""Golden runs: what the model is worth on each corpus must not change by more than noise.

`pytest -m slow tests/test_experiments/test_golden.py` with QDTM_DATA set. The figures are those of
docs/results, the bands at least three standard deviations between seeds; a change beyond them, for better or
worse, is to be explained and written down here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.bench.alone import ALONE as ALONE_BENCH
from experiments.bench.paper_tables import TABLE_1, summarise_table
from experiments.datasets.concepts import concepts_of
from experiments.harness.cells import Cell, choose_queries
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.workbench import Workbench
from experiments.systems.registry import SystemOptions, make_system
from experiments.systems.topic_answers import make_rows

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
    cells = [Cell("table1", dataset, "qdtm-kld", 0)]
    results = run_cells(TABLE_1, cells, systems, Workbench(data_folder), CellStore(TABLE_1, tmp_path))
    rows = summarise_table(results)
    for row in rows:
        gold = recorded("table1", dataset=dataset, model="qdtm-kld", metric=row.metric)
        assert row.mean == pytest.approx(gold, abs=TOGETHER[row.metric]), row.metric


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ALONE)
def test_one_query_alone(data_folder: Path, tmp_path: Path, dataset: str) -> None:
    query, band = ALONE[dataset]
    [q] = choose_queries({dataset: concepts_of(dataset)}, [query])[dataset]
    rows, store = make_rows(["qdtm"]), CellStore(ALONE_BENCH, tmp_path)
    cells = [Cell("alone", dataset, "qdtm", 0, q)]
    (found,) = run_cells(ALONE_BENCH, cells, rows, Workbench(data_folder), store)
    gold = recorded("alone", dataset=dataset, model="qdtm", metric="precision_at_k", query=query)
    assert found.precision_at_k == pytest.approx(gold, abs=band)
