"""CSV files for people: complete, safe to open, the same each time."""

import csv
import io

import pytest

from qdtm.corpus import Corpus
from qdtm.results import build_topics
from qdtm.results.scores import score_fitted
from qdtm.results.tables import TOPIC_COLUMNS, safe_cell, write_documents, write_topics

from .synthetic import TEXTS, make_fit


def rows_of(write, *args, **options):
    file = io.StringIO(newline="")
    write(file, *args, **options)
    return list(csv.DictReader(io.StringIO(file.getvalue(), newline="")))


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+SUM(A1)", "-2+3", "@cmd", "\tx", "\nx", "＝1", "+49 170 123", "-", "--1", "-1=2"],
)
def test_formulas_become_text(cell):
    assert safe_cell(cell) == "'" + cell


def test_a_carriage_return_begins_no_row():
    assert safe_cell("\rx") == "'\nx"
    assert safe_cell("a\r=1+1\r\n=2") == "a\n=1+1\n=2"


@pytest.mark.parametrize("cell", ["", "a=b", "-3.5", "+1", "-1e-05", "-1,000.5", "-.5", "-12%", "1-2", "'x"])
def test_other_cells_stay(cell):
    assert safe_cell(cell) == cell


def test_topics_table(fit):
    parents, background = build_topics(fit)
    rows = rows_of(write_topics, parents, background, fit.concepts)
    assert tuple(rows[0]) == TOPIC_COLUMNS
    assert [row["id"] for row in rows] == ["0", "0.1", "0.2", "1", "1.1", "1.2", "1.3", "b1", "b2"]
    assert [row["parent"] for row in rows] == ["", "0", "0", "", "1", "1", "1", "", ""]
    assert [row["kind"] for row in rows][:2] == ["parent", "subtopic"]
    assert rows[-1]["kind"] == "background"
    assert rows[0]["concept words"].split() == [word.word for word in fit.concepts[0].words]
    assert rows[0]["top words"].split()[0] == parents[0].top_words(1)[0][0]
    assert float(rows[0]["prevalence"]) == pytest.approx(parents[0].prevalence, abs=1e-6)
    assert float(rows[0]["tokens"]) == parents[0].n_tokens


def test_documents_table(corpus, fit):
    parents, _ = build_topics(fit)
    scores = score_fitted(fit, corpus.document_term_matrix)
    rows = rows_of(write_documents, corpus.documents, scores, parents)
    assert list(rows[0]) == [
        *("document", "year", "note"),
        *("relevance: cricket", "about: cricket", "subtopic: cricket", "subtopic name: cricket"),
        *("relevance: fire", "about: fire", "subtopic: fire", "subtopic name: fire", "text"),
    ]
    assert [row["document"] for row in rows] == [f"doc-{j}" for j in range(len(TEXTS))]
    assert [row["text"] for row in rows] == TEXTS
    assert all(row["note"] == "-3.5" for row in rows)
    for j, row in enumerate(rows):
        assert float(row["relevance: fire"]) == pytest.approx(scores.relevance[j, 1], abs=5e-7)
        assert row["about: fire"] == ("yes" if scores.about[j, 1] else "no")
        s = scores.subtopic[j, 1]
        expected = (parents[1].subtopics[s].id, parents[1].subtopics[s].name) if s >= 0 else ("", "")
        assert (row["subtopic: fire"], row["subtopic name: fire"]) == expected


def test_the_users_columns_are_kept_under_names_of_their_own(corpus):
    fields = {"Document": ["=a"] * 3, "=x": ["1", "2", "3"], "relevance: fire": ["9"] * 3, "Text": ["t"] * 3}
    corpus = Corpus.from_texts(["fire, wind", "wind [b]\nfire", 'fire "x", \x00'], fields=fields)
    fit = make_fit(corpus, queries=["fire"], n_subtopics=(1,))
    parents, _ = build_topics(fit)
    scores = score_fitted(fit, corpus.document_term_matrix)
    rows = rows_of(write_documents, corpus.documents, scores, parents)
    assert list(rows[0])[:5] == [
        *("document", "Document (yours)", "'=x", "relevance: fire (yours)", "Text (yours)"),
    ]
    assert rows[0]["Document (yours)"] == "'=a"
    assert rows[0]["relevance: fire (yours)"] == "9"
    assert [row["text"] for row in rows] == [doc.text for doc in corpus.documents]


def test_without_text(corpus, fit):
    parents, _ = build_topics(fit)
    scores = score_fitted(fit, corpus.document_term_matrix)
    rows = rows_of(write_documents, corpus.documents, scores, parents, with_text=False)
    assert "text" not in rows[0]
