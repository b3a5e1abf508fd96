"""A subtopic is opened: what is planted in it comes back, whatever else was opened."""

from dataclasses import replace

import numpy as np
import pytest

from planted import nested_documents
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.drill_down import open_subtopic
from qdtm.errors import QueryError
from qdtm.results.corrections import _of_some
from qdtm.results.splits import Split, tokens_in
from qdtm.sampler.trace import Trace
from qdtm.settings import check_settings

SWEEPS = {"min_sweeps": 40, "max_sweeps": 80}


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_tokens(nested_documents())


@pytest.fixture
def model(corpus):
    return QueryDrivenTopicModel("ship", expansion=None, embeddings=None, random_state=1, **SWEEPS).fit(
        corpus
    )


def opened_bytes(model, id):
    split = next(split for split in model.fit_.splits if split.of == id)
    return split.counts.tobytes(), split.token_children.tobytes(), split.rest


def as_one_subtopic(model, corpus):
    """Return the model's fit with all documents that say "ship" in one subtopic."""
    ship = corpus.vocabulary.index("ship")
    lengths = np.diff(corpus.offsets)
    says_ship = [ship in corpus.tokens[a:b] for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]
    inside = np.repeat(says_ship, lengths)  # (N,)
    counts = np.bincount(corpus.tokens[inside], minlength=corpus.n_words)[:, None].astype(np.float32)
    return replace(
        model.fit_,
        token_topics=np.where(inside, 0, 1).astype(np.int32),
        token_subtopics=np.where(inside, 0, -1).astype(np.int32),
        subtopic_counts=(counts,),
        mixtures=(),
        stability=None,
    )


def test_planted_themes_come_back_below_a_subtopic(model, corpus):
    fit = as_one_subtopic(model, corpus)
    settings = check_settings(model.get_params(deep=False))
    split = open_subtopic(fit, corpus, "0.1", settings).splits[0]
    words = np.array(corpus.vocabulary)
    theme = np.array([word[:3] for word in words[corpus.tokens[tokens_in(fit, "0.1")]]])  # (n,)
    is_planted = theme != "shi"
    found = set()
    for child in range(split.counts.shape[1]):
        names, n = np.unique(theme[is_planted & (split.token_children == child)], return_counts=True)
        assert n.max() / n.sum() > 0.9
        found.add(str(names[n.argmax()]))
    assert found == {"sea", "sky"}
    assert (split.token_children >= 0).mean() > 0.8


def test_it_returns_and_records_what_is_below(model):
    below = model.drill_down("0.1")
    assert [topic.id for topic in below] == [f"0.1.{s + 1}" for s in range(len(below))]
    assert len(below) >= 2
    assert model.topics_[0].subtopics[0].subtopics == below
    assert model.get_topic("0.1.2") == below[1].top_words()
    total = sum(topic.n_tokens for topic in below)
    assert total <= model.topics_[0].subtopics[0].n_tokens + 0.5


def test_the_outcome_does_not_depend_on_what_else_was_opened(model, corpus, tmp_path):
    model.save(tmp_path / "before")
    model.drill_down("0.1")
    other = QueryDrivenTopicModel.load(tmp_path / "before")
    other.n_jobs = 2
    for subtopic in other.topics_[0].subtopics[::-1]:
        try:
            other.drill_down(subtopic.id)
        except QueryError:
            continue
    assert len(other.fit_.splits) > 1
    assert opened_bytes(model, "0.1") == opened_bytes(other, "0.1")


def test_what_no_document_is_mainly_in_goes_to_the_rest(corpus):
    counts = np.array([[3.0, 2.0, 5.0]] * corpus.n_words, np.float32)
    tokens = np.array([0, 1, 2, -1, 2, 0], np.int32)
    split = _of_some(Split("0.1", counts, 0.2, tokens, Trace.none()), np.array([True, False, True]))
    assert split.counts.tolist() == counts[:, [0, 2]].tolist()
    assert split.token_children.tolist() == [0, -1, 1, -1, 1, 0]
    assert split.rest == pytest.approx(0.2 + 0.8 * 0.2)


def test_each_one_below_has_documents_where_several_have(model):
    below = model.drill_down("0.1")
    scores = model.result_.scores(0)
    n_with = sum(bool(scores.mainly_in(scores.ids.index(topic.id)).any()) for topic in below)
    assert n_with in (0, 1, len(below))


def test_opening_twice_changes_nothing(model):
    first = model.drill_down("0.1")
    fit = model.fit_
    assert model.drill_down("0.1") == model.topics_[0].subtopics[0].subtopics
    assert model.fit_ is fit
    assert [topic.id for topic in first] == [topic.id for topic in model.topics_[0].subtopics[0].subtopics]


def test_names_survive(model):
    model.set_topic_labels({"0.1": "Boats"})
    model.drill_down("0.1")
    model.set_topic_labels({"0.1.1": "Sails"})
    assert model.topics_[0].subtopics[0].name == "Boats"
    assert model.topics_[0].subtopics[0].subtopics[0].name == "Sails"


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("0.99", r"no subtopic '0\.99' in this model; there is 0\.1 to 0\."),
        ("0.1.1", "0.1 has not been opened yet; open it first"),
        ("0", "give the id of a subtopic, such as '0.1'"),
        ("b1", "give the id of a subtopic"),
        ("0.x", "give the id of a subtopic"),
        (7, "give the id of a subtopic"),
    ],
)
def test_what_cannot_be_opened_is_said(model, id, message):
    with pytest.raises(QueryError, match=message):
        model.drill_down(id)


def test_a_subtopic_too_small_to_split_says_so():
    texts = ["fire wind forest smoke town", "fire wind crew water hose", "vote party law tax vote"] * 6
    small = QueryDrivenTopicModel("fire", embeddings=None, max_sweeps=10).fit(texts)
    with pytest.raises(QueryError, match=r"0\.1 is too small to split: it has \d+ tokens, 200 are needed"):
        small.drill_down("0.1")
