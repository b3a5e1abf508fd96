"""New documents: relevance as of fitted ones, the same for copies, none without a known word."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.results.checks.drawing import begin_check
from qdtm.results.new_documents import new_relevance, score_new_documents
from qdtm.results.result import Result
from qdtm.results.scores import score_fitted

from .synthetic import TEXTS, make_corpus, make_fit


@pytest.fixture(scope="module")
def result(fit, corpus):
    return Result(fit, corpus)


def like(result, texts):
    return Corpus.of(texts, like=result.corpus)


def test_the_fitted_documents_have_their_own_relevance_to_the_bit(result, fit, corpus):
    for new in (corpus, like(result, TEXTS), like(result, TEXTS[::-1])):
        scores = score_new_documents(result, new)
        expected = score_fitted(fit, corpus.document_term_matrix)
        order = slice(None, None, -1) if new.documents[0].text == TEXTS[-1] else slice(None)
        for name in ("relevance", "about", "subtopic"):
            np.testing.assert_array_equal(getattr(scores, name), getattr(expected, name)[order])


def test_a_copy_is_known_by_its_words(result):
    (copied,) = new_relevance(result, like(result, ["crews FIGHT the wind in the fire: fire"]), "fire").scores
    (own,) = new_relevance(result, like(result, [TEXTS[5]]), "fire").scores
    assert own == result.relevance("fire").scores[5]
    assert copied != own  # other words in between: not the same document


def test_what_names_the_query_is_likelier_to_be_about_it(result):
    texts = ["fire, fire and more fire in the wind", "the minister lost the election", "nothing known"]
    found = new_relevance(result, like(result, texts), "fire")
    assert found.names.tolist() == [True, False, False]
    assert found.scores[0] > found.scores[1] > found.scores[2] == 0.0
    assert found.cutoff == result.relevance("fire").cutoff
    np.testing.assert_array_equal(found.about, found.scores >= found.cutoff)
    assert found.query == "fire"


def test_only_what_is_about_it_has_a_subtopic(result):
    scores = score_new_documents(
        result, like(result, ["cricket match", "cricket wicket rain", "nothing known"])
    )
    np.testing.assert_array_equal(
        scores.about, scores.relevance >= [result.relevance(q).cutoff for q in (0, 1)]
    )
    assert not (scores.subtopic >= 0)[~scores.about].any()
    assert (scores.relevance[2] == 0).all()


def test_what_a_person_said_counts_for_new_documents_too(result, corpus):
    check = begin_check(result, "fire", 10)
    checked = result.with_check(check.with_answers(dict.fromkeys(check.open, False)))
    new = like(result, ["fire crews in Sydney", TEXTS[3]])
    before, after = (new_relevance(each, new, "fire").scores for each in (result, checked))
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
    assert new_relevance(changed, new).scores[2] == 0.75
    strength[1] = 0.5
    changed = Result(replace(fit, strength=strength, relevance=relevance), corpus)
    assert new_relevance(changed, new).scores[2] == 0.25
    assert new_relevance(changed, corpus).scores.tolist() == relevance[:, 0].tolist()
