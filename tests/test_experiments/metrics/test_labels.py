import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.metrics.labels import (
    agreement,
    calibration_error,
    classification_accuracy,
    mean_precision_at_k,
    n_categories,
    precision_at_k,
    reliability_curve,
)
from qdtm.errors import ParameterError


def noisy_shares(n_docs: int = 300, n_topics: int = 4):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_topics, size=n_docs)
    theta = rng.dirichlet(np.ones(n_topics), size=n_docs) + 0.7 * np.eye(n_topics)[labels]
    return theta / theta.sum(axis=1, keepdims=True), labels


def test_perfect_shares_classify_perfectly():
    labels = np.repeat([0, 1, 2], 10)
    assert classification_accuracy(np.eye(3)[labels], labels) == 1.0


def test_equals_folds_done_by_hand():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    theta, labels = noisy_shares()
    right = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=3).split(theta, labels):
        model = LogisticRegression().fit(theta[train], labels[train])
        right.append((model.predict(theta[test]) == labels[test]).mean())
    assert 0.5 < np.mean(right) < 1
    assert classification_accuracy(theta, labels, seed=3) == pytest.approx(np.mean(right))


def test_documents_without_label_do_not_count():
    theta, labels = noisy_shares()
    more_theta = np.vstack([theta[:50], np.full((20, 4), 0.25), theta[50:]])
    more_labels = np.concatenate([labels[:50], np.full(20, -1), labels[50:]])
    assert classification_accuracy(more_theta, more_labels) == classification_accuracy(theta, labels)


def test_no_seed_keeps_the_order_of_documents():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    theta, labels = noisy_shares()
    expected = cross_val_score(LogisticRegression(max_iter=500), theta, labels, cv=5).mean()
    assert classification_accuracy(theta, labels, seed=None) == pytest.approx(expected)


@pytest.mark.parametrize("labels", [[0] * 10, [0] * 8 + [1] * 2, [-1] * 10])
def test_too_few_documents_are_refused(labels):
    with pytest.raises(ParameterError, match="at least 2 categories of 5 documents each"):
        classification_accuracy(np.ones((10, 2)), labels)


DOCUMENTS = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30)


def test_hand_worked_case():
    scores = [0.9, 0.1, 0.8, 0.7, 0.2]
    relevant = [True, True, False, True, False]  # the three best are documents 0, 2 and 3
    assert precision_at_k(scores, relevant) == pytest.approx(2 / 3)


def test_equal_scores_rank_in_the_order_of_the_documents():
    assert precision_at_k([0.5, 0.5, 0.5], [True, False, False]) == 1.0
    assert precision_at_k([0.5, 0.5, 0.5], [False, False, True]) == 0.0


@given(documents=DOCUMENTS.filter(lambda docs: any(relevant for _, relevant in docs)))
def test_equals_a_sorted_list(documents):
    ranked = sorted(documents, key=lambda document: -document[0])
    k = sum(relevant for _, relevant in documents)
    expected = sum(relevant for _, relevant in ranked[:k]) / k
    assert precision_at_k(*zip(*documents, strict=True)) == pytest.approx(expected)


def test_mean_is_over_categories_not_documents():
    labels = np.array([0, 1, 1, 1, -1])
    theta = np.array([[1.0, 0, 9], [0, 1, 9], [0, 1, 9], [0, 0, 9], [5, 5, 9]])
    theta[0, 1] = 0.5  # document 0 comes before document 3 in topic 1
    assert mean_precision_at_k(theta, labels) == pytest.approx((1 + 2 / 3) / 2)


def test_no_relevant_document_is_an_error():
    with pytest.raises(ParameterError, match="at least one relevant document"):
        precision_at_k([0.1, 0.2], [False, False])


@pytest.mark.parametrize("labels", [[0, 2], [-1, -1]])
def test_labels_must_fit_the_topics(labels):
    with pytest.raises(ParameterError, match="but there are 2 topics"):
        mean_precision_at_k(np.ones((2, 2)), labels)


def test_a_hand_counted_curve():
    points = reliability_curve([0.05, 0.05, 0.95, 1.0], [False, True, True, True])
    assert [(p.said, p.true, p.n) for p in points] == [(0.05, 0.5, 2), (0.975, 1.0, 2)]
    assert calibration_error([0.05, 0.05, 0.95, 1.0], [False, True, True, True]) == pytest.approx(
        0.5 * 0.45 + 0.5 * 0.025
    )


def test_honest_probabilities_have_almost_no_error():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    assert calibration_error(p, rng.random(20_000) < p) < 0.02


def test_overconfidence_shows():
    rng = np.random.default_rng(0)
    truth = rng.random(5_000) < 0.5
    assert calibration_error(np.full(5_000, 0.9), truth) == pytest.approx(0.4, abs=0.03)


def test_no_documents_have_no_error():
    assert calibration_error([], []) == 0.0


LOWER = ["a"] * 10 + ["b"] * 10


def test_the_same_split_agrees_whatever_its_numbers():
    found = agreement([7] * 10 + [3] * 10, LOWER)
    assert (found.ami, found.homogeneity, found.completeness) == pytest.approx((1.0, 1.0, 1.0))
    assert (found.n_documents, found.n_lower, found.without) == (20, 2, 0.0)


def test_one_part_or_a_random_split_says_nothing():
    assert agreement([0] * 20, LOWER).ami == pytest.approx(0.0)
    rng = np.random.default_rng(0)
    lower = rng.choice(["a", "b", "c"], 3000)
    assert abs(agreement(rng.integers(0, 5, 3000), lower).ami) < 0.01


def test_halves_of_categories_are_pure_and_incomplete():
    found = agreement([0] * 5 + [1] * 5 + [2] * 5 + [3] * 5, LOWER)
    assert found.homogeneity == pytest.approx(1.0)
    assert found.completeness == pytest.approx(0.5)


def test_to_leave_out_what_is_hard_does_not_pay():
    kept = agreement([0] * 5 + [-1] * 5 + [1] * 5 + [-1] * 5, LOWER)
    assert kept.without == 0.5
    assert kept.ami < 0.6


def test_no_documents_no_agreement():
    assert agreement([], []) is None
    assert n_categories([]) == 0


def test_a_category_of_less_than_one_percent_is_not_there():
    assert n_categories(["a"] * 99 + ["b"]) == 2
    assert n_categories(["a"] * 100 + ["b"]) == 1
