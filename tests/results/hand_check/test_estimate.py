import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.hand_check import HandCheck, draw_sample, estimate_check, recalibrate

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
    assert (hits / n_intervals >= 0.8).all(), hits / n_intervals  # 95 % intervals; 24 of 30


def test_intervals_have_the_truth_if_one_answer_in_twenty_is_wrong():
    """A reader errs in 5 % of looks, and looks twice at what does not fit."""
    hits = np.zeros(3)
    for seed in range(N_WORLDS):
        relevance, truth = world("right", seed)
        rng = np.random.default_rng(seed)
        check = HandCheck("it", draw_sample(relevance, CUTOFF, 60, seed))
        while left := check.open_for():
            wrong = rng.random(len(left)) < 0.05
            check = check.with_answers(dict(zip(left, (truth[list(left)] != wrong).tolist(), strict=True)))
        found = check.estimate()
        intervals = (found.precision, found.recall, found.n_about)
        hits += [i.low <= true <= i.high for i, true in zip(intervals, truly(relevance, truth), strict=True)]
    assert (hits / N_WORLDS >= 0.8).all(), hits / N_WORLDS


def test_second_looks_tell_how_often_answers_are_wrong():
    relevance = np.concatenate([np.full(20, 0.9), np.full(400, 0.01)])
    sample = draw_sample(relevance, CUTOFF, 60)
    said = {row: "yes" if row < 20 else "no" for row in sample.documents}
    low = next(row for row in sample.documents if row >= 20)
    odd = said | {low: "yes"}
    once = estimate_check(sample, odd).n_about
    twice = estimate_check(sample, odd, looks=dict.fromkeys(odd, (1, 0)) | {low: (2, 0)}).n_about
    others = [row for row in said if row >= 20 and row != low][:5]
    flips = dict.fromkeys(odd, (1, 0)) | dict.fromkeys(others, (1, 1))
    unreliable = estimate_check(sample, odd, looks=flips).n_about
    assert unreliable.estimate < once.estimate <= twice.estimate + 1


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
    found = estimate_check(sample, asked(sample, truth), looks={})  # all were settled: nobody errs
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
