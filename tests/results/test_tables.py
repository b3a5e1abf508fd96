"""Tables: one schema for all of them, made once, and the same in every format."""

import io
import re
from pathlib import Path

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.results.result import Result
from qdtm.results.table_formats import safe_cell, save_csv, table_frame, write_csv
from qdtm.results.tables import (
    CONCEPT_WORDS,
    COPY_OF,
    DOCUMENTS,
    PAGE,
    TEXT,
    TOPICS,
    WORDS,
    TopicId,
    concept_words_table,
    distinct_names,
    document_columns,
    document_table,
    documents_table,
    listed_table,
    new_documents_table,
    result_tables,
    topics_table,
    words_table,
)

from .synthetic import TEXTS, make_corpus, make_fit, opened

OURS = ["query", "about", "relevance", "names_it", "subtopic", "subtopic_name", "passage"]


@pytest.fixture(scope="module")
def result(fit, corpus):
    return Result(fit, corpus)


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


def test_distinct_names():
    assert distinct_names(["a", "B", "a (yours)"], taken=["A"]) == ["a (yours)", "B", "a (yours) (yours)"]
    assert distinct_names(["id"], taken=["id", "id (yours)"]) == ["id (yours 2)"]


def test_topics(result):
    rows = list(topics_table(result.fit, result.corpus, 5).records())
    assert list(rows[0]) == [column.name for column in TOPICS]
    assert [row["topic"] for row in rows] == ["0", "0.1", "0.2", "1", "1.1", "1.2", "1.3", "b1", "b2"]
    assert [row["parent"] for row in rows] == [None, "0", "0", None, "1", "1", "1", None, None]
    assert [row["query"] for row in rows] == ["cricket"] * 3 + ["fire"] * 4 + [None] * 2
    assert sum(row["share"] for row in rows if row["parent"] is None) == pytest.approx(1.0)
    for q, parent in enumerate(result.topics):
        relevance, scores = result.relevance(q), result.scores(q)
        (row,) = (row for row in rows if row["topic"] == str(q))
        assert row["words"] == tuple(word for word, _ in parent.top_words(5))
        assert row["documents"] == relevance.n_listed
        assert row["n_about"] == relevance.n_about
        assert (row["n_about_low"], row["n_about_high"]) == relevance.n_about_interval
        below = [row for row in rows if row["parent"] == str(q)]
        assert [row["name"] for row in below] == [topic.short_name for topic in parent.subtopics]
        assert sum(row["share"] for row in below) == pytest.approx(1.0)
        assert [row["documents"] for row in below] == [(scores.main == s).sum() for s in range(len(below))]


def test_opened_subtopics_follow_the_one_they_are_part_of():
    corpus = make_corpus()
    deep = Result(opened(make_fit(corpus), corpus, "1.2"), corpus)
    rows = {row["topic"]: row for row in topics_table(deep.fit, corpus).records()}
    assert list(rows)[3:9] == ["1", "1.1", "1.2", "1.2.1", "1.2.2", "1.3"]
    below, whole = [rows["1.2.1"], rows["1.2.2"]], rows["1.2"]
    assert [row["parent"] for row in below] == ["1.2", "1.2"]
    rest = next(split.rest for split in deep.fit.splits if split.of == "1.2")  # in none of them
    assert rest > 0.1
    assert sum(row["share"] for row in below) == pytest.approx(1.0 - rest)
    assert sum(row["documents"] for row in below) <= whole["documents"]
    scores = deep.scores(1)
    found = [row["subtopic"] for row in documents_table(deep.fit, corpus, all_documents=True).records()]
    assert found[1::2] == [scores.ids[s] if s >= 0 else None for s in scores.main]


def test_words(result):
    rows = list(words_table(result.fit, 3).rows())
    assert rows[3:6] == [
        (TopicId("0.1", result.topic("0.1").short_name), *each) for each in result.topic("0.1").top_words(3)
    ]
    assert len(rows) == 3 * 9


def test_concept_words(result):
    rows = list(concept_words_table(result.fit.concepts, result.corpus).records())
    for concept in result.fit.concepts:
        mine = [row for row in rows if row["query"] == concept.name]
        kept = [row for row in mine if row["left_out"] is None]
        assert [row["word"] for row in kept] == [word.word for word in concept.words]
        assert [row["documents"] for row in kept] == [word.n_documents for word in concept.words]
        assert kept[0]["supported_by"] == tuple(f"doc-{j}" for j in concept.words[0].documents)
        assert [row["left_out"] for row in mine[len(kept) :]] == [word.reason for word in concept.rejected]


def test_documents(result, corpus):
    rows = list(documents_table(result.fit, corpus, all_documents=True).records())
    assert list(rows[0]) == ["document", "title", "year", "note", *OURS, "text"]
    assert [row["document"] for row in rows[::2]] == [f"doc-{j}" for j in range(len(TEXTS))]
    assert [row["text"] for row in rows[::2]] == TEXTS
    for q, query in enumerate(("cricket", "fire")):
        mine, scores = rows[q::2], result.scores(q)
        names = {topic.id: topic.short_name for topic in result.topics[q].walk()}
        assert {row["query"] for row in mine} == {query}
        assert [row["relevance"] for row in mine] == scores.relevance.tolist()
        assert [row["about"] for row in mine] == scores.about.tolist()
        names_it = [re.search(rf"\b{query}\b", text.lower()) is not None for text in TEXTS]
        assert [row["names_it"] for row in mine] == names_it
        assert [row["subtopic"] for row in mine] == [scores.ids[s] if s >= 0 else None for s in scores.main]
        assert [row["subtopic_name"] for row in mine] == [names.get(row["subtopic"]) for row in mine]


def test_documents_are_listed_with_the_queries_that_they_are_about(result, corpus):
    everything = list(documents_table(result.fit, corpus, all_documents=True).rows())
    table = documents_table(result.fit, corpus)
    about = table.names.index("about")
    assert list(table.rows()) == [row for row in everything if row[about]]
    assert 0 < len(list(table.rows())) < len(everything)
    assert len(list(table.own_rows())) == len({row[0] for row in table.rows()})
    assert list(document_table(result.fit, corpus, 3, 1).rows()) == [everything[7]]


def test_blocks_change_nothing(result, corpus, monkeypatch):
    whole = list(documents_table(result.fit, corpus, all_documents=True).rows())
    monkeypatch.setattr("qdtm.results.tables._BLOCK", 3)
    assert list(documents_table(result.fit, corpus, all_documents=True).rows()) == whole


def test_new_documents_have_the_same_columns_and_the_corpus_its_own_relevance(result, corpus):
    found = [result.relevance(q, corpus) for q in range(2)]
    table, fitted = (
        new_documents_table(result.fit, corpus, found),
        documents_table(result.fit, corpus, all_documents=True),
    )
    assert table.columns[:-1] == fitted.columns[:-1]  # all but the text, and the cut-off
    assert table.columns[-1].name == "cutoff"
    assert [row[:-1] for row in table.rows()] == [row[:-1] for row in fitted.rows()]


def test_lists_have_the_same_columns(result, corpus):
    table = listed_table([result.documents(q, 3) for q in range(2)])
    fitted = documents_table(result.fit, corpus, all_documents=True)
    assert table.columns == fitted.columns
    known = list(fitted.rows())
    about, passage = table.names.index("about"), table.names.index("passage")
    listed = list(table.rows())
    assert all(row[passage] for row in listed)
    bare = [(*row[:passage], row[passage] if row[about] else None, *row[passage + 1 :]) for row in listed]
    assert all(row in known for row in bare)  # a whole table has passages of documents about a query alone


def test_the_users_columns_keep_their_names():
    fields = {"Query": ["=a"] * 3, "=x": ["1", "2", "3"], "Text": ["t"] * 3, "nr": ["9"] * 3}
    columns = document_columns(list(fields), "Nr")
    assert [column.name for column in columns][:6] == [
        "Nr",
        "title",
        "Query (yours)",
        "=x",
        "Text (yours)",
        "nr (yours)",
    ]
    corpus = Corpus.from_texts(["fire, wind", "wind [b]\nfire", 'fire "x", \x00'], fields=fields)
    table = documents_table(make_fit(corpus, queries=["fire"], n_subtopics=(1,)), corpus, all_documents=True)
    rows = list(table.records())
    assert list(rows[0])[:6] == ["document", "title", "Query (yours)", "=x", "Text (yours)", "nr"]
    assert [row["text"] for row in rows] == [document.text for document in corpus.documents]


def test_an_id_column_keeps_its_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"Nr": ["a", "b"], "body": ["fire and wind", "wind and match"], "year": [1, 2]})
    frame.to_csv(tmp_path / "texts.csv", index=False)
    read = Corpus.read(tmp_path / "texts.csv", text_column="body", id_column="Nr")
    read.save(tmp_path / "index")
    held = Corpus.from_dataframe(frame, text_column="body", id_column="Nr")
    held.save(tmp_path / "held")
    indexed = Corpus.from_dataframe(frame.set_index("Nr"), text_column="body")
    corpora = (
        read,
        Corpus.load(tmp_path / "index"),
        held,
        Corpus.load(tmp_path / "held"),
        indexed,
        read.distinct,
    )
    for corpus in corpora:
        assert corpus.documents.id_name == "Nr"
        assert corpus.documents.field_names == ("year",)
        table = documents_table(make_fit(corpus, ["fire"], n_subtopics=(1,)), corpus, all_documents=True)
        assert table.names[:3] == ("Nr", "title", "year")
    assert Corpus.from_texts(["fire"]).documents.id_name == "document"


def many_subtopics(n=12):
    corpus = make_corpus(TEXTS * 4)
    return make_fit(corpus, queries=["fire"], n_background=0, n_subtopics=(n,)), corpus


def test_ids_survive_pandas(tmp_path):
    """A column of ids that could all be numbers: "0.10" is not 0.1, and "0" no 0.0 between gaps."""
    pandas = pytest.importorskip("pandas")
    fit, corpus = many_subtopics()
    expected = ["0", *(f"0.{s}" for s in range(1, 13))]
    for table in (topics_table(fit, corpus), documents_table(fit, corpus, all_documents=True)):
        save_csv(table, tmp_path / f"{table.name}.csv")
    topics, documents = (pandas.read_csv(tmp_path / f"{name}.csv") for name in ("topics", "documents"))
    assert topics["topic"].str.split().str[0].tolist() == expected
    assert topics["topic"][10] == f"0.10 · {topics['name'][10]}"
    assert topics["parent"].tolist()[1:] == ["0 · fire"] * 12
    assert set(documents["subtopic"].dropna()) <= set(topics["topic"])
    assert topics_table(fit, corpus).names == tuple(topics.columns)
    frame = table_frame(topics_table(fit, corpus))
    assert frame["topic"].tolist() == expected


def test_frames_and_csv_say_the_same(result, corpus, tmp_path):
    pandas = pytest.importorskip("pandas")
    for table in result_tables(result.fit, corpus, all_documents=True):
        save_csv(table, tmp_path / "table.csv")
        read, frame = pandas.read_csv(tmp_path / "table.csv"), table_frame(table)
        assert list(read.columns) == list(frame.columns) == list(table.names)
        for column in table.columns:
            if column.kind == "number":
                np.testing.assert_allclose(read[column.name], frame[column.name].astype(float), atol=5e-7)
            if column.kind == "flag":
                assert (read[column.name] == "yes").tolist() == frame[column.name].tolist()
            if column.kind == "list":
                assert read[column.name].fillna("").tolist() == [
                    ", ".join(each or ()) for each in frame[column.name]
                ]


def test_the_same_table_gives_the_same_bytes(result, corpus):
    first, again = io.StringIO(), io.StringIO()
    for file in (first, again):
        write_csv(documents_table(result.fit, corpus), file)
    assert first.getvalue() == again.getvalue()


def test_the_page_about_results_lists_all_columns():
    page = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
    for columns in (TOPICS, (*DOCUMENTS, PAGE, COPY_OF, TEXT), WORDS, CONCEPT_WORDS):
        assert "".join(f"| `{column.name}` | {column.meaning} |\n" for column in columns) in page
