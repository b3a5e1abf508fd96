import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from experiments.bench.rare import (
    RARE,
    RareResult,
    judge_rare,
    measure_answer,
    plan_rare,
    precision_chart,
    report_rare,
    summarise_rare,
)
from experiments.datasets.thinning import thin
from experiments.harness.cells import Cell
from experiments.harness.report import markdown
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.summary import find
from experiments.metrics.topics import characteristic_words, log_odds
from experiments.systems.answers import Answer
from experiments.systems.topic_answers import make_row

from .planted import COMMON, THEMES, FakeRow, PlantedWorkbench, fits, planted_dataset

QUERIES = {"searchsnippets": (0, 2)}
LEVELS = (0.05, 0.1)


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "fits.txt"


@pytest.fixture
def store(tmp_path):
    return CellStore(RARE, tmp_path / "cells")


def run(row, store, **options):
    cells = plan_rare(QUERIES, [row.name], {"runs": 1, "seed": 0, "levels": LEVELS})
    return run_cells(RARE, cells, {row.name: row}, PlantedWorkbench(), store, **options)


def test_all_rows_are_asked_of_a_thinned_corpus_before_the_next_is_made():
    cells = plan_rare({"a": (0, 1)}, ["qdtm", "lda"], {"runs": 2, "seed": 7, "levels": LEVELS})
    assert len(cells) == len(set(cells)) == 2 * 2 * 2 * 2
    assert [(cell.seed, cell.level, cell.query, cell.model) for cell in cells[:3]] == [
        (7, 0.05, 0, "qdtm"),
        (7, 0.05, 0, "lda"),
        (7, 0.05, 1, "qdtm"),
    ]


def test_categories_are_measured_as_thinned(notes, store):
    for result in run(FakeRow("qdtm", notes, at_once=True), store):
        assert result.n_relevant / result.n_documents == pytest.approx(result.cell.level, abs=0.01)
        assert result.precision_at_k == result.recall_at_2k == 1.0
    assert len(fits(notes)) == 4  # a fit a query and level, even of a model that answers all at once


def test_finished_cells_are_read_back_whole_and_not_run_again(notes, store):
    first = run(FakeRow("qdtm", notes), store)
    told = []
    assert run(FakeRow("qdtm", notes), store, on_result=lambda _, new: told.append(new)) == first
    assert told == [False] * 4
    run(FakeRow("qdtm", notes, quality=0.5), store)
    assert len(fits(notes)) == 8


def test_recall_counts_twice_as_many_documents():
    whole = planted_dataset()
    thinned = thin(whole, 1, 0.1, 0)
    relevant = thinned.labels == 1
    scores = np.zeros(len(relevant))
    others, own = np.flatnonzero(~relevant), np.flatnonzero(relevant)
    scores[others[: len(own)]] = 2.0  # as many others come first
    scores[own] = 1.0
    result = measure_answer(
        Cell("rare", "x", "share", 0, 1, level=0.1), Answer((scores,), 0.0), thinned, whole
    )
    assert (result.precision_at_k, result.recall_at_2k) == (0.0, 1.0)
    assert (result.words, result.words_share, result.size_ratio) == ((), None, None)


def test_a_topic_is_measured_by_the_categorys_words_in_the_whole_corpus(monkeypatch):
    monkeypatch.setattr("experiments.metrics.topics.N_CHARACTERISTIC", 9)
    whole = planted_dataset()
    thinned = thin(whole, 1, 0.1, 0)
    topic = np.zeros(thinned.corpus.n_words)
    for place, word in enumerate((*THEMES["cricket"][:4], *COMMON)):
        topic[thinned.corpus.word_index[word]] = 1.0 - place / 100
    answer = Answer((topic[: len(thinned.labels)].repeat(4)[: len(thinned.labels)],), 0.0, topic)
    result = measure_answer(Cell("rare", "x", "lda", 0, 1, level=0.1), answer, thinned, whole)
    assert result.words[:4] == tuple(THEMES["cricket"][:4])
    assert result.words_share == 0.4  # of ten, six are common
    assert characteristic_words(whole, 1) == {"cricket", *THEMES["cricket"]}


def test_log_odds_prefer_a_sure_word_to_a_seldom_one():
    scores = log_odds(np.array([40, 2, 10]), np.array([10, 0, 90]), 100, 900)
    assert scores[0] > scores[1] > scores[2] == pytest.approx(0.0, abs=0.2)


def test_a_query_whose_words_are_gone_is_counted_and_ranks_by_chance(store):
    whole = planted_dataset()
    bare = thin(whole, 1, 0.001, seed=next(s for s in range(50) if _lacks_name(whole, s)))
    [answer] = make_row("bm25-query").answer(bare, [1], 0)
    result = measure_answer(Cell("rare", "x", "bm25-query", 0, 1, level=0.001), answer, bare, whole)
    assert not result.answered


def _lacks_name(whole, seed):
    return "cricket" not in thin(whole, 1, 0.001, seed).corpus.vocabulary


# --- summing up and showing ------------------------------------------------------------------------------


def result(model, query, seed, level, precision, **more):
    cell = Cell("rare", "20news", model, seed, query, level=level)
    return RareResult(cell, f"query {query}", 1000, 10, precision, precision / 2, 2.0, **more)


def results():
    ours = [
        result("qdtm", q, seed, level, precision, words_share=0.4, prevalence=0.03, words=("gun", "law"))
        for q, seed, level, precision in [
            (0, 0, 0.001, 0.2), (1, 0, 0.001, 0.4), (0, 1, 0.001, 0.4), (1, 1, 0.001, 0.4),
            (0, 0, 0.01, 0.6), (1, 0, 0.01, 0.8), (0, 1, 0.01, 0.6), (1, 1, 0.01, 0.8),
        ]
    ]  # fmt: skip
    bm25 = [
        result("bm25-query", q, 0, level, 0.5, answered=q == 0) for q in (0, 1) for level in (0.001, 0.01)
    ]
    return ours + bm25 + [result("lda", 0, 0, 0.001, 0.5)]


def test_means_are_over_queries_then_over_runs():
    rows = summarise_rare(results())
    mean = find(rows, "qdtm", "precision_at_k", level=0.001)
    assert (mean.mean, mean.runs, mean.n_queries) == (pytest.approx(0.35), 2, 2)
    assert mean.sd == pytest.approx(0.0707, abs=1e-4)  # the runs have 0.3 and 0.4
    assert find(rows, "qdtm", "size_ratio", level=0.001).mean == pytest.approx(3.0)
    assert find(rows, "bm25-query", "answered", level=0.01).mean == 0.5
    assert find(rows, "bm25-query", "words_share", level=0.01) is None
    of_query = find(rows, "qdtm", "precision_at_k", "query 1", 0.01)
    assert (of_query.mean, of_query.n_relevant, of_query.words) == (0.8, 10, ("gun", "law"))


def test_topic_models_are_to_be_beaten_everywhere_and_retrieval_from_half_a_percent():
    verdicts = judge_rare(summarise_rare(results()), "20news")
    assert [(verdict.target, verdict.met) for verdict in verdicts] == [
        ("at 0.1 %, P@K > 0.500 (lda)", False),
        ("at 1 %, P@K > 0.500 (bm25-query)", True),
    ]


def test_markdown_has_a_row_a_model_and_a_column_a_level():
    lines = markdown(report_rare(summarise_rare(results()))).splitlines()
    assert lines[0] == "### 20news"
    assert "| row | 0.1 % | 1 % | queries x runs |" in lines
    assert "| `qdtm` | 0.350 ± 0.071 | **0.700** ± 0.000 | 2 x 2 |" in lines
    assert "| `bm25-query` | **0.500** | 0.500 | 2 x 1 |" in lines
    assert "| `lda` | **0.500** |  | 1 x 1 |" in lines


def test_the_drawing_has_a_line_a_model_within_its_frame():
    drawing = ET.fromstring(precision_chart(summarise_rare(results()), "20 <news>"))
    lines = [part for part in drawing if part.tag.endswith("polyline")]
    assert [len(line.get("points").split()) for line in lines] == [2, 2, 1]
    width, height = map(float, drawing.get("viewBox").split()[2:])
    for line in lines:
        for x, y in (map(float, point.split(",")) for point in line.get("points").split()):
            assert 0 < x < width
            assert 0 < y < height
    names = {
        part.text: float(part.get("y")) for part in drawing if part.text in ("qdtm", "bm25-query", "lda")
    }
    heights = sorted(names.values())
    assert len(heights) == 3
    assert all(after - before >= 14 for before, after in pairwise(heights))
