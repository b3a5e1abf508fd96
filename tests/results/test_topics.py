"""Topics with names, sizes and words."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.result import Result
from qdtm.results.topics import Topic, build_topics, distinctive_words

from .synthetic import make_fit


@pytest.fixture
def topic():
    probabilities = np.array([0.2, 0.5, 0.2, 0.1], np.float32)
    return Topic("0", "wind", 10.0, 0.1, ("a", "b", "c", "d"), probabilities)


def test_top_words_are_ordered_and_ties_keep_the_vocabulary(topic):
    assert [word for word, _ in topic.top_words(4)] == ["b", "a", "c", "d"]
    assert topic.top_words(1) == [("b", 0.5)]
    assert len(topic.top_words(99)) == 4


def test_equally_probable_words_of_a_subtopic_come_as_in_the_topic_above(topic):
    below = replace(topic, above=np.array([1, 0, 3, 9], np.float32))
    assert [word for word, _ in below.top_words(4)] == ["b", "c", "a", "d"]


def test_a_subtopic_has_its_share_of_all_that_was_split(topic):
    parts = tuple(replace(topic, id=f"0.{s}", prevalence=p) for s, p in ((1, 0.03), (2, 0.01)))
    whole = replace(topic, subtopics=parts, rest=0.5)
    assert [each.prevalence / whole.prevalence_below for each in parts] == pytest.approx([0.375, 0.125])
    assert replace(whole, rest=0.0).prevalence_below == pytest.approx(0.04)


@pytest.mark.parametrize("n", [-1, 1.5, True, None])
def test_top_words_refuses_a_strange_number(topic, n):
    with pytest.raises(ParameterError, match="number of words"):
        topic.top_words(n)


def test_repr_shows_the_words(topic):
    assert repr(topic) == "Topic('0', 'wind', 10.0%: b, a, c, d)"


def test_ids_names_and_sizes(corpus, fit):
    parents, background = build_topics(fit)
    assert [topic.id for parent in parents for topic in parent.walk()] == [
        *("0", "0.1", "0.2"),
        *("1", "1.1", "1.2", "1.3"),
    ]
    assert [topic.id for topic in background] == ["b1", "b2"]
    assert [topic.name for topic in background] == ["background 1", "background 2"]
    assert parents[0].name == "cricket"
    assert parents[1].subtopics[0].name.startswith("fire: ")
    assert sum(topic.n_tokens for topic in parents + background) == corpus.n_tokens
    assert sum(topic.prevalence for topic in parents + background) == pytest.approx(1)
    assert sum(s.n_tokens for s in parents[0].subtopics) == parents[0].n_tokens


def test_probabilities_sum_to_one_and_cannot_be_changed(fit):
    parents, background = build_topics(fit)
    for topic in [t for parent in parents for t in parent.walk()] + list(background):
        assert topic.probabilities.sum() == pytest.approx(1, abs=1e-5)
        assert topic.probabilities.dtype == np.float32
        assert topic.vocabulary is fit.vocabulary
        with pytest.raises(ValueError, match="read-only"):
            topic.probabilities[0] = 1


def test_a_label_does_not_repeat_the_query(fit):
    parents, _ = build_topics(fit)
    for subtopic in parents[0].subtopics:
        assert "cricket" not in subtopic.name.removeprefix("cricket: ")


def test_without_background_or_subtopics(corpus):
    parents, background = build_topics(make_fit(corpus, n_background=0, n_subtopics=(0, 0)))
    assert background == ()
    assert all(parent.subtopics == () for parent in parents)


def test_distinctive_words_are_frequent_here_and_rare_elsewhere():
    counts = np.array([[50, 50], [20, 0], [0, 20], [1, 0], [5, 4]], np.float32)
    assert distinctive_words(counts, 2) == [(1, 3), (2, 0)]


def test_distinctive_words_of_an_only_child_are_its_most_frequent():
    counts = np.array([[3], [9], [0], [3]], np.float32)
    assert distinctive_words(counts, 5) == [(1, 0, 3)]
    assert distinctive_words(counts, 1, avoid=[1]) == [(0,)]


def test_an_empty_subtopic_has_no_words():
    assert distinctive_words(np.array([[3, 0]], np.float32)) == [(0,), ()]


def test_words_of_one_document_come_in_only_where_others_run_out(topic):
    assert [word for word, _ in topic.top_words(3)] == ["b", "a", "c"]
    shared = np.array([word in "acd" for word in topic.vocabulary])
    assert [word for word, _ in replace(topic, shared_words=shared).top_words(2)] == ["a", "c"]
    every = replace(topic, shared_words=shared).top_words(4)
    assert [word for word, _ in every] == ["b", "a", "c", "d"]  # in the order of their numbers


def test_shared_words_are_those_of_two_documents_about_the_query(corpus, fit):
    result = Result(fit, corpus)
    shared, counts = result.fit.shared_words, corpus.document_term_matrix.toarray() > 0
    for q in range(fit.n_queries):
        about = result.relevance(q).about
        assert about.sum() > 1
        assert shared[:, q].tolist() == (counts[about].sum(axis=0) > 1).tolist()
        assert result.topics[q].shared_words.tolist() == shared[:, q].tolist()
    assert all(topic.shared_words is None for topic in result.background)


def test_the_words_of_a_query_asked_alone_are_those_of_the_documents_about_it(corpus, fit):
    alone = Result(replace(fit, covers=False), corpus)
    for q, topic in enumerate(alone.topics):
        relevance = alone.relevance(q)
        has = corpus.document_term_matrix[relevance.about].toarray() > 0
        n_w = relevance.scores[relevance.about] @ has * fit.query_weights[:, q]
        np.testing.assert_allclose(topic.words_about, n_w / n_w.sum(), rtol=1e-5)
        best = corpus.vocabulary[int(np.argmax(np.where(has.sum(axis=0) > 1, n_w, 0)))]
        assert topic.top_words(1) == [(best, pytest.approx(n_w.max() / n_w.sum(), rel=1e-5))]
    assert all(topic.words_about is None for topic in alone.background)
    assert all(topic.words_about is None for topic in Result(replace(fit, covers=True), corpus).topics)


def test_words_that_name_subtopics_are_of_several_documents_first(corpus, fit):
    result = Result(fit, corpus)
    for q, parent in enumerate(result.topics):
        shared = dict(zip(corpus.vocabulary, result.fit.shared_words[:, q].tolist(), strict=True))
        for subtopic in parent.subtopics:
            order = [not shared[word] for word in subtopic.label_words]
            assert order == sorted(order)


def test_the_papers_setting_shows_the_most_probable_words(corpus, fit):
    as_paper = replace(fit, parameters={**fit.parameters, "preset": "paper"})
    assert Result(as_paper, corpus).fit.shared_words is None
