"""Probabilities: they follow the scores, add up to what they are fitted to, and stand extreme input."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from qdtm.relevance.calibration import calibrate, logistic_fit


def test_the_line_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    target = (rng.random(500) < 1 / (1 + np.exp(-(2 * x - 1)))).astype(float)
    theirs = LogisticRegression(C=1e8, tol=1e-10).fit(x[:, None], target).predict_proba(x[:, None])[:, 1]
    np.testing.assert_allclose(logistic_fit(x, target), theirs, atol=1e-4)


def test_probabilities_add_up_to_the_targets():
    rng = np.random.default_rng(1)
    x, target = rng.normal(size=300), rng.random(300)
    assert logistic_fit(x, np.sort(target)[np.argsort(np.argsort(x))]).sum() == pytest.approx(target.sum())


def test_a_falling_relation_is_not_turned_around():
    x = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(logistic_fit(x, (x < 0).astype(float)), 0.5, atol=1e-6)


def test_separable_and_rare_targets_converge():
    x = np.concatenate([np.zeros(10_000), [50.0]])
    fitted = logistic_fit(x, (x > 0).astype(float))
    assert fitted[-1] > 0.9
    assert fitted[0] < 1e-3


@pytest.mark.parametrize("verdict", [np.zeros(5, bool), np.ones(5, bool)])
def test_a_verdict_that_is_the_same_for_all_says_the_same_of_all(verdict):
    scores = np.arange(5.0)
    np.testing.assert_array_equal(calibrate(scores, scores, verdict), float(verdict[0]))


def test_order_is_that_of_the_scores():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=200)
    looked = scores + rng.normal(size=200)
    probabilities = calibrate(scores, looked, scores > 1)
    assert (np.diff(probabilities[np.argsort(scores)]) >= 0).all()
