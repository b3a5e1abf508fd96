"""Each figure: what it draws is what the result says, names stay text, and one line without plotly."""

import json
import re
import sys

import numpy as np
import pytest

from qdtm.errors import MissingExtraError, ParameterError
from qdtm.present import figures, maps
from qdtm.results.result import Result
from qdtm.results.storage import load_model, save_model
from qdtm.results.trends import topics_over_time, topics_per_class
from results.synthetic import make_corpus, make_fit, opened

pytest.importorskip("plotly", reason="plotly is not installed")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """A result that was saved and loaded, without its first corpus at hand."""
    corpus = make_corpus()
    path = tmp_path_factory.mktemp("figures") / "m"
    save_model(path, make_fit(corpus, n_subtopics=(3, 0)), corpus)
    return Result(*load_model(path)).with_labels({"0.1": "<b>rain</b>"})


FIGURES = {
    "barchart": lambda r: figures.barchart(r),
    "barchart of a query": lambda r: figures.barchart(r, "cricket"),
    "topic map": lambda r: maps.topic_map(r),
    "topic map of a query": lambda r: maps.topic_map(r, 0),
    "topic map without subtopics": lambda r: maps.topic_map(r, 1),
    "treemap": lambda r: figures.hierarchy(r),
    "sunburst": lambda r: figures.hierarchy(r, "sunburst"),
    "documents": lambda r: maps.document_map(r),
    "documents of a query": lambda r: maps.document_map(r, "cricket"),
    "documents without subtopics": lambda r: maps.document_map(r, "fire"),
    "heatmap": lambda r: maps.heatmap(r),
    "heatmap without subtopics": lambda r: maps.heatmap(r, "fire"),
    "over time": lambda r: figures.over_time(r, topics_over_time(r, "year")),
    "subtopics over time": lambda r: figures.over_time(r, topics_over_time(r, "year"), "cricket"),
    "per class": lambda r: figures.per_class(r, topics_per_class(r, "year"), "cricket"),
    "convergence": lambda r: figures.convergence(r),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_title_and_data(result, name):
    figure = FIGURES[name](result)
    assert figure.layout.title.text
    assert len(figure.data) > 0
    written = json.loads(figure.to_json())
    assert "<b>rain" not in json.dumps(written)


def test_bars_are_the_topics_words(result):
    bars = figures.barchart(result, "cricket", n_words=5).data
    assert len(bars) == 4
    words = result.topics[0].top_words(5)[::-1]
    assert list(bars[0].y) == [word for word, _ in words]
    assert list(bars[0].x) == pytest.approx([p for _, p in words])


def test_the_hierarchy_adds_up(result):
    tree = figures.hierarchy(result).data[0]
    assert sum(tree.values) == pytest.approx(1.0, abs=1e-6)
    assert dict(zip(tree.ids, tree.parents, strict=True))["0.2"] == "0"


def test_at_most_so_many_documents(result):
    drawn = maps.document_map(result, n=4)
    assert sum(len(trace.x) for trace in drawn.data) == 4
    with pytest.raises(ParameterError, match="above 0"):
        maps.document_map(result, n=0)


def test_a_document_that_is_pointed_at_says_its_title_and_its_id(result):
    said = [each for trace in maps.document_map(result).data for each in trace.customdata]
    assert any(re.fullmatch("Fire crews fight.*<br>doc-5", each) for each in said)


def test_the_heatmap_is_symmetric(result):
    z = np.array(maps.heatmap(result, "cricket").data[0].z)
    np.testing.assert_allclose(z, z.T)
    np.testing.assert_allclose(np.diag(z), 1.0)


def test_wrong_choices(result):
    with pytest.raises(ParameterError, match="'treemap' or 'sunburst'"):
        figures.hierarchy(result, "pie")
    with pytest.raises(ParameterError, match="visualize_topics_per_class"):
        figures.over_time(result, topics_per_class(result, "year"))


def test_without_plotly_one_line_names_the_extra(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(MissingExtraError, match=r"qdtm\[plot\]"):
        figures.barchart(result)


def test_opened_subtopics_are_drawn_below_their_own_and_nowhere_else():
    corpus = make_corpus()
    deep = Result(opened(make_fit(corpus), corpus, "1.2", "1.2.1"), corpus)
    drawn = figures.hierarchy(deep).data[0]
    above = dict(zip(drawn.ids, drawn.parents, strict=True))
    assert (above["1.2"], above["1.2.1"], above["1.2.1.2"]) == ("1", "1.2", "1.2.1")
    whole = deep.topics[1].prevalence
    inside = sum(v for id, v in zip(drawn.ids, drawn.values, strict=True) if id.split(".")[0] == "1")
    assert inside == pytest.approx(whole, rel=0.01)
    assert len(maps.heatmap(deep, 1).data[0].z) == 3
    assert len(maps.document_map(deep, 1).data) == 3
    assert len(figures.convergence(deep).data) == 5


def test_names_on_the_map_do_not_overlap_and_the_background_has_none():
    corpus = make_corpus()
    result = Result(make_fit(corpus, n_subtopics=(3, 3), n_background=4), corpus)
    drawn = maps.topic_map(result)
    names = drawn.layout.annotations
    assert len(names) == len(drawn.data[1].x) == 8
    assert len(drawn.data[0].x) == 4
    boxes = [(a.x, a.y + a.yshift, 3.4 * len(a.text), 8) for a in names]
    for i, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, other_w, other_h in boxes[:i]:
            assert abs(x - other_x) >= w + other_w or abs(y - other_y) >= h + other_h


def test_documents_have_the_colour_of_the_query_they_are_about(result):
    drawn = maps.document_map(result)
    assert [trace.name for trace in drawn.data] == ["about no query", "0 cricket", "1 fire"]
    both = [result.relevance(q).about for q in range(2)]
    assert len(drawn.data[0].x) == int((~both[0] & ~both[1]).sum())
    assert sum(len(trace.x) for trace in drawn.data) == 10
