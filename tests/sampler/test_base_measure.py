"""Draws between sweeps, against the distributions they are from."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy import stats

from qdtm.sampler.assignment import empty_tally
from qdtm.sampler.base_measure import binomial, draw_shares, draw_tables, gamma_variate, normal
from qdtm.sampler.kernels import LANES, open_stream

N_DRAWS = 20_000
MIN_P = 1e-4
"""Streams are seeded, so a test either always passes or never."""


@njit
def many_gammas(state, shape, n):
    draws = np.empty(n)
    stream = state[0]
    for i in range(n):
        stream, draws[i] = gamma_variate(stream, shape)
    return draws


@njit
def many_binomials(state, trials, p, n):
    draws = np.empty(n, np.int64)
    stream = state[0]
    for i in range(n):
        stream, draws[i] = binomial(stream, trials, p)
    return draws


@njit
def many_normals(state, n):
    draws = np.empty(n)
    stream = state[0]
    for i in range(n):
        stream, draws[i] = normal(stream)
    return draws


def fit_to_counts(drawn: np.ndarray, probability: np.ndarray) -> float:
    """The p-value of drawn whole numbers under probabilities; rare ones are thrown together."""
    observed = np.bincount(drawn, minlength=len(probability))[: len(probability)]
    common = probability * len(drawn) >= 10
    observed = np.append(observed[common], len(drawn) - observed[common].sum())
    expected = np.append(probability[common], 1 - probability[common].sum()) * len(drawn)
    kept = expected > 1e-6
    return float(
        stats.chisquare(observed[kept], expected[kept] * observed[kept].sum() / expected[kept].sum())[1]
    )


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 1.5, 20.0, 3000.0])
def test_gamma_variates(shape: float) -> None:
    draws = many_gammas(open_stream(1, 0), shape, N_DRAWS)
    assert stats.kstest(draws, stats.gamma(shape).cdf).pvalue > MIN_P


def test_normal_variates() -> None:
    assert stats.kstest(many_normals(open_stream(2, 0), N_DRAWS), stats.norm.cdf).pvalue > MIN_P


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (50, 0.02), (3000, 0.06), (40, 0.999), (2000, 0.5)])
def test_binomials(n: int, p: float) -> None:
    draws = many_binomials(open_stream(3, 0), n, p, N_DRAWS)
    assert draws.max() <= n
    assert fit_to_counts(draws, stats.binom(n, p).pmf(np.arange(n + 1))) > MIN_P


def antoniak(n: int, a: float) -> np.ndarray:
    """The probability of each number of tables that n tokens open."""
    probability = np.array([1.0])
    for i in range(n):
        opens = a / (a + i)
        probability = np.append(probability, 0) * (1 - opens) + np.append(0, probability) * opens
    return probability


def test_tables_are_those_of_each_document_added_up() -> None:
    """Two documents with 5 tokens of the first topic, one with 3; one with 6 of the second."""
    tally = empty_tally(3)
    tally.documents_kn[0, 5], tally.documents_kn[0, 3], tally.documents_kn[1, 6] = 2, 1, 1
    prior = np.array([1.5, 0.25, 9.0], np.float32)
    stream = open_stream(4, 0)
    draws = np.array([draw_tables(tally, prior, stream) for _ in range(N_DRAWS)])
    five = antoniak(5, 1.5)
    assert fit_to_counts(draws[:, 0], np.convolve(np.convolve(five, five), antoniak(3, 1.5))) > MIN_P
    assert fit_to_counts(draws[:, 1], antoniak(6, 0.25)) > MIN_P
    assert not draws[:, 2].any()


def test_further_tables_are_added() -> None:
    tally = empty_tally(2)
    tally.documents_kn[0, -1], tally.further_tables[0] = 1, 7
    assert draw_tables(tally, np.full(2, 1e-9, np.float32), open_stream(5, 0)).tolist() == [8, 0]


class TestShares:
    """G_0 given the tables: a Dirichlet whose last share is broken over the empty columns."""

    M_K = np.array([3, 0, 1, 0, 8, 0, 0, 0])
    GAMMA = 1.5

    @pytest.fixture
    def shares(self) -> np.ndarray:
        stream = open_stream(6, 0)
        return np.array([draw_shares(self.M_K, self.GAMMA, LANES, stream) for _ in range(N_DRAWS)])

    def test_they_sum_to_one(self, shares: np.ndarray) -> None:
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert (shares > 0).all()

    @pytest.mark.parametrize("k", [0, 2, 4])
    def test_topics_in_use(self, shares: np.ndarray, k: int) -> None:
        others = self.M_K.sum() + self.GAMMA - self.M_K[k]
        assert stats.kstest(shares[:, k], stats.beta(self.M_K[k], others).cdf).pvalue > MIN_P

    def test_the_stick_is_broken(self, shares: np.ndarray) -> None:
        empty = shares[:, self.M_K == 0]
        rest = empty.sum(axis=1)
        assert stats.kstest(rest, stats.beta(self.GAMMA, self.M_K.sum()).cdf).pvalue > MIN_P
        assert stats.kstest(empty[:, 0] / rest, stats.beta(1, self.GAMMA).cdf).pvalue > MIN_P
        second = empty[:, 1] / (rest - empty[:, 0])
        assert stats.kstest(second, stats.beta(1, self.GAMMA).cdf).pvalue > MIN_P

    def test_columns_beyond_are_left_out(self) -> None:
        m_k = np.array([2, 0, 0, 0, 0, 0, 0, 0] * 2)
        assert len(draw_shares(m_k, 1.0, LANES, open_stream(0, 0))) == LANES

    def test_where_there_is_no_topic_yet(self) -> None:
        shares = draw_shares(np.zeros(LANES, np.int64), 1.5, LANES, open_stream(0, 0))
        assert shares.sum() == pytest.approx(1.0)
