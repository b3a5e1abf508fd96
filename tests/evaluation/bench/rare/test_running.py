import numpy as np
import pytest

from qdtm.evaluation.bench.alone.registry import make_row
from qdtm.evaluation.bench.alone.rows import Answer
from qdtm.evaluation.bench.rare import RareCell, RareStore, plan_rare, run_rare
from qdtm.evaluation.bench.rare.running import measure_rare
from qdtm.evaluation.bench.rare.thinning import thin
from qdtm.evaluation.bench.rare.words import characteristic_words, log_odds

from ..alone.planted import COMMON, THEMES, FakeRow, PlantedWorkbench, fits, planted_dataset

QUERIES = {"searchsnippets": (0, 2)}
LEVELS = (0.05, 0.1)


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "fits.txt"


@pytest.fixture
def store(tmp_path):
    return RareStore(tmp_path / "cells")


def run(row, store, **options):
    cells = plan_rare(QUERIES, [row.name], runs=1, seed=0, levels=LEVELS)
    return run_rare(cells, {row.name: row}, PlantedWorkbench(), store, **options)


def test_all_rows_are_asked_of_a_thinned_corpus_before_the_next_is_made():
    cells = plan_rare({"a": (0, 1)}, ["qdtm", "lda"], runs=2, seed=7, levels=LEVELS)
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
    result = measure_rare(RareCell("x", 1, "share", 0, 0.1), Answer((scores,), 0.0), thinned, whole)
    assert (result.precision_at_k, result.recall_at_2k) == (0.0, 1.0)
    assert (result.words, result.words_share, result.size_ratio) == ((), None, None)


def test_a_topic_is_measured_by_the_categorys_words_in_the_whole_corpus(monkeypatch):
    monkeypatch.setattr("qdtm.evaluation.bench.rare.words.N_CHARACTERISTIC", 9)
    whole = planted_dataset()
    thinned = thin(whole, 1, 0.1, 0)
    topic = np.zeros(thinned.corpus.n_words)
    for place, word in enumerate((*THEMES["cricket"][:4], *COMMON)):
        topic[thinned.corpus.word_index[word]] = 1.0 - place / 100
    answer = Answer((topic[: len(thinned.labels)].repeat(4)[: len(thinned.labels)],), 0.0, topic)
    result = measure_rare(RareCell("x", 1, "lda", 0, 0.1), answer, thinned, whole)
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
    result = measure_rare(RareCell("x", 1, "bm25-query", 0, 0.001), answer, bare, whole)
    assert not result.answered


def _lacks_name(whole, seed):
    return "cricket" not in thin(whole, 1, 0.001, seed).corpus.vocabulary
