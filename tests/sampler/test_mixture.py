"""A mixture of words and vectors: merging equals its plain twin, and planted groups come back."""

import math

import numpy as np
import pytest
from scipy import sparse

from planted import plant_groups, plant_vectors
from qdtm.sampler.document_vectors import principal_components
from qdtm.sampler.mixture import DocumentMixture, Documents, choose_smoothing, infer_groups, merge, words_once

WITHIN = 0.8


def by_words(counts):
    return Documents(words_once(counts), np.zeros((counts.shape[0], 0)), 1.0)


def by_vectors(vectors):
    return Documents(sparse.csr_matrix((len(vectors), 0)), principal_components(vectors), WITHIN)


def plain_of_words(counts, beta):
    """Log marginal likelihood of the words of one group, word by word; without words there is nothing."""
    if not len(counts):
        return 0.0
    total = math.lgamma(len(counts) * beta) - math.lgamma(len(counts) * beta + sum(counts))
    return total + sum(math.lgamma(n + beta) - math.lgamma(beta) for n in counts)


def plain_of_vectors(vectors):
    """Log density of all vectors of a group together, one dimension after another."""
    n, d = vectors.shape
    if not d:
        return 0.0
    covariance = WITHIN / d * np.eye(n) + (1.0 - WITHIN) / d
    _, log_determinant = np.linalg.slogdet(covariance)
    return sum(-0.5 * (log_determinant + x @ np.linalg.solve(covariance, x)) for x in vectors.T)


def plain_merge(has, vectors, labels, beta):
    """Merge the pair that gains most, until none gains; return what each group is in the end."""
    groups = {k: labels == k for k in range(labels.max() + 1)}
    into = list(groups)

    def value(rows):
        counts = has[rows].sum(axis=0).tolist()
        return math.lgamma(rows.sum()) + plain_of_words(counts, beta) + plain_of_vectors(vectors[rows])

    while True:
        gains = {(a, b): value(groups[a] | groups[b]) - value(groups[a]) - value(groups[b])
                 for a in groups for b in groups if a < b}  # fmt: skip
        if not gains or max(gains.values()) <= 0:
            return np.unique(np.array(into)[labels], return_inverse=True)[1]
        a, b = max(gains, key=gains.get)
        groups[a] = groups[a] | groups.pop(b)
        into = [a if k == b else k for k in into]


@pytest.mark.parametrize("n_words", [0, 15])
@pytest.mark.parametrize("n_dimensions", [0, 4])
@pytest.mark.parametrize("seed", range(4))
def test_merging_equals_its_plain_twin(seed, n_dimensions, n_words):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(36) % 6)
    often = rng.choice([0.05, 0.5], size=(6, n_words))
    has = (rng.random((36, n_words)) < often[labels % 3]).astype(np.float64)
    has = has[:, has.any(axis=0)]
    vectors = np.zeros((36, 0))
    if n_dimensions:
        vectors = principal_components(plant_vectors(3, 12, n_dimensions, 1.0, seed)[0])
    beta = float(rng.choice([0.05, 0.2, 0.5]))
    found, _ = merge(Documents(sparse.csr_matrix(has), vectors, WITHIN), labels, beta)
    assert found.tolist() == plain_merge(has, vectors, labels, beta).tolist()


def test_the_likelihood_is_that_of_the_groups_that_are_left():
    counts, truth = plant_groups()
    has, beta = words_once(counts), 0.2
    labels, likelihood = merge(by_words(counts), truth, beta)
    dense = has.toarray()
    expected = sum(
        math.lgamma((labels == k).sum()) + plain_of_words(dense[labels == k].sum(axis=0).tolist(), beta)
        for k in np.unique(labels)
    )
    assert likelihood == pytest.approx(expected)


def test_too_many_groups_become_those_that_are_there():
    counts, truth = plant_groups()
    start = 3 * truth + np.arange(len(truth)) % 3  # each cut into three, by chance
    documents = by_words(counts)
    labels = infer_groups(documents, start, choose_smoothing([documents], [start]))
    assert len(np.unique(labels)) == 3
    assert len({(int(a), int(b)) for a, b in zip(labels, truth, strict=True)}) == 3


def test_too_many_groups_of_vectors_become_those_that_are_there():
    vectors, truth = plant_vectors()
    found = infer_groups(by_vectors(vectors), 3 * truth + np.arange(len(truth)) % 3, 0.1)
    assert len(np.unique(found)) == 4
    assert len({(int(a), int(b)) for a, b in zip(found, truth, strict=True)}) == 4


def test_what_has_no_groups_is_one():
    counts, _ = plant_groups(n_groups=1, each=120)
    labels, _ = merge(by_words(counts), np.arange(120) % 6, 0.5)
    assert set(labels.tolist()) == {0}


def test_other_documents_go_where_their_words_and_vectors_belong():
    vectors, truth = plant_vectors(3)
    counts, of_words = plant_groups()
    half = np.where(np.arange(len(truth)) % 2, truth, -1)
    assert (
        by_vectors(vectors).log_joint(half, 0.1, by_vectors(vectors)).argmax(axis=1).tolist()
        == truth.tolist()
    )
    order = np.random.default_rng(0).permutation(len(truth))  # or both would tell the same groups
    vectors, truth = vectors[order], truth[order]
    both = Documents(words_once(counts), principal_components(vectors), WITHIN)
    groups = 3 * of_words + truth  # nine, of which words alone tell three apart, and vectors alone three
    known = np.unique(groups, return_inverse=True)[1]
    joint = both.log_joint(known, 0.1, both)
    alone = [by_words(counts).log_joint(known, 0.1, by_words(counts)),
             by_vectors(vectors).log_joint(known, 0.1, by_vectors(vectors))]  # fmt: skip
    right = [(joint_of.argmax(axis=1) == known).mean() for joint_of in (joint, *alone)]
    assert right[0] > 0.95
    assert max(right[1:]) < 0.8
    sizes = np.log(np.bincount(known))
    assert joint == pytest.approx(alone[0] + alone[1] - (sizes - np.log(len(known))))


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
