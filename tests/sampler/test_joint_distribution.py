"""Geweke's joint distribution test: what the sampler visits while it also draws the words is the prior.

Two ways lead to the joint distribution of words and topics. Forwards: G_0 from its stick, topics from urns,
words from topics; a plain simulation in NumPy. And round and round: words given topics, then one iteration
of the sampler (G_0, a sweep, tables) given words. Means of the same functions must agree (Geweke 2004,
"Getting it right"). With the document prior G_0 is held fast: given it a sweep is exact, whatever e_jk; the
tables, and with them the next G_0, are drawn as if e_jk were 1 (docs/method.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numba import njit

from qdtm.sampler.assignment import assign, documents_with
from qdtm.sampler.base_measure import draw_shares, draw_tables
from qdtm.sampler.kernels import LANES, sweep, uniform

from .cases import Case, make_case, plain_rules
from .test_posterior import MAX_Z, N_BATCHES

N_WORDS = 4
LENGTHS = (6, 5, 4, 3, 2)
N_SIMULATED = 20_000
N_SWEEPS = [60_000, pytest.param(400_000, marks=pytest.mark.slow)]
SHARES = np.array([0.35, 0.15, 0.3, 0.2] + [0.0] * (LANES - 4))
"""Of two parents and two topics of the background, for the document prior."""

EVIDENCE = np.array([[20.0, 0.02], [3.0, 0.5], [1.0, 1.0], [0.02, 0.02], [0.3, 8.0]], np.float32)


@dataclass(frozen=True)
class Prior:
    """The model without its words; `shares` is G_0 where it is held fast."""

    alpha: float = 1.3
    beta: float = 0.5
    gamma: float = 1.5
    n_columns: int = 5 * LANES
    shares: np.ndarray | None = None
    trust: float = 1.0  # what e_jk is raised to

    @property
    def evidence(self) -> np.ndarray | None:
        """e_jk of the parents, where G_0 is held fast."""
        return None if self.shares is None else EVIDENCE ** np.float32(self.trust)

    def case(self, seed: int) -> Case:
        """Any start will do."""
        offsets = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int64)
        tokens = (np.arange(offsets[-1]) % N_WORDS).astype(np.int32)
        n_parents = 0 if self.shares is None else EVIDENCE.shape[1]
        rules = plain_rules(
            *(N_WORDS, self.n_columns), n_parents=n_parents, alpha=self.alpha, gamma=self.gamma,
            beta=np.full(self.n_columns, self.beta, np.float32),
        )  # fmt: skip
        start = assign(tokens, offsets, np.zeros(len(tokens), np.int32))
        return make_case(
            start, rules, seed=seed, n_columns=self.n_columns, shares=self.shares, evidence=self.evidence
        )


def forwards(prior: Prior, rng: np.random.Generator) -> np.ndarray:
    """Draw words and topics from the prior many times; return the functions of each, (R, F)."""
    runs = np.arange(N_SIMULATED)
    shares = prior.shares
    if shares is None:
        sticks = rng.beta(1.0, prior.gamma, (N_SIMULATED, prior.n_columns))
        sticks[:, -1] = 1.0
        left = np.cumprod(1.0 - sticks, axis=1)
        shares = sticks * np.concatenate([np.ones((N_SIMULATED, 1)), left[:, :-1]], axis=1)
    evidence = np.ones((len(LENGTHS), prior.n_columns))
    if prior.evidence is not None:
        evidence[:, : EVIDENCE.shape[1]] = prior.evidence
    n_jk = np.zeros((N_SIMULATED, len(LENGTHS), prior.n_columns))
    n_wk = np.zeros((N_SIMULATED, N_WORDS, prior.n_columns))
    for j, length in enumerate(LENGTHS):
        for _ in range(length):
            k = choose(n_jk[:, j] + prior.alpha * shares * evidence[j], rng)
            w = choose(n_wk[runs, :, k] + prior.beta, rng)
            n_jk[runs, j, k] += 1
            n_wk[runs, w, k] += 1
    by_label = prior.shares is not None
    return np.array([functions(*counts, by_label) for counts in zip(n_jk, n_wk, strict=True)])


def choose(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a column for each row, in proportion to its weights."""
    ends = np.cumsum(weights, axis=1)
    return (rng.random(len(ends))[:, None] * ends[:, -1:] >= ends).sum(axis=1)


@njit
def functions(n_jk, n_wk, by_label):
    """What is compared: how uneven documents, topics and words are; which topic is which, if labels count."""
    n_k, n_w = n_jk.sum(axis=0), n_wk.sum(axis=1)
    found = [(n_jk**2).sum(), (n_k**2).sum(), (n_wk**2).sum(), (n_w**2).sum(), (n_k > 0).sum() * 1.0]
    if by_label:
        found += [n_jk[0, 0], n_jk[0, 1], n_jk[3, 2], n_jk[4, 1], n_k[0] * n_k[1], n_wk[0, 0] ** 2]
    return np.array(found)


@njit
def round_and_round(
    assignment, evidence, counts, tally, prior_k, rules, word_kind, stream, n_columns, m_k, n_sweeps, held
):
    """Draw words, then everything else, again and again; return the functions of each state, (S, F)."""
    tokens, offsets, topics, _ = assignment
    n_jk = np.zeros((offsets.size - 1, n_columns))
    found = np.zeros((n_sweeps, 11 if held else 5))
    for s in range(n_sweeps):
        counts.n_wk[:] = 0
        for i in range(tokens.size):
            stream[0], draw = uniform(stream[0])
            ends = np.cumsum(counts.n_wk[:, topics[i]] + rules.beta[0])
            tokens[i] = np.searchsorted(ends, draw * ends[-1], side="right")
            counts.n_wk[tokens[i], topics[i]] += 1
        if not held:
            prior_k = (rules.alpha * draw_shares(m_k, rules.gamma, n_columns, stream)).astype(np.float32)
        tally.documents_kn[:] = 0
        mass = counts.n_wk.sum(axis=0) + rules.prior_words * np.float64(rules.beta[0])
        sweep(assignment, evidence, counts, tally, mass, prior_k, rules, word_kind, stream, n_columns)
        if not held:
            m_k = draw_tables(tally, prior_k, stream)
        n_jk[:] = 0
        for j in range(offsets.size - 1):
            for i in range(offsets[j], offsets[j + 1]):
                n_jk[j, topics[i]] += 1
        found[s] = functions(n_jk, counts.n_wk.astype(np.float64), held)
    return found


def visited(prior: Prior, n_sweeps: int, seed: int) -> np.ndarray:
    """The functions of all states that the sampler goes through, (S, F)."""
    case = prior.case(seed)
    assignment, evidence, counts, tally, _, *rest = case.arguments
    m_k = documents_with(assignment, case.n_columns)
    held = prior.shares is not None
    return round_and_round(assignment, evidence, counts, tally, *rest, m_k, n_sweeps, held)


def z_scores(simulated: np.ndarray, chain: np.ndarray) -> np.ndarray:
    """How many standard errors the means lie apart, (F,); of the chain by batch means."""
    batches = chain.reshape(N_BATCHES, -1, chain.shape[1]).mean(axis=1)
    variance = simulated.var(axis=0) / len(simulated) + batches.var(axis=0, ddof=1) / N_BATCHES
    return (batches.mean(axis=0) - simulated.mean(axis=0)) / np.sqrt(variance)


PRIORS = {
    "the whole sampler": Prior(),
    "few topics": Prior(alpha=0.5, gamma=0.4, beta=0.2),
    "the document prior": Prior(n_columns=LANES, shares=SHARES),
}


@pytest.mark.parametrize("n_sweeps", N_SWEEPS)
@pytest.mark.parametrize("name", PRIORS)
def test_both_ways_to_the_joint_distribution_agree(name: str, n_sweeps: int) -> None:
    prior = PRIORS[name]
    z = z_scores(forwards(prior, np.random.default_rng(3)), visited(prior, n_sweeps, seed=5))
    assert np.abs(z).max() < MAX_Z, z


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (Prior(), Prior(alpha=1.5)),
        (Prior(), Prior(gamma=1.9)),
        (Prior(), Prior(beta=0.56)),
        (PRIORS["the document prior"], Prior(n_columns=LANES, shares=SHARES, trust=0.9)),
    ],
)
def test_a_sampler_of_a_slightly_different_model_is_noticed(right: Prior, wrong: Prior) -> None:
    z = z_scores(forwards(right, np.random.default_rng(3)), visited(wrong, 60_000, seed=5))
    assert np.abs(z).max() > MAX_Z
