"""Equations 2 to 5, by hand and against loops that follow the paper's sums letter by letter."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from qdtm.queries.extractors import (
    frequency_scores,
    kld_scores,
    relevance_model,
    relevance_scores,
    similarity_scores,
)

EPS = 1e-6


def naive_kld(counts, retrieved):
    n_C, n_R = sum(map(sum, counts)), sum(sum(counts[d]) for d in retrieved)
    scores = []
    for w in range(len(counts[0])):
        p_C = sum(row[w] for row in counts) / n_C
        p_R = EPS * p_C + (1 - EPS) * sum(counts[d][w] for d in retrieved) / n_R
        scores.append(p_R * log(p_R / p_C) if p_C else 0.0)
    return scores


def naive_relevance_model(counts, retrieved, likelihood):
    n_C = sum(map(sum, counts))
    scores = [0.0] * len(counts[0])
    for d, p_q in zip(retrieved, likelihood, strict=True):
        for w in range(len(scores)):
            p_C = sum(row[w] for row in counts) / n_C
            p_wd = EPS * p_C + (1 - EPS) * counts[d][w] / sum(counts[d])
            scores[w] += p_wd * p_q / sum(likelihood)
    return scores


def naive_similarity(vectors, query_words, k):
    dots = [
        sum(a * b for q in query_words for a, b in zip(vector, vectors[q], strict=True)) for vector in vectors
    ]
    best = sorted(range(len(dots)), key=lambda w: (-dots[w], w))[:k]
    best = [w for w in best if dots[w] > 0]
    total = sum(dots[w] for w in best)
    return [dots[w] / total if w in best else 0.0 for w in range(len(dots))]


def random_counts(rng):
    counts = rng.poisson(0.8, size=(int(rng.integers(2, 15)), 6))
    counts[:, 0] += 1  # no empty document
    retrieved = rng.choice(len(counts), size=rng.integers(1, len(counts) + 1), replace=False)
    return counts, retrieved


def test_frequency_by_hand():
    counts = sparse.csr_array(np.array([[1, 0, 2], [5, 5, 5], [1, 1, 0]]))
    assert frequency_scores(counts, np.array([0, 2])).tolist() == [2.0, 1.0, 2.0]


def test_kld_by_hand():
    # Retrieved: 3 of 4 tokens are the first word; in the collection 3 of 12 are.
    scores = kld_scores(np.array([3.0, 1.0, 0.0]), np.array([3, 3, 6]) / 12)
    assert scores[0] == pytest.approx(0.75 * log(3), rel=1e-5)
    assert scores[1] == pytest.approx(0.0, abs=1e-5)
    assert scores[2] == pytest.approx(5e-7 * log(1e-6))


def test_kld_of_a_word_that_the_corpus_lacks_is_zero():
    assert kld_scores(np.array([2.0, 0.0]), np.array([1.0, 0.0]))[1] == 0.0


@given(st.integers(0, 100_000))
def test_fre_and_kld_equal_the_loops(seed):
    counts, retrieved = random_counts(np.random.default_rng(seed))
    frequency = frequency_scores(sparse.csr_matrix(counts), retrieved)
    assert frequency.tolist() == [sum(int(counts[d, w]) for d in retrieved) for w in range(6)]
    np.testing.assert_allclose(
        kld_scores(frequency, counts.sum(axis=0) / counts.sum()),
        naive_kld(counts.tolist(), retrieved),
        rtol=1e-9,
        atol=1e-15,
    )


def test_relevance_model_by_hand():
    # Two retrieved documents, one three times as likely as the other; a third document is not retrieved.
    counts = sparse.csr_array(np.array([[2, 2, 0], [4, 0, 0], [0, 0, 8]]))
    p_w = relevance_model(
        counts, np.array([4, 4, 8]), np.array([6, 2, 8]) / 16, np.array([0, 1]), np.log([0.3, 0.1])
    )
    assert p_w == pytest.approx([0.75 * 0.5 + 0.25, 0.75 * 0.5, 0.0], abs=1e-6)
    assert p_w[2] == pytest.approx(EPS * 0.5)
    assert p_w.sum() == pytest.approx(1.0)


@given(st.integers(0, 100_000))
def test_the_relevance_model_equals_the_loop(seed):
    rng = np.random.default_rng(seed)
    counts, retrieved = random_counts(rng)
    likelihood = rng.uniform(0.01, 1, size=len(retrieved))

    p_w = relevance_model(
        sparse.csr_matrix(counts),
        counts.sum(axis=1),
        counts.sum(axis=0) / counts.sum(),
        retrieved,
        np.log(likelihood) - 2000,  # far below what a float can hold: only the ratio counts
    )

    np.testing.assert_allclose(p_w, naive_relevance_model(counts.tolist(), retrieved, likelihood), rtol=1e-9)


def test_similarity_by_hand():
    vectors = np.array([[2, 0], [1, 1], [0, 3], [-1, 0], [0, 0]], dtype=np.float32)
    # The query is the sum of the first two vectors, (3, 1): dot products 6, 4, 3, -3, 0.
    assert similarity_scores(vectors, [0, 1], k=2).tolist() == [0.6, 0.4, 0.0, 0.0, 0.0]
    assert similarity_scores(vectors, [0, 1], k=5) == pytest.approx([6 / 13, 4 / 13, 3 / 13, 0, 0])


def test_similarity_without_a_vector_is_zero():
    assert similarity_scores(np.zeros((3, 2), dtype=np.float32), [0]).tolist() == [0.0, 0.0, 0.0]


@given(st.integers(0, 100_000), st.integers(1, 8))
def test_similarity_equals_the_loop(seed, k):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-3, 4, size=(7, 3))
    similarity = similarity_scores(vectors.astype(np.float32), [1, 2], k)
    np.testing.assert_allclose(similarity, naive_similarity(vectors.tolist(), [1, 2], k), rtol=1e-6)


def test_relevance_scores_mix_the_two():
    assert relevance_scores(np.array([0.4, 0.0]), np.array([0.2, 0.6])) == pytest.approx([0.3, 0.3])
    assert relevance_scores(np.array([0.4]), np.array([0.2]), mix=0.25) == pytest.approx([0.25])
