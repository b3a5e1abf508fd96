import json
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from qdtm.evaluation.bench.alone.markdown import END, START
from qdtm.evaluation.bench.rare import RareCell, RareResult, judge_rare, summarise_rare
from qdtm.evaluation.bench.rare.chart import precision_chart
from qdtm.evaluation.bench.rare.markdown import main, read_rare, results_text
from qdtm.evaluation.bench.rare.summary import RareQuerySummary, find
from qdtm.evaluation.bench.summary import write_json

DOCS = Path(__file__).parents[4] / "docs"


def result(model, query, seed, level, precision, **more):
    cell = RareCell("20news", query, model, seed, level)
    return RareResult(cell, f"query {query}", 1000, 10, precision, precision / 2, 2.0, **more)


def results():
    ours = [
        result("qdtm", q, seed, level, precision, words_share=0.4, prevalence=0.03, words=("gun", "law"))
        for q, seed, level, precision in [
            (0, 0, 0.001, 0.2), (1, 0, 0.001, 0.4), (0, 1, 0.001, 0.4), (1, 1, 0.001, 0.4),
            (0, 0, 0.01, 0.6), (1, 0, 0.01, 0.8), (0, 1, 0.01, 0.6), (1, 1, 0.01, 0.8),
        ]
    ]  # fmt: skip
    bm25 = [
        result("bm25-query", q, 0, level, 0.5, answered=q == 0) for q in (0, 1) for level in (0.001, 0.01)
    ]
    return ours + bm25 + [result("lda", 0, 0, 0.001, 0.5)]


def test_means_are_over_queries_then_over_runs():
    rows = summarise_rare(results())
    mean = find(rows, "qdtm", 0.001, "precision_at_k")
    assert (mean.mean, mean.runs, mean.n_queries) == (pytest.approx(0.35), 2, 2)
    assert mean.sd == pytest.approx(0.0707, abs=1e-4)  # the runs have 0.3 and 0.4
    assert find(rows, "qdtm", 0.001, "size_ratio").mean == pytest.approx(3.0)
    assert find(rows, "bm25-query", 0.01, "answered").mean == 0.5
    assert find(rows, "bm25-query", 0.01, "words_share") is None
    of_query = find(rows, "qdtm", 0.01, "precision_at_k", "query 1")
    assert isinstance(of_query, RareQuerySummary)
    assert (of_query.mean, of_query.n_relevant, of_query.words) == (0.8, 10, ("gun", "law"))


def test_topic_models_are_to_be_beaten_everywhere_and_retrieval_from_half_a_percent():
    verdicts = judge_rare(summarise_rare(results()), "20news")
    assert [(verdict.target, verdict.met) for verdict in verdicts] == [
        ("at 0.1 %, P@K > 0.500 (lda)", False),
        ("at 1 %, P@K > 0.500 (bm25-query)", True),
    ]


def test_markdown_has_a_row_a_model_and_a_column_a_level():
    lines = results_text(summarise_rare(results())).splitlines()
    assert lines[0] == "### 20news"
    assert "| row | 0.1 % | 1 % | queries x runs |" in lines
    assert "| `qdtm` | 0.350 ± 0.071 | **0.700** ± 0.000 | 2 x 2 |" in lines
    assert "| `bm25-query` | **0.500** | 0.500 | 2 x 1 |" in lines
    assert "| `lda` | **0.500** |  | 1 x 1 |" in lines


def test_json_comes_back_and_a_page_and_its_drawing_are_written(tmp_path):
    rows = summarise_rare(results())
    (tmp_path / "results").mkdir()
    written, page = tmp_path / "results" / "rare.json", tmp_path / "rare.md"
    write_json(written, rows)
    assert read_rare(written) == rows
    assert {row["table"] for row in json.loads(written.read_text())} == {"rare"}
    page.write_text(f"before\n{START}\n{END}\n")
    main(str(page), str(written))
    assert results_text(rows) in page.read_text()
    assert (tmp_path / "results" / "rare-20news.svg").is_file()


def test_the_drawing_has_a_line_a_model_within_its_frame():
    drawing = ET.fromstring(precision_chart(summarise_rare(results()), "20 <news>"))
    lines = [part for part in drawing if part.tag.endswith("polyline")]
    assert [len(line.get("points").split()) for line in lines] == [2, 2, 1]
    width, height = map(float, drawing.get("viewBox").split()[2:])
    for line in lines:
        for x, y in (map(float, point.split(",")) for point in line.get("points").split()):
            assert 0 < x < width
            assert 0 < y < height
    names = {
        part.text: float(part.get("y")) for part in drawing if part.text in ("qdtm", "bm25-query", "lda")
    }
    heights = sorted(names.values())
    assert len(heights) == 3
    assert all(after - before >= 14 for before, after in pairwise(heights))


def test_the_documented_results_are_those_of_the_files():
    page = (DOCS / "rare.md").read_text(encoding="utf-8")
    files = sorted((DOCS / "results").glob("rare*.json"))
    rows = [row for file in files for row in read_rare(file)]
    assert results_text(rows) in page
    assert START in page
