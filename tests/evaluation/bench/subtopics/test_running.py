import pickle

from qdtm.evaluation.bench.subtopics import (
    SubtopicsStore,
    TwoLevelWorkbench,
    make_subtopics_rows,
    plan_subtopics,
    run_subtopics,
    running,
    summarise_subtopics,
)
from qdtm.evaluation.datasets.two_level import GivenCorpus

from .planted import write_planted


def workbench(tmp_path, queries=None):
    given = GivenCorpus(write_planted(tmp_path / "planted.csv"), "area", "kind", queries)
    return TwoLevelWorkbench(given=given)


def test_rows_split_the_same_documents_and_are_kept(tmp_path, monkeypatch):
    bench = workbench(tmp_path)
    rows, store = make_subtopics_rows(["qdtm", "kmeans-svd"]), SubtopicsStore(tmp_path / "cells")
    cells = plan_subtopics({"planted": {1: "sports"}}, rows, runs=1, seed=0)
    ours, other = run_subtopics(cells, rows, bench, store)
    assert (ours.category, ours.score.n_about) == ("sports", other.score.n_about)
    assert ours.score.right.n_documents == other.score.right.n_documents > 45  # the 45 that name it, and more
    assert other.score.n_found == other.score.right.n_lower == 3
    assert other.score.right.ami > 0.9
    assert other.found_again is None
    assert 0 <= ours.found_again <= 1
    monkeypatch.setattr(running, "fit_query", None)  # nothing is fitted again
    assert run_subtopics(cells, rows, bench, store) == [ours, other]


def test_a_refused_query_counts_for_no_row(tmp_path):
    bench = workbench(tmp_path, {"food": "zeppelin"})
    rows = make_subtopics_rows(["qdtm", "kmeans-svd"])
    cells = plan_subtopics({"planted": {0: "zeppelin"}}, rows, runs=1, seed=0)
    results = run_subtopics(cells, rows, bench, SubtopicsStore(tmp_path / "cells"))
    assert [result.score for result in results] == [None, None]
    means = summarise_subtopics(results)[:2]
    assert [(mean.n_asked, mean.n_counted, mean.ami) for mean in means] == [(1, 0, None), (1, 0, None)]


def test_rows_of_one_query_stand_together():
    cells = plan_subtopics({"d": {0: "a", 2: "b"}}, ["qdtm", "hdp"], runs=2, seed=4)
    assert [(cell.query, cell.model, cell.seed) for cell in cells] == [
        (0, "qdtm", 4), (0, "hdp", 4), (2, "qdtm", 4), (2, "hdp", 4),
        (0, "qdtm", 5), (0, "hdp", 5), (2, "qdtm", 5), (2, "hdp", 5),
    ]  # fmt: skip


def test_the_workbench_goes_to_worker_processes_with_its_file(tmp_path):
    bench = workbench(tmp_path)
    assert pickle.loads(pickle.dumps(bench)).given == bench.given
