from dataclasses import replace

import pytest

from experiments.bench.alone import AloneResult, summarise_alone
from experiments.bench.alone_report import (
    answered_of,
    best_retrieval,
    judge,
    judge_lead,
    left_out,
    queries_of,
    report_alone,
)
from experiments.harness.cells import Cell
from experiments.harness.report import markdown
from experiments.harness.summary import mean_of


def text_of(rows):
    return markdown(report_alone(rows))


WORDS = tuple(f"word{w}" for w in range(20))


def result(model, query, seed, precision, **more):
    cell = Cell("alone", "20news", model, seed, query)
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
        row for row in rows if (row.model, row.metric) == ("qdtm", "precision_at_k") and row.query is None
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
    text = text_of(rows)
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
    assert "| 20news | 0 of 1 |" in text_of(rows)


def test_targets():
    verdicts = judge(summarise_alone(results()), "20news")
    assert [(verdict.target, round(verdict.value, 3), verdict.met) for verdict in verdicts] == [
        ("alone, P@K >= 0.65", 0.65, True),
        ("together, P@K >= 0.71", 0.7, False),
        ("margin over the share of concept words >= 0.1", 0.15, True),
        ("queries below the share of concept words <= 10%", 0.25, False),
        ("queries with a size ratio of 0.5 to 2 >= 80%", 0.75, False),
    ]


def test_markdown_has_a_row_a_query_and_the_best_bold():
    lines = text_of(summarise_alone(results())).splitlines()
    assert lines[0].startswith("| corpus | answered | best retrieval | P@K |")
    assert lines[2].startswith("| 20news | 2 of 2 |  | 0.650 |  | 1.50 | 75% |")
    assert "### 20news" in lines
    assert "| query | `share` | `qdtm` | `together` |" in lines
    assert "| query 0 | 0.500 | **0.850** | 0.700 |" in lines
    assert "| query 1 | 0.500 | 0.450 | **0.700** |" in lines
    assert "| queries below the share of concept words <= 10% | 0.250 | **missed** |" in lines
