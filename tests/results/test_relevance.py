"""What a result says about relevance: cut-off, count and interval."""

import itertools

import numpy as np
import pytest

from qdtm.results.relevance import ALONE_ERROR, Relevance


def test_the_cutoff_has_the_highest_f1_that_the_probabilities_promise():
    scores = np.array([0.9, 0.8, 0.75, 0.3, 0.2, 0.05])

    def promised(cutoff):
        """The F1 over all ways in which the documents may turn out, with the mean of numerator over mean."""
        listed = scores >= cutoff
        hits = scores[listed].sum()
        return 2 * hits / (listed.sum() + scores.sum())

    best = max(scores, key=promised)
    assert Relevance("q", scores).cutoff == best == 0.75


def test_the_list_has_what_is_from_the_cutoff_up():
    relevance = Relevance("q", np.array([0.9, 0.1, 0.8, 0.0]))
    np.testing.assert_array_equal(relevance.about, [True, False, True, False])
    assert relevance.n_listed == 2


def test_the_count_is_the_sum_and_the_interval_holds_it():
    scores = np.concatenate([np.full(50, 0.9), np.full(950, 0.01)])
    relevance = Relevance("q", scores)
    low, high = relevance.n_about_interval
    assert relevance.n_about == pytest.approx(54.5)
    assert low < 40 < 54.5 < 80 < high < 150


def test_the_interval_grows_with_doubt_and_stays_within_the_corpus():
    sure, unsure = Relevance("q", np.repeat([1.0, 0.0], [4, 96])), Relevance("q", np.full(100, 0.04))
    assert sure.n_about == pytest.approx(unsure.n_about)
    assert unsure.n_about_interval[1] > sure.n_about_interval[1]
    assert Relevance("q", np.ones(10)).n_about_interval[1] == 10


def test_the_interval_of_a_query_alone_goes_down_to_a_part_of_those_that_name_it():
    scores = np.repeat([1.0, 0.0], [400, 600])
    alone, few = (Relevance("q", scores, typical_error=ALONE_ERROR, n_named=n) for n in (390, 50))
    assert alone.n_about_interval == Relevance("q", scores, typical_error=ALONE_ERROR).n_about_interval
    assert few.n_about_interval == (20.0, alone.n_about_interval[1])


@pytest.mark.parametrize("scores", [np.zeros(3), np.zeros(0)])
def test_nothing_is_about_it(scores):
    relevance = Relevance("q", scores)
    assert (relevance.n_listed, relevance.n_about) == (0, 0.0)
    assert relevance.cutoff == 1.0


def test_the_sentence_names_numbers():
    text = repr(Relevance("zoo", np.repeat([0.99, 0.0], [30, 970])))
    assert text.startswith("Relevance('zoo': 30 of 1,000 documents (")
    assert "30 have a relevance of 0.99 or more" in text


def test_every_order_gives_the_same_cutoff():
    scores = (0.9, 0.6, 0.5, 0.1)
    assert len({Relevance("q", np.array(order)).cutoff for order in itertools.permutations(scores)}) == 1
