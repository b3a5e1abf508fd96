"""Answers beside a result in the workspace: kept one by one, for each query, and seen by whoever opens it."""

from __future__ import annotations

import pytest

from qdtm.app.annotations import check_stamp, with_checks
from qdtm.corpus import Corpus
from qdtm.model import QueryDrivenTopicModel
from qdtm.results.hand_check.files import begin_check, keep_check
from qdtm.results.result import Result

from .texts import rows


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
