"""Ranked documents, their table and its frame."""

import sys

import numpy as np
import pytest

from qdtm.errors import MissingExtraError, ParameterError, QueryError
from qdtm.results import DocumentTable, RelevantDocument, rank_documents, relevant_documents, score_documents
from qdtm.results.documents import distinct_names, find_query

from .synthetic import make_fit


@pytest.fixture
def scores(corpus, fit):
    return score_documents(fit, corpus.document_term_matrix)


def test_ties_go_to_the_longer_document_then_to_the_first():
    relevance = np.array([0.5, 1.0, 0.5, 1.0 - 1e-15, 0.5])
    assert rank_documents(relevance).tolist() == [1, 3, 0, 2, 4]
    assert rank_documents(relevance, 4, n_tokens=np.array([1, 2, 3, 9, 3])).tolist() == [3, 1, 2, 4]


def test_documents_come_with_their_text_and_fields(corpus, fit, scores):
    table = relevant_documents(fit, corpus, scores, "cricket", n=4)
    assert table.query == "cricket"
    assert [row.rank for row in table] == [1, 2, 3, 4]
    values = [row.relevance for row in table]
    assert values == sorted(values, reverse=True)
    best = table[0]
    assert best.relevance == scores.relevance[:, 0].max()
    assert best.id == f"doc-{best.index}"
    assert best.text == corpus.documents[best.index].text
    assert best.fields["note"] == "-3.5"
    assert best.subtopic in ("0.1", "0.2")


def test_all_documents_are_ranked_once(corpus, fit, scores):
    table = relevant_documents(fit, corpus, scores, 1, n=None)
    assert sorted(row.index for row in table) == list(range(corpus.n_documents))


def test_filter_by_subtopic(corpus, fit, scores):
    table = relevant_documents(fit, corpus, scores, "fire", n=None, subtopic="1.2")
    assert {row.index for row in table} == set(np.flatnonzero(scores.subtopic[:, 1] == 1))
    shares = [row.subtopic_share for row in table]
    assert shares == sorted(shares, reverse=True)
    assert all(row.subtopic == "1.2" for row in table)


def test_query_by_name_position_or_alone(corpus, fit):
    assert find_query(fit, " Cricket ") == 0
    assert find_query(fit, 1) == 1
    assert find_query(make_fit(corpus, queries=["fire"], n_subtopics=(1,)), None) == 0


@pytest.mark.parametrize("query", ["tennis", 2, -1, True, None])
def test_unknown_query_names_those_there_are(fit, query):
    with pytest.raises(QueryError, match=r"there are: 'cricket', 'fire'\.$"):
        find_query(fit, query)


def test_unknown_subtopic_names_those_there_are(corpus, fit, scores):
    with pytest.raises(QueryError, match=r"no subtopic '0.9'; it has 0.1 to 0.2\.$"):
        relevant_documents(fit, corpus, scores, "cricket", subtopic="0.9")


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_refuses_a_strange_number(corpus, fit, scores, n):
    with pytest.raises(ParameterError, match="number of documents"):
        relevant_documents(fit, corpus, scores, "cricket", n=n)


def row(**changes):
    values = dict(rank=1, index=4, id="a", relevance=0.75, subtopic="0.1", subtopic_share=0.5, text="x\n y")
    return RelevantDocument(**(values | changes))


def test_repr_is_a_table_of_one_line_a_document():
    table = DocumentTable("q", (row(), row(rank=2, id="longer", subtopic=None, text="z" * 80)))
    assert repr(table).splitlines() == [
        "rank  relevance  subtopic  document  text",
        "1     0.750      0.1       a         x y",
        f"2     0.750                longer    {'z' * 59}…",
    ]
    assert repr(table[:0]) == "DocumentTable('q': no documents)"


def test_a_slice_is_a_table():
    table = DocumentTable("q", (row(), row(rank=2)))
    assert isinstance(table[1:], DocumentTable)
    assert table[1:] == DocumentTable("q", (row(rank=2),))
    assert len(table) == 2


def test_to_frame_keeps_the_users_columns_apart():
    pandas = pytest.importorskip("pandas")
    frame = DocumentTable("q", (row(fields={"text": "mine", "year": "2001"}), row(rank=2))).to_frame()
    assert list(frame.columns) == [
        *("rank", "index", "id", "relevance", "subtopic", "subtopic_share", "text"),
        *("text (yours)", "year"),
    ]
    assert frame["text (yours)"].tolist() == ["mine", ""]
    assert frame["relevance"].tolist() == [0.75, 0.75]
    assert isinstance(frame, pandas.DataFrame)


def test_to_frame_without_pandas_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'qdtm\[pandas\]'"):
        DocumentTable("q", (row(),)).to_frame()


def test_distinct_names():
    assert distinct_names(["a", "B", "a (yours)"], taken=["A"]) == ["a (yours)", "B", "a (yours) (yours)"]
    assert distinct_names(["id"], taken=["id", "id (yours)"]) == ["id (yours 2)"]
