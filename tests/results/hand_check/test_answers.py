"""Answers under names: agreement against published examples, disagreements, two at once, files of before."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from qdtm.app.annotations import keep_judgement, with_checks
from qdtm.errors import ParameterError, QueryError
from qdtm.results.hand_check import HandCheck, draw_sample, judge
from qdtm.results.hand_check.answers import Answer, agreement, krippendorff_alpha, raw_agreement
from qdtm.results.hand_check.files import begin_check, keep_check, read_checks, write_checks
from qdtm.results.hand_check.hand_check import merge
from qdtm.results.hand_check.sample import draw_round
from qdtm.results.result import Result
from qdtm.storage.folders import CHECK

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", sections A and C.
TWO_OBSERVERS = ("0100000010", "1110010000")
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def units(observers):
    return ["".join(values).replace(".", "") for values in zip(*observers, strict=True)]


@pytest.fixture
def result(fit, corpus):
    return Result(fit, corpus)


def test_alpha_is_that_of_the_published_examples():
    assert krippendorff_alpha(units(TWO_OBSERVERS)) == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha(units(FOUR_OBSERVERS)) == pytest.approx(0.743, abs=5e-4)
    assert raw_agreement(units(TWO_OBSERVERS)) == 0.6
    assert krippendorff_alpha(["yy", "yy"]) is None  # nobody differs in anything
    assert krippendorff_alpha(["y", "n"]) is None  # no two people answered one document


def test_people_who_differ_make_a_document_unsure_until_it_is_settled(result):
    check = begin_check(result, 0, 10)
    first, second = check.open[:2]
    said = check.answer(first, "yes", by="Ann").answer(first, "no", by="Bo").answer(second, "no", by="Ann")
    said = said.answer(second, "no", by="Bo")
    assert said.verdicts == {first: "unsure", second: "no"}
    assert said.agreement.disagreements == (first,)
    assert (said.agreement.n_documents, said.agreement.share) == (2, 0.5)
    assert said.agreement.summary() == "50% on 2 documents, Krippendorff's alpha 0.00; 1 to settle"
    settled = said.settle(first, "yes")
    assert settled.verdicts[first] == "yes"
    assert settled.agreement.disagreements == ()
    assert settled.agreement.share == 0.5  # what was said stays said
    assert settled.settle(first, None).verdicts[first] == "unsure"
    assert settled.answer(first, None, by="Ann").answer(first, None, by="Bo").settled == {}


def test_each_person_has_documents_of_their_own_to_answer(result):
    check = begin_check(result, 0, 10)
    said = check.with_answers(dict.fromkeys(check.open, "no"), by="Ann")
    assert said.open == ()
    assert said.open_for("Bo") == check.open
    assert said.without_last("Bo") == said
    assert len(said.without_last("Ann").answers) == 9


def test_an_answer_that_surprises_is_asked_for_once_more(result):
    check = begin_check(result, 0, 10)
    top = max(check.open, key=lambda row: check.sample.places[row].relevance)
    low = min(check.open, key=lambda row: check.sample.places[row].relevance)
    truth = {row: check.sample.places[row].relevance > 0.5 for row in check.open}
    said = check.with_answers(truth | {low: True, top: True})
    again = said.surprising()
    assert set(again) <= {low}
    for row in again:
        said = said.answer(row, False)
        assert said.answer_of(row).before == "yes"
    assert said.surprising() == ()
    assert said.open_for() == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"about": "maybe"},
        {"by": "x" * 81},
        {"by": "two\nlines"},
        {"note": "x" * 2_001},
    ],
)
def test_answers_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        Answer(**({"row": 0, "about": "yes"} | wrong))


def test_any_document_can_be_judged_and_taken_back(result, tmp_path):
    check = judge(result, 0, 3, "unsure", note="hm", by="Ann")
    assert check.answer_of(3, "Ann") == Answer(3, "unsure", "Ann", "hm")
    assert check.open == ()  # a sample is drawn when one is asked for
    assert judge(result.with_check(check), 0, 3, None, by="Ann").answers == ()
    with pytest.raises(QueryError, match="There is no document 99"):
        judge(result, 0, 99, "yes")
    keep_judgement(tmp_path, result, 0, 3, "yes")
    keep_judgement(tmp_path, result, 0, 4, "no", by="Bo")
    keep_judgement(tmp_path, result, 0, 3, None)
    kept = with_checks(tmp_path, result).fit.check_of(0)
    assert kept.verdicts == {4: "no"}
    begun = begin_check(with_checks(tmp_path, result), 0, 10)
    assert begun.verdicts == {4: "no"}
    assert begun.sample.n_rounds == 1
    assert with_checks(tmp_path, result).relevance(0).scores[4] == pytest.approx(0.001)


def test_answers_to_documents_that_nobody_drew_teach_too(result):
    for row in range(10):
        result = result.with_check(judge(result, 0, row, "yes" if row < 4 else "no"))
    relevance = result.relevance(0)
    assert relevance.counted is None  # chance chose none of them
    assert relevance.scores[:4].min() > relevance.scores[4:].max()


def test_two_checks_at_once_lose_no_answer(result, tmp_path):
    n = result.corpus.n_documents
    begun = keep_check(tmp_path, begin_check(result, 0, 10), n)

    def answer_all(name):
        check = begun
        for row in begun.open:
            check = keep_check(tmp_path, check.answer(row, "yes", by=name), n, since=check)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(answer_all, ["Ann", "Bo", "Cy", "Di"]))
    [kept] = read_checks(tmp_path, n)
    assert {answer.key for answer in kept.answers} == {
        (row, name) for row in begun.open for name in ("Ann", "Bo", "Cy", "Di")
    }
    back = keep_check(tmp_path, kept.without_last("Ann"), n, since=kept)
    other = keep_check(tmp_path, kept.answer(begun.open[0], "no", by="Bo"), n, since=kept)
    assert len(back.answers) == len(other.answers) == 39
    assert other.answer_of(begun.open[0], "Bo").about == "no"


def test_two_windows_draw_the_next_documents_at_once():
    relevance = np.linspace(0.99, 0.01, 200)
    begun = HandCheck("it", draw_sample(relevance, 0.5, 20))
    begun = begun.with_answers(dict.fromkeys(begun.open, "no"), by="Ann")
    drawn = replace(begun, sample=draw_round(begun.sample, relevance, n_audit=10))
    first, second = drawn.open[:2]
    here = drawn.answer(first, "no", by="Ann")
    there = drawn.answer(second, "yes", by="Bo")
    both = merge(here, begun, there)
    assert both.sample == drawn.sample  # chance drew the same documents in both windows
    assert (both.answer_of(first, "Ann").about, both.answer_of(second, "Bo").about) == ("no", "yes")
    other = replace(begun, sample=draw_round(begun.sample, relevance, ranked=[5, 6]))
    joined = merge(here, begun, other)
    assert {5, 6} <= set(joined.sample.documents)
    assert joined.sample.audited == drawn.sample.audited


def test_an_answer_that_is_taken_back_leaves_no_trace(result):
    check = begin_check(result, 0, 10)
    row = check.open[0]
    slip = check.answer(row, "yes")
    mended = slip.without_last().answer(row, "no")
    assert mended == check.answer(row, "no")
    assert mended.answer_of(row).before is None
    changed = slip.answer(row, "no")  # a second answer in its place is one of a second look
    assert changed.verdicts == {row: "no"}
    assert changed.answer_of(row).before == "yes"
    assert HandCheck.from_json(changed.to_json()) == changed


def test_a_file_of_the_first_version_is_read(result, tmp_path):
    n = result.corpus.n_documents
    check = begin_check(result, 0, 10)
    rows = check.sample.documents
    old = {
        "query": check.query,
        "sample": {
            "cutoff": check.sample.cutoff,
            "strata": check.to_json()["sample"]["strata"],
            "documents": rows,
            "stratum_of": [draw.stratum for draw in check.sample.draws],
            "relevance": [draw.relevance for draw in check.sample.draws],
        },
        "answers": [[rows[0], True], [rows[1], None], [rows[2], False]],
    }
    (tmp_path / CHECK).write_text(json.dumps({"format": "qdtm check", "version": 1, "checks": [old]}))
    [read] = read_checks(tmp_path, n)
    assert read.said == {rows[0]: True, rows[2]: False}
    assert read.open == tuple(row for row in rows if row not in read.said)  # what was skipped comes again
    write_checks(tmp_path / CHECK, [read])
    assert read_checks(tmp_path, n) == (read,)


def test_agreement_says_nothing_of_documents_that_one_person_read():
    alone = agreement([Answer(0, "yes", "Ann"), Answer(1, "no", "Bo")], {})
    assert (alone.n_documents, alone.share, alone.alpha) == (0, None, None)
    assert alone.summary() == "nobody has answered what another has"


def test_a_sample_drawn_anew_keeps_what_others_answered_meanwhile(result, tmp_path):
    n = result.corpus.n_documents
    begun = keep_check(tmp_path, begin_check(result, 0, 10), n)
    fresh = replace(begin_check(result, 0, 10, seed=5))
    keep_check(tmp_path, fresh, n)
    kept = keep_check(tmp_path, begun.answer(begun.open[0], "yes"), n, since=begun)
    assert kept.said == {begun.open[0]: True}
    assert kept.sample.seed == 5
