from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.datasets.paper_corpora import Dataset
from experiments.metrics import topics as words
from experiments.metrics.topics import (
    category_words,
    overall_quality,
    share_of,
    sibling_diversity,
    top_word_ids,
    topic_cohesion,
    topic_diversity,
)
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

from ..bench.planted import THEMES, planted_dataset

# Three subtopics over nine words; the top three words of each are {0, 1, 2}, {2, 3, 4} and {2, 4, 5}.
SUBTOPICS = np.array(
    [
        [5, 4, 3, 0, 0, 0, 0, 0, 0],
        [0, 0, 4, 5, 3, 0, 0, 0, 0],
        [0, 0, 3, 0, 4, 5, 0, 0, 0],
    ]
)


def test_printed_diversity_of_a_hand_worked_case():
    assert topic_diversity(SUBTOPICS, 3) == pytest.approx(6 / 9)  # 0 1 2 3 4 5 of nine


def test_released_diversity_of_a_hand_worked_case():
    assert sibling_diversity(SUBTOPICS, 3) == pytest.approx((2 / 3 + 1 / 3 + 1 / 3) / 3)


def test_one_subtopic_is_wholly_diverse():
    assert topic_diversity(SUBTOPICS[:1], 3) == sibling_diversity(SUBTOPICS[:1], 3) == 1.0


def test_equal_subtopics():
    same = np.vstack([SUBTOPICS[0]] * 4)
    assert topic_diversity(same, 3) == pytest.approx(1 / 4)
    assert sibling_diversity(same, 3) == 0


@given(seed=st.integers(0, 1000), n_subtopics=st.integers(1, 6))
def test_diversities_equal_sets_of_words(seed, n_subtopics):
    subtopics = np.random.default_rng(seed).random((n_subtopics, 40))
    tops = [set(np.argsort(-row)[:25].tolist()) for row in subtopics]
    assert topic_diversity(subtopics) == pytest.approx(len(set.union(*tops)) / (25 * n_subtopics))
    own = [
        top - set().union(*(o for other, o in enumerate(tops) if other != t)) for t, top in enumerate(tops)
    ]
    assert sibling_diversity(subtopics) == pytest.approx(np.mean([len(words) / 25 for words in own]))


def test_cohesion_of_a_hand_worked_case():
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]])
    parent = [0.5, 0.5, 0.0]  # its two words sum to (0.5, 0.5)
    subtopics = [[0.6, 0.0, 0.4], [0.3, 0.3, 0.0]]
    # with one word each: parent (0.5, 0) by the order of ids; subtopics (0.6, 0) and (0.3, 0)
    assert topic_cohesion(parent, subtopics, vectors, n_words=1) == pytest.approx(1)
    # with two: parent (0.5, 0.5); subtopics (0.6 + 3.6, 3.6) and (0.3, 0.3)
    first = (4.2 + 3.6) / np.sqrt(2) / np.hypot(4.2, 3.6)
    assert topic_cohesion(parent, subtopics, vectors, n_words=2) == pytest.approx((first + 1) / 2)


def test_only_the_top_ten_words_make_the_embedding():
    vectors = np.vstack([np.tile([1.0, 0.0], (10, 1)), [0.0, 1000.0]])
    parent = np.array([1.0] * 10 + [0.5])
    assert topic_cohesion(parent, [parent * 3], vectors) == pytest.approx(1)
    assert topic_cohesion(parent, [np.eye(11)[0]], vectors) == pytest.approx(1)


def test_words_without_vector_count_for_nothing():
    vectors = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert topic_cohesion([0.5, 0.5], [[0.9, 0.1]], vectors) == pytest.approx(1)
    assert topic_cohesion([0.5, 0.5], [[0.0, 1.0]], np.zeros((2, 2))) == 0


def test_overall_is_the_product():
    rng = np.random.default_rng(1)
    parent, subtopics, vectors = rng.random(40), rng.random((3, 40)), rng.normal(size=(40, 5))
    product = topic_diversity(subtopics) * topic_cohesion(parent, subtopics, vectors)
    assert 0 < topic_diversity(subtopics) < 1
    assert overall_quality(parent, subtopics, vectors) == pytest.approx(product)


def test_equal_weights_rank_by_id():
    np.testing.assert_array_equal(top_word_ids([0.2, 0.3, 0.2, 0.3], 3), [[1, 3, 0]])


def test_no_subtopics_is_an_error():
    with pytest.raises(ParameterError, match="at least one subtopic, got none"):
        topic_diversity(np.empty((0, 40)))


def naive_scores(documents, labels, query):
    inside = [
        word for words, label in zip(documents, labels, strict=True) if label == query for word in words
    ]
    whole = [word for words in documents for word in words]
    scores = {}
    for word in set(inside):
        n_documents = sum(
            word in words for words, label in zip(documents, labels, strict=True) if label == query
        )
        if n_documents >= 5:
            p, q = inside.count(word) / len(inside), whole.count(word) / len(whole)
            scores[word] = p * log(p / q)
    return scores


def test_the_words_of_a_category_are_those_of_the_formula(monkeypatch):
    monkeypatch.setattr(words, "N_OWN", 4)
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 30)
    documents = [
        [f"w{w}" for w in rng.binomial(12, 0.3 + 0.2 * label, 7)] + ["seldom"] * (j < 4)
        for j, label in enumerate(labels)
    ]
    dataset = Dataset("x", Corpus.from_tokens(documents), labels, ())
    for query in (0, 1):
        scores = naive_scores(documents, labels, query)
        assert category_words(dataset, query) == set(sorted(scores, key=scores.get)[-4:])
        assert "seldom" not in scores


def test_planted_words_are_found():
    own = category_words(planted_dataset(), 1)
    assert {"cricket", *THEMES["cricket"]} <= own


def test_the_share_of_words():
    assert share_of(["a", "b", "c", "d"], {"a", "c"}) == pytest.approx(0.5)
    assert share_of([], {"a"}) is None
