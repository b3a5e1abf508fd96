"""The kernel equals its plain-Python twin; its counts are those of its topics; it samples the posterior."""

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln

from experiments.baselines.constrained import ConstrainedChain
from experiments.baselines.forest import NO_FOREST, make_knowledge, plant_forest
from qdtm.corpus import Corpus

from . import naive

ALPHA, BETA = 0.25, 0.125
FOREST = plant_forest([(0, 1), (2, 3), (3, 4)], [(0, 2), (0, 5), (5, 6)])

KNOWLEDGE = {
    "nothing": {},
    "closed topics": {"potentials": {0: [1, 0, 0], 3: [0, 1, 1]}},
    "potentials": {"potentials": {0: [1, 0.1, 0.1], 1: [1, 0.1, 0.1], 4: [0.01, 1, 0.01]}},
    "links": {"must_links": [(0, 1), (1, 2)], "cannot_links": [(0, 5), (3, 4)], "floor": 0.7},
    "must-linked forest": {"forest": plant_forest([(0, 1), (1, 2), (4, 5)], []), "eta": 50.0},
    "whole forest": {"forest": FOREST, "eta": 20.0},
}


def a_corpus(seed, n_documents=12, n_words=9, length=12):
    rng = np.random.default_rng(seed)
    documents = [[f"w{w}" for w in rng.integers(0, n_words, length)] for _ in range(n_documents)]
    return Corpus.from_tokens([[f"w{w}" for w in range(n_words)], *documents, []])


def a_chain(corpus, n_topics, seed=0, **known):
    knowledge = make_knowledge(corpus.n_words, n_topics, **known)
    forest = known.get("forest", NO_FOREST)
    return ConstrainedChain(
        corpus, n_topics, alpha=ALPHA, beta=BETA, knowledge=knowledge, forest=forest, seed=seed
    )


@pytest.mark.parametrize("known", KNOWLEDGE.values(), ids=KNOWLEDGE.keys())
def test_the_kernel_draws_what_its_plain_twin_draws(known):
    n_topics = 3
    corpus = a_corpus(1)
    chain = a_chain(corpus, n_topics, **known)
    stream = int(chain._stream[0])
    for _ in range(3):
        expected, stream = naive.sweep(
            corpus.tokens, corpus.offsets, chain.state.topic_of, n_topics,
            chain.priors.alpha, BETA, chain.knowledge, stream,
        )  # fmt: skip
        chain.step()
        assert chain.state.topic_of.tolist() == expected
        assert int(chain._stream[0]) == stream


def test_more_topics_than_a_lane_row_holds():
    corpus = a_corpus(2)
    chain = a_chain(corpus, 19)
    expected, _ = naive.sweep(
        corpus.tokens, corpus.offsets, chain.state.topic_of, 19, chain.priors.alpha, BETA,
        chain.knowledge, int(chain._stream[0]),
    )  # fmt: skip
    chain.step()
    assert chain.state.topic_of.tolist() == expected
    assert chain.state.topic_of.max() < 19


@pytest.mark.parametrize("known", KNOWLEDGE.values(), ids=KNOWLEDGE.keys())
def test_counts_are_those_of_the_topics(known):
    corpus = a_corpus(3)
    chain = a_chain(corpus, 3, **known)
    for _ in range(5):
        chain.step()
        n_wk = np.zeros_like(chain.state.n_wk)
        np.add.at(n_wk, (corpus.tokens, chain.state.topic_of), 1)
        assert np.array_equal(chain.state.n_wk, n_wk)
        assert np.array_equal(chain.state.n_k, n_wk.sum(axis=0))
        for g, words in enumerate(known.get("forest", NO_FOREST).groups):
            assert np.array_equal(chain.state.n_gk[g], n_wk[list(words)].sum(axis=0))
        for r, groups in enumerate(known.get("forest", NO_FOREST).components):
            liked = chain.knowledge.favoured[list(groups)]
            assert np.array_equal(chain.state.n_rk[r], chain.state.n_gk[list(groups)].sum(axis=0))
            assert np.array_equal(chain.state.n_mk[r], (liked * chain.state.n_gk[list(groups)]).sum(axis=0))


def test_a_closed_topic_never_gets_the_word():
    corpus = a_corpus(4)
    chain = a_chain(corpus, 3, potentials={0: [1, 0, 0], 3: [0, 1, 1]})
    for _ in range(20):
        assert not chain.state.n_wk[0, 1:].any()
        assert not chain.state.n_wk[3, 0]
        chain.step()


@pytest.mark.parametrize(
    "weightless",
    [
        {"potentials": {0: [1.0, 1.0, 1.0]}},
        {"must_links": [(0, 1)], "cannot_links": [(2, 3)], "floor": np.inf},
    ],
)
def test_knowledge_without_strength_draws_as_plain_lda(weightless):
    corpus = a_corpus(5)
    plain, constrained = a_chain(corpus, 3), a_chain(corpus, 3, **weightless)
    constrained.state.topic_of[:] = plain.state.topic_of  # the start draws keywords apart
    constrained.state.n_wk[:], constrained.state.n_k[:] = plain.state.n_wk, plain.state.n_k
    for _ in range(10):
        plain.step()
        constrained.step()
        assert np.array_equal(plain.state.topic_of, constrained.state.topic_of)


# --- the posterior of a corpus small enough to write all its states down ---------------------------------


TINY = Corpus.from_tokens([["a", "a", "b"], ["b", "c"]])
N_TOPICS = 2


def log_polya(counts, priors):
    counts, priors = np.asarray(counts, float), np.asarray(priors, float)
    return (
        gammaln(priors.sum())
        - gammaln((priors + counts).sum())
        + (gammaln(priors + counts) - gammaln(priors)).sum()
    )


def documents_given(topics):
    parts = np.split(np.array(topics), TINY.offsets[1:-1])
    return sum(log_polya(np.bincount(part, minlength=N_TOPICS), [ALPHA] * N_TOPICS) for part in parts)


def words_of(topics, k):
    return np.bincount(TINY.tokens[np.array(topics) == k], minlength=3)


def plain_words(n):
    return log_polya(n, [BETA] * 3)


def linked_words(eta):
    """a and b must-linked: a node of both below the root."""

    def log_p(n):
        return log_polya([n[0] + n[1], n[2]], [2 * BETA, BETA]) + log_polya(n[:2], [eta * BETA] * 2)

    return log_p


def parted_words(eta):
    """a and c cannot-linked: each topic favours one of them, and we do not know which."""

    def log_p(n):
        root = log_polya([n[0] + n[2], n[1]], [2 * BETA, BETA])
        favoured = [
            np.log(0.5) + root + log_polya([n[mine], n[other]], [eta * BETA, BETA])
            for mine, other in ((0, 2), (2, 0))
        ]
        return np.logaddexp(*favoured)

    return log_p


@pytest.mark.parametrize(
    ("known", "log_p_words"),
    [
        ({}, plain_words),
        ({"forest": plant_forest([(0, 1)], []), "eta": 1.0}, plain_words),
        ({"forest": plant_forest([], [(0, 2)]), "eta": 1.0}, plain_words),
        ({"forest": plant_forest([(0, 1)], []), "eta": 30.0}, linked_words(30.0)),
        ({"forest": plant_forest([], [(0, 2)]), "eta": 30.0}, parted_words(30.0)),
    ],
    ids=["plain", "must-link, no strength", "cannot-link, no strength", "must-link", "cannot-link"],
)
def test_states_come_as_often_as_the_posterior_says(known, log_p_words):
    states = list(product(range(N_TOPICS), repeat=TINY.n_tokens))
    logs = [documents_given(z) + sum(log_p_words(words_of(z, k)) for k in range(N_TOPICS)) for z in states]
    posterior = up_to_names(np.exp(logs) / np.exp(logs).sum())
    chain = a_chain(TINY, N_TOPICS, **known)
    n_sweeps, seen = 4_000, np.zeros(len(states))
    place = N_TOPICS ** np.arange(TINY.n_tokens)[::-1]
    for _ in range(n_sweeps):
        chain.step()
        seen[chain.state.topic_of @ place] += 1
    assert np.abs(up_to_names(seen / n_sweeps) - posterior).sum() < 0.08


def up_to_names(frequencies):
    """Add up the two states that differ in the names of the topics."""
    return (frequencies + frequencies[::-1])[: len(frequencies) // 2]
