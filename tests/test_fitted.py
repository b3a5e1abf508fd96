"""The model's methods that show a result hand it to the right function."""

import csv
import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from qdtm import QueryDrivenTopicModel
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

FIRE = ["fire and smoke in the forest", "the fire burns, smoke over the forest", "fire crews in the smoke"]
SPORT = ["a cricket match in the rain", "the cricket match was won", "rain and a cricket match"]
TEXTS = (FIRE + SPORT) * 3


@pytest.fixture(scope="module")
def fitted():
    fields = {"year": [str(2000 + j % 2) for j in range(18)]}
    corpus = Corpus.from_texts(TEXTS, fields=fields)
    model = QueryDrivenTopicModel(["fire", "cricket"], max_sweeps=10, min_sweeps=4, embeddings=None)
    return model.fit(corpus)


def test_getters(fitted):
    assert fitted.get_topic("0", 3) == fitted.topics_[0].top_words(3)
    assert fitted.get_topic(0, 3) == fitted.topics_[0].top_words(3)
    assert next(iter(fitted.get_topics())) == "0"
    topics, documents = fitted.get_topic_info(3), fitted.get_document_info()
    assert topics["topic"].tolist() == list(fitted.get_topics())
    assert topics["words"][0] == [word for word, _ in fitted.get_topic("0", 3)]
    fire = documents[documents["query"] == "fire"]
    assert (len(documents), len(fire)) == (2 * 18, 18)
    assert fire["relevance"].tolist() == fitted.relevance("fire").scores.tolist()
    assert fire["about"].tolist() == fitted.relevance("fire").about.tolist()
    (texts,) = fitted.get_representative_docs("0", 2).values()
    assert all("fire" in text for text in texts)


def test_frames_files_and_json_have_the_same_tables(fitted, tmp_path):
    fitted.export(tmp_path / "tables", all_documents=True)
    fitted.export(tmp_path / "tables.json", "json", all_documents=True)
    values = json.loads((tmp_path / "tables.json").read_text("utf-8"))
    for name, frame in (("topics", fitted.get_topic_info(20)), ("documents", fitted.get_document_info())):
        with (tmp_path / "tables" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(frame.columns) == list(rows[0]) == list(values[name][0])
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        assert records == values[name]
        for record, row in zip(records, rows, strict=True):
            assert {key: as_cell(key, value, row[key]) for key, value in record.items()} == row


def as_cell(name, value, cell):
    """A value as a .csv has it; the id of a topic stands there with its name."""
    if value is None:
        return ""
    if name in ("topic", "parent", "subtopic"):
        return f"{value} · {cell.partition(' · ')[2]}"
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6f}" if isinstance(value, float) else str(value)


EXACT = {
    "plain": "fire",
    "excluded": "fire -crews",
    "phrase": '"smoke over"',
    "keywords": {"blaze": ["fire", "smoke"]},
}


@pytest.mark.parametrize("query", EXACT.values(), ids=EXACT)
def test_the_corpus_itself_has_its_own_relevance_also_after_loading(query, tmp_path):
    model = QueryDrivenTopicModel(query, max_sweeps=6, min_sweeps=4, refuse=False).fit(TEXTS)
    model.save(tmp_path / "model")
    for each in (model, QueryDrivenTopicModel.load(tmp_path / "model")):
        fitted, again = each.relevance(), each.relevance_of(TEXTS)
        np.testing.assert_array_equal(again.scores, fitted.scores)
        np.testing.assert_array_equal(again.about, fitted.about)
        np.testing.assert_array_equal(again.names, fitted.names)
        assert again.cutoff == fitted.cutoff
        np.testing.assert_array_equal(each.transform(TEXTS), each.doc_topic_)
        backwards = each.relevance_of(TEXTS[::-1])
        np.testing.assert_array_equal(backwards.scores, fitted.scores[::-1])


def test_relevance_of_new_documents(fitted):
    np.testing.assert_array_equal(fitted.relevance_of(TEXTS, "fire").scores, fitted.relevance("fire").scores)
    found = fitted.relevance_of(["smoke and fire in the rain", "nothing known"], "fire")
    assert found.scores[0] > found.scores[1] == 0.0
    assert found.cutoff == fitted.relevance("fire").cutoff
    assert fitted.transform(["smoke and fire"]).shape == (1, fitted.fit_.n_topics)


def test_labels_outlive_a_save(fitted, tmp_path):
    first = fitted.topics_[0].subtopics[0].id
    fitted.set_topic_labels({first: "smoke"})
    fitted.set_columns(time_column="year", group_column="year")
    fitted.save(tmp_path / "m")
    loaded = QueryDrivenTopicModel.load(tmp_path / "m")
    assert loaded.topics_[0].subtopics[0].name == "smoke"
    assert len(loaded.topics_over_time().bins) == 2
    assert loaded.topics_per_class().bins == ("2000", "2001")
    assert "smoke" in (tmp_path / "m" / "topics.csv").read_text("utf-8")
    np.testing.assert_array_equal(loaded.components_, fitted.components_)
    fitted.set_topic_labels({first: None})
    assert fitted.topics_[0].subtopics[0].name != "smoke"
    with pytest.raises(ParameterError, match="no topic '7'"):
        fitted.set_topic_labels({"7": "x"})


def test_files(fitted, tmp_path):
    assert fitted.report(tmp_path / "r.html").read_text("utf-8").startswith("<!doctype html>")
    assert fitted.export(tmp_path / "t.json", "json").exists()
    assert fitted.to_octis()["topics"]
    assert fitted.to_topicwizard()["topic_names"][:2] == ["fire", "cricket"]
    assert fitted.explain(0).query == "fire"


NAMES = "barchart topics hierarchy documents heatmap topics_over_time topics_per_class convergence"


@pytest.mark.parametrize("name", NAMES.split())
def test_figures(fitted, name):
    pytest.importorskip("plotly", reason="plotly is not installed")
    takes_a_column = name in ("topics_over_time", "topics_per_class")
    draw = getattr(fitted, f"visualize_{name}")
    assert (draw("year") if takes_a_column else draw()).data


def test_before_a_fit():
    model = QueryDrivenTopicModel("fire")
    asked = (model.get_topics, model.get_topic_info, lambda: model.explain(0), lambda: model.report("x"))
    for ask in asked:
        with pytest.raises(NotFittedError):
            ask()


def test_in_a_notebook(fitted):
    assert "q-notebook" in fitted._repr_mimebundle_()["text/html"]
    assert "text/html" not in QueryDrivenTopicModel("fire")._repr_mimebundle_()
    assert "fire" in fitted.topics_[0]._repr_html_()
