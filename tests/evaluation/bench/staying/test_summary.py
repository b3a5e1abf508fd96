from pathlib import Path

import pytest

from qdtm.evaluation.bench.alone.markdown import END, START
from qdtm.evaluation.bench.staying import StayingCell, StayingResult, summarise_staying
from qdtm.evaluation.bench.staying.markdown import main, read_staying, results_text
from qdtm.evaluation.bench.staying.summary import answers_of, judge_staying, said_of, shares_of
from qdtm.evaluation.bench.summary import write_json

DOCS = Path(__file__).parents[4] / "docs"


def result(corpus, kind, text, **figures):
    return StayingResult(StayingCell(corpus, 0, text, kind, "qdtm", 0), 12, 2.0, **figures)


GOOD = {"count": 10.4, "n_listed": 9, "with_word": 0.9, "first_ten": 8, "found": None}


def results():
    return [
        result("20news", "specific", "gun control", **GOOD),
        result(
            "20news", "specific", "diet", **{**GOOD, "with_word": None, "first_ten": 1, "n_unnamed": 1200}
        ),
        result("20news", "passing", "tropical fish"),
        result("uscongress", "specific", "child abuse"),
    ]


def test_shares_are_of_all_of_each_corpus_and_of_each_kind():
    rows = summarise_staying(results())
    assert [(share.kind, share.n_acceptable, share.n_asked) for share in shares_of(rows)] == [
        ("all", 2, 4), ("specific", 1, 3), ("passing", 1, 1)
    ]  # fmt: skip
    assert said_of(shares_of(rows, "20news")) == "2 of 3 (67%), specific 1 of 2, passing 1 of 1"
    [(model, verdict)] = judge_staying(rows)
    assert (model, verdict.value, verdict.met) == ("qdtm", 0.5, False)
    assert [row.failures for row in answers_of(rows)] == [(), ("word", "first ten"), (), ("refused",)]
    assert answers_of(rows)[0].times_named == pytest.approx(10.4 / 12)


def test_markdown_has_a_table_of_shares_and_a_line_a_query():
    lines = results_text(summarise_staying(results())).splitlines()
    assert lines[:5] == [
        "| corpus | row | acceptable | of all | specific | passing |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 20news | `qdtm` | 2 of 3 | 67% | 1 of 2 | 1 of 1 |",
        "| uscongress | `qdtm` | 0 of 1 | 0% | 0 of 1 |  |",
        "| all | `qdtm` | 2 of 4 | 50% | 1 of 3 | 1 of 1 |",
    ]
    assert "### 20news, `qdtm`" in lines
    assert "| specific | gun control | 12 | 10 | 90% | 8 | - | 0.9 | 0 |  |" in lines
    assert "| specific | diet | 12 | 10 | - | 1 | - | 0.9 | 1,200 | word, first ten |" in lines
    assert "| passing | tropical fish | 12 | refused |  |  |  |  |  |  |" in lines


def test_json_comes_back_and_a_page_is_written(tmp_path):
    rows = summarise_staying(results())
    written, page = tmp_path / "staying.json", tmp_path / "staying.md"
    write_json(written, rows)
    assert read_staying(written) == rows
    page.write_text(f"before\n{START}\n{END}\n")
    main(str(page), str(written))
    assert results_text(rows) in page.read_text()


def test_the_documented_results_are_those_of_the_file():
    file = DOCS / "results" / "staying.json"
    if not file.is_file():
        pytest.skip("the results have not been written yet")
    assert results_text(read_staying(file)) in (DOCS / "staying.md").read_text(encoding="utf-8")
