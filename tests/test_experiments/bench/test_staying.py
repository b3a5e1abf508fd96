import pickle
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from experiments.bench.staying import (
    STAYING,
    StayingResult,
    StayingShare,
    judge_staying,
    load_asked,
    measure_answer,
    query_words,
    report_staying,
    summarise_staying,
    word_counts,
)
from experiments.datasets.natural import StayingQuery
from experiments.harness.cells import Cell
from experiments.harness.report import markdown
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.workbench import Workbench
from experiments.systems.answers import Answer, Judgement, no_answer
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

TEXTS = (
    *["gun control, gun control and more gun control"] * 3,  # 0 to 2: name it often
    *["a gun and the control of it"] * 4,  # 3 to 6: name it
    *["a gun show"] * 5,  # 7 to 11: have a word
    *["a fish tank"] * 8,  # 12 to 19: have none
)
QUERIES = {"20news": (StayingQuery("gun control", "specific"), StayingQuery("tropical fish", "passing"))}


def cell(kind="specific", text="gun control"):
    return Cell("staying", "20news", "qdtm", 0, 0, text, kind=kind)


def measured(p, cutoff=0.5, kind="specific"):
    p = np.asarray(p, float)
    answer = Answer((p,), 1.0, judgement=Judgement(p, cutoff, float(p.sum())))
    return measure_answer(cell(kind), answer, Corpus.from_texts(TEXTS))


def test_an_answer_is_held_against_the_texts():
    p = np.zeros(20)
    p[[0, 1]], p[3:8], p[12] = 0.9, 0.8, 0.6
    result = measured(p)
    assert (result.n_named, result.n_listed) == (7, 8)
    assert result.with_word == pytest.approx(7 / 8)
    assert result.first_ten == 6 + np.isin(first_beyond(p), range(7)).sum()
    assert result.found == pytest.approx(2 / 3)  # the third that names it often is not listed
    assert result.count == pytest.approx(p.sum())
    assert result.times_named == pytest.approx(p.sum() / 7)
    assert result.n_unnamed == 2  # 7 has a word, 12 has none
    assert result.failures == ("found",)


def first_beyond(p):
    """The two documents that come after the eight that are listed, in random order."""
    order = np.random.default_rng(0).permutation(len(p))
    behind = [j for j in order[::-1] if p[j] == 0.0]
    return behind[:2]


def test_a_specific_query_is_answered_acceptably_or_not():
    good = np.zeros(20)
    good[:7] = 0.9
    assert measured(good).failures == ()
    everything, nothing = measured(np.ones(20)), measured(np.zeros(20), cutoff=1.0)
    assert "word" in everything.failures  # 12 of 20 have one
    assert (nothing.with_word, nothing.found) == (None, 0.0)
    assert {"word", "found"} <= set(nothing.failures)
    assert measure_answer(cell(), no_answer_of(20), Corpus.from_texts(TEXTS)).failures == ("refused",)


def test_too_many_are_too_many():
    one = ("gun control now", *["a gun show"] * 9)
    p = np.full(10, 0.7)
    answer = Answer((p,), 1.0, judgement=Judgement(p, 0.5, 7.0))
    result = measure_answer(cell(), answer, Corpus.from_texts(one))
    assert (result.times_named, result.failures) == (7.0, ("count",))  # the one that has both ranks first


def test_where_fewer_than_six_name_it_all_of_them_must_be_among_the_first_ten():
    texts = (*["gun control now"] * 3, *["a gun show"] * 30)
    p = np.full(33, 0.5)
    for n_behind, failures in ((0, ()), (1, ("first ten",))):
        p[:3], p[:n_behind] = 0.9, 0.0
        answer = Answer((p,), 1.0, judgement=Judgement(p, 0.4, 4.0))
        assert measure_answer(cell(), answer, Corpus.from_texts(texts)).failures == failures


def test_a_query_in_passing_may_be_refused_or_answered_with_those_that_name_it():
    assert measure_answer(cell("passing"), no_answer_of(20), Corpus.from_texts(TEXTS)).failures == ()
    p = np.zeros(20)
    p[:7], p[12] = 0.9, 0.5
    assert measured(p, kind="passing").failures == ()
    p[12] = 0.6
    assert measured(p, kind="passing").failures == ("unnamed",)
    assert measured(np.full(20, 0.55), kind="passing").failures == ("count", "unnamed")


def no_answer_of(n_documents):
    answer = no_answer(type("D", (), {"corpus": type("C", (), {"n_documents": n_documents})})())
    assert not answer.answered
    return answer


@dataclass(frozen=True)
class NotingRow:
    """Takes documents that name guns to be about them, refuses the rest, and notes down what it is asked."""

    name: str
    notes: Path

    at_once = False
    settings = {}  # noqa: RUF012

    def answer(self, dataset, queries, seed, *, subtopics=False):  # noqa: ARG002
        [q] = queries
        with self.notes.open("a") as file:
            file.write(f"{dataset.concepts[q].query} {dataset.concepts[q].rule} {seed}\n")
        if "gun" not in dataset.concepts[q].query:
            yield no_answer(dataset)
            return
        p = np.array([0.9 * ("gun" in d.text and "control" in d.text) for d in dataset.corpus.documents])
        yield Answer((p,), 1.0, judgement=Judgement(p, 0.5, float(p.sum())))


def test_every_query_is_asked_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.bench.staying.load_whole", lambda *_: TEXTS)
    row = NotingRow("qdtm", tmp_path / "notes.txt")
    cells = [
        Cell("staying", "20news", "qdtm", 4, q, query.text, kind=query.kind)
        for q, query in enumerate(QUERIES["20news"])
    ]
    workbench = Workbench(tmp_path, partial(load_asked, queries=QUERIES))
    store = CellStore(STAYING, tmp_path / "cells")
    first = run_cells(STAYING, cells, {"qdtm": row}, workbench, store)
    assert [result.failures for result in first] == [(), ()]
    assert first[1].count is None
    assert run_cells(STAYING, cells, {"qdtm": row}, workbench, store) == first
    assert row.notes.read_text().splitlines() == ["gun control and 4", "tropical fish and 4"]


def test_the_workbench_goes_to_worker_processes_with_its_queries(tmp_path):
    bench = pickle.loads(pickle.dumps(Workbench(tmp_path, partial(load_asked, queries=QUERIES))))
    assert (bench.data, bench.load.keywords) == (tmp_path, {"queries": QUERIES})


# --- which documents name a query ------------------------------------------------------------------------


SENTENCES = [
    "Student loans, and a loan to a STUDENT.",
    "A loaner for studentship; students' affairs.",
    "",
    "The student-loan bill",
]


def test_whole_words_count_with_or_without_a_plural_s():
    counts = word_counts(SENTENCES, "student loans")
    np.testing.assert_array_equal(counts, [[2, 2], [1, 0], [0, 0], [1, 1]])
    np.testing.assert_array_equal(word_counts(SENTENCES, "students loan"), counts)


def test_function_words_and_marks_are_ignored():
    assert query_words('"Asthma in the Children" of asthma') == ("asthma", "children")
    assert query_words("women's rights") == ("women's", "rights")
    np.testing.assert_array_equal(word_counts(["no women's right"], "women's rights"), [[1, 1]])


def test_a_query_without_words_cannot_be_judged():
    with pytest.raises(ParameterError, match="'of the' has no word"):
        word_counts(SENTENCES, "of the")


# --- summing up and showing ------------------------------------------------------------------------------


def result(corpus, kind, text, **figures):
    return StayingResult(Cell("staying", corpus, "qdtm", 0, 0, text, kind=kind), 12, 2.0, **figures)


GOOD = {"count": 10.4, "n_listed": 9, "with_word": 0.9, "first_ten": 8, "found": None}


def results():
    return [
        result("20news", "specific", "gun control", **GOOD),
        result(
            "20news", "specific", "diet", **{**GOOD, "with_word": None, "first_ten": 1, "n_unnamed": 1200}
        ),
        result("20news", "passing", "tropical fish"),
        result("uscongress", "specific", "child abuse"),
    ]


def test_shares_are_of_all_of_each_corpus_and_of_each_kind():
    rows = summarise_staying(results())
    shares = [row for row in rows if isinstance(row, StayingShare)]
    assert [(row.dataset, row.kind, row.n_acceptable, row.n_asked) for row in shares] == [
        ("all", "all", 2, 4), ("all", "specific", 1, 3), ("all", "passing", 1, 1),
        ("20news", "all", 2, 3), ("20news", "specific", 1, 2), ("20news", "passing", 1, 1),
        ("uscongress", "all", 0, 1), ("uscongress", "specific", 0, 1),
    ]  # fmt: skip
    [verdict] = judge_staying(rows)
    assert (verdict.target, verdict.value, verdict.met) == ("acceptable answers of qdtm >= 90%", 0.5, False)
    answers = rows[len(shares) :]
    assert [row.failures for row in answers] == [(), ("word", "first ten"), (), ("refused",)]
    assert answers[0].times_named == pytest.approx(10.4 / 12)


def test_markdown_has_a_table_of_shares_and_a_line_a_query():
    lines = markdown(report_staying(summarise_staying(results()))).splitlines()
    assert lines[:5] == [
        "| corpus | row | acceptable | of all | specific | passing |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 20news | `qdtm` | 2 of 3 | 67% | 1 of 2 | 1 of 1 |",
        "| uscongress | `qdtm` | 0 of 1 | 0% | 0 of 1 |  |",
        "| all | `qdtm` | 2 of 4 | 50% | 1 of 3 | 1 of 1 |",
    ]
    assert "### 20news, `qdtm`" in lines
    assert "| specific | gun control | 12 | 10 | 90% | 8 | - | 0.9 | 0 |  |" in lines
    assert "| specific | diet | 12 | 10 | - | 1 | - | 0.9 | 1,200 | word, first ten |" in lines
    assert "| passing | tropical fish | 12 | refused |  |  |  |  |  |  |" in lines
