"""Probabilities against plain loops over the same counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from qdtm.results import distributions
from qdtm.results.distributions import (
    document_subtopics,
    document_topics,
    subtopic_word_probabilities,
    topic_shares,
    topic_word_probabilities,
    word_topic_probabilities,
)

WORD_TOPIC = np.array([[3, 0, 1], [0, 4, 0], [0, 0, 0], [1, 1, 2]], np.float32)  # (V=4, K=3)


def naive_document_topics(counts, word_topic):
    """Fact 9, a document, a topic and a word at a time."""
    word_topic = word_topic.astype(float)
    n_topics = word_topic.shape[1]
    overall = [sum(word_topic[:, z]) / word_topic.sum() for z in range(n_topics)]
    rows = []
    for n_d in counts:
        weight = [0.0] * n_topics
        for w, n_dw in enumerate(n_d):
            total = sum(word_topic[w])
            for z in range(n_topics):
                p = word_topic[w, z] / total if total else overall[z]
                weight[z] += n_dw * p
        rows.append([x / sum(weight) for x in weight] if sum(weight) else overall)
    return np.array(rows)


def test_topic_word_probabilities_by_hand():
    promoted = np.zeros((4, 1), np.float32)
    promoted[0, 0] = 0.6
    phi = topic_word_probabilities(WORD_TOPIC, promoted, 0.5)
    assert phi.shape == (3, 4)
    assert phi[0] == pytest.approx(np.array([4.1, 0.5, 0.5, 1.5]) / 6.6)
    assert phi[1] == pytest.approx(np.array([0.5, 4.5, 0.5, 1.5]) / 7)
    assert phi.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_subtopic_words_are_the_parents_words():
    counts = np.array([[2, 0], [0, 1], [0, 0], [0, 0]], np.float32)
    phi = subtopic_word_probabilities(counts, np.array([True, True, False, True]), 0.5)
    assert phi[0] == pytest.approx(np.array([2.5, 0.5, 0.0, 0.5]) / 3.5)
    assert phi.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_an_unseen_word_gets_the_overall_shares():
    p = word_topic_probabilities(WORD_TOPIC)
    assert p[0] == pytest.approx([0.75, 0, 0.25])
    assert p[2] == pytest.approx(np.array([4, 5, 3]) / 12)
    assert topic_shares(WORD_TOPIC) == pytest.approx(p[2])


def test_shares_of_nothing_are_even():
    assert topic_shares(np.zeros((2, 4), np.float32)) == pytest.approx([0.25] * 4)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_document_topics_equal_the_naive_twin(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (6, 5))
    word_topic = (rng.poisson(1.0, (5, 4)) + (np.arange(20).reshape(5, 4) == 0)).astype(np.float32)
    theta = document_topics(sparse.csr_matrix(counts, dtype=np.int32), word_topic)
    assert theta == pytest.approx(naive_document_topics(counts, word_topic), abs=1e-12)
    assert np.abs(theta.sum(axis=1) - 1).max() < 1e-9


def test_a_document_without_words_gets_the_overall_shares():
    theta = document_topics(sparse.csr_matrix(np.zeros((1, 4), np.int32)), WORD_TOPIC)
    assert theta[0] == pytest.approx(topic_shares(WORD_TOPIC))


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    counts = sparse.csr_matrix(rng.poisson(0.5, (23, 4)).astype(np.int32))
    whole = document_topics(counts, WORD_TOPIC)
    monkeypatch.setattr(distributions, "BLOCK", 5)
    assert (document_topics(counts, WORD_TOPIC) == whole).all()


def test_document_subtopics_by_hand():
    counts = np.array([[2, 0, 0, 1], [0, 3, 0, 0], [0, 0, 0, 0]], np.int32)
    subtopics = np.array([[1, 2], [0, 0], [0, 0], [1, 0]], np.float32)
    shares = document_subtopics(sparse.csr_matrix(counts), WORD_TOPIC, subtopics, 0)
    first = (2 * 0.75 * np.array([1 / 3, 2 / 3]) + 1 * 0.25 * np.array([1, 0])) / 3
    assert shares[0] == pytest.approx(first)
    assert (shares[1:] == 0).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_subtopics_never_exceed_the_relevance(seed):
    rng = np.random.default_rng(seed)
    counts = sparse.csr_matrix(rng.poisson(0.7, (8, 5)).astype(np.int32))
    word_topic = rng.poisson(2.0, (5, 3)).astype(np.float32)
    word_topic[0, 0] += 1
    subtopics = rng.poisson(0.5, (5, 3)).astype(np.float32)
    shares = document_subtopics(counts, word_topic, subtopics, 1)
    relevance = document_topics(counts, word_topic)[:, 1]
    assert (shares.sum(axis=1) <= relevance + 1e-12).all()


def test_no_subtopics_is_an_empty_array():
    counts = sparse.csr_matrix(np.ones((2, 4), np.int32))
    assert document_subtopics(counts, WORD_TOPIC, np.zeros((4, 0), np.float32), 0).shape == (2, 0)
