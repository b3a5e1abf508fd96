import pytest

from qdtm.evaluation.bench import Cell, CellResult, TopicWords, compare_words
from qdtm.evaluation.bench.word_tables import overlap, subtopic_overlap
from qdtm.evaluation.paper import TABLE_2, TABLE_4, TABLE_B1


def run(dataset, seed, topics):
    return CellResult(Cell("topics", dataset, "qdtm-kld", seed), (), tuple(topics), 1.0)


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
