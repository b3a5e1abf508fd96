import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.hand_check import draw_sample, estimate_check, recalibrate

from .worlds import calibration_error, world

CUTOFF = 0.5
N_WORLDS = 30


def asked(sample, truth):
    return {document: "yes" if truth[document] else "no" for document in sample.documents}


def truly(relevance, truth):
    above = relevance >= CUTOFF
    return truth[above].mean(), truth[above].sum() / truth.sum(), truth.sum()


@pytest.mark.parametrize("kind", ["right", "sure", "high", "low"])
def test_intervals_have_the_truth_as_often_as_they_say(kind):
    hits, n_intervals = np.zeros(3), 0
    for seed in range(N_WORLDS):
        relevance, truth = world(kind, seed)
        sample = draw_sample(relevance, CUTOFF, 60, seed)
        found = estimate_check(sample, asked(sample, truth), n_draws=800)
        intervals = (found.precision, found.recall, found.n_about)
        hits += [i.low <= true <= i.high for i, true in zip(intervals, truly(relevance, truth), strict=True)]
        n_intervals += 1
    assert (hits / n_intervals >= 0.83).all(), hits / n_intervals  # 95 % intervals; 25 of 30


@pytest.mark.parametrize("kind", ["sure", "high"])
def test_recalibration_brings_relevance_nearer_to_the_truth(kind):
    before, after = [], []
    for seed in range(10):
        relevance, truth = world(kind, seed)
        sample = draw_sample(relevance, CUTOFF, 60, seed)
        answers = asked(sample, truth)
        relevant = [draw.relevance for draw in sample.draws]
        curve = recalibrate(relevant, [answers[draw.row] == "yes" for draw in sample.draws])
        before.append(calibration_error(relevance, truth))
        after.append(calibration_error(curve.apply(relevance), truth))
    assert np.mean(after) < 0.8 * np.mean(before)


def test_recalibration_keeps_the_order_and_few_answers_change_nothing():
    curve = recalibrate([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05], [False] * 9 + [True])
    p = np.linspace(0.001, 0.999, 200)
    assert (np.diff(curve.apply(p)) > 0).all()
    assert curve.apply(0.9) < 0.9
    unchanged = recalibrate([0.9] * 9, [False] * 9)
    assert unchanged.apply(p) == pytest.approx(p)


def test_a_corpus_that_was_looked_at_whole_is_known_exactly():
    relevance = np.linspace(1, 0, 40)
    truth = np.arange(40) < 10
    sample = draw_sample(relevance, CUTOFF, 100)
    assert sorted(sample.documents) == list(range(40))
    found = estimate_check(sample, asked(sample, truth))
    assert found.precision.low == found.precision.high == 0.5
    assert found.recall.estimate == 1.0
    assert (found.n_about.low, found.n_about.high, found.n_above) == (10, 10, 20)


def test_nothing_above_the_cut_off_has_no_precision():
    sample = draw_sample(np.linspace(0.3, 0.0, 200), CUTOFF, 20)
    found = estimate_check(sample, {})
    assert found.precision is None
    assert found.n_answered == 0
    assert found.n_about.high > found.n_about.low


def test_the_sample_has_both_sides_of_the_cut_off_and_every_stratum():
    relevance, _ = world("right", 0)
    sample = draw_sample(relevance, CUTOFF, 50, seed=1)
    assert len(sample) == len(set(sample.documents)) == 50
    assert sum(stratum.size for stratum in sample.strata) == len(relevance)
    above = [sample.strata[draw.stratum].is_above for draw in sample.draws]
    assert sum(above) == 25
    assert np.bincount([draw.stratum for draw in sample.draws]).min() >= 3
    for draw in sample.draws:
        stratum = sample.strata[draw.stratum]
        assert stratum.low <= relevance[draw.row] == draw.relevance <= stratum.high
        assert draw.probability == len(sample.reached[draw.stratum]) / stratum.size
    assert above != sorted(above, reverse=True)  # shuffled
    assert draw_sample(relevance, CUTOFF, 50, seed=1) == sample
    assert draw_sample(relevance, CUTOFF, 50, seed=2) != sample


def test_an_empty_corpus_cannot_be_checked():
    with pytest.raises(ParameterError, match="A corpus without documents cannot be checked"):
        draw_sample(np.empty(0), CUTOFF, 10)
