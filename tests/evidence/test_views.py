"""Views of documents, against loops, and against views of a corpus without the document or the words."""

import numpy as np
import pytest
from scipy import sparse

from qdtm.evidence.meaning_view import ENCODED_RIDGE, MeaningView, unit_rows, word_vector_view
from qdtm.evidence.views import HEARD, TOPIC_DOUBT, WORD_DOUBT, TopicView, WordView, standardised, tfidf

from .worlds import random_counts

N_DOCUMENTS, N_WORDS, N_TOPICS = 40, 15, 4


def labels_of(seed, n=N_DOCUMENTS):
    rng = np.random.default_rng(seed + 1000)
    return np.where(rng.random(n) < 0.4, rng.uniform(0.1, 1.0, n), 0.0)


def without(labels, j):
    others = labels.copy()
    others[j] = 0.0
    return others


def topics_of(seed):
    return np.random.default_rng(seed + 2000).integers(0, 6, (N_WORDS, N_TOPICS)).astype(np.float32)


def naive_words(counts, labels, j, hide=()):
    """The mean log odds of a document's words, by the labels of all others."""
    dense, others = counts.toarray(), without(labels, j)
    total = 0.0
    for w in range(dense.shape[1]):
        if dense[j, w] and w not in hide:
            has = dense[:, w] > 0
            p = (has.sum() + 0.5) / (len(dense) + 1.0)
            total += dense[j, w] * np.log((others[has].sum() / p + WORD_DOUBT) / (others.sum() + WORD_DOUBT))
    return total / dense[j].sum()


def naive_topics(counts, word_topic, labels, j, hide=()):
    """The same over topics."""
    dense = counts.toarray().astype(float)
    dense[:, list(hide)] = 0.0
    dense[:, word_topic.sum(axis=1) == 0] = 0.0
    p_kw = word_topic / np.maximum(word_topic.sum(axis=1, keepdims=True), 1e-12)
    theta = np.array([row @ p_kw / max(row.sum(), 1.0) for row in dense])  # (D, K)
    p_k = theta.sum(axis=0) / theta.sum()
    others = without(labels, j)
    n_k = others @ theta
    odds = np.log((n_k + TOPIC_DOUBT * p_k) / (others.sum() + TOPIC_DOUBT) / p_k)
    return theta[j] @ odds


@pytest.mark.parametrize("seed", range(5))
class TestLoops:
    """Every view equals a loop in which the document's own label is taken away first."""

    def test_words(self, seed):
        counts, labels = random_counts(seed), labels_of(seed)
        expected = [naive_words(counts, labels, j) for j in range(N_DOCUMENTS)]
        np.testing.assert_allclose(WordView(counts)(labels), expected, rtol=1e-10)

    def test_topics(self, seed):
        counts, labels, topics = random_counts(seed), labels_of(seed), topics_of(seed)
        expected = [naive_topics(counts, topics, labels, j) for j in range(N_DOCUMENTS)]
        np.testing.assert_allclose(TopicView(counts, topics)(labels), expected, rtol=1e-8, atol=1e-10)

    def test_meaning(self, seed):
        """Ridge regression, fitted anew without the document."""
        vectors, labels = np.random.default_rng(seed).normal(size=(N_DOCUMENTS, 6)), labels_of(seed)
        rows = unit_rows(vectors)
        x = np.column_stack([np.ones(N_DOCUMENTS), unit_rows(rows - rows.mean(axis=0))])
        expected = []
        for j in range(N_DOCUMENTS):
            others = np.arange(N_DOCUMENTS) != j
            gram = x[others].T @ x[others] + ENCODED_RIDGE * np.eye(7)
            expected.append(x[j] @ np.linalg.solve(gram, x[others].T @ labels[others]))
        np.testing.assert_allclose(MeaningView.of_vectors(vectors)(labels), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
class TestOwnLabel:
    """What a document is labelled itself does not change its score."""

    @pytest.fixture
    def views(self, seed):
        counts = random_counts(seed)
        vectors = np.random.default_rng(seed).normal(size=(N_WORDS, 6)).astype(np.float32)
        return [
            WordView(counts),
            TopicView(counts, topics_of(seed)),
            word_vector_view(tfidf(counts), vectors),
        ]

    def test_it_is_left_out(self, seed, views):
        labels = labels_of(seed)
        for view in views:
            scores = view(labels)
            for j in range(0, N_DOCUMENTS, 7):
                other = labels.copy()
                other[j] = 0.9
                np.testing.assert_allclose(view(other)[j], scores[j], rtol=1e-5, atol=2e-6)

    def test_also_with_words_hidden(self, seed, views):
        labels = labels_of(seed)
        for view in (view.hidden([2, 5]) for view in views):
            scores = view(labels)
            for j in range(0, N_DOCUMENTS, 7):
                np.testing.assert_allclose(view(without(labels, j))[j], scores[j], rtol=1e-5, atol=2e-6)

    def test_no_labels_tell_nothing(self, seed, views):  # noqa: ARG002
        for view in views:
            np.testing.assert_allclose(view(np.zeros(N_DOCUMENTS)), 0.0, atol=1e-9)

    def test_a_label_too_small_to_be_heard_is_hardly_heard(self, seed, views):
        labels = labels_of(seed)
        for view in views[:2]:
            j = int(np.flatnonzero(labels == 0)[0])
            faint = labels.copy()
            faint[j] = 0.99 * HEARD
            assert abs(view(faint)[j] - view(labels)[j]) < 1e-3


class TestHidden:
    """Hiding words is as good as a corpus without them, where that is exact."""

    HIDE = (1, 4)

    @staticmethod
    def bare(counts, words):
        """The same documents without some words; the vocabulary stays."""
        dense = counts.toarray()
        dense[:, list(words)] = 0
        return sparse.csr_array(dense)

    @pytest.mark.parametrize("seed", range(3))
    def test_words_up_to_the_length(self, seed):
        """Hidden words keep their place in a document's length, so scores differ by that alone."""
        counts, labels = random_counts(seed), labels_of(seed)
        bare = self.bare(counts, self.HIDE)
        lengths, lengths_bare = (np.maximum(c.sum(axis=1), 1.0) for c in (counts, bare))
        hidden, refitted = WordView(counts).hidden(self.HIDE)(labels), WordView(bare)(labels)
        np.testing.assert_allclose(hidden * lengths, refitted * lengths_bare, rtol=1e-10)

    @pytest.mark.parametrize("seed", range(3))
    def test_topics(self, seed):
        counts, labels, topics = random_counts(seed), labels_of(seed), topics_of(seed)
        hidden = TopicView(counts, topics).hidden(self.HIDE)(labels)
        np.testing.assert_allclose(hidden, TopicView(self.bare(counts, self.HIDE), topics)(labels))

    @pytest.mark.parametrize("seed", range(3))
    def test_vectors_of_documents_are_those_without_the_words(self, seed):
        counts = random_counts(seed)
        weighted, vectors = tfidf(counts), np.random.default_rng(seed).normal(size=(N_WORDS, 6))
        view = word_vector_view(weighted, vectors.astype(np.float32))
        rows, found = view._without(self.HIDE)
        dense = weighted.toarray()
        assert rows.tolist() == np.flatnonzero(dense[:, self.HIDE].any(axis=1)).tolist()
        dense[:, self.HIDE] = 0.0
        expected = dense[rows] @ vectors.astype(np.float32).astype(np.float64)
        np.testing.assert_allclose(found, expected, atol=1e-10)
        hidden = view.hidden(self.HIDE)
        others = np.setdiff1d(np.arange(N_DOCUMENTS), rows)
        np.testing.assert_array_equal(hidden.features(others), view.features(others))
        np.testing.assert_allclose(hidden.features(rows), view._as_features(expected)[:, 1:], atol=1e-6)

    def test_a_document_of_nothing_else_says_nothing(self):
        counts = sparse.csr_array(np.array([[3, 0], [0, 2], [1, 1]]))
        labels = np.array([1.0, 0.0, 1.0])
        assert WordView(counts).hidden([0])(labels)[0] == 0.0
        assert TopicView(counts, np.eye(2)).hidden([0])(labels)[0] == 0.0

    def test_an_encoder_hides_nothing(self):
        view = MeaningView.of_vectors(np.random.default_rng(0).normal(size=(5, 3)))
        assert view.hidden([0, 1]) is view


def test_nearness_to_a_vector_is_the_cosine_of_what_is_not_common():
    vectors = np.random.default_rng(0).normal(size=(30, 4)) + 1.0
    view = MeaningView.of_vectors(vectors)
    near = view.near(vectors[3])
    assert near.argmax() == 3
    assert near[3] == pytest.approx(1.0)
    rows = unit_rows(vectors)
    centred = unit_rows(rows - rows.mean(axis=0))
    np.testing.assert_allclose(near, centred @ centred[3], atol=1e-6)


def test_tfidf_equals_a_loop():
    counts = random_counts(0)
    dense, found = counts.toarray(), tfidf(counts).toarray()
    for j, w in np.ndindex(*dense.shape):
        rarity = np.log((1 + N_DOCUMENTS) / (1 + (dense[:, w] > 0).sum())) + 1
        expected = (1 + np.log(dense[j, w])) * rarity if dense[j, w] else 0.0
        assert found[j, w] == pytest.approx(expected)
    np.testing.assert_array_equal(counts.toarray(), dense)  # the counts are left alone


def test_scores_on_a_common_scale():
    scores = standardised(np.array([1.0, 2.0, 6.0]))
    assert (scores.mean(), scores.std()) == (pytest.approx(0.0), pytest.approx(1.0))
    assert standardised(np.full(4, 3.3)).tolist() == [0.0] * 4


def test_shares_of_topics_worked_out_ahead_change_no_score():
    counts, topics, labels = random_counts(5, N_DOCUMENTS, N_WORDS), topics_of(5), labels_of(5)
    plain, kept = TopicView(counts, topics), TopicView(counts, topics).kept()
    rows = np.arange(0, N_DOCUMENTS, 3)
    for one, other in ((plain, kept), (plain.hidden([2, 5]), kept.hidden([2, 5]))):
        np.testing.assert_allclose(other(labels), one(labels), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(other.of(rows)(labels[rows]), one.of(rows)(labels[rows]), rtol=1e-6)
        np.testing.assert_allclose(other.features(rows), one.features(rows), rtol=1e-6, atol=1e-9)
