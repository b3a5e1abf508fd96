"""How many documents are about a query, and how likely each is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm.evidence.breadth import (
    DOUBT,
    SHRINKAGE,
    USUAL_SHARE,
    Curve,
    about,
    estimate_breadth,
    fit_curve,
    kept_apart,
    named_probability,
    probabilities_summing_to,
    sigmoid,
)


def planted_scores(seed, n_about, n_others, named_share=0.4, gap=4.0):
    """Scores of documents about a query and of others, and how much they name it: at random."""
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(gap, 1.0, n_about), rng.normal(0.0, 1.0, n_others)])
    strength = np.where(rng.random(len(scores)) < named_share, rng.choice([0.6, 0.8, 1.0], len(scores)), 0.0)
    strength[n_about:] = 0.0
    return scores, strength


class TestEstimate:
    """The number of documents about a query."""

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize(("n_about", "n_others"), [(200, 900), (300, 700), (200, 4000)])
    def test_it_is_near_the_truth_where_names_are_random(self, seed, n_about, n_others):
        found = estimate_breadth(*planted_scores(seed, n_about, n_others))
        assert n_about / 1.6 < found < n_about * 1.6

    @pytest.mark.parametrize("seed", range(5))
    def test_of_few_documents_it_is_cautious(self, seed):
        assert 40 / 2.5 < estimate_breadth(*planted_scores(seed, 40, 1500)) < 40 * 1.3

    def test_worked_by_hand(self):
        """Half of the names are above the fourth score; so the estimate is 8, before doubt."""
        scores = -np.arange(10.0)
        strength = np.array([1.0, 0, 0, 1, 0, 1, 0, 0, 1, 0])
        share = 4 / (2 * 4)
        shrunk = (4 * np.log(share) + DOUBT * np.log(USUAL_SHARE)) / (4 + DOUBT)
        assert estimate_breadth(scores, strength) == pytest.approx(4 / np.exp(shrunk))

    def test_it_is_no_broader_than_repetitions_allow(self):
        scores, strength = planted_scores(0, 200, 4000)
        broad = estimate_breadth(scores, strength)
        assert estimate_breadth(scores, strength, 0.9) == pytest.approx(strength.sum() / 0.9)
        assert strength.sum() / 0.9 < broad
        assert estimate_breadth(scores, strength, 0.01) == broad

    @given(
        st.lists(st.floats(-3, 3), min_size=30, max_size=60),
        st.lists(st.floats(0.05, 1.0), min_size=1, max_size=6),
    )
    def test_few_names_never_claim_many_others(self, scores, named):
        strength = np.zeros(len(scores))
        strength[: len(named)] = named
        found = estimate_breadth(np.array(scores), strength)
        least = strength.sum() / len(scores) / 2  # the smallest share that can be seen
        bound = np.exp(
            (strength.sum() * np.log(least) + DOUBT * np.log(USUAL_SHARE)) / (strength.sum() + DOUBT)
        )
        assert strength.sum() - 1e-9 <= found <= strength.sum() / bound + 1e-9
        assert found < 4 * len(named)

    def test_names_that_tell_nothing_apart_are_not_the_whole_corpus(self):
        rng = np.random.default_rng(0)
        strength = (np.arange(5000) < 3).astype(float)
        assert estimate_breadth(rng.normal(size=5000), strength) < 15

    def test_the_order_of_documents_does_not_matter(self):
        scores, strength = planted_scores(0, 80, 400)
        order = np.random.default_rng(1).permutation(len(scores))
        assert estimate_breadth(scores[order], strength[order]) == pytest.approx(
            estimate_breadth(scores, strength)
        )


class TestCurve:
    """From scores to probabilities, with the ceiling of those that name it."""

    def test_it_separates_what_was_planted(self):
        scores, strength = planted_scores(0, 300, 1500, gap=6.0)
        curve = fit_curve(scores, strength)
        p = curve(scores)
        assert p[:300].mean() > 0.9
        assert p[300:].mean() < 0.05

    def test_it_rises(self):
        curve = fit_curve(*planted_scores(2, 50, 500))
        assert curve.slope > 0
        assert (np.diff(curve(np.linspace(-5, 9, 50))) >= 0).all()

    def test_constant_scores_are_no_trouble(self):
        strength = (np.arange(40) < 5).astype(float)
        curve = fit_curve(np.zeros(40), strength)
        assert np.isfinite(curve(np.zeros(40))).all()


def assert_lawful(p, context, strength, share):
    """What holds of every document's probability."""
    named = strength > 0
    assert ((p >= 0) & (p <= 1)).all()
    if named.any():
        average = strength @ p / strength.sum()
        assert (p[~named] <= average + 1e-12).all()  # never surer than those that name it
    assert (p[~named] <= context[~named] + 1e-12).all()
    assert 0 < share < 1


unit = st.floats(0.0, 1.0)


class TestProbabilities:
    """What a name and a context are worth."""

    @given(
        st.lists(st.tuples(unit, st.one_of(st.just(0.0), unit)), min_size=2, max_size=40),
        st.floats(0.05, 0.95),
    )
    def test_laws(self, pairs, share):
        context, strength = (np.array(column) for column in zip(*pairs, strict=True))
        assert_lawful(about(context, strength, share), context, strength, share)

    def test_a_name_is_worth_more_the_stronger_it_is(self):
        p = named_probability(np.full(5, 0.3), np.array([0.1, 0.3, 0.5, 0.8, 1.0]))
        assert (np.diff(p) > 0).all()

    def test_a_better_context_is_worth_more(self):
        p = named_probability(np.linspace(0, 1, 20), np.full(20, 0.5))
        assert (np.diff(p) >= 0).all()

    def test_no_context_puts_a_mention_before_a_document_that_is_full_of_the_query(self):
        mention, full = named_probability(np.array([1.0, 0.5]), np.array([0.35, 0.95]))
        assert mention < full

    def test_a_strong_name_is_believed_against_its_context(self):
        assert named_probability(np.zeros(1), np.ones(1))[0] > 0.6

    def test_few_names_say_little_of_others(self):
        context = np.array([0.9, 0.9, 0.9])
        one, many = (
            about(np.append(context, np.full(n, 0.9)), np.append(np.zeros(3), np.ones(n)), 0.5)
            for n in (1, 50)
        )
        assert one[0] < 0.35 * many[0]

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("total", [0.4, 1.0, 1.5])
    def test_those_without_the_name_sum_to_what_is_left(self, seed, total):
        scores, strength = planted_scores(seed, 120, 900)
        curve, named = fit_curve(scores, strength), strength > 0
        believed = named_probability(curve(scores[named]), strength[named])
        others = total * (estimate_breadth(scores, strength) - believed.sum())
        fewer = SHRINKAGE / (strength.sum() + SHRINKAGE)  # few names are believed less
        for at_most, sure in ((False, 1.0), (True, float(np.average(believed, weights=strength[named])))):
            p = probabilities_summing_to(believed.sum() + others, curve, scores, strength, at_most=at_most)
            assert_lawful(p, np.ones_like(p), np.where(named, 0.0, strength), 0.5)
            np.testing.assert_allclose(p[named], believed)
            assert p[~named].sum() == pytest.approx(sure * (1.0 - fewer) * others, rel=1e-3)

    def test_a_sum_that_cannot_be_reached_is_come_near_to(self):
        scores, strength = planted_scores(0, 20, 50)
        curve = Curve(1.0, 0.0)
        least = probabilities_summing_to(0.0, curve, scores, strength)
        most = probabilities_summing_to(1e6, curve, scores, strength)
        assert least[strength == 0].sum() < 1e-6
        assert most.sum() <= len(scores)
        assert (most >= least).all()


def test_the_curve_is_safe_far_out():
    assert sigmoid(np.array([-1e9, 0.0, 1e9])).tolist() == [pytest.approx(0.0), 0.5, 1.0]


def test_what_is_hardly_likely_keeps_its_place_in_float32():
    p = np.array([0.0, 1e-200, 1e-60, 1e-45, 1e-9, 1e-6, 0.3, 1.0])
    raised = kept_apart(p).astype(np.float32)
    assert (np.diff(raised) > 0).all()
    assert raised[0] == 0.0
    assert raised[1] > 1e-9
    assert kept_apart(p)[5:].tolist() == p[5:].tolist()
