"""Documents as vectors: means of words, principal components, how likely they are in a group."""

import numpy as np
import pytest
from scipy import sparse

from qdtm.sampler.document_vectors import (
    N_COMPONENTS,
    log_likelihood,
    mean_word_vectors,
    principal_components,
    totals,
    variances,
)


def plain_mean(counts, vectors):
    """The mean of the vectors of a document's words, one after another."""
    n, rows = len(counts), []
    for document in counts:
        weight, total = 0.0, np.zeros(vectors.shape[1])
        for w in np.flatnonzero(document):
            if vectors[w].any():
                idf = np.log((1 + n) / (1 + (counts[:, w] > 0).sum())) + 1
                weight, total = weight + idf, total + idf * vectors[w]
        rows.append(total / weight if weight else None)
    known = np.mean([row for row in rows if row is not None], axis=0)
    return np.array([known if row is None else row for row in rows])


def test_means_of_word_vectors_equal_their_plain_twin():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.4, (30, 12))
    counts[3] = 0  # an empty document
    vectors = rng.normal(size=(12, 5)).astype(np.float32)
    vectors[[2, 7]] = 0.0  # words without one
    counts[4] = np.eye(12, dtype=int)[2]  # a document of such a word
    found = mean_word_vectors(sparse.csr_matrix(counts), vectors)
    assert found == pytest.approx(plain_mean(counts, vectors), abs=1e-5)


def test_documents_without_any_vector_say_nothing():
    found = mean_word_vectors(sparse.csr_matrix(np.ones((3, 2))), np.zeros((2, 4), np.float32))
    assert found.tolist() == np.zeros((3, 4)).tolist()
    assert principal_components(found).tolist() == np.zeros((3, 4)).tolist()


def test_components_have_the_length_one_in_the_square_mean():
    vectors = np.random.default_rng(0).normal(size=(200, 30))
    reduced = principal_components(vectors)
    assert reduced.shape[1] == N_COMPONENTS
    assert (reduced**2).sum(axis=1).mean() == pytest.approx(1.0)
    assert principal_components(np.ones((5, 3), np.float32)) == pytest.approx(0.0)


def test_the_likelihood_of_a_vector_is_its_predictive_density():
    rng = np.random.default_rng(0)
    vectors, others = rng.normal(size=(7, 4)), rng.normal(size=(3, 4))
    labels = np.array([0, 0, 0, 1, 1, -1, -1])
    found = log_likelihood(vectors, labels, others, 0.8)
    inside, between = variances(4, 0.8)
    for group, members in enumerate((vectors[:3], vectors[3:5])):
        joint = inside * np.eye(len(members) + 1) + between  # of all of a group and one more, in a dimension
        cross = joint[-1, :-1] @ np.linalg.inv(joint[:-1, :-1])
        variance = joint[-1, -1] - cross @ joint[:-1, -1]
        far = ((others - cross @ members) ** 2).sum(axis=1)
        assert found[:, group] == pytest.approx(-0.5 * 4 * np.log(variance) - far / (2 * variance))


def test_sizes_and_sums_leave_out_who_is_in_no_group():
    sizes, sums = totals(np.arange(8.0).reshape(4, 2), np.array([1, -1, 0, 1]))
    assert (sizes.tolist(), sums.tolist()) == ([1, 2], [[4.0, 5.0], [6.0, 8.0]])
    assert totals(np.zeros((3, 0)), np.array([0, 0, 1]))[1].shape == (2, 0)
