"""Relevance and main subtopics of documents, fitted and new: the same for copies."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.results.distributions import document_subtopics, document_topics
from qdtm.results.hand_check.files import begin_check
from qdtm.results.result import Result

from .synthetic import TEXTS, make_corpus, make_fit


@pytest.fixture(scope="module")
def result(fit, corpus):
    return Result(fit, corpus)


def like(result, texts):
    return Corpus.of(texts, like=result.corpus)


def test_scores_are_those_of_the_distributions(result, corpus, fit):
    counts = corpus.document_term_matrix
    for q in range(2):
        scores, relevance = result.scores(q), result.relevance(q)
        np.testing.assert_array_equal(scores.relevance, fit.scored.relevance[:, q].astype(np.float64))
        assert relevance.topic_share == pytest.approx(
            document_topics(counts, fit.word_topic)[:, q], abs=1e-12
        )
        shares = document_subtopics(counts, fit.word_topic, fit.subtopic_counts[q], q)
        has_one = scores.main >= 0
        assert (scores.main[has_one] == shares[has_one].argmax(axis=1)).all()
        assert scores.main_share[has_one] == pytest.approx(shares[has_one].max(axis=1))
        assert (scores.main_share[~has_one] == 0).all()


def test_only_documents_about_a_query_have_a_main_subtopic(result, corpus):
    empty = int(np.flatnonzero(corpus.document_lengths == 0)[0])
    for q in range(2):
        scores = result.scores(q)
        np.testing.assert_array_equal(scores.about, scores.relevance >= result.relevance(q).cutoff)
        np.testing.assert_array_equal(scores.main >= 0, scores.about)
        assert scores.about.any()
        assert not scores.about.all()
        assert scores.main[empty] == -1


def test_words_of_dropped_subtopics_alone_give_none(corpus, fit):
    none = tuple(np.zeros_like(counts) for counts in fit.subtopic_counts)
    scores = Result(replace(fit, subtopic_counts=none), corpus).scores(0)
    assert (scores.main == -1).all()


def test_without_subtopics(corpus):
    scores = Result(make_fit(corpus, n_subtopics=(0, 0)), corpus).scores(0)
    assert (scores.main == -1).all()


def test_some_documents_keep_the_cutoff_of_all(result):
    relevance, rows = result.relevance(0), np.array([7, 1, 4])
    some = relevance.select(rows)
    assert some.cutoff == relevance.cutoff
    for name in ("scores", "names", "topic_share", "about"):
        np.testing.assert_array_equal(getattr(some, name), getattr(relevance, name)[rows])


def test_the_fitted_documents_have_their_own_relevance_to_the_bit(result, fit, corpus):
    for new in (corpus, like(result, TEXTS), like(result, TEXTS[::-1])):
        order = slice(None, None, -1) if new.documents[0].text == TEXTS[-1] else slice(None)
        for q in range(2):
            scores, expected = result.scores(q, new), result.scores(q)
            np.testing.assert_array_equal(expected.relevance, fit.relevance[:, q].astype(np.float64))
            for name in ("relevance", "about", "names", "main", "main_share"):
                np.testing.assert_array_equal(getattr(scores, name), getattr(expected, name)[order])


def test_a_copy_is_known_by_its_words(result):
    (copied,) = result.relevance("fire", like(result, ["crews FIGHT the wind in the fire: fire"])).scores
    (own,) = result.relevance("fire", like(result, [TEXTS[5]])).scores
    assert own == result.relevance("fire").scores[5]
    assert copied != own  # other words in between: not the same document


def test_what_names_the_query_is_likelier_to_be_about_it(result):
    texts = ["fire, fire and more fire in the wind", "the minister lost the election", "nothing known"]
    found = result.relevance("fire", like(result, texts))
    assert found.names.tolist() == [True, False, False]
    assert found.scores[0] > found.scores[1] > found.scores[2] == 0.0
    assert found.cutoff == result.relevance("fire").cutoff
    np.testing.assert_array_equal(found.about, found.scores >= found.cutoff)
    assert found.query == "fire"


def test_only_what_is_about_it_has_a_subtopic(result):
    new = like(result, ["cricket match", "cricket wicket rain", "nothing known"])
    for q in range(2):
        scores = result.scores(q, new)
        np.testing.assert_array_equal(scores.about, scores.relevance >= result.relevance(q).cutoff)
        assert not (scores.main >= 0)[~scores.about].any()
        assert scores.relevance[2] == 0


def test_what_a_person_said_counts_for_new_documents_too(result, corpus):
    check = begin_check(result, "fire", 10)
    checked = result.with_check(check.with_answers(dict.fromkeys(check.open, False)))
    new = like(result, ["fire crews in Sydney", TEXTS[3]])
    before, after = (each.relevance("fire", new).scores for each in (result, checked))
    assert (after < before).all()
    assert after[1] == checked.relevance("fire").scores[3]


def test_of_copies_the_one_that_names_the_query_as_much_counts():
    """A text may name a query by words beyond the vocabulary; copies are told apart by that."""
    corpus = make_corpus(["fire and wind", "fire and wind", "wind and match", "match"])
    fit = make_fit(corpus, queries=["fire"], n_subtopics=(1,))
    strength, relevance = fit.strength.copy(), fit.relevance.copy()
    strength[0], relevance[0], relevance[1] = 0.125, 0.25, 0.75
    changed = Result(replace(fit, strength=strength, relevance=relevance), corpus)
    new = like(changed, ["match", "match", "fire and wind"])
    assert changed.relevance(0, new).scores[2] == 0.75
    strength[1] = 0.5
    changed = Result(replace(fit, strength=strength, relevance=relevance), corpus)
    assert changed.relevance(0, new).scores[2] == 0.25
    assert changed.relevance(0, corpus).scores.tolist() == relevance[:, 0].tolist()
