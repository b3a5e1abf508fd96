"""How far a query reaches: scores against loops, and planted breadths found again."""

import math

import numpy as np
import pytest

from qdtm.concepts import Query
from qdtm.concepts.reach import (
    BROADEST,
    DOUBT,
    FULL_COVER,
    MOST_OF_MIDWAY,
    MOST_PER_WITNESS,
    Reach,
    cover_the_corpus,
    estimate_breadth,
    measure_reach,
    uncovered_share,
)
from qdtm.concepts.search import search
from qdtm.concepts.term_index import TermIndex
from qdtm.concepts.witnesses import witness_weights
from qdtm.corpus import Corpus


def reach_in(corpus, query, rule="and"):
    return measure_reach(TermIndex.of(corpus), search(corpus, query, rule))


def planted(seed, about, *, named=0.3, n_documents=3000, length=25):
    """A share `about` of the documents prefers words a0..a39; some of them say "cat", so do a few others."""
    rng = np.random.default_rng(seed)
    own, rest = [f"a{i}" for i in range(40)], [f"b{i}" for i in range(400)]
    is_about = rng.permutation(n_documents) < about * n_documents
    documents = []
    for aboutness in is_about:
        n_own = rng.binomial(length, 0.4 if aboutness else 0.01)
        words = [*rng.choice(own, n_own), *rng.choice(rest, length - n_own)]
        if rng.random() < (named if aboutness else 0.002):
            words.append("cat")
        documents.append(words)
    return Corpus.from_tokens(documents), is_about


@pytest.mark.parametrize("about", [0.02, 0.05, 0.2, 0.4])
@pytest.mark.parametrize("seed", range(2))
def test_the_planted_breadth_is_found(seed, about):
    corpus, is_about = planted(seed, about)
    reach = reach_in(corpus, Query("cat"))
    assert reach.breadth == pytest.approx(about, rel=0.5)
    assert is_about[reach.documents[: int(is_about.sum() / 2)]].mean() > 0.9


def test_a_rare_concept_is_not_missed():
    corpus, is_about = planted(0, 0.005)  # fifteen documents, four of which name it
    reach = reach_in(corpus, Query("cat"))
    assert is_about[reach.documents].sum() == is_about.sum()
    assert reach.breadth < 0.02


def test_documents_that_do_not_name_the_query_are_found():
    corpus, is_about = planted(3, 0.1)
    reach = reach_in(corpus, Query("cat"))
    unnamed = np.array([j for j in reach.documents if not has(corpus, j, "cat")])
    assert len(unnamed) > 50
    assert is_about[unnamed].mean() > 0.7


def has(corpus, document, word):
    return corpus.document_term_matrix[[document], [corpus.word_index[word]]].item() > 0


class TestScores:
    """The scores of a small corpus, against plain loops over their definition."""

    documents = (
        ["cat", "purr", "milk"],
        ["cat", "purr"],
        ["purr", "milk", "milk"],
        ["sea"],
        ["sea", "milk"],
        [],
    )

    @pytest.fixture
    def corpus(self):
        return Corpus.from_tokens(self.documents)

    def odds(self, word, weights, *, without=None):
        p_word = (sum(word in document for document in self.documents) + 0.5) / (len(self.documents) + 1)
        heard = [j for j in range(len(self.documents)) if j != without]
        n_with = sum(weights[j] for j in heard if word in self.documents[j])
        total = sum(weights[j] for j in heard)
        return math.log((n_with + DOUBT * p_word) / (total + DOUBT) / p_word)

    def test_document_scores(self, corpus):
        reach, weights = reach_in(corpus, Query("cat")), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
        best = max(self.odds(word, weights) for word in ("cat", "purr", "milk", "sea"))
        for document, score in zip(self.documents[:5], reach.document_scores, strict=False):
            expected = [best if word == "cat" else self.odds(word, weights) for word in document]
            assert score == pytest.approx(np.mean(expected))
        assert reach.document_scores[5] == -np.inf

    def test_the_breadth_comes_from_scores_without_own_testimony(self, corpus):
        index = TermIndex.of(corpus)
        weights = witness_weights(index, search(corpus, Query("cat"), "and"))
        scores = np.full(6, -np.inf)
        for j, document in enumerate(self.documents[:5]):
            own = j if weights[j] else None
            values = [0.0 if word == "cat" else self.odds(word, weights, without=own) for word in document]
            scores[j] = np.mean(values)
        assert reach_in(corpus, Query("cat")).breadth == estimate_breadth(scores, weights)


def test_the_breadth_by_hand():
    scores = np.linspace(1.0, 0.0, 100)
    witnesses = np.zeros(100)
    witnesses[[3, 9, 12, 80]] = 1.0  # half of them are among the ten best documents
    assert estimate_breadth(scores, witnesses) == pytest.approx(10 / 0.5 / 100)


def test_few_witnesses_speak_for_few_documents():
    scores, witnesses = np.arange(10_000.0), np.zeros(10_000)
    witnesses[[1, 2]] = 1.0  # they look like anything else
    assert estimate_breadth(scores, witnesses) == pytest.approx(2 * MOST_PER_WITNESS / 10_000)


def test_witnesses_with_nothing_in_common_do_not_take_the_corpus():
    scores, witnesses = np.zeros(10_000), np.zeros(10_000)
    witnesses[::100] = 1.0
    midway = np.sqrt(100 * 10_000) / 10_000
    assert estimate_breadth(scores, witnesses) == pytest.approx(MOST_OF_MIDWAY * midway)


def test_a_breadth_is_never_everything_or_nothing():
    scores = np.zeros(50)
    assert estimate_breadth(scores, np.ones(50)) == BROADEST
    assert estimate_breadth(scores, np.zeros(50)) == 1 / 50
    assert estimate_breadth(np.zeros(1), np.ones(1)) == 1.0


def test_documents_are_the_best_as_many_as_the_breadth_says():
    scores = np.array([0.1, 0.5, -np.inf, 0.5, 0.3])
    assert Reach(0.4, scores).documents.tolist() == [1, 3]
    assert Reach(0.6, scores).documents.tolist() == [1, 3, 4]
    assert Reach(1.0, scores).documents.tolist() == [1, 3, 4, 0]  # never one that cannot be


def test_excluded_documents_are_out_of_reach():
    corpus = Corpus.from_tokens([["cat", "purr"], ["cat", "purr", "dog"], ["purr"], ["sea"]])
    assert reach_in(corpus, Query("cat", exclude=["dog"])).document_scores[1] == -np.inf


def test_covered_when_the_breadths_add_up():
    half, whole = Reach(FULL_COVER / 2, np.zeros(3)), Reach(FULL_COVER, np.zeros(3))
    assert uncovered_share([half]) == pytest.approx(0.5)
    assert uncovered_share([half, half]) == uncovered_share([whole, half]) == 0.0


def test_queries_cover_a_corpus_that_has_no_room_for_one_more():
    def of(*breadths):
        return [Reach(breadth, np.zeros(3)) for breadth in breadths]

    assert cover_the_corpus(of(0.3, 0.3))
    assert not cover_the_corpus(of(0.2, 0.2))
    assert cover_the_corpus(of(*[0.045] * 16))
    assert not cover_the_corpus(of(*[0.03] * 16))
    assert not cover_the_corpus(of(BROADEST))  # a lone query has nobody to keep general words from it
