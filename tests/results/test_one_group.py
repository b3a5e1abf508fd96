"""A topic with one subtopic that is all of it: it is said to be one group, unless somebody corrected it."""

from dataclasses import replace

import pytest

from qdtm.results.contrast import contrast_queries
from qdtm.results.explain import explain_document
from qdtm.results.one_group import NEXT_TO_NOTHING, one_group
from qdtm.results.result import Result
from results.synthetic import make_corpus, make_fit


def make_result(n_subtopics, rest=0.0):
    corpus = make_corpus()
    return Result(make_fit(corpus, n_subtopics=n_subtopics, subtopic_rest=(rest, 0.0)), corpus)


@pytest.mark.parametrize(
    ("n_subtopics", "rest", "is_one"),
    [
        (1, 0.0, True),
        (1, 0.9 * NEXT_TO_NOTHING, True),
        (1, NEXT_TO_NOTHING, False),
        (2, 0.0, False),
        (0, 0.0, False),
    ],
)
def test_one_subtopic_that_is_all_is_one_group(n_subtopics, rest, is_one):
    result = make_result((n_subtopics, 2), rest)
    assert one_group(result, result.topics[0]) == ("the documents about it are one group" if is_one else "")


def test_what_a_person_did_stays_in_sight():
    named = make_result((1, 2)).with_labels({"0.1": "the game"})
    assert one_group(named, named.topics[0]) == ""
    merged = make_result((2, 2)).merge(["0.1", "0.2"])
    assert len(merged.topics[0].subtopics) == 1
    assert one_group(merged, merged.topics[0]) == ""
    hidden = make_result((2, 2)).hide("0.2")
    slight = replace(hidden.topics[0], rest=0.0)
    assert one_group(hidden, slight) == ""


def test_explanations_and_contrasts_have_no_subtopic_of_one_group():
    result = make_result((1, 2))
    explained = [token for d in range(4) for token in explain_document(result, d, "cricket").tokens]
    assert {token.subtopic for token in explained if token.topic == "0"} == {None}
    assert any(token.subtopic for token in explained if token.topic == "1")
    found = contrast_queries(result, "cricket", "fire")
    assert found.left_subtopics == ()
    assert {each.nearest for each in found.right_subtopics} == {"0"}
