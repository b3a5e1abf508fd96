"""A query that comes later: close to fitting all at once, and what was found before stays."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm import Corpus, Query, QueryDrivenTopicModel
from qdtm.add_query import count_pairs
from qdtm.corpus import load_demo_corpus
from qdtm.errors import QueryError
from qdtm.fitting import join_concepts

OPTIONS = {"min_sweeps": 40, "max_sweeps": 80}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_demo_corpus()


@pytest.fixture(scope="module")
def before(corpus):
    model = QueryDrivenTopicModel("afghanistan", **OPTIONS).fit(corpus)
    model.drill_down("0.1")
    return model.set_topic_labels({"0.1": "The hunt", "b1": "Largest"})


@pytest.fixture
def model(before):
    return QueryDrivenTopicModel.of(before.result_)


@pytest.fixture(scope="module")
def added(before):
    model = QueryDrivenTopicModel.of(before.result_)
    model.add_query("israel palestinian")
    return model


@pytest.fixture(scope="module")
def joint(corpus):
    return QueryDrivenTopicModel(["afghanistan", "israel palestinian"], **OPTIONS).fit(corpus)


def top_words(model, q, n=20):
    return {word for word, _ in model.topics_[q].top_words(n)}


def top_documents(model, q, n=20):
    return {row.index for row in model.documents(q, n)}


def test_the_new_query_gets_what_a_joint_fit_gives_it(added, joint):
    assert [topic.name for topic in added.topics_] == ["afghanistan", "israel palestinian"]
    assert len(top_words(added, 1) & top_words(joint, 1)) >= 14
    assert len(top_documents(added, 1) & top_documents(joint, 1)) >= 14
    assert len(added.topics_[1].subtopics) >= 1
    assert added.fit_.mixtures[1].n_groups >= len(added.topics_[1].subtopics)


def test_what_was_found_before_stays(before, added):
    assert len(top_words(before, 0) & top_words(added, 0)) >= 18
    assert len(top_documents(before, 0) & top_documents(added, 0)) >= 17
    assert added.concepts_[0].word_indices == before.concepts_[0].word_indices
    ids = [topic.id for topic in before.topics_[0].walk()]
    assert [topic.id for topic in added.topics_[0].walk()] == ids
    for id in ids[1:]:
        old, new = before.result_.topic(id), added.result_.topic(id)
        assert new.n_tokens <= old.n_tokens + 1e-3
        assert new.n_tokens > 0.7 * old.n_tokens
    assert added.topics_[0].subtopics[0].name == "The hunt"
    names = [topic.name for topic in added.background_topics_]
    assert names.count("Largest") <= 1
    assert added.concepts_[1].query == Query("israel palestinian")


def test_documents_that_the_query_cannot_change_are_left_alone(before, added, corpus):
    was, now = before.fit_, added.fit_
    old_id = np.where(was.token_topics < 1, was.token_topics, 1 + was.token_topics)
    moved = old_id != now.token_topics  # by another number, or really
    with_words = np.isin(corpus.tokens, added.concepts_[1].tied_indices)
    assert (now.token_topics[with_words] == 1).all()
    stayed_parents = was.token_topics[~moved & (was.token_topics == 0)]
    assert len(stayed_parents) > 0.9 * (was.token_topics == 0).sum()


def test_counts_still_add_up(added, corpus):
    fit = added.fit_
    n_w = np.bincount(corpus.distinct.tokens, minlength=corpus.n_words)  # copies do not count
    np.testing.assert_allclose(fit.word_topic.sum(axis=1), n_w, rtol=1e-4)
    assert (fit.word_topic >= 0).all()
    last = count_pairs(corpus.tokens, fit.token_topics, fit.word_topic.shape)
    assert np.abs(fit.word_topic.sum(axis=0) - last.sum(axis=0)).max() < 0.1 * corpus.n_tokens


def test_the_same_again_with_any_number_of_threads(before, added):
    again = QueryDrivenTopicModel.of(before.result_)
    again.n_jobs = 2
    again.add_query("israel palestinian")
    for name in ("word_topic", "token_topics", "token_subtopics", "promoted_mass"):
        np.testing.assert_array_equal(getattr(again.fit_, name), getattr(added.fit_, name))


def test_it_is_saved_and_loads_and_can_be_added_to(added, tmp_path):
    added.save(tmp_path / "m")
    loaded = QueryDrivenTopicModel.load(tmp_path / "m")
    new = loaded.add_query(Query("cricket", rule="or"))
    assert new.id == "2"
    assert [query.name for query in loaded.queries] == ["afghanistan", "israel palestinian", "cricket"]
    assert loaded.components_.shape[0] == loaded.fit_.n_topics
    assert loaded.transform(["The bowler took four wickets in the test match."])[0, 2] > 0.3


def test_without_subtopics(corpus):
    model = QueryDrivenTopicModel("cricket", subtopics=False, max_sweeps=20).fit(corpus)
    assert model.add_query({"blaze": ["fire", "wind", "bushfire"]}).name == "blaze"
    assert model.fit_.subtopic_traces == ()
    assert [counts.shape[1] for counts in model.fit_.subtopic_counts] == [0, 0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("afghanistan", "is there twice"),
        ("zebra", "is in no document"),
        ("", "empty"),
        (["cricket", "fire"], "add one at a time"),
    ],
)
def test_what_cannot_be_added_is_said_and_changes_nothing(model, query, message):
    fit = model.fit_
    with pytest.raises(QueryError, match=message):
        model.add_query(query)
    assert model.fit_ is fit


def test_a_word_that_is_there_stays_with_its_query_unless_it_is_the_new_querys_own(joint):
    old, new = joint.concepts_
    expansion = next(word for word in old.words if word.origin == "expansion")
    proposed, own = (replace(expansion, origin=origin) for origin in ("expansion", "query"))
    kept, joined = join_concepts([old], replace(new, words=(*new.words, proposed)))
    assert kept == old
    assert joined.words == new.words
    kept, joined = join_concepts([old], replace(new, words=(*new.words, own)))
    assert own in joined.words
    assert expansion.index not in kept.word_indices
    with pytest.raises(QueryError, match="other queries have them all"):
        join_concepts([old], replace(new, words=(proposed,)))
