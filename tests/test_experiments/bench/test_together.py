"""`together`: one fit answers all queries that documents name; rivals get the words that KLD proposes."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.bench.together import (
    OF_OURS,
    askable,
    by_the_better_reading,
    measure_together,
    plan_together,
)
from experiments.harness.cells import Cell
from experiments.systems.answers import Answer
from experiments.systems.topic_answers import AT_ONCE, RivalAtOnceRow, TogetherRow, make_rows_at_once
from qdtm.errors import ParameterError

from .planted import THEMES, FakeRow, PlantedWorkbench, fits, planted_dataset

OPTIONS = {"models": (), "data": None, "seed": 0, "runs": 2}


def as_natural(dataset):
    """A data set for which nobody wrote keywords, and whose second query no document names."""
    concepts = [replace(concept, keywords=()) for concept in dataset.concepts]
    concepts[1] = replace(concepts[1], query="zebra")
    return replace(dataset, concepts=tuple(concepts))


class NaturalWorkbench(PlantedWorkbench):
    def _dataset(self, name):
        return as_natural(planted_dataset(name))


def test_what_no_document_names_is_not_asked():
    places, asked = askable(as_natural(planted_dataset()))
    assert places == (0, 2, 3)
    assert [concept.query for concept in asked.concepts] == ["fire", "election", "medicine"]


def test_who_has_no_keywords_gets_those_of_the_theme():
    _, asked = askable(as_natural(planted_dataset()))
    for concept in asked.concepts:
        own = {concept.query, *THEMES[concept.query]}
        assert len(own & set(concept.keywords)) >= 6
        assert concept.query in concept.keywords


def test_an_experts_keywords_stay():
    dataset = planted_dataset()
    assert askable(dataset)[1].concepts == dataset.concepts


def test_one_fit_answers_all_and_the_missing_query_counts_as_refused(tmp_path):
    notes = tmp_path / "notes"
    cells = tuple(Cell("together", "uscongress", "x", 0, q) for q in range(4))
    row = FakeRow("x", notes, at_once=True)
    results = measure_together(cells, row, NaturalWorkbench())
    assert fits(notes) == ["x 0 0,1,2 False"]
    assert [result.answered for result in results] == [True, False, True, True]
    assert [result.phrase for result in results] == [c.phrase for c in planted_dataset().concepts]


class ByPlace(FakeRow):
    """Knows each theme by its place among what it is asked."""

    def answer(self, dataset, queries, seed, *, subtopics=False):  # noqa: ARG002
        theme = np.arange(160) // 40
        for q in queries:
            place = list(THEMES).index(dataset.concepts[q].query)
            yield Answer(((theme == place).astype(float),), 0.0)


def test_an_answer_is_held_against_its_own_category(tmp_path):
    cells = tuple(Cell("together", "uscongress", "x", 0, q) for q in range(4))
    results = measure_together(cells, ByPlace("x", tmp_path / "notes", at_once=True), NaturalWorkbench())
    assert [result.precision_at_k for result in results] == [1.0, None, 1.0, 1.0]


def test_a_row_is_read_in_one_way_for_all_queries():
    dataset = planted_dataset()
    right, wrong = ((dataset.labels == q).astype(float) for q in (0, 1))
    half = np.where(np.arange(160) % 2, right, wrong)
    answers = {0: Answer((right, half), 0.0), 1: Answer((right, 1.0 - right), 0.0)}
    found = by_the_better_reading(answers, dataset, 0)
    assert all(len(answer.scores) == 1 for answer in found.values())
    np.testing.assert_array_equal(found[0].scores[0], right)
    np.testing.assert_array_equal(found[1].scores[0], right)


@pytest.mark.parametrize("name", ["seeded-lda", "hdp", "bm25"])
def test_a_row_of_table_1_finds_planted_themes(name):
    if name != "bm25":
        pytest.importorskip("tomotopy", reason="the row needs the extra 'experiments'")
    [row] = make_rows_at_once([name], 30).values()
    assert isinstance(row, RivalAtOnceRow)
    cells = tuple(Cell("together", "uscongress", name, 0, q) for q in range(4))
    found = [result.precision_at_k for result in measure_together(cells, row, NaturalWorkbench())]
    assert found[1] is None
    assert np.mean([value for value in found if value is not None]) > 0.4


def test_the_model_is_asked_everything_at_once():
    [row] = make_rows_at_once(["qdtm"], 10).values()
    assert isinstance(row, TogetherRow)
    cells = tuple(Cell("together", "uscongress", "qdtm", 0, q) for q in range(4))
    results = measure_together(cells, row, NaturalWorkbench())
    assert all(result.precision_at_k > 0.8 for result in results if result.answered)
    assert all(0 <= result.calibration_error < 0.3 for result in results if result.answered)


def test_the_papers_corpora_have_their_rivals_in_table_1():
    cells = list(plan_together(["searchsnippets"], AT_ONCE, OPTIONS))
    assert {cell.model for cell in cells} == set(OF_OURS)
    assert len(cells) == 2 * 2 * 8
    named = list(plan_together(["searchsnippets"], ["lda"], OPTIONS | {"models": ("lda",)}))
    assert {cell.model for cell in named} == {"lda"}


def test_an_unknown_row_is_refused():
    with pytest.raises(ParameterError, match="table1 has no row 'gpt'"):
        make_rows_at_once(["gpt"])
