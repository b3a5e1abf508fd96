import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm.errors import ParameterError
from qdtm.evaluation.metrics import mean_precision_at_k, precision_at_k

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
