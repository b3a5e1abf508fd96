import multiprocessing
import time

import pytest

from experiments.bench.paper_tables import TABLE_1
from experiments.harness.cells import Cell, seeds
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore

from ..bench.fakes import FakeSystem, StoppedSystem, TinyWorkbench, fits

DATASETS = ("searchsnippets", "tagmynews")


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "fits.txt"


@pytest.fixture
def store(tmp_path):
    return CellStore(TABLE_1, tmp_path / "cells")


def run(system, store, *, runs=2, datasets=DATASETS[:1], **options):
    cells = [Cell("table1", dataset, system.name, seed) for dataset in datasets for seed in seeds(0, runs)]
    return run_cells(TABLE_1, cells, {system.name: system}, TinyWorkbench(), store, **options)


def test_a_finished_cell_is_not_run_again(notes, store):
    system = FakeSystem("fake", notes)
    first = run(system, store, runs=2)
    again = run(system, store, runs=3)
    assert again[:2] == first
    assert fits(notes) == [f"searchsnippets fake {seed} False" for seed in (0, 1, 2)]


def test_other_settings_and_fresh_runs_are_run(notes, store):
    run(FakeSystem("fake", notes), store, runs=1)
    run(FakeSystem("fake", notes, strength=2.0), store, runs=1)
    run(FakeSystem("fake", notes), store, runs=1, fresh=True)
    assert len(fits(notes)) == 3


def test_what_came_before_ctrl_c_is_kept(notes, store):
    with pytest.raises(KeyboardInterrupt):
        run(StoppedSystem("fake", notes), store, runs=3)
    told = []
    run(FakeSystem("fake", notes), store, runs=3, on_result=lambda r, new: told.append((r.cell.seed, new)))
    assert told == [(0, False), (1, True), (2, True)]
    assert [line.split()[2] for line in fits(notes)] == ["0", "1", "2"]


def test_workers_find_the_same_and_are_gone_afterwards(notes, store, tmp_path):
    system = FakeSystem("fake", notes)
    here = run(system, store, datasets=DATASETS)
    there = run(system, CellStore(TABLE_1, tmp_path / "others"), datasets=DATASETS, n_jobs=2)
    assert [(r.cell, r.figures) for r in here] == [(r.cell, r.figures) for r in there]
    assert sorted(fits(notes)[:4]) == sorted(fits(notes)[4:])
    assert not multiprocessing.active_children()


def test_ctrl_c_in_a_worker_ends_the_run_and_the_workers(notes, store):
    with pytest.raises(KeyboardInterrupt):
        run(StoppedSystem("fake", notes), store, runs=2, n_jobs=2)
    deadline = time.monotonic() + 180
    while (children := multiprocessing.active_children()) and time.monotonic() < deadline:
        children[0].join(timeout=0.1)
    assert not multiprocessing.active_children()
