import json
from dataclasses import replace
from pathlib import Path

import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.bench.alone import AloneCell, AloneResult, judge, summarise_alone
from qdtm.evaluation.bench.alone.markdown import END, START, fill, read_alone, results_text
from qdtm.evaluation.bench.alone.summary import QuerySummary, mean_of
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


def test_targets():
    verdicts = judge(summarise_alone(results()), "20news")
    assert [(verdict.target, round(verdict.value, 3), verdict.met) for verdict in verdicts] == [
        ("alone, P@K >= 0.65", 0.65, True),
        ("together, P@K >= 0.682", 0.7, True),
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
    assert lines[0] == "### 20news"
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
