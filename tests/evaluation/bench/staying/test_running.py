import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.evaluation.bench.alone.rows import Answer, Judgement, no_answer
from qdtm.evaluation.bench.staying import (
    StayingCell,
    StayingQuery,
    StayingStore,
    StayingWorkbench,
    plan_staying,
    run_staying,
    running,
)
from qdtm.evaluation.bench.staying.running import measure_staying

TEXTS = (
    *["gun control, gun control and more gun control"] * 3,  # 0 to 2: name it often
    *["a gun and the control of it"] * 4,  # 3 to 6: name it
    *["a gun show"] * 5,  # 7 to 11: have a word
    *["a fish tank"] * 8,  # 12 to 19: have none
)
QUERIES = {"20news": (StayingQuery("gun control", "specific"), StayingQuery("tropical fish", "passing"))}


def cell(kind="specific", text="gun control"):
    return StayingCell("20news", 0, text, kind, "qdtm", 0)


def measured(p, cutoff=0.5, kind="specific"):
    p = np.asarray(p, float)
    answer = Answer((p,), 1.0, judgement=Judgement(p, cutoff, float(p.sum())))
    return measure_staying(cell(kind), answer, Corpus.from_texts(TEXTS))


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
    assert measure_staying(cell(), no_answer_of(20), Corpus.from_texts(TEXTS)).failures == ("refused",)


def test_too_many_are_too_many():
    one = ("gun control now", *["a gun show"] * 9)
    p = np.full(10, 0.7)
    answer = Answer((p,), 1.0, judgement=Judgement(p, 0.5, 7.0))
    result = measure_staying(cell(), answer, Corpus.from_texts(one))
    assert (result.times_named, result.failures) == (7.0, ("count",))  # the one that has both ranks first


def test_where_fewer_than_six_name_it_all_of_them_must_be_among_the_first_ten():
    texts = (*["gun control now"] * 3, *["a gun show"] * 30)
    p = np.full(33, 0.5)
    for n_behind, failures in ((0, ()), (1, ("first ten",))):
        p[:3], p[:n_behind] = 0.9, 0.0
        answer = Answer((p,), 1.0, judgement=Judgement(p, 0.4, 4.0))
        assert measure_staying(cell(), answer, Corpus.from_texts(texts)).failures == failures


def test_a_query_in_passing_may_be_refused_or_answered_with_those_that_name_it():
    assert measure_staying(cell("passing"), no_answer_of(20), Corpus.from_texts(TEXTS)).failures == ()
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
    monkeypatch.setattr(running, "load_whole", lambda *_: TEXTS)
    row = NotingRow("qdtm", tmp_path / "notes.txt")
    cells = plan_staying(QUERIES, {"20news": [0, 1]}, ["qdtm"], runs=1, seed=4)
    workbench, store = StayingWorkbench(tmp_path, queries=QUERIES), StayingStore(tmp_path / "cells")
    first = run_staying(cells, {"qdtm": row}, workbench, store)
    assert [result.failures for result in first] == [(), ()]
    assert first[1].count is None
    assert run_staying(cells, {"qdtm": row}, workbench, store) == first
    assert row.notes.read_text().splitlines() == ["gun control and 4", "tropical fish and 4"]


def test_the_workbench_goes_to_worker_processes_with_its_queries(tmp_path):
    bench = pickle.loads(pickle.dumps(StayingWorkbench(tmp_path, queries=QUERIES)))
    assert (bench.data, bench.queries) == (tmp_path, QUERIES)
