"""Equation 1 by hand, and against a loop over documents that multiplies plain probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from qdtm.corpus import Corpus
from qdtm.queries.query import Query
from qdtm.queries.retrieval import log_term_likelihood, rank_documents
from qdtm.queries.search import search
from qdtm.queries.term_index import TermIndex

EPS = 1e-6


def naive_ranking(counts, terms, documents):
    """Score documents one by one, in probability space."""
    p_collection = counts.sum(axis=0) / counts.sum()
    found = []
    for j in documents:
        p = 1.0
        for term in terms:
            share = sum(counts[j][w] for w in term) / max(counts[j].sum(), 1)
            p *= EPS * sum(p_collection[w] for w in term) + (1 - EPS) * share
        found.append((j, np.log(p)))
    return sorted(found, key=lambda pair: (-round(pair[1], 9), pair[0]))


def test_equation_1_by_hand():
    # Documents of 4 and 5 tokens, the first has the term twice, the second not at all; p(q|C) is 0.1.
    score = log_term_likelihood(np.array([2, 0]), np.array([4, 5]), 0.1)
    assert score == pytest.approx([np.log(1e-6 * 0.1 + (1 - 1e-6) * 0.5), np.log(1e-6 * 0.1)])


def test_rules_order_and_exclusion_by_hand():
    #           a  b  c
    counts = [[1, 1, 0], [2, 0, 0], [0, 3, 1], [1, 1, 2], [0, 0, 4], [1, 1, 0]]
    corpus = Corpus.from_counts(np.array(counts), ["a", "b", "c"])

    found = search(corpus, Query("a b"), "and")
    assert found.by_and.documents.tolist() == [0, 5, 3]
    assert found.by_or.documents.tolist() == [0, 5, 3, 1, 2]
    without = search(corpus, Query("a b -c"), "and").retrieval
    assert without.documents.tolist() == [0, 5]
    assert without.n_excluded == 1


def test_alternatives_of_a_wildcard_add_up():
    index = TermIndex.from_matrix(np.array([[1, 1, 2], [2, 0, 2], [0, 0, 4]]))

    found = rank_documents(index, [(0, 1)], np.array([0, 1]))

    assert found.documents.tolist() == [0, 1]
    assert (
        found.log_likelihood[0] == found.log_likelihood[1] == pytest.approx(np.log(EPS / 3 + (1 - EPS) / 2))
    )


@pytest.mark.parametrize("rule", ["and", "or"])
def test_a_query_without_known_words_retrieves_nothing(rule):
    corpus = Corpus.from_counts(np.ones((3, 2), np.int64), ["a", "b"])
    assert len(search(corpus, Query("zebra"), rule).retrieval) == 0


def test_a_very_long_query_does_not_underflow():
    index = TermIndex.from_matrix(np.full((1, 400), 1))
    found = rank_documents(index, [(w,) for w in range(400)], np.array([0]))
    assert np.isfinite(found.log_likelihood).all()


@given(st.integers(0, 100_000))
def test_the_ranking_equals_the_loop(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.6, size=(int(rng.integers(1, 25)), 7))
    counts[0] = 1  # every word occurs
    terms = [
        tuple(rng.choice(5, size=rng.integers(1, 3), replace=False).tolist())
        for _ in range(rng.integers(1, 4))
    ]
    documents = np.flatnonzero(rng.random(len(counts)) < 0.6)

    found = rank_documents(TermIndex.from_matrix(sparse.csr_matrix(counts)), terms, documents)

    expected = naive_ranking(counts, terms, documents)
    assert sorted(found.documents.tolist()) == documents.tolist()
    np.testing.assert_allclose(found.log_likelihood, [p for _, p in expected], rtol=1e-9)
    assert (np.diff(found.log_likelihood) <= 0).all()


def test_equally_good_documents_keep_the_order_of_the_corpus():
    index = TermIndex.from_matrix(np.tile([1, 1], (50, 1)))
    assert rank_documents(index, [(0,)], np.arange(50)).documents.tolist() == list(range(50))


def test_the_index_reads_counts_both_ways():
    index = TermIndex.from_matrix(sparse.csr_matrix(np.array([[0, 2], [0, 0], [1, 3]])))
    assert index.lengths.tolist() == [2, 0, 4]
    assert index.word_counts.tolist() == [1, 5]
    assert index.p_collection.tolist() == pytest.approx([1 / 6, 5 / 6])
    documents, counts = index.documents_of(1)
    assert (documents.tolist(), counts.tolist()) == ([0, 2], [2, 3])
    assert index.frequency([0, 1]).tolist() == [2, 0, 4]
    assert index.frequency([]).tolist() == [0, 0, 0]
