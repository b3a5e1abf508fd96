"""An explanation says what the fit has for each token, and its shares add up."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm.errors import QueryError
from qdtm.results.distributions import document_topics
from qdtm.results.explain import explain_document
from qdtm.results.result import Result


@pytest.fixture
def result(fit, corpus):
    return Result(fit, corpus)


def test_tokens_have_their_sampled_topics(result, fit, corpus):
    explained = explain_document(result, "doc-0", "cricket")
    tokens = slice(*corpus.offsets[:2])
    assert [t.word for t in explained.tokens] == [corpus.vocabulary[w] for w in corpus.tokens[tokens]]
    ids = ["0", "1", "b1", "b2"]
    assert [t.topic for t in explained.tokens] == [ids[k] for k in fit.token_topics[tokens]]
    for token, s in zip(explained.tokens, fit.token_subtopics[tokens], strict=True):
        assert token.subtopic == (f"{token.topic}.{s + 1}" if s >= 0 else None)
    assert [t.written for t in explained.tokens][:3] == ["Cricket", "test", "match"]


def test_shares_are_of_the_share_in_the_topic(result, fit, corpus):
    relevance = document_topics(corpus.document_term_matrix, fit.word_topic)
    for q, query in enumerate(["cricket", "fire"]):
        explained = explain_document(result, 3, query)
        assert sum(token.share for token in explained.tokens) == pytest.approx(1.0)
        assert explained.share == pytest.approx(relevance[3, q])
        weights = np.array([token.weight for token in explained.tokens])
        assert [t.share for t in explained.tokens] == pytest.approx(weights / weights.sum())


def test_the_nearest_concept_word_pulled_a_promoted_token(result, fit):
    first, second = (fit.concepts[0].words[i].word for i in (0, 1))
    everything = replace(fit, token_promoted=(fit.token_topics < fit.n_queries).astype(np.uint8))
    explained = explain_document(Result(everything, result.corpus), 0, 0)
    for token in explained.tokens:
        if token.topic == "0":
            assert token.pulled_by == (None if token.word in (first, second) else second)
        elif token.topic.startswith("b"):
            assert token.pulled_by is None
    nothing = replace(fit, token_promoted=np.zeros_like(fit.token_promoted))
    assert all(t.pulled_by is None for t in explain_document(Result(nothing, result.corpus), 0).tokens)


def test_the_query_is_the_most_relevant_one_without_a_choice(result, fit, corpus):
    relevance = document_topics(corpus.document_term_matrix, fit.word_topic)[:, :2]
    for j in (0, 3, 7):
        assert explain_document(result, j).query == ["cricket", "fire"][relevance[j].argmax()]


def test_an_empty_document_has_the_corpus_share(result):
    explained = explain_document(result, "doc-6")
    assert explained.tokens == ()
    assert explained.share == pytest.approx(result.topics[0].prevalence)
    assert explained.passage().text == ""


def test_unknown_documents_and_queries(result):
    with pytest.raises(QueryError, match="Closest: 'doc-1'"):
        explain_document(result, "doc-11")
    with pytest.raises(QueryError, match="10 documents, from 0"):
        explain_document(result, 10)
    with pytest.raises(QueryError, match="Its queries: cricket, fire"):
        explain_document(result, 0, "rain")


def test_as_a_table(result):
    explained = explain_document(result, 0)
    frame = explained.to_frame()
    assert len(frame) == len(explained.tokens)
    assert frame["share"].sum() == pytest.approx(1.0)
    assert sum(n for _, n in explained.topic_counts()) == len(explained.tokens)
    assert "doc-0" in repr(explained)
