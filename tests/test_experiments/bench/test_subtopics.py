import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from experiments.bench import subtopics
from experiments.bench.subtopics import (
    SUBTOPICS,
    SubtopicScore,
    SubtopicsResult,
    load_asked,
    make_splitting_rows,
    score_split,
    score_subtopics,
    share_found_again,
)
from experiments.bench.subtopics_report import (
    SubtopicsRow,
    in_factor,
    judge_subtopics,
    report_subtopics,
    summarise_subtopics,
)
from experiments.datasets.two_level import GivenCorpus
from experiments.harness.cells import Cell
from experiments.harness.report import markdown
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.workbench import Workbench
from experiments.metrics.labels import Agreement
from qdtm import QueryDrivenTopicModel

from .planted_levels import planted_dataset, planted_rows, write_planted


def workbench(tmp_path, queries=None):
    given = GivenCorpus(write_planted(tmp_path / "planted.csv"), "area", "kind", queries)
    return Workbench(load=partial(load_asked, given=given))


def ask(tmp_path, bench, query, text):
    rows = make_splitting_rows(["qdtm", "kmeans-svd"])
    cells = [Cell("subtopics", "planted", model, 0, query, text) for model in rows]
    return run_cells(SUBTOPICS, cells, rows, bench, CellStore(SUBTOPICS, tmp_path / "cells"))


def test_rows_split_the_same_documents_and_are_kept(tmp_path, monkeypatch):
    bench = workbench(tmp_path)
    ours, other = ask(tmp_path, bench, 1, "sports")
    assert (ours.category, ours.score.n_about) == ("sports", other.score.n_about)
    assert ours.score.right.n_documents == other.score.right.n_documents >= 45  # those that name it
    assert other.score.n_found == other.score.right.n_lower == 3
    assert other.score.right.ami > 0.9
    assert other.found_again is None
    assert 0 <= ours.found_again <= 1
    monkeypatch.setattr(subtopics, "fit_query", None)  # nothing is fitted again
    assert ask(tmp_path, bench, 1, "sports") == [ours, other]


def test_a_refused_query_counts_for_no_row(tmp_path):
    results = ask(tmp_path, workbench(tmp_path, {"food": "zeppelin"}), 0, "zeppelin")
    assert [result.score for result in results] == [None, None]
    means = summarise_subtopics(results)[:2]
    assert [(mean.n_asked, mean.n_counted, mean.ami) for mean in means] == [(1, 0, None), (1, 0, None)]


def test_the_workbench_goes_to_worker_processes_with_its_file(tmp_path):
    bench = workbench(tmp_path)
    assert pickle.loads(pickle.dumps(bench)).load.keywords == bench.load.keywords


# --- what a split is worth -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    dataset = planted_dataset()
    return dataset, QueryDrivenTopicModel("sports", random_state=0).fit(dataset.corpus)


def test_the_main_subtopic_shown_is_held_against_the_lower_category(fitted):
    dataset, model = fitted
    upper = [row[1] for row in planted_rows()]
    score = score_subtopics(model, "sports", upper, dataset.lower)
    about = model.relevance("sports").about
    assert (score.n_about, score.n_right) == (about.sum(), (about & (np.array(upper) == "sports")).sum())
    assert score.n_found == len(model.topics_[0].subtopics) == len(score.words)
    shown = {row.index: row.subtopic for row in model.documents("sports", n=len(upper))}
    again = score_split(
        "sports",
        [int(shown[j].split(".")[1]) if shown[j] else -1 for j in np.flatnonzero(about)],
        np.array(upper)[about] == "sports",
        np.array(dataset.lower)[about],
        n_found=score.n_found,
        words=score.words,
    )
    assert again.right.ami == pytest.approx(score.right.ami)
    assert again.everything.ami == pytest.approx(score.everything.ami)
    assert replace(again, right=None, everything=None) == replace(score, right=None, everything=None)


def test_a_result_is_as_good_as_its_model_and_the_category_may_have_another_name(fitted):
    dataset, model = fitted
    upper = ["games" if row[1] == "sports" else "" for row in planted_rows()]
    wrong = score_subtopics(model, 0, upper, dataset.lower)
    assert (wrong.n_right, wrong.right) == (0, None)
    right = score_subtopics(model.result_, 0, upper, dataset.lower, category="games")
    assert right.n_right > 0
    assert right.everything == wrong.everything


def test_documents_of_another_upper_category_count_in_everything_only():
    lower = np.array(["a"] * 10 + ["b"] * 10 + ["x"] * 10)
    right = np.array([True] * 20 + [False] * 10)
    apart = score_split("q", [0] * 10 + [1] * 10 + [2] * 10, right, lower)
    mixed = score_split("q", [0] * 10 + [1] * 20, right, lower)
    assert apart.right.ami == mixed.right.ami == pytest.approx(1.0)
    assert apart.everything.ami == pytest.approx(1.0)
    assert mixed.everything.ami < 0.9
    assert (apart.n_found, mixed.n_found, apart.n_about, apart.n_right) == (3, 2, 30, 20)


def test_a_fit_finds_its_own_subtopics_again(fitted):
    _, model = fitted
    n = model.fit_.subtopic_counts[0].shape[1]
    assert share_found_again(model, model) == 1.0
    nothing = replace(model.fit_, subtopic_counts=(model.fit_.subtopic_counts[0][:, :0],), stability=None,
                      token_subtopics=np.full_like(model.fit_.token_subtopics, -1))  # fmt: skip
    other = replace(model.result_, fit=nothing)
    assert n > 0
    assert share_found_again(model, other) == 0.0
    assert share_found_again(other, model) is None


# --- summing up and showing ------------------------------------------------------------------------------


def result(model="qdtm", query=0, ami=0.5, n_found=4, n_lower=5, n_right=100, again=None):
    agreed = Agreement(n_right, n_lower, ami, 0.6, 0.4, 0.1)
    everything = replace(agreed, n_documents=n_right + 20, ami=ami / 2)
    words = ("one two", "three four") if model == "qdtm" else ()
    score = SubtopicScore(f"query {query}", n_found, n_right + 20, n_right, agreed, everything, words)
    return SubtopicsResult(
        Cell("subtopics", "d", model, 0, query, f"query {query}"), "upper", score, 2.0, again
    )


def means(results):
    return {row.model: row for row in summarise_subtopics(results) if not isinstance(row, SubtopicsRow)}


def test_means_are_over_the_queries_that_count():
    few, refused = result(query=2, ami=1.0, n_right=19), replace(result(query=3), score=None)
    own = means([result(ami=0.2, again=1.0), result(query=1, ami=0.4, again=0.5), few, refused])["qdtm"]
    assert (own.n_asked, own.n_counted) == (4, 2)
    assert (own.ami, own.ami_everything, own.found_again) == pytest.approx((0.3, 0.15, 0.75))
    assert means([result(n_lower=1)])["qdtm"].n_counted == 0


@pytest.mark.parametrize(
    ("found", "there", "within"),
    [(2, 5, False), (3, 5, True), (10, 5, True), (11, 5, False), (2, 2, None), (9, 16, None)],
)
def test_the_number_should_be_within_a_factor_of_two(found, there, within):
    [_, row] = summarise_subtopics([result(n_found=found, n_lower=there)])
    assert in_factor(row) is within


def test_targets_are_judged_beside_the_rows_that_were_run():
    rows = summarise_subtopics([
        result(ami=0.5, n_found=1, again=0.8), result("lda-true", ami=0.4), result("bertopic", ami=0.56),
    ])  # fmt: skip
    assert [(verdict.target, verdict.met) for verdict in judge_subtopics(rows, "d")] == [
        ("agreement above lda-true, 0.400", True),
        ("agreement within 0.05 of bertopic, 0.560", False),
        ("number within a factor of 2 >= 80%", False),
        ("subtopics found again >= 80%", True),
    ]
    assert judge_subtopics(summarise_subtopics([result("hdp")]), "d") == []


def test_markdown_has_means_agreement_and_our_splits():
    rows = summarise_subtopics([result(), result(query=1, n_right=5), result("hdp", ami=0.7)])
    text = markdown(report_subtopics(rows))
    assert "1 of 2 queries count." in text
    assert "| `qdtm` | 0.500 | 0.600 | 0.400 | 10% | 0.250 | 100% |  | 2.0 |" in text
    assert "| query 0 | 0.500 | **0.700** |" in text
    assert "| (query 1) | 25 | 5 | 5 | 4 | 0.500 | 10% | 0.250 |  | one two; three four |" in text
    assert "| agreement above hdp, 0.700 | 0.500 | **missed** |" in text
