"""Markup in every field that a user, or a file, can fill: no page, view or figure runs any of it."""

import csv
from html.parser import HTMLParser

import pytest

from qdtm.corpus import Corpus, TextPipeline, VocabularyLimits
from qdtm.present import figures, maps
from qdtm.present.export import export_result
from qdtm.present.notebook import explanation_html, result_html
from qdtm.present.report import render_report
from qdtm.results.explain import explain_document
from qdtm.results.result import Result
from qdtm.results.trends import topics_per_class
from results.synthetic import make_fit


def mark(field):
    """Return markup that says where it came from."""
    return f"<img src=x onerror=alert('{field}')><script>{field}</script>"


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found += [(tag, dict(attrs))]


@pytest.fixture(scope="module")
def result():
    word = "<script>word</script>"
    documents = [[word, "cricket", "match"], ["fire", "cricket", word], ["fire", "wind"], ["match", "fire"]]
    corpus = Corpus.from_tokens(
        documents,
        texts=[f"{mark('text')} cricket {word}"] * 4,
        ids=[f"{mark('id')}{j}" for j in range(4)],
        fields={mark("column"): [mark("cell"), "b", "b", "b"]},
        limits=VocabularyLimits(min_df=1),
        pipeline=TextPipeline.plain(),
    )
    fit = make_fit(corpus, queries=[{mark("query"): ["cricket", word]}, "fire"], n_subtopics=(2, 1))
    shown = Result(fit, corpus).with_labels({"0.1": mark("label")})
    return shown.with_columns(group_column=mark("column"))


@pytest.mark.parametrize("view", ["report", "notebook", "explanation"])
def test_pages_hold_no_markup_of_the_users(result, view):
    page = {
        "report": lambda: render_report(result),
        "notebook": lambda: result_html(result),
        "explanation": lambda: explanation_html(explain_document(result, 0)),
    }[view]()
    tags = Tags(page).found
    assert not any(tag == "img" or any(name.startswith("on") for name in attrs) for tag, attrs in tags)
    assert sum(tag == "script" for tag, _ in tags) == (view == "report")
    assert "&lt;script&gt;" in page


def test_figures_hold_no_tags(result):
    pytest.importorskip("plotly")
    drawn = [
        figures.barchart(result), maps.topic_map(result), figures.hierarchy(result),
        maps.document_map(result), maps.heatmap(result), figures.convergence(result),
        figures.per_class(result, topics_per_class(result, mark("column")), 0),
    ]  # fmt: skip
    for figure in drawn:
        written = figure.to_json().replace("\\u003c", "<")
        assert "<script" not in written
        assert "<img" not in written


def test_no_cell_of_a_table_is_a_formula(tmp_path):
    evil = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "a\r=1+1", "a\r\n=1+1"]
    documents = [["cricket", "match", "fire"]] * len(evil)
    corpus = Corpus.from_tokens(documents, texts=evil, ids=evil, fields={"=2+2": evil})
    fit = make_fit(corpus, queries=[{"=3+3": ["cricket"]}], n_subtopics=(1,), n_background=1)
    result = Result(fit, corpus).with_labels({"0.1": "=4+4"})
    export_result(result, tmp_path / "tables", "csv")
    result.save(tmp_path / "model")
    for path in (*(tmp_path / "tables").glob("*.csv"), *(tmp_path / "model").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell[:1] and not cell[1:2].isdigit()]
        assert "=" not in {cell[:1] for cell in cells}
