import numpy as np
import pytest

from experiments.bench.topic_words import (
    TOPICS,
    TopicWords,
    WordResult,
    compare_words,
    overlap,
    report_words,
    subtopic_overlap,
    topic_words,
)
from experiments.harness.cells import Cell
from experiments.harness.report import markdown
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.paper import TABLE_2, TABLE_4, TABLE_B1
from experiments.systems.registry import Outcome, SubtopicGroup

from .fakes import FakeSystem, TinyWorkbench, fits


def run(dataset, seed, topics):
    return WordResult(Cell("topics", dataset, "qdtm-kld", seed), tuple(topics), 1.0)


def test_overlap_by_hand():
    assert overlap(["a", "b", "c", "d"], ["d", "x", "c", "y"]) == 0.5
    assert subtopic_overlap([["a", "b"], ["c", "d"]], [["a", "c"], ["c", "d"]]) == 0.75
    assert subtopic_overlap([["a", "b"]], []) == 0.0


def test_runs_are_averaged_and_the_first_is_shown():
    same = [TopicWords(topic.phrase, topic.words) for topic in TABLE_2]
    none = [TopicWords(topic.phrase, ("x",) * 10) for topic in TABLE_2]
    rows = compare_words([run("tagmynews", 0, same), run("tagmynews", 1, none)])
    assert [row.table for row in rows] == ["table 2"] * 5
    assert {row.overlap for row in rows} == {0.5}
    assert all(row.ours == row.paper and row.runs == 2 for row in rows)
    assert {row.subtopic_overlap for row in rows} == {None}


def test_20_newsgroups_has_table_4_with_subtopics_and_the_rare_query():
    found = {topic.phrase: TopicWords(topic.phrase, topic.words, ()) for topic in TABLE_B1}
    found["business"] = TopicWords("business", TABLE_4[2].words, TABLE_4[2].subtopics)
    rows = compare_words([run("20news", 0, found.values())])
    assert [row.table for row in rows] == ["table B1"] * 16 + ["table 4"] * 3
    business = rows[-1]
    assert business.phrase == "business"
    assert (business.overlap, business.subtopic_overlap) == (1.0, pytest.approx(1.0))
    assert business.our_subtopics == TABLE_4[2].subtopics
    assert rows[-2].subtopic_overlap == 0.0
    text = markdown(report_words(rows))
    assert "### 20news, table 4, `qdtm-kld`" in text
    assert "business: 100% of a subtopic of the paper is in one of ours." in text
    assert f"| business | 100% | {' '.join(f'**{word}**' for word in TABLE_4[2].words)} |" in text


def test_words_of_topics_and_of_all_their_subtopics():
    dataset = TinyWorkbench().dataset("20news")
    rank = np.array([6.0, 5, 4, 3, 2, 1])
    group = SubtopicGroup(np.stack([rank, rank[::-1]]), np.array([0.1, 0.0001]))
    none = SubtopicGroup(np.empty((0, 6)), np.empty(0))
    first, second = topic_words(
        Outcome(np.empty((24, 2)), None, np.stack([rank, rank[::-1]]), (group, none)), dataset
    )
    assert first.phrase == "Business"
    assert first.words == dataset.corpus.vocabulary
    assert first.subtopics == (dataset.corpus.vocabulary, dataset.corpus.vocabulary[::-1])
    assert second.subtopics == ()
    assert topic_words(Outcome(np.empty((24, 2))), dataset) == ()


def test_subtopics_are_asked_for_only_where_the_paper_prints_them(tmp_path):
    system, store = FakeSystem("fake", tmp_path / "fits.txt"), CellStore(TOPICS, tmp_path / "cells")
    cells = [Cell("topics", dataset, "fake", 0) for dataset in ("searchsnippets", "20news")]
    _, found = run_cells(TOPICS, cells, {"fake": system}, TinyWorkbench(), store)
    assert fits(system.notes) == [
        "searchsnippets fake 0 False", "20news fake 0 True", "20news fake 0 True"
    ]  # fmt: skip
    assert [topic.phrase for topic in found.topics] == ["Business", "Computers", "business"]
