"""The real thing, short: one corpus, one model, few sweeps, in this process and in workers."""

import pytest

from experiments.bench.paper_tables import TABLE_1, TABLE_3, summarise_table
from experiments.harness.cells import Cell
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.workbench import Workbench
from experiments.systems.registry import SystemOptions, make_system


def run(bench, data_folder, folder, runs, **options):
    systems = {"qdtm-kld": make_system("qdtm-kld", bench.name, SystemOptions(max_sweeps=60))}
    cells = [Cell(bench.name, "searchsnippets", "qdtm-kld", seed) for seed in range(runs)]
    return run_cells(bench, cells, systems, Workbench(data_folder), CellStore(bench, folder), **options)


@pytest.mark.slow
def test_searchsnippets_in_sixty_sweeps(data_folder, tmp_path):
    here = run(TABLE_1, data_folder, tmp_path / "here", 2)
    there = run(TABLE_1, data_folder, tmp_path / "there", 2, n_jobs=2)
    assert [result.figures for result in here] == [result.figures for result in there]
    means = {row.metric: row.mean for row in summarise_table(here)}
    assert means["accuracy"] > 0.82
    assert means["precision_at_k"] > 0.77
    assert means["coherence"] > 0.5


@pytest.mark.slow
def test_subtopics_of_searchsnippets(data_folder, tmp_path):
    rows = summarise_table(run(TABLE_3, data_folder, tmp_path, 1))
    means = {row.metric: row.mean for row in rows}
    assert means["cohesion"] > 0.75
    assert means["overall"] > 0.56
