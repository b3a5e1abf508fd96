"""What a result says about relevance: cut-off, count and interval, and what is only near."""

import itertools

import numpy as np
import pytest

from qdtm.results.hand_check.estimate import Interval
from qdtm.results.relevance import NAMED_ERROR, Relevance


def relevance(scores, names=(), share=None, **values):
    scores = np.asarray(scores, np.float64)
    named = np.zeros(len(scores), np.bool_)
    named[list(names)] = True
    return Relevance("zoo", scores, named, scores if share is None else np.asarray(share), **values)


def test_the_cutoff_has_the_highest_f1_that_the_probabilities_promise():
    scores = np.array([0.9, 0.8, 0.75, 0.3, 0.2, 0.05])

    def promised(cutoff):
        """The F1 over all ways in which the documents may turn out, with the mean of numerator over mean."""
        listed = scores >= cutoff
        hits = scores[listed].sum()
        return 2 * hits / (listed.sum() + scores.sum())

    best = max(scores, key=promised)
    assert relevance(scores).cutoff == best == 0.75


def test_nothing_is_about_it_that_is_likelier_not_to_be():
    doubtful = relevance(np.full(50, 0.4))
    assert doubtful.cutoff == 0.5
    assert doubtful.n_listed == 0


def test_the_list_has_what_is_from_the_cutoff_up():
    found = relevance([0.9, 0.1, 0.8, 0.0])
    np.testing.assert_array_equal(found.about, [True, False, True, False])
    assert found.n_listed == 2


def test_the_cutoff_of_fitted_documents_holds_for_new_ones():
    new = relevance([0.9, 0.7, 0.6], fitted_cutoff=0.8)
    assert new.cutoff == 0.8
    assert new.about.tolist() == [True, False, False]


def test_near_is_what_the_topic_holds_below_the_cutoff():
    found = relevance([0.9, 0.8, 0.3, 0.3, 0.0], share=[0.6, 0.4, 0.3, 0.1, 0.5])
    assert found.near.tolist() == [False, False, True, False, False]
    assert found.near_summary() == "1 more is near it"
    assert relevance([0.1, 0.2]).near_summary() == ""


def test_the_count_is_what_is_listed_and_the_interval_ends_with_all_that_may_mean_it():
    found = relevance(np.concatenate([np.full(50, 0.9), np.full(950, 0.05)]))
    low, high = found.n_about_interval
    assert found.n_about == found.n_listed == 50
    assert low < 40 < 45 + 47.5 < high < 200


def test_those_that_name_it_and_those_that_mean_it_are_the_ones_listed():
    found = relevance([0.9, 0.8, 0.7, 0.1], names=[0, 3])
    assert (found.n_about, found.n_names, found.n_named, found.n_meant) == (3, 2, 1, 2)


def test_the_interval_begins_with_those_that_name_it_most():
    scores = np.repeat([0.9, 0.0], [40, 960])
    often = relevance(scores, strength=np.repeat([1.0, 0.0], [40, 960]))
    once = relevance(scores, strength=np.repeat([0.35, 0.0], [40, 960]))
    assert often.n_about == once.n_about == 40
    assert often.n_about_interval[0] == pytest.approx(40 * np.exp(-1.645 * NAMED_ERROR))
    assert once.n_about_interval[0] == pytest.approx(0.35**2 * often.n_about_interval[0])
    assert often.n_about_interval[1] == once.n_about_interval[1]


def test_the_interval_grows_with_doubt_and_stays_within_the_corpus():
    sure = relevance(np.repeat([1.0, 0.0], [4, 96]))
    unsure = relevance(np.repeat([1.0, 0.04], [4, 96]))
    assert sure.n_about == unsure.n_about == 4
    assert unsure.n_about_interval[1] > sure.n_about_interval[1]
    assert relevance(np.ones(10)).n_about_interval[1] == 10


@pytest.mark.parametrize("scores", [np.zeros(3), np.zeros(0)])
def test_nothing_is_about_it(scores):
    found = relevance(scores)
    assert (found.n_listed, found.n_about, found.n_near) == (0, 0.0, 0)
    assert found.cutoff == 1.0


def test_the_sentence_names_numbers():
    found = relevance(np.repeat([0.99, 0.0], [30, 970]), names=range(29))
    text = repr(found)
    assert text.startswith("Relevance('zoo': 30 of 1,000 documents are about it (")
    assert text.endswith("): 29 name it, 1 more means it)")
    assert relevance([0.9, 0.8, 0.1], names=[0, 1]).summary().endswith("): all name it")
    assert relevance([0.9, 0.1], names=[0]).summary().endswith("): it names it")


def test_the_sentence_after_a_person_has_looked():
    found = relevance(np.full(10, 0.5), counted=Interval(7.0, 5.0, 9.0, 0.95))
    assert found.summary() == (
        "7 of 10 documents are about it (5 to 9) by hand, by the model 10 (3 to 10); "
        "10 have a relevance of 0.50 or more and are listed: 10 mean it"
    )


def test_every_order_gives_the_same_cutoff():
    scores = (0.9, 0.6, 0.5, 0.1)
    assert len({relevance(order).cutoff for order in itertools.permutations(scores)}) == 1
