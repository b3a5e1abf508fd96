"""A mixture of vectors: merging equals its plain twin, and planted groups come back."""

import numpy as np
import pytest

from qdtm.sampler.consensus import group_documents
from qdtm.sampler.vector_mixture import (
    N_COMPONENTS,
    WITHIN,
    infer_vector_groups,
    log_joint,
    log_marginal,
    merge_vectors,
    principal_components,
)


def plant_vectors(n_groups=4, each=40, n_dimensions=30, apart=2.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_groups), each)
    centres = apart * np.random.default_rng(99).normal(size=(n_groups, n_dimensions))
    return (centres[truth] + rng.normal(size=(len(truth), n_dimensions))).astype(np.float32), truth


def plain_marginal(vectors):
    """Log marginal likelihood of a group, by the density of all its vectors: one dimension after another."""
    n, d = vectors.shape
    within, between = WITHIN / d, (1.0 - WITHIN) / d
    covariance = within * np.eye(n) + between
    _, log_determinant = np.linalg.slogdet(covariance)
    return sum(-0.5 * (log_determinant + x @ np.linalg.solve(covariance, x)) for x in vectors.T)


def plain_merge(vectors, labels):
    groups = {k: [vectors[labels == k]] for k in np.unique(labels).tolist()}
    of = {k: k for k in groups}

    def value(members):
        together = np.concatenate(members)
        return plain_marginal(together) + float(np.sum(np.log(np.arange(1, len(together)))))

    while True:
        gains = {
            (a, b): value(groups[a] + groups[b]) - value(groups[a]) - value(groups[b])
            for a in groups
            for b in groups
            if a < b
        }
        if not gains or max(gains.values()) <= 0:
            return np.unique([of[k] for k in labels.tolist()], return_inverse=True)[1]
        a, b = max(gains, key=gains.get)
        groups[a] += groups.pop(b)
        of = {k: a if now == b else now for k, now in of.items()}


@pytest.mark.parametrize("seed", range(4))
def test_merging_equals_its_plain_twin(seed):
    rng = np.random.default_rng(seed)
    vectors = principal_components(plant_vectors(3, 12, 5, apart=1.0, seed=seed)[0])
    start = rng.permutation(np.arange(36) % 7)
    assert merge_vectors(vectors, start).tolist() == plain_merge(vectors, start).tolist()


def test_the_marginal_likelihood_is_that_of_all_vectors_together():
    vectors = np.random.default_rng(0).normal(size=(9, 4))
    alone = sum(plain_marginal(vector[None]) for vector in vectors)
    together = log_marginal(np.array(9.0), vectors.sum(axis=0))
    apart = sum(log_marginal(np.array(1.0), vector) for vector in vectors)
    restaurant = float(np.sum(np.log(np.arange(1, 9))))
    assert together - apart - restaurant == pytest.approx(plain_marginal(vectors) - alone)


def test_too_many_groups_become_those_that_are_there():
    vectors, truth = plant_vectors()
    reduced = principal_components(vectors)
    found = infer_vector_groups(reduced, 3 * truth + np.arange(len(truth)) % 3)
    assert len(np.unique(found)) == 4
    assert len({(int(a), int(b)) for a, b in zip(found, truth, strict=True)}) == 4


def test_other_documents_go_where_they_belong():
    vectors, truth = plant_vectors()
    reduced = principal_components(vectors)
    labels = np.where(np.arange(len(truth)) % 2, truth, -1)
    assert log_joint(reduced, labels, reduced).argmax(axis=1).tolist() == truth.tolist()


def test_components_have_the_length_one_in_the_square_mean():
    reduced = principal_components(plant_vectors()[0])
    assert reduced.shape[1] == N_COMPONENTS
    assert (reduced**2).sum(axis=1).mean() == pytest.approx(1.0)
    assert principal_components(np.ones((5, 3), np.float32)) == pytest.approx(0.0)


def test_documents_are_grouped_by_their_vectors_where_they_have_some():
    from scipy import sparse

    vectors, truth = plant_vectors()
    counts = sparse.csr_matrix(
        np.random.default_rng(1).integers(0, 2, (len(truth), 30))
    )  # which tell nothing
    found = group_documents(counts, np.ones(len(truth)), (0,), vectors)
    assert found.n_groups == 4
    assert len({(int(a), int(b)) for a, b in zip(found.labels, truth, strict=True)}) == 4
    assert (
        found.labels.tobytes() == group_documents(counts, np.ones(len(truth)), (0,), vectors).labels.tobytes()
    )
