import json
from dataclasses import asdict, replace

import pytest

from qdtm.evaluation.bench.subtopics import SubtopicsCell, SubtopicScore, SubtopicsResult, summarise_subtopics
from qdtm.evaluation.bench.subtopics.markdown import main, read_subtopics
from qdtm.evaluation.bench.subtopics.summary import SubtopicsRow, in_factor, judge_subtopics
from qdtm.evaluation.metrics.agreement import Agreement


def result(model="qdtm", query=0, ami=0.5, n_found=4, n_lower=5, n_right=100, again=None):
    agreed = Agreement(n_right, n_lower, ami, 0.6, 0.4, 0.1)
    everything = replace(agreed, n_documents=n_right + 20, ami=ami / 2)
    words = ("one two", "three four") if model == "qdtm" else ()
    score = SubtopicScore(f"query {query}", n_found, n_right + 20, n_right, agreed, everything, words)
    return SubtopicsResult(SubtopicsCell("d", query, f"query {query}", model, 0), "upper", score, 2.0, again)


def means(results):
    return {row.model: row for row in summarise_subtopics(results) if not isinstance(row, SubtopicsRow)}


def test_means_are_over_the_queries_that_count():
    few, refused = result(query=2, ami=1.0, n_right=19), replace(result(query=3), score=None)
    own = means([result(ami=0.2, again=1.0), result(query=1, ami=0.4, again=0.5), few, refused])["qdtm"]
    assert (own.n_asked, own.n_counted) == (4, 2)
    assert (own.ami, own.ami_everything, own.found_again) == pytest.approx((0.3, 0.15, 0.75))
    assert means([result(n_lower=1)])["qdtm"].n_counted == 0


@pytest.mark.parametrize(
    ("found", "there", "within"),
    [(2, 5, False), (3, 5, True), (10, 5, True), (11, 5, False), (2, 2, None), (9, 16, None)],
)
def test_the_number_should_be_within_a_factor_of_two(found, there, within):
    [_, row] = summarise_subtopics([result(n_found=found, n_lower=there)])
    assert in_factor(row) is within


def test_targets_are_judged_beside_the_rows_that_were_run():
    rows = summarise_subtopics([
        result(ami=0.5, n_found=1, again=0.8), result("lda-true", ami=0.4), result("bertopic", ami=0.56),
    ])  # fmt: skip
    assert [(verdict.target, verdict.met) for verdict in judge_subtopics(rows, "d")] == [
        ("agreement above lda-true, 0.400", True),
        ("agreement within 0.05 of bertopic, 0.560", False),
        ("number within a factor of 2 >= 80%", False),
        ("subtopics found again >= 80%", True),
    ]
    assert judge_subtopics(summarise_subtopics([result("hdp")]), "d") == []


def test_results_are_written_into_the_page(tmp_path):
    rows = summarise_subtopics([result(), result(query=1, n_right=5), result("hdp", ami=0.7)])
    file, page = tmp_path / "r.json", tmp_path / "p.md"
    file.write_text(json.dumps([asdict(row) for row in rows]))
    assert read_subtopics(file) == rows
    page.write_text("# Page\n\n<!-- results: start -->\nold\n<!-- results: end -->\n")
    main(str(page), str(file))
    text = page.read_text()
    assert "old" not in text
    assert "1 of 2 queries count." in text
    assert "| `qdtm` | 0.500 | 0.600 | 0.400 | 10% | 0.250 | 100% |  | 2.0 |" in text
    assert "| query 0 | 0.500 | **0.700** |" in text
    assert "| (query 1) | 25 | 5 | 5 | 4 | 0.500 | 10% | 0.250 |  | one two; three four |" in text
    assert "| agreement above hdp, 0.700 | 0.500 | **missed** |" in text
