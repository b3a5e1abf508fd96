"""The real thing, short: one corpus, one model, few sweeps, in this process and in workers."""

import pytest

from qdtm.evaluation.bench import CellStore, Workbench, plan_cells, run_cells, summarise
from qdtm.evaluation.systems import SystemOptions, make_system


@pytest.mark.slow
def test_searchsnippets_in_sixty_sweeps(data_folder, tmp_path):
    systems = {"qdtm-kld": make_system("qdtm-kld", "table1", SystemOptions(max_sweeps=60))}
    cells = plan_cells("table1", ["searchsnippets"], systems, runs=2, seed=0)
    here = run_cells(cells, systems, Workbench(data_folder), CellStore(tmp_path / "here"))
    there = run_cells(cells, systems, Workbench(data_folder), CellStore(tmp_path / "there"), n_jobs=2)
    assert [result.figures for result in here] == [result.figures for result in there]
    means = {row.metric: row.mean for row in summarise(here)}
    assert means["accuracy"] > 0.82
    assert means["precision_at_k"] > 0.77
    assert means["coherence"] > 0.5


@pytest.mark.slow
def test_subtopics_of_searchsnippets(data_folder, tmp_path):
    systems = {"qdtm-kld": make_system("qdtm-kld", "table3", SystemOptions(max_sweeps=60))}
    cells = plan_cells("table3", ["searchsnippets"], systems, runs=1, seed=0)
    rows = summarise(run_cells(cells, systems, Workbench(data_folder), CellStore(tmp_path)))
    means = {row.metric: row.mean for row in rows}
    assert means["cohesion"] > 0.75
    assert means["overall"] > 0.56
