"""A mixture of documents: merging equals its plain twin, and planted groups come back."""

import math

import numpy as np
import pytest
from scipy import sparse

from planted import plant_groups
from qdtm.sampler.mixture import DocumentMixture, choose_smoothing, infer_groups, merge, words_once
from qdtm.sampler.mixture_kernels import merge_greedily

ZERO = np.zeros((120, 1))


def plain_marginal(counts, size, beta):
    """Log marginal likelihood of one group, word by word."""
    total = math.lgamma(size) + math.lgamma(len(counts) * beta)
    total -= math.lgamma(len(counts) * beta + sum(counts))
    return total + sum(math.lgamma(n + beta) - math.lgamma(beta) for n in counts)


def plain_merge(groups, sizes, beta):
    """Merge the pair that gains most, until none gains."""
    alive = {k: (list(map(int, groups[k])), int(sizes[k])) for k in range(len(sizes))}
    into = list(range(len(sizes)))
    while True:
        gains = {}
        for a in alive:
            for b in (other for other in alive if other > a):
                both = [x + y for x, y in zip(alive[a][0], alive[b][0], strict=True)]
                size = alive[a][1] + alive[b][1]
                apart = plain_marginal(*alive[a], beta) + plain_marginal(*alive[b], beta)
                gains[a, b] = plain_marginal(both, size, beta) - apart
        if not gains or max(gains.values()) <= 0:
            return into, sum(plain_marginal(*group, beta) for group in alive.values())
        a, b = max(gains, key=gains.get)
        alive[a] = [x + y for x, y in zip(alive[a][0], alive[b][0], strict=True)], alive[a][1] + alive[b][1]
        del alive[b]
        into = [a if k == b else k for k in into]


@pytest.mark.parametrize("seed", range(6))
def test_merging_equals_its_plain_twin(seed):
    rng = np.random.default_rng(seed)
    groups = rng.poisson(rng.choice([0.3, 2.0], size=(6, 1)) * np.ones((6, 15))).astype(np.int32)
    sizes, beta = rng.integers(4, 9, 6), float(rng.choice([0.05, 0.2, 0.5]))
    of_count = np.array([math.lgamma(n + beta) for n in range(200)]) - math.lgamma(beta)
    into, likelihood = merge_greedily(groups.copy(), sizes.copy(), of_count, beta * 15)
    expected, plain = plain_merge(groups, sizes, beta)
    assert into.tolist() == expected
    assert likelihood == pytest.approx(plain)


def test_too_many_groups_become_those_that_are_there():
    counts, truth = plant_groups()
    has = words_once(counts)
    start = 3 * truth + np.arange(len(truth)) % 3  # each cut into three, by chance
    beta = choose_smoothing(has, start)
    labels, _ = infer_groups(has, start, beta)
    assert len(np.unique(labels)) == 3
    assert len({(int(a), int(b)) for a, b in zip(labels, truth, strict=True)}) == 3


def test_what_has_no_groups_is_one():
    counts, _ = plant_groups(n_groups=1, each=120)
    labels, _ = merge(words_once(counts), np.arange(120) % 6, 0.5)
    assert set(labels.tolist()) == {0}


def test_the_mixture_knows_its_documents_and_new_ones():
    counts, truth = plant_groups()
    mixture = DocumentMixture.of(words_once(counts), truth, 0.1)
    posterior = mixture.posterior(words_once(plant_groups(seed=1)[0]))
    assert posterior.sum(axis=1) == pytest.approx(1.0)
    assert (posterior.argmax(axis=1) == truth).mean() > 0.98
    assert mixture.take(np.array([2, 0])).posterior(words_once(counts)).shape == (120, 2)


def test_words_that_no_group_knows_say_nothing():
    counts, truth = plant_groups()
    wider = sparse.hstack([counts, np.ones((120, 1))]).tocsr()
    mixture = DocumentMixture.of(words_once(sparse.hstack([counts, np.zeros((120, 1))]).tocsr()), truth, 0.1)
    known = mixture.log_joint(words_once(wider))
    assert known == pytest.approx(
        DocumentMixture.of(words_once(counts), truth, 0.1).log_joint(words_once(counts))
    )


def test_an_entry_counts_as_its_words():
    counts, truth = plant_groups()
    mixture = DocumentMixture.of(words_once(counts), truth, 0.1)
    parts = sparse.vstack(
        [sparse.identity(48), sparse.csr_matrix(([1, 1], ([0, 0], [3, 40])), (1, 48))]
    ).tocsr()
    assert mixture.of_entries(parts).log_words[48] == pytest.approx(
        mixture.log_words[3] + mixture.log_words[40]
    )
    assert mixture.of_entries(None) is mixture
