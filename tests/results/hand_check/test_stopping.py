"""The recall rule: the stake against enumeration, how often it errs, what it says; and rounds."""

from dataclasses import replace
from itertools import combinations
from math import comb, exp

import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.hand_check import HandCheck, draw_sample, judge
from qdtm.results.hand_check.estimate import total_variance
from qdtm.results.hand_check.files import begin_check
from qdtm.results.hand_check.rounds import next_round
from qdtm.results.hand_check.sample import draw_round
from qdtm.results.hand_check.stopping import BETS, Certificate, certify, log_stakes
from qdtm.results.result import Result


def test_the_stake_is_one_over_the_hypergeometric_chance_if_nothing_is_found():
    n_documents, n_read = 12, 5
    stakes = log_stakes([False] * n_read, [True] * n_read, n_documents, bets=(0.0,))
    assert len(stakes) == n_documents - n_read + 1
    for total in range(1, n_documents - n_read + 1):
        subsets = list(combinations(range(n_documents), n_read))
        none = np.mean([min(rows) >= total for rows in subsets])  # documents below `total` are about it
        assert none == pytest.approx(comb(n_documents - total, n_read) / comb(n_documents, n_read))
        assert exp(stakes[total]) == pytest.approx(1 / none)


def naive_stakes(about, by_chance, n_documents):
    """The stakes draw by draw, as the module's first lines tell it."""
    stakes = np.ones((len(BETS), n_documents - len(about) + 1))
    for n_read, (is_about, chance) in enumerate(zip(about, by_chance, strict=True)):
        n_found = sum(about[:n_read])
        may_miss = max(max(n_found, 1) * (1 / 0.95 - 1), 1.0)
        for i, left in np.ndindex(stakes.shape) if chance else ():
            p = (left + sum(about) - n_found) / (n_documents - n_read)
            q = min(BETS[i] * may_miss / (n_documents - n_read), p)
            stakes[i, left] *= (q / p if p else 1.0) if is_about else (1 - q) / (1 - p)
    return stakes.mean(axis=0)


@pytest.mark.parametrize("seed", range(5))
def test_runs_of_draws_are_staked_like_single_ones(seed):
    rng = np.random.default_rng(seed)
    n_documents, n_read = 60, int(rng.integers(5, 55))
    about, by_chance = (rng.random(n_read) < 0.2).tolist(), (rng.random(n_read) < 0.6).tolist()
    stakes = np.exp(log_stakes(about, by_chance, n_documents))
    assert stakes == pytest.approx(naive_stakes(about, by_chance, n_documents))


def test_the_stake_is_a_martingale():
    """Over all orders in which the documents can be drawn, the mean stake against the truth stays 1.

    It falls where the next document is certain, and somebody has bet otherwise.
    """
    n_documents, total = 7, 2
    for n_read, mean in ((1, 1.0), (3, 1.0), (5, 1.0), (6, None)):
        stakes = []
        for found in combinations(range(n_documents), total):
            about = [i in found for i in range(n_read)]
            stakes.append(exp(log_stakes(about, [True] * n_read, n_documents)[total - sum(about)]))
        assert np.mean(stakes) == pytest.approx(1.0) if mean else np.mean(stakes) < 1.0


def test_reading_by_relevance_stakes_nothing():
    stakes = log_stakes([True, False, True], [False] * 3, 10)
    assert stakes == pytest.approx(np.zeros(8))


def test_a_certificate_is_wrong_as_rarely_as_it_says():
    """A reader who stops at the first moment that 80 % of 30 seem certain with 80 % confidence."""
    wrong = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        truth = rng.permutation(300) < 30
        relevance = np.where(truth & (rng.random(300) < 0.8), 0.9, rng.random(300) * 0.5)
        sample = draw_sample(relevance, 0.6, 10, seed)
        while True:
            said = {row: "yes" if truth[row] else "no" for row in sample.documents}
            now = certify(sample, said, 0.8)
            if now.reaches(0.8):
                break
            read = set(sample.documents)
            ranked = [int(row) for row in np.argsort(-relevance) if row not in read][:3]
            sample = draw_round(sample, relevance, ranked=ranked)
            sample = draw_round(sample, relevance, n_audit=5)
        wrong += now.n_found < 0.8 * 30
        assert now.n_read + now.n_unread == 300
    assert wrong / 150 <= 0.2


def test_everything_read_is_certain_and_what_was_passed_over_is_not():
    relevance = np.linspace(1, 0, 40)
    sample = draw_sample(relevance, 0.5, 40)
    said = {row: "yes" if row < 5 else "no" for row in sample.documents}
    assert certify(sample, said).recall == 1.0
    assert certify(sample, said).reaches(0.95)
    passed = {row: about for row, about in said.items() if row != sample.documents[0]}
    assert certify(sample, passed).most_left == 1
    unsure = said | {7: "unsure"}
    assert certify(sample, unsure).n_found == 5


def test_a_certificate_says_what_it_still_costs():
    none = certify(draw_sample(np.linspace(1, 0, 1_000), 0.5, 40), {})
    assert none.least_more(0.95) == 950  # to rule out one among a thousand
    assert none.summary(0.95) == "0 found in 0 read; to be 95% sure of 95%, read 950 more at least"
    found = Certificate(0.95, 500, 1_000, 95, 30)
    assert found.least_more(0.95) == 394  # 5 may be missed, so that 6 are left must be ruled out
    assert "at most 30 are left, so 76% or more are found; for 95%, read 394 more" in found.summary(0.95)
    assert Certificate(0.95, 900, 600, 95, 5).least_more(0.95) == 0
    assert (
        Certificate(0.95, 900, 600, 95, 5)
        .summary(0.95)
        .endswith("at most 5 are left, so 95% or more are found; you can stop")
    )


def test_the_number_is_not_above_what_is_certain():
    relevance = np.linspace(0.9, 0.1, 300)
    sample = draw_round(draw_sample(relevance, 0.85, 20), relevance, ranked=range(60))
    check = HandCheck("it", draw_round(sample, relevance, n_audit=200))
    check = check.with_answers({row: row < 30 for row in check.open})
    certain, found = check.certificate(0.975), check.estimate()
    assert found.n_about.high <= certain.n_found + certain.most_left
    assert found.n_about.low <= found.n_about.estimate <= found.n_about.high


def test_a_yes_that_chance_found_is_looked_at_again():
    relevance = np.linspace(0.9, 0.1, 60)
    sample = draw_round(draw_sample(relevance, 0.5, 20), relevance, n_audit=5)
    check = HandCheck("it", sample)
    audited = next(draw.row for draw in sample.draws if draw.how == "audit")
    check = check.with_answers({row: relevance[row] > 0.5 for row in check.open} | {audited: True})
    assert audited in check.surprising()
    assert audited not in check.answer(audited, True).surprising()
    doubted = replace(check, sample=replace(sample, again=(sample.documents[0],)))
    assert sample.documents[0] in doubted.surprising()


def test_more_answers_narrow_as_enumeration_says():
    a, b, left, more = 1.5, 20.0, 9, 4
    from scipy.stats import betabinom

    def variance(a, b, n):
        return betabinom(n, a, b).var()

    expected = sum(
        betabinom(more, a, b).pmf(y) * variance(a + y, b + more - y, left - more) for y in range(more + 1)
    )
    arrays = (np.array([each]) for each in (a, b, left, more))
    assert total_variance(*arrays) == pytest.approx(expected)


def test_what_chance_comes_to_counts_for_the_sample_even_if_it_was_chosen_before():
    relevance = np.linspace(1, 0, 60)
    sample = draw_round(draw_sample(relevance, 0.5, 10), relevance, chosen=range(60))
    grown = draw_round(sample, relevance, random=[0] * len(sample.strata), n_audit=0)
    assert grown.reached == sample.reached
    assert len(sample) == 60
    assert sum(draw.how == "random" for draw in sample.draws) == 10
    assert draw_round(sample, relevance, random=[5] * len(sample.strata)).reached != sample.reached


# --- rounds -------------------------------------------------------------------------------------------------


@pytest.fixture
def result(fit, corpus):
    return Result(fit, corpus)


def read_all(check: HandCheck) -> HandCheck:
    return check.with_answers({row: check.sample.places[row].relevance > 0.5 for row in check.open})


def test_rounds_go_on_until_everything_was_read(result):
    n = result.corpus.n_documents
    check = read_all(begin_check(result, 0, 10))
    if len(check.sample) < n:
        check = read_all(next_round(result, check, 4))
    assert check.sample.n_rounds >= 1
    whole = read_all(next_round(result, check, n, recall=0.9))
    while len(whole.sample) < n:
        whole = read_all(next_round(result, whole, n, recall=0.9))
    assert whole.certificate().recall == 1.0
    assert next_round(result, whole, recall=0.9).open == ()
    assert next_round(result, whole).open == ()
    with pytest.raises(ParameterError, match=r"The recall is 1\.5; give one between 0 and 1"):
        next_round(result, replace(whole), recall=1.5)


def test_the_first_round_of_a_judged_query_is_drawn_by_chance(result):
    check = next_round(result, judge(result, 0, 2, "yes"))
    hows = {draw.row: draw.how for draw in check.sample.draws}
    assert hows[2] == "own"
    assert set(hows.values()) == {"own", "random"}
