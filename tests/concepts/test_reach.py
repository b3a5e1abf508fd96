"""How far a concept reaches: formulas against loops, and planted breadths found again."""

import numpy as np
import pytest
from scipy import sparse

from qdtm.concepts.pointing import pointing
from qdtm.concepts.reach import (
    BROADEST,
    WORDS_BETWEEN,
    Reach,
    breadth,
    breadth_by_lift,
    breadth_by_presence,
    measure_reach,
)


def naive_lift(own, lengths):
    """Count pairs of different concept words in a document, and how many chance would make."""
    n_concept = own.shape[1]
    rate = [own[:, c].sum() / lengths.sum() for c in range(n_concept)]
    together = by_chance = 0.0
    for c in range(n_concept):
        for other in range(n_concept):
            if c != other:
                together += sum(row[c] * row[other] for row in own)
                by_chance += sum(n * (n - 1) * rate[c] * rate[other] for n in lengths)
    return by_chance / together


def corpus_of(seed, about, *, rate=0.3, elsewhere=0.0, n_documents=2000, length=30):
    """Counts of five concept words, in a share `about` of the documents at `rate`, `elsewhere` in others."""
    rng = np.random.default_rng(seed)
    lengths = rng.poisson(length, n_documents) + 1.0
    is_about = np.arange(n_documents) < about * n_documents
    n_concept = rng.binomial(lengths.astype(int), np.where(is_about, rate, elsewhere))
    own = np.stack([rng.multinomial(n, np.full(5, 0.2)) for n in n_concept]).astype(float)
    return own, lengths, is_about


@pytest.mark.parametrize("seed", range(5))
def test_lift_equals_a_loop_over_pairs(seed):
    own, lengths, _ = corpus_of(seed, 0.3, elsewhere=0.02, n_documents=40)
    assert breadth_by_lift(own, lengths) == pytest.approx(naive_lift(own, lengths))


@pytest.mark.parametrize("about", [0.01, 0.05, 0.2, 0.5])
def test_lift_finds_the_planted_breadth(about):
    own, lengths, _ = corpus_of(0, about)
    assert breadth_by_lift(own, lengths) == pytest.approx(about, rel=0.15)


def test_lift_of_words_that_never_meet_is_everything():
    own = np.eye(4)
    assert breadth_by_lift(own, np.full(4, 10.0)) == 1.0
    assert breadth_by_lift(own[:, :1], np.full(4, 10.0)) == 1.0  # one word has no other to meet


def test_presence_by_hand():
    own = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 1.0], [0.0, 0.0]])
    lengths = np.array([20.0, 20.0, 20.0, 0.0])  # the empty document does not count
    assert breadth_by_presence(own, lengths) == pytest.approx(2 / 3 / (1 - np.exp(-20 / WORDS_BETWEEN)))


def test_presence_allows_for_short_documents():
    short, long = (breadth_by_presence(np.eye(10)[:, :2], np.full(10, n)) for n in (5.0, 500.0))
    assert long == pytest.approx(0.2)
    assert short > long


def test_presence_without_any_token():
    assert breadth_by_presence(np.zeros((3, 2)), np.zeros(3)) == 0.0


def test_breadth_is_the_smaller_estimate_within_bounds():
    own, lengths, _ = corpus_of(1, 0.1, elsewhere=0.01)
    both = breadth_by_lift(own, lengths), breadth_by_presence(own, lengths)
    assert breadth(own, lengths) == min(both)
    assert both[0] != both[1]


def test_breadth_is_never_everything_or_nothing():
    everywhere, nowhere = np.ones((50, 2)), np.zeros((50, 2))
    lengths = np.full(50, 30.0)
    assert breadth(everywhere, lengths) == BROADEST
    assert breadth(nowhere, lengths) == 1 / 50
    assert breadth(np.zeros((0, 2)), np.zeros(0)) == BROADEST


def reach_of(breadth, scores):
    return Reach(breadth, np.zeros(3), np.array(scores))


def test_documents_are_the_best_as_many_as_the_breadth_says():
    assert reach_of(0.4, [0.1, 0.5, 0.0, 0.5, 0.3]).documents.tolist() == [1, 3]
    assert reach_of(0.6, [0.1, 0.5, 0.0, 0.5, 0.3]).documents.tolist() == [1, 3, 4]


def test_a_document_without_a_word_of_its_is_no_document_of_it():
    assert reach_of(0.6, [0.0, 0.5, 0.0, 0.0, 0.0]).documents.tolist() == [1]
    assert reach_of(0.6, [0.0] * 5).documents.tolist() == []


class TestMeasured:
    """Twenty documents; words 0 and 1 are the concept's, word 2 keeps their company, word 3 is everywhere."""

    @pytest.fixture
    def counts(self):
        counts = np.zeros((20, 5), np.int32)
        counts[:4, 0] = counts[2:6, 1] = 2
        counts[:6, 2] = 1
        counts[:, 3] = 1
        counts[10:19, 4] = 3
        counts[19] = 0  # an empty document
        return counts

    def test_words(self, counts):
        weights = measure_reach(sparse.csr_array(counts), np.array([0, 1], np.int32)).word_weights
        assert weights[:2].tolist() == [1.0, 1.0]
        assert 0.5 < weights[2] < 1.0
        assert 0.0 <= weights[3] < 0.1
        assert weights[4] == 0.0

    def test_words_are_weighed_by_the_documents_with_any_concept_word(self, counts):
        matrix = sparse.csr_array(counts)
        weights = measure_reach(matrix, np.array([0, 1], np.int32)).word_weights
        expected = pointing(matrix, np.arange(20) < 6)
        np.testing.assert_array_equal(weights[2:], expected[2:])

    def test_documents_score_the_mean_weight_of_their_words(self, counts):
        reach = measure_reach(sparse.csr_array(counts), np.array([0, 1], np.int32))
        for j, row in enumerate(counts):
            total = sum(n * weight for n, weight in zip(row, reach.word_weights, strict=True))
            assert reach.document_scores[j] == pytest.approx(total / max(row.sum(), 1))
        assert reach.document_scores[19] == 0.0
        assert reach.documents[0] in (2, 3)  # both words

    def test_the_breadth_is_that_of_the_concept_words(self, counts):
        reach = measure_reach(sparse.csr_array(counts), np.array([0, 1], np.int32))
        assert reach.breadth == breadth(counts[:, :2].astype(float), counts.sum(axis=1).astype(float))


def test_planted_documents_are_found():
    own, lengths, is_about = corpus_of(2, 0.05, elsewhere=0.003)
    rest = (lengths - own.sum(axis=1)).astype(int)
    counts = sparse.csr_array(np.column_stack([own, rest]).astype(np.int32))
    reach = measure_reach(counts, np.arange(5, dtype=np.int32))
    assert reach.breadth == pytest.approx(0.05, rel=0.4)
    assert is_about[reach.documents[:100]].mean() > 0.95
