"""The first answer to a query, held against the fit that follows it."""

import numpy as np
import pytest

from planted import own_words, plant
from qdtm import Corpus, Query, QueryDrivenTopicModel
from qdtm.errors import PassingQueryError, QueryError
from qdtm.evidence.corpus_views import CorpusViews
from qdtm.first_answer import N_DOCUMENTS, FirstAnswer, expected_tokens, first_answer

WORDS = own_words(4, 25)


@pytest.fixture(scope="module")
def planted():
    return plant(3, WORDS, (60, 100, 100, 140))


@pytest.fixture(scope="module")
def answer(planted) -> FirstAnswer:
    return first_answer(planted.corpus, "a00", embeddings=None)


@pytest.fixture(scope="module")
def model(planted) -> QueryDrivenTopicModel:
    return QueryDrivenTopicModel(["a00"], embeddings=None, subtopics=False, max_sweeps=60).fit(planted.corpus)


def test_the_count_is_near_that_of_the_fit_and_near_the_truth(answer, model, planted):
    fitted = model.relevance("a00")
    assert answer.relevance.n_about == pytest.approx(fitted.n_about, rel=0.2)
    low, high = answer.relevance.n_about_interval
    assert low <= (planted.document_topics == 0).sum() <= high
    np.testing.assert_array_equal(answer.relevance.names, fitted.names)
    assert answer.relevance.summary().startswith(f"{round(answer.relevance.n_about)} of 400 documents are")


def test_the_words_are_the_topics_and_none_that_is_frequent_everywhere(answer, model):
    words = [word for word, _ in answer.words]
    assert set(words) <= set(WORDS[0])
    fitted = [word for word, _ in model.topics_[0].top_words(10)]
    assert len({*words[:10]} & {*fitted}) >= 7
    shares = [share for _, share in answer.words]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1


def test_the_documents_are_the_most_relevant_of_those_about_it(answer, planted):
    assert len(answer.documents) == N_DOCUMENTS
    assert {int(planted.document_topics[each.index]) for each in answer.documents} == {0}
    scores = [each.relevance for each in answer.documents]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == answer.relevance.scores.max()
    for document in answer.documents:
        strongest = {piece.text for piece in document.passage.pieces if piece.level == 3}
        assert strongest == ({"a00"} if document.names_it else set())


def test_a_dropped_word_loses_its_place_among_the_words_and_the_count_stays(answer, planted):
    proposed = next(word.word for word in answer.concept.words if word.origin == "expansion")
    without = first_answer(planted.corpus, Query("a00", drop=(proposed,)), embeddings=None)
    assert proposed not in [word.word for word in without.concept.words]
    assert dict(without.words).get(proposed, 0.0) < dict(answer.words)[proposed]
    np.testing.assert_array_equal(without.relevance.scores, answer.relevance.scores)


def test_tokens_are_those_beyond_what_the_rest_of_the_corpus_has():
    corpus = Corpus.from_tokens([["x", "x", "y", "z"], ["y", "z", "z", "z"], ["y", "z", "z", "z"]])
    concept = first_answer(corpus, "x", embeddings=None, expansion=None).concept
    found = dict(
        zip(corpus.vocabulary, expected_tokens(corpus, concept, np.array([1.0, 0.0, 0.0])), strict=True)
    )
    assert found == pytest.approx({"x": 2.0, "y": 0.0, "z": 0.0})  # 1 - 4 * 2/8, and 1 - 4 * 6/8


def test_what_a_fit_refuses_is_refused(planted):
    with pytest.raises(QueryError, match="is in no document"):
        first_answer(planted.corpus, "zebra", embeddings=None)
    with pytest.raises(QueryError, match="to one query, and these are 2"):
        first_answer(planted.corpus, ["a00", "b00"], embeddings=None)
    filling = ["quiet", "house", "street", "window"] * 60
    with pytest.raises(PassingQueryError):
        first_answer(Corpus.from_tokens([[*filling, "cricket", *filling]] + 7 * [filling]), "cricket")


def test_what_was_learned_of_the_last_queries_is_remembered_and_no_more():
    views = object.__new__(CorpusViews)
    from collections import OrderedDict

    views._remembered = OrderedDict()
    made = []

    def make(key):
        return views.remember(key, lambda: made.append(key) or key)

    for key in [*range(20), 19, 4, 3]:
        assert make(key) == key
    assert made == [*range(20), 3]
