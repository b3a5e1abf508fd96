import multiprocessing
from dataclasses import replace

import pytest

from experiments.bench.alone import ALONE, asked_alone, concepts_alone, plan_alone, sample_queries
from experiments.datasets.concepts import concepts_of
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from qdtm.errors import CorpusError

from .planted import FakeRow, PlantedWorkbench, fits, planted_dataset

QUERIES = {"searchsnippets": (0, 2, 3)}


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "fits.txt"


@pytest.fixture
def store(tmp_path):
    return CellStore(ALONE, tmp_path / "cells")


def run(row, store, *, runs=1, subtopics=False, **options):
    cells = plan_alone(QUERIES, [row.name], {"runs": runs, "seed": 0, "subtopics": subtopics})
    return run_cells(ALONE, cells, {row.name: row}, PlantedWorkbench(), store, **options)


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
    there = run(FakeRow("qdtm", notes, quality=0.5), CellStore(ALONE, tmp_path / "others"), n_jobs=2)
    assert here == there
    assert not multiprocessing.active_children()


def test_every_query_is_asked_of_every_model_in_every_run():
    options = {"runs": 3, "seed": 7, "subtopics": True}
    cells = plan_alone({"20news": (0, 4), "x": (1,)}, ["qdtm", "share"], options)
    assert len(cells) == 2 * 3 * 3 == len(set(cells))
    assert {cell.seed for cell in cells} == {7, 8, 9}
    assert {cell.model for cell in cells if cell.subtopics} == {"qdtm"}


def test_politics_and_society_is_asked_with_or_alone_and_as_the_paper_does_elsewhere():
    rules = {concept.phrase: concept.rule for concept in concepts_alone("searchsnippets")}
    assert rules["Politics Society"] == "or"
    assert rules["Health"] == "and"
    assert {c.phrase: c.rule for c in concepts_of("searchsnippets")}["Politics Society"] == "and"
    dataset = replace(planted_dataset(), concepts=concepts_of("searchsnippets"))
    assert asked_alone(dataset) is asked_alone(dataset)
    assert asked_alone(dataset).concepts == concepts_alone("searchsnippets")
    assert asked_alone(dataset).corpus is dataset.corpus


def test_of_many_queries_the_same_thirty_are_asked():
    queries = {"few": (0, 1, 2), "many": tuple(range(150))}
    sample = sample_queries(queries)
    assert sample == sample_queries(queries)
    assert sample["few"] == (0, 1, 2)
    assert len(set(sample["many"])) == 30
    assert list(sample["many"]) == sorted(sample["many"])
    assert max(sample["many"]) > 100


def test_a_natural_data_set_needs_a_data_folder(cache_folder):
    with pytest.raises(CorpusError, match=r"^'corpora/ohsumed23.jsonl.gz' is needed\. Name the folder"):
        concepts_alone("ohsumed23")
