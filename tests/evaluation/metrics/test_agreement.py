import numpy as np
import pytest

from qdtm.evaluation.metrics.agreement import agreement, n_categories

LOWER = ["a"] * 10 + ["b"] * 10


def test_the_same_split_agrees_whatever_its_numbers():
    found = agreement([7] * 10 + [3] * 10, LOWER)
    assert (found.ami, found.homogeneity, found.completeness) == pytest.approx((1.0, 1.0, 1.0))
    assert (found.n_documents, found.n_lower, found.without) == (20, 2, 0.0)


def test_one_part_or_a_random_split_says_nothing():
    assert agreement([0] * 20, LOWER).ami == pytest.approx(0.0)
    rng = np.random.default_rng(0)
    lower = rng.choice(["a", "b", "c"], 3000)
    assert abs(agreement(rng.integers(0, 5, 3000), lower).ami) < 0.01


def test_halves_of_categories_are_pure_and_incomplete():
    found = agreement([0] * 5 + [1] * 5 + [2] * 5 + [3] * 5, LOWER)
    assert found.homogeneity == pytest.approx(1.0)
    assert found.completeness == pytest.approx(0.5)


def test_to_leave_out_what_is_hard_does_not_pay():
    kept = agreement([0] * 5 + [-1] * 5 + [1] * 5 + [-1] * 5, LOWER)
    assert kept.without == 0.5
    assert kept.ami < 0.6


def test_no_documents_no_agreement():
    assert agreement([], []) is None
    assert n_categories([]) == 0


def test_a_category_of_less_than_one_percent_is_not_there():
    assert n_categories(["a"] * 99 + ["b"]) == 2
    assert n_categories(["a"] * 100 + ["b"]) == 1
