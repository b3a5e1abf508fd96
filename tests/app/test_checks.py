"""Answers beside a result in the workspace: kept one by one, for each query, and seen by whoever opens it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qdtm.app.annotations import (
    carry_answers,
    check_stamp,
    earlier_answers,
    keep_judgement,
    with_checks,
)
from qdtm.app.context import OpenCorpus
from qdtm.app.drafts import Draft, LookedUp, answer_drafts, check_drafts
from qdtm.app.jobs import REQUEST
from qdtm.app.requests import FitRequest, request_to_json
from qdtm.app.workspace import Workspace, write_json
from qdtm.corpus import Corpus
from qdtm.model import QueryDrivenTopicModel
from qdtm.queries import Query
from qdtm.results.hand_check.files import begin_check, keep_check
from qdtm.results.hand_check.hand_check import judge
from qdtm.results.result import Result

from .texts import open_corpus, rows


@pytest.fixture(scope="module")
def result() -> Result:
    corpus = Corpus.from_texts([row[3] for row in rows()])
    return QueryDrivenTopicModel(["school", "hospital"], max_sweeps=10, subtopics=False).fit(corpus).result_


def test_answers_to_each_query_are_kept_and_seen(result: Result, tmp_path) -> None:
    assert check_stamp(tmp_path) == 0
    assert with_checks(tmp_path, result).fit.checks == ()
    school, hospital = (begin_check(result, q, 10) for q in (0, 1))
    n = result.corpus.n_documents
    keep_check(tmp_path, school.answer(school.open[0], True), n)
    keep_check(tmp_path, hospital.answer(hospital.open[0], False), n)
    again = begin_check(with_checks(tmp_path, result), 0)
    assert again.said == {school.open[0]: True}
    keep_check(tmp_path, again.without_last(), n)
    seen = with_checks(tmp_path, result)
    assert [len(check.answers) for check in seen.fit.checks] in ([0, 1], [1, 0])
    assert check_stamp(tmp_path) > 0


def test_relevance_learns_from_answers_that_somebody_chose(result: Result, tmp_path) -> None:
    taught = [row for row in range(0, 36) if row % 3 < 2][:14]  # 7 of the schools, 7 of the taxes
    for row in taught:
        keep_judgement(tmp_path, result, 0, row, "yes" if row % 3 == 1 else "no")
    learned = with_checks(tmp_path, result).relevance(0).scores
    schools, taxes = np.arange(37, 90, 3), np.arange(36, 90, 3)
    assert learned[schools].mean() > 0.5 > learned[taxes].mean()


def fitted_in(workspace: Workspace, *queries: Query, corpus: str = "demo") -> tuple[FitRequest, Path]:
    """Make the folder of a job, without its fit."""
    request = FitRequest(corpus, "Reports", queries)
    folder = workspace.folder("jobs", workspace.new("jobs"))
    write_json(folder / REQUEST, request_to_json(request))
    return request, folder


def test_the_next_result_of_a_query_begins_with_what_was_said_before(result: Result, tmp_path) -> None:
    workspace, n = Workspace.open(tmp_path), result.corpus.n_documents
    _, first = fitted_in(workspace, Query("School"), Query("hospital"))
    keep_judgement(first, result, 0, 3, "yes")
    keep_judgement(first, result, 0, 4, "no")
    earlier = next(check for check in with_checks(first, result).fit.checks if check.query == "school")
    keep_check(first, replace(earlier, query="School"), n)

    request, second = fitted_in(workspace, Query("school", drop=("pupil",)), Query("hospital"))
    carried = carry_answers(workspace, request, second, result)
    assert carried.fit.check_of(0).verdicts == {3: "yes", 4: "no"}
    assert carried.fit.check_of(1) is None
    assert with_checks(second, result).fit.check_of(0) == carried.fit.check_of(0)  # kept beside it
    assert carried.relevance(0).scores[3] > 0.99
    assert carried.relevance(0).scores[4] < 0.01
    assert not carried.fit.check_of(0).can_be_quoted  # nobody drew them by chance

    for other in (Query("school", reading=1), Query("schools"), Query(keywords=("school",), name="school")):
        assert earlier_answers(workspace, "demo", other, n) is None
    assert earlier_answers(workspace, "20200101-000000-00000000", Query("school"), n) is None


def test_a_first_answer_heeds_what_was_said_before(result: Result) -> None:
    opened = open_corpus(result.corpus)
    (plain,) = asked(opened)
    first = plain.answer.documents[0]
    check = judge(result, 0, first.index, "no")
    (heeded,) = asked(replace(opened, said=lambda _: check))
    assert heeded.answer.n_said == 1
    assert first.index not in {document.index for document in heeded.answer.documents}
    assert plain.answer.n_said == 0


def asked(opened: OpenCorpus) -> tuple[LookedUp, ...]:
    checked = check_drafts(opened.corpus, [Draft("school")], opened.learning.vectors)
    return answer_drafts(opened, [Draft("school")], checked)
