import numpy as np
import pytest

from qdtm.evaluation.bench.measuring import parent_figures, subtopic_figures, topic_words
from qdtm.evaluation.systems import Outcome, SubtopicGroup
from qdtm.evaluation.systems.outcome import Reading

from .fakes import TinyWorkbench

VECTORS = np.eye(6, dtype=np.float32)


@pytest.fixture
def bench():
    return TinyWorkbench()


def figures(found):
    return {figure.metric: figure.value for figure in found}


def test_a_perfect_outcome(bench):
    dataset = bench.dataset("20news")
    shares = np.eye(2)[dataset.labels]
    topics = np.zeros((2, 6))
    topics[0, [dataset.corpus.vocabulary.index(word) for word in ("fire", "smoke", "forest")]] = 1 / 3
    topics[1] = (1 - 3 * topics[0]) / 3
    found = figures(parent_figures(Outcome(shares, shares, topics), dataset, bench.windows("20news")))
    assert found["accuracy"] == found["precision_at_k"] == 1.0
    assert -1 <= found["coherence"] <= 1
    assert list(found) == ["accuracy", "coherence", "precision_at_k"]


def test_both_readings_are_measured_and_shares_once_if_they_are_the_same(bench):
    dataset = bench.dataset("20news")
    right = np.eye(2)[dataset.labels]
    outcome = Outcome(right, right, own=Reading(1 - right))
    found = figures(parent_figures(outcome, dataset, bench.windows("20news")))
    assert found == {"accuracy": 1.0, "precision_at_k_own": 0.0, "precision_at_k_mixed": 1.0}


def test_a_row_with_more_to_say_of_a_document_is_measured_by_both(bench):
    dataset = bench.dataset("20news")
    right = np.eye(2)[dataset.labels]
    outcome = Outcome(right, np.zeros_like(right), all_features=np.column_stack([right, right]))
    found = figures(parent_figures(outcome, dataset, bench.windows("20news")))
    assert found.pop("accuracy") < 0.6  # of nothing
    assert found == {"accuracy_all_features": 1.0, "n_features": 4.0, "precision_at_k": 1.0}


def test_a_system_without_topics_has_only_precision(bench):
    dataset = bench.dataset("20news")
    scores = np.eye(2)[1 - dataset.labels]  # every document for the wrong concept
    found = figures(parent_figures(Outcome(scores), dataset, bench.windows("20news")))
    assert found == {"precision_at_k": 0.0}
    assert topic_words(Outcome(scores), dataset) == ()
    assert subtopic_figures(Outcome(scores), VECTORS) == ()


def test_subtopics_by_hand():
    """Two equal subtopics, the parent half-way between them and two others: the numbers are known."""
    parent = np.array([0.5, 0.5, 0, 0, 0, 0])
    same = SubtopicGroup(np.array([[1.0, 0, 0, 0, 0, 0]] * 2), np.array([0.1, 0.1]))
    lone = SubtopicGroup(np.eye(6)[:1], np.array([0.3]))
    rare = SubtopicGroup(np.eye(6)[:2], np.array([0.1, 0.0049]))
    outcome = Outcome(np.empty((0, 3)), None, np.stack([parent] * 3), (same, lone, rare))
    found = figures(subtopic_figures(outcome, VECTORS))
    assert found["diversity"] == 0.5  # six words, each in both
    assert found["cohesion"] == pytest.approx(np.sqrt(0.5))
    assert found["overall"] == pytest.approx(0.5 * np.sqrt(0.5))


def test_overall_is_the_mean_of_products_not_the_product_of_means():
    parents = np.eye(6)[:2]
    near = SubtopicGroup(np.eye(6)[[0, 0]], np.ones(2))
    far = SubtopicGroup(np.eye(6)[[2, 3]], np.ones(2))
    found = figures(subtopic_figures(Outcome(np.empty((0, 2)), None, parents, (near, far)), VECTORS))
    assert found["cohesion"] == 0.5
    assert found["overall"] == 0.25  # (0.5 * 1 + 0.5 * 0) / 2


def test_no_parent_with_two_subtopics_has_no_figures():
    empty = SubtopicGroup(np.empty((0, 6)), np.empty(0))
    assert subtopic_figures(Outcome(np.empty((0, 1)), None, np.eye(6)[:1], (empty,)), VECTORS) == ()


def test_words_of_topics_and_of_all_their_subtopics(bench):
    dataset = bench.dataset("20news")
    rank = np.array([6.0, 5, 4, 3, 2, 1])
    group = SubtopicGroup(np.stack([rank, rank[::-1]]), np.array([0.1, 0.0001]))
    none = SubtopicGroup(np.empty((0, 6)), np.empty(0))
    first, second = topic_words(
        Outcome(np.empty((24, 2)), None, np.stack([rank, rank[::-1]]), (group, none)), dataset
    )
    assert first.phrase == "Business"
    assert first.words == dataset.corpus.vocabulary
    assert first.subtopics == (dataset.corpus.vocabulary, dataset.corpus.vocabulary[::-1])
    assert second.subtopics == ()
