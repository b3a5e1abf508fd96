import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.metrics import classification_accuracy


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
