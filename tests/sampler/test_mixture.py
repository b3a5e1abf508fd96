"""A mixture of documents: merging equals its plain twin, and planted groups come back."""

import math

import numpy as np
import pytest
from scipy import sparse

from planted import plant_groups
from qdtm.sampler.mixture import (
    CONCENTRATIONS,
    LONG,
    DocumentMixture,
    choose_concentration,
    infer_groups,
    likelihoods_unseen,
    merge,
    words_once,
)
from qdtm.sampler.mixture_kernels import merge_greedily


def plain_marginal(counts, size, prior):
    """Log marginal likelihood of one group, word by word."""
    total = math.lgamma(size) + math.lgamma(sum(prior)) - math.lgamma(sum(prior) + sum(counts))
    return total + sum(math.lgamma(n + p) - math.lgamma(p) for n, p in zip(counts, prior, strict=True))


def plain_merge(groups, sizes, prior):
    """Merge the pair that gains most, until none gains."""
    alive = {k: (list(map(float, groups[k])), int(sizes[k])) for k in range(len(sizes))}
    into = list(range(len(sizes)))
    while True:
        gains = {}
        for a in alive:
            for b in (other for other in alive if other > a):
                both = [x + y for x, y in zip(alive[a][0], alive[b][0], strict=True)]
                size = alive[a][1] + alive[b][1]
                apart = plain_marginal(*alive[a], prior) + plain_marginal(*alive[b], prior)
                gains[a, b] = plain_marginal(both, size, prior) - apart
        if not gains or max(gains.values()) <= 0:
            return into, sum(plain_marginal(*group, prior) for group in alive.values())
        a, b = max(gains, key=gains.get)
        alive[a] = [x + y for x, y in zip(alive[a][0], alive[b][0], strict=True)], alive[a][1] + alive[b][1]
        del alive[b]
        into = [a if k == b else k for k in into]


@pytest.mark.parametrize("seed", range(6))
def test_merging_equals_its_plain_twin(seed):
    rng = np.random.default_rng(seed)
    groups = rng.poisson(rng.choice([0.3, 2.0], size=(6, 1)) * np.ones((6, 15))) * rng.choice([0.25, 1.0])
    sizes, prior = rng.integers(4, 9, 6), rng.choice([0.5, 5.0, 40.0]) * rng.dirichlet(np.ones(15))
    into, likelihood = merge_greedily(groups.copy(), sizes.copy(), prior)
    expected, plain = plain_merge(groups, sizes, prior)
    assert into.tolist() == expected
    assert likelihood == pytest.approx(plain)


def test_too_many_groups_become_those_that_are_there():
    counts, truth = plant_groups()
    has = words_once(counts)
    start = 3 * truth + np.arange(len(truth)) % 3  # each cut into three, by chance
    concentration = choose_concentration(likelihoods_unseen(has, start, words_once(plant_groups(seed=1)[0])))
    labels = infer_groups(has, start, concentration)
    assert len(np.unique(labels)) == 3
    assert len({(int(a), int(b)) for a, b in zip(labels, truth, strict=True)}) == 3


def test_what_has_no_groups_is_one():
    counts, _ = plant_groups(n_groups=1, each=120)
    assert set(merge(words_once(counts), np.arange(120) % 6, 5.0).tolist()) == {0}


def test_groups_that_stray_far_are_given_little_of_what_all_say():
    def chosen(concentration):
        rng = np.random.default_rng(0)
        groups = rng.dirichlet(np.full(200, concentration / 200), 4)  # (4, V)
        truth = np.arange(400) % 4
        counts = sparse.csr_matrix(np.array([rng.multinomial(15, groups[k]) for k in truth]))
        has = words_once(counts)
        return choose_concentration(likelihoods_unseen(has[:300], truth[:300], has[300:]))

    assert chosen(20.0) < chosen(400.0)


def test_of_what_is_as_likely_but_for_chance_the_simplest_is_taken():
    rng = np.random.default_rng(0)
    likelihoods = np.zeros((len(CONCENTRATIONS), 100))
    likelihoods[:6] -= 0.5  # clearly worse
    likelihoods[7:9] -= 0.001 + rng.normal(0, 0.1, (2, 100)) - 0.01  # as good, but for chance
    likelihoods[9] -= 0.5
    assert choose_concentration(likelihoods) == CONCENTRATIONS[8]
    likelihoods[6] += 0.2
    assert choose_concentration(likelihoods) == CONCENTRATIONS[6]


def test_words_of_a_long_document_count_for_less_however_often_it_has_them():
    counts = sparse.csr_matrix(np.ones((2, 400)) * [[1.0], [3.0]])
    short = sparse.csr_matrix((np.ones(3), ([0, 0, 0], [1, 5, 7])), (1, 400))
    has = words_once(sparse.vstack([counts, short]).tocsr())
    assert np.asarray(has.sum(axis=1)).ravel() == pytest.approx([np.sqrt(LONG * 400)] * 2 + [3.0])


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
