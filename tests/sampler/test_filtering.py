"""Word filtering against loops over eq. 17 and 18."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.sampler.filtering import promotion_probability, topic_directions


def naive_cohesion(
    weights: np.ndarray, unit: np.ndarray, concept_words: list[np.ndarray], n_representative: int
) -> np.ndarray:
    """CV[k, w] of eq. 17, one representative word after the other, (V, K)."""
    n_words, n_topics = weights.shape
    cohesion = np.zeros((n_words, n_topics))
    for k in range(n_topics):
        if k < len(concept_words):
            representative = concept_words[k].tolist()
        else:
            representative = sorted(range(n_words), key=lambda w: -weights[w, k])[:n_representative]
        for w in range(n_words):
            for r in representative:
                cohesion[w, k] += float(weights[r, k]) * sum(
                    float(a) * float(b) for a, b in zip(unit[w], unit[r], strict=True)
                )
    return cohesion


def naive_probability(cohesion: np.ndarray, n_parents: int) -> np.ndarray:
    """Map each word's cohesions to 0, 1/(K-1), ..., 1 in rising order (eq. 18)."""
    n_words, n_topics = cohesion.shape
    probability = np.zeros((n_words, n_parents))
    for w in range(n_words):
        for step, k in enumerate(sorted(range(n_topics), key=lambda k: cohesion[w, k])):
            if k < n_parents:
                probability[w, k] = step / (n_topics - 1)
    return probability


def random_words(seed: int, n_words: int = 30, n_topics: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Topic-word probabilities and vectors of length 1; the last word has no vector."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(n_words, 0.3), n_topics).T  # (V, K)
    unit = rng.normal(size=(n_words, 6))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    unit[-1] = 0.0
    return weights, unit.astype(np.float32)


CONCEPT_WORDS = [np.array([3, 8, 1], np.int32), np.array([0], np.int32)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_representative", [1, 4, 10, 100])
def test_cohesion_is_a_product_with_the_topics_direction(seed: int, n_representative: int) -> None:
    weights, unit = random_words(seed)
    directions = topic_directions(weights, unit, CONCEPT_WORDS, n_representative)
    assert directions.shape == (7, 6)
    assert directions.dtype == np.float32
    expected = naive_cohesion(weights, unit, CONCEPT_WORDS, n_representative)
    np.testing.assert_allclose(unit @ directions.T, expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_probability_is_the_rank_among_topics(seed: int) -> None:
    weights, unit = random_words(seed)
    promoting = unit[:-1]  # every word with a vector; the ranks of the last are ties
    found = promotion_probability(topic_directions(weights, unit, CONCEPT_WORDS), promoting, n_parents=2)
    assert found.shape == (29, 2)
    assert found.dtype == np.float32
    expected = naive_probability(naive_cohesion(weights, unit, CONCEPT_WORDS, 10)[:-1], n_parents=2)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_worked_by_hand() -> None:
    """Two dimensions: topic 0 (a parent) points right, 1 points up, 2 points half up and half left.

    Words: 0 right (the concept word), 1 up, 2 left, 3 right and up by the 3-4-5 triangle.
    """
    unit = np.array([[1, 0], [0, 1], [-1, 0], [0.6, 0.8]], np.float32)
    weights = np.array([[0.5, 0.1, 0.0], [0.2, 0.6, 0.4], [0.2, 0.1, 0.4], [0.1, 0.2, 0.2]])  # (V, K)
    directions = topic_directions(weights, unit, [np.array([0], np.int32)], n_representative=2)
    # Topic 1's two heaviest words are 1 and 3: 0.6 (0, 1) + 0.2 (0.6, 0.8); topic 2's are 1 and 2.
    np.testing.assert_allclose(directions, [[0.5, 0.0], [0.12, 0.76], [-0.4, 0.4]], atol=1e-7)
    # Cohesion (V, K): right 0.5, 0.12, -0.4; up 0, 0.76, 0.4; left -0.5, -0.12, 0.4; 3-4-5 0.3, 0.68, 0.08.
    probability = promotion_probability(directions, unit, n_parents=1)
    assert probability.tolist() == [[1.0], [0.0], [0.0], [0.5]]


def test_the_best_topic_gets_1_and_the_worst_0() -> None:
    weights, unit = random_words(1)
    directions = topic_directions(weights, unit, [])
    probability = promotion_probability(directions, unit[:-1], n_parents=7)  # all topics, to see every rank
    for ranks in probability:
        np.testing.assert_allclose(sorted(ranks), np.arange(7) / 6, atol=1e-6)


def test_topics_that_tie_share_the_better_rank() -> None:
    directions = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    word = np.array([[1, 0]], np.float32)
    assert promotion_probability(directions, word, n_parents=3).tolist() == [[1.0, 1.0, 0.0]]


def test_a_lone_topic_always_promotes() -> None:
    word = np.array([[0, 1]], np.float32)
    assert promotion_probability(np.array([[1, 0]], np.float32), word, n_parents=1).tolist() == [[1.0]]


def test_the_scale_of_the_counts_does_not_matter() -> None:
    """Counts divided by the topics' mass rank as probabilities do."""
    weights, unit = random_words(2)
    mass = np.arange(1, 8) * 100.0
    directions = topic_directions(weights * mass, unit, CONCEPT_WORDS) / mass[:, None].astype(np.float32)
    expected = promotion_probability(topic_directions(weights, unit, CONCEPT_WORDS), unit[:-1], 2)
    np.testing.assert_array_equal(promotion_probability(directions, unit[:-1], 2), expected)
