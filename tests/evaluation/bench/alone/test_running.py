import multiprocessing

import pytest

from qdtm.evaluation.bench.alone import AloneStore, plan_alone, run_alone

from .planted import FakeRow, PlantedWorkbench, fits

QUERIES = {"searchsnippets": (0, 2, 3)}


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "fits.txt"


@pytest.fixture
def store(tmp_path):
    return AloneStore(tmp_path / "cells")


def run(row, store, *, runs=1, subtopics=False, **options):
    cells = plan_alone(QUERIES, [row.name], runs=runs, seed=0, subtopics=subtopics)
    return run_alone(cells, {row.name: row}, PlantedWorkbench(), store, **options)


def test_a_model_is_asked_query_by_query_or_once(notes, store):
    run(FakeRow("qdtm", notes), store, subtopics=True)
    run(FakeRow("single", notes), store, subtopics=True)
    run(FakeRow("joint", notes, at_once=True), store, runs=2)
    assert fits(notes) == [
        *(f"qdtm 0 {q} True" for q in (0, 2, 3)),
        *(f"single 0 {q} False" for q in (0, 2, 3)),
        "joint 0 0,2,3 False",
        "joint 1 0,2,3 False",
    ]


def test_finished_cells_are_read_back_whole_and_not_run_again(notes, store):
    row = FakeRow("qdtm", notes, quality=0.5)
    first = run(row, store)
    assert run(row, store) == first
    assert len(fits(notes)) == 3
    assert all(len(result.documents) == 40 and len(result.words) == 20 for result in first)
    run(FakeRow("qdtm", notes, quality=0.7), store)
    run(row, store, fresh=True)
    assert len(fits(notes)) == 9


def test_a_damaged_file_is_run_again(notes, store):
    run(FakeRow("qdtm", notes), store)
    for path in store.folder.iterdir():
        path.write_text("{")
    run(FakeRow("qdtm", notes), store)
    assert len(fits(notes)) == 6


def test_what_came_before_ctrl_c_is_kept(notes, store):
    with pytest.raises(KeyboardInterrupt):
        run(FakeRow("qdtm", notes, stops_at=1), store, runs=2)
    told = []
    run(FakeRow("qdtm", notes), store, runs=2, on_result=lambda _, new: told.append(new))
    assert told == [False] * 3 + [True] * 3


def test_workers_find_the_same_and_are_gone_afterwards(notes, store, tmp_path):
    here = run(FakeRow("qdtm", notes, quality=0.5), store)
    there = run(FakeRow("qdtm", notes, quality=0.5), AloneStore(tmp_path / "others"), n_jobs=2)
    assert here == there
    assert not multiprocessing.active_children()
