import json
from dataclasses import replace
from pathlib import Path

import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.bench.alone import AloneCell, AloneResult, judge, summarise_alone
from qdtm.evaluation.bench.alone.markdown import END, START, fill, read_alone, results_text
from qdtm.evaluation.bench.alone.summary import (
    QuerySummary,
    answered_of,
    best_retrieval,
    left_out,
    mean_of,
    queries_of,
)
from qdtm.evaluation.bench.alone.targets import judge_lead
from qdtm.evaluation.bench.summary import write_json

DOCS = Path(__file__).parents[4] / "docs"
FIELDS = ["table", "dataset", "model", "metric", "mean", "sd", "runs", "paper", "seconds"]
WORDS = tuple(f"word{w}" for w in range(20))


def result(model, query, seed, precision, **more):
    cell = AloneCell("20news", query, model, seed)
    return AloneResult(cell, f"query {query}", 4, 0.1, precision, 2.0, **more)


def results():
    """Two queries, two runs; ours has 0.8 and 0.6, then 0.9 and 0.3."""
    share = [result("share", q, seed, 0.5) for seed in (0, 1) for q in (0, 1)]
    ours = [
        result(
            "qdtm", q, seed, precision, prevalence=size, n_background=9, words=WORDS, documents=(1, 2, 3, 4)
        )
        for seed, q, precision, size in [
            (0, 0, 0.8, 0.1),
            (0, 1, 0.6, 0.3),
            (1, 0, 0.9, 0.1),
            (1, 1, 0.3, 0.1),
        ]
    ]
    joint = [
        replace(row, cell=replace(row.cell, model="together"), documents=(1, 2, 3, 9), precision_at_k=0.7,
                words=(*WORDS[:10], *(f"other{w}" for w in range(10))))
        for row in ours
    ]  # fmt: skip
    return share + ours + joint


def test_means_are_over_queries_then_over_runs():
    rows = summarise_alone(results())
    [row] = [
        row
        for row in rows
        if (row.model, row.metric) == ("qdtm", "precision_at_k") and not isinstance(row, QuerySummary)
    ]
    assert (row.table, row.runs, row.seconds, row.paper) == ("alone", 2, 2.0, None)
    assert row.mean == pytest.approx(0.65)
    assert row.sd == pytest.approx(0.0707, abs=1e-4)  # the runs have 0.7 and 0.6
    assert mean_of(rows, "qdtm", "precision_at_k", "query 1") == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("margin", 0.15),
        ("below_share", 0.25),
        ("size_ratio", 1.5),
        ("size_ok", 0.75),
        ("n_background", 9.0),
        ("same_words", 0.5),
        ("same_documents", 0.75),
        ("cohesion", None),
    ],
)
def test_what_is_said_of_our_row(metric, expected):
    found = mean_of(summarise_alone(results()), "qdtm", metric)
    assert found == (None if expected is None else pytest.approx(expected))


def test_the_reference_has_no_margin_over_itself():
    assert mean_of(summarise_alone(results()), "share", "margin") is None


def judged():
    """Three queries and one run; ours refuses the third, which BM25 answers."""
    ours = [
        result("qdtm", q, 0, precision, prevalence=0.1, precision_by_share=by_share, count=count,
               interval=interval, calibration_error=0.04, own_words=0.8)
        for q, precision, by_share, count, interval in [
            (0, 0.8, 0.6, 8.0, (2.0, 10.0)), (1, 0.6, 0.6, 2.0, (0.5, 3.0)),
        ]
    ]  # fmt: skip
    bm25 = [result("bm25", q, 0, precision) for q, precision in [(0, 0.5), (1, 0.6), (2, 1.0)]]
    return [*ours, result("qdtm", 2, 0, None), *bm25]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("answered", 2.0),
        ("precision_at_k", 0.7),
        ("precision_by_share", 0.6),
        ("count_ratio", 1.25),
        ("inside", 0.5),
        ("width", 4.0),  # 10 / 2, and 3 / 1: nothing is below one document
        ("calibration_error", 0.04),
        ("own_words", 0.8),
    ],
)
def test_what_is_said_of_how_sure_our_row_is(metric, expected):
    assert mean_of(summarise_alone(judged()), "qdtm", metric) == pytest.approx(expected)


def test_the_width_of_all_is_the_median():
    rows = [result("qdtm", q, 0, 0.5, count=4.0, interval=(1.0, high)) for q, high in enumerate((2, 3, 40))]
    assert mean_of(summarise_alone(rows), "qdtm", "width") == 3.0


def test_a_query_that_one_row_refuses_counts_for_none():
    rows = summarise_alone(judged())
    assert mean_of(rows, "bm25", "precision_at_k") == pytest.approx(0.55)
    assert mean_of(rows, "bm25", "answered") == 3.0
    assert answered_of(rows, "qdtm") == (2.0, 3)
    assert (queries_of(rows), left_out(rows)) == (["query 0", "query 1"], ["query 2"])
    assert best_retrieval(rows) == ("bm25", pytest.approx(0.55))
    text = results_text(rows)
    assert "| 20news | 2 of 3 | 0.550 (`bm25`) | 0.700 | 0.600 | 1.00 | 100% | 1.25 | 50% | 4.0 |" in text
    assert "Measured without what a row refuses: query 2." in text
    assert "P@K above the best retrieval row, mean over corpora >= 0.05: 0.150, met." in text
    assert judge_lead([row for row in rows if row.model == "qdtm"]) is None


def test_targets_of_how_sure_our_row_is():
    verdicts = judge(summarise_alone(judged()), "20news")
    assert [(verdict.target, round(verdict.value, 3), verdict.met) for verdict in verdicts] == [
        ("alone, P@K >= 0.65", 0.7, True),
        ("P@K >= 0.550, the best retrieval (bm25)", 0.7, True),
        ("P@K by p(z given d) within 0.05", 0.1, False),
        ("topic's words that are the category's >= 0.7", 0.8, True),
        ("queries with a size ratio of 0.5 to 2 >= 80%", 1.0, True),
        ("intervals of the count that have the truth >= 85%", 0.5, False),
        ("width of the interval, median <= 3", 4.0, False),
        ("calibration error <= 0.05", 0.04, True),
    ]


def test_nothing_is_measured_where_everything_is_refused():
    rows = summarise_alone([result("qdtm", 0, 0, None), result("bm25", 0, 0, 0.5)])
    assert mean_of(rows, "bm25", "precision_at_k") is None
    assert "| 20news | 0 of 1 |" in results_text(rows)


def test_targets():
    verdicts = judge(summarise_alone(results()), "20news")
    assert [(verdict.target, round(verdict.value, 3), verdict.met) for verdict in verdicts] == [
        ("alone, P@K >= 0.65", 0.65, True),
        ("together, P@K >= 0.71", 0.7, False),
        ("margin over the share of concept words >= 0.1", 0.15, True),
        ("queries below the share of concept words <= 10%", 0.25, False),
        ("queries with a size ratio of 0.5 to 2 >= 80%", 0.75, False),
    ]


def test_json_has_the_fields_of_the_tables_and_comes_back(tmp_path):
    rows = summarise_alone(results())
    write_json(tmp_path / "alone.json", rows)
    read = json.loads((tmp_path / "alone.json").read_text())
    assert all(list(row)[: len(FIELDS)] == FIELDS for row in read)
    assert {tuple(list(row)[len(FIELDS) :]) for row in read} == {(), ("query", "words")}
    assert read_alone(tmp_path / "alone.json") == rows


def test_markdown_has_a_row_a_query_and_the_best_bold():
    lines = results_text(summarise_alone(results())).splitlines()
    assert lines[0].startswith("| corpus | answered | best retrieval | P@K |")
    assert lines[2].startswith("| 20news | 2 of 2 |  | 0.650 |  | 1.50 | 75% |")
    assert "### 20news" in lines
    assert "| query | `share` | `qdtm` | `together` |" in lines
    assert "| query 0 | 0.500 | **0.850** | 0.700 |" in lines
    assert "| query 1 | 0.500 | 0.450 | **0.700** |" in lines
    assert "| queries below the share of concept words <= 10% | 0.250 | **missed** |" in lines


def test_a_page_is_filled_between_its_marks():
    page = f"before\n{START}\nold\n{END}\nafter\n"
    filled = fill(page, "new")
    assert filled == f"before\n{START}\n\nnew\n\n{END}\nafter\n"
    assert fill(filled, "new") == filled
    with pytest.raises(ParameterError, match="The page has no lines"):
        fill("nothing", "new")


def test_the_documented_results_are_those_of_the_files():
    page = (DOCS / "one-query.md").read_text(encoding="utf-8")
    assert results_text(read_alone(DOCS / "results" / "alone.json")) in page
    assert START in page
