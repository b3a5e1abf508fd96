"""Calibration: honest probabilities have no error, and a known dishonesty has the error it should."""

import numpy as np
import pytest

from qdtm.evaluation.metrics.calibration import calibration_error, reliability_curve


def test_a_hand_counted_curve():
    points = reliability_curve([0.05, 0.05, 0.95, 1.0], [False, True, True, True])
    assert [(p.said, p.true, p.n) for p in points] == [(0.05, 0.5, 2), (0.975, 1.0, 2)]
    assert calibration_error([0.05, 0.05, 0.95, 1.0], [False, True, True, True]) == pytest.approx(
        0.5 * 0.45 + 0.5 * 0.025
    )


def test_honest_probabilities_have_almost_no_error():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    assert calibration_error(p, rng.random(20_000) < p) < 0.02


def test_overconfidence_shows():
    rng = np.random.default_rng(0)
    truth = rng.random(5_000) < 0.5
    assert calibration_error(np.full(5_000, 0.9), truth) == pytest.approx(0.4, abs=0.03)


def test_no_documents_have_no_error():
    assert calibration_error([], []) == 0.0
