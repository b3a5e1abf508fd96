"""Ranked documents, their table and its frame."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from qdtm.errors import MissingExtraError, ParameterError, QueryError
from qdtm.results.documents import DocumentTable, RelevantDocument, most_relevant, order_by
from qdtm.results.passages import Passage, Piece
from qdtm.results.query_scores import QueryScores
from qdtm.results.result import Result
from qdtm.results.tables import document_columns
from qdtm.results.topics import build_topics


@pytest.fixture
def ranked(corpus, fit):
    """Return a function that ranks the documents for a query."""

    def rank(q, **options):
        result = Result(fit, corpus)
        return most_relevant(
            corpus.documents, result.scores(q), result.topics[q], reasons=result.reasons(q), **options
        )

    return rank


def test_ties_go_to_the_longer_document_then_to_the_first():
    relevance = np.array([0.5, 1.0, 0.5, 1.0 - 1e-15, 0.5])
    assert order_by(relevance).tolist() == [1, 3, 0, 2, 4]
    assert order_by(relevance, np.array([1, 2, 3, 9, 3])).tolist() == [3, 1, 2, 4, 0]


def test_documents_come_with_their_text_and_fields(corpus, ranked):
    table = ranked(0, n=4)
    assert table.query == "cricket"
    assert [row.rank for row in table] == [1, 2, 3, 4]
    values = [row.relevance for row in table]
    assert values == sorted(values, reverse=True)
    best = table[0]
    assert best.id == f"doc-{best.index}"
    assert best.text == corpus.documents[best.index].text
    assert best.fields["note"] == "-3.5"
    assert best.subtopic in ("0.1", "0.2")
    assert 0 < best.subtopic_share <= 1
    assert best.about


def test_only_documents_about_it_have_a_main_subtopic(ranked):
    table = ranked(0, n=None)
    assert {row.about for row in table} == {True, False}
    for row in table:
        assert row.about == (row.subtopic is not None) == (row.subtopic_share > 0)
        assert (row.subtopic_name is None) == (row.subtopic is None)
        assert row.names_it == ("cricket" in row.text.lower())


def test_all_documents_are_ranked_once(corpus, ranked):
    table = ranked(1, n=None)
    assert sorted(row.index for row in table) == list(range(corpus.n_documents))


def test_filter_by_subtopic(ranked):
    everything = ranked(1, n=None)
    ids = {row.subtopic for row in everything if row.subtopic}
    assert len(ids) > 1
    for subtopic in ids:
        table = ranked(1, n=None, subtopic=subtopic)
        assert {row.index for row in table} == {r.index for r in everything if r.subtopic == subtopic}
        shares = [row.subtopic_share for row in table]
        assert shares == sorted(shares, reverse=True)
        assert [row.rank for row in table] == list(range(1, len(table) + 1))


def test_filter_by_subtopic_breaks_ties_by_length(corpus, fit):
    topic = build_topics(fit)[0][0]
    relevance, shares = np.array([0.9, 0.9, 0.1]), np.array([[0.5, 0], [0.5, 0], [0.05, 0]])
    lengths = np.array([3, 4, 9])
    about = relevance >= 0.5
    main = np.array([0, 0, -1], np.int32)
    scores = QueryScores("cricket", relevance, about, about, ("0.1", "0.2"), shares, main, shares[:, 0])
    table = most_relevant(
        corpus.documents,
        scores,
        topic,
        subtopic="0.1",
        lengths=lengths,
        reasons=Result(fit, corpus).reasons(0),
    )
    assert [row.index for row in table] == [1, 0]


def test_unknown_subtopic_names_those_there_are(ranked):
    with pytest.raises(QueryError, match=r"no subtopic '0.9'; it has 0.1 to 0.2\.$"):
        ranked(0, subtopic="0.9")


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_refuses_a_strange_number(ranked, n):
    with pytest.raises(ParameterError, match="number of documents"):
        ranked(0, n=n)


def row(**changes):
    marked = Passage((Piece("x\n "), Piece("y", 3)))
    shown = RelevantDocument(1, 4, "a", 0.75, True, False, "0.1", "rain", 0.5, "x", "x\n y", marked=marked)
    return replace(shown, **changes)


LONG = Passage((Piece("z " * 80), Piece("rain", 3), Piece(" w" * 80)))


def test_repr_is_a_table_of_one_line_a_document():
    table = DocumentTable("q", (row(), row(rank=2, id="longer", subtopic=None, marked=LONG)))
    assert repr(table).splitlines() == [
        "rank  relevance  subtopic  document  passage",
        "1     0.750      0.1       a         x y",
        "2     0.750                longer    … " + "z " * 12 + "rain " + "w " * 21 + "…",
    ]
    assert repr(table[:0]) == "DocumentTable('q': no documents)"


def test_a_slice_is_a_table():
    table = DocumentTable("q", (row(), row(rank=2)))
    assert isinstance(table[1:], DocumentTable)
    assert table[1:] == DocumentTable("q", (row(rank=2),))
    assert len(table) == 2


def test_to_frame_has_the_columns_of_every_table_of_documents():
    pandas = pytest.importorskip("pandas")
    rows = (row(fields={"text": "mine", "year": "2001"}), row(rank=2))
    frame = DocumentTable("q", rows, "Nr").to_frame()
    assert list(frame.columns) == [column.name for column in document_columns(["text", "year"], "Nr")]
    assert list(frame.columns)[:4] == ["Nr", "title", "text (yours)", "year"]
    assert frame["text (yours)"].tolist() == ["mine", ""]
    assert frame["relevance"].tolist() == [0.75, 0.75]
    assert frame["subtopic"].tolist() == ["0.1", "0.1"]
    assert isinstance(frame, pandas.DataFrame)


def test_to_frame_without_pandas_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'qdtm\[pandas\]'"):
        DocumentTable("q", (row(),)).to_frame()


@pytest.mark.parametrize("n", [1, 3, 7, 50])
def test_the_best_few_are_the_first_of_all(n):
    rng = np.random.default_rng(n)
    relevance, lengths = rng.integers(0, 5, 50) / 5, rng.integers(0, 3, 50)
    np.testing.assert_array_equal(order_by(relevance, lengths, n), order_by(relevance, lengths)[:n])
