"""Knowledge that contradicts what the counts alone would say, and that wins."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.baselines.constrained import DFLDA, ISLDA, SCLDA
from experiments.baselines.topic_fit import Schedule
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

SHORT = Schedule(120, 60, 10)
FIRE, CRICKET = ("fire", "smoke", "forest", "bush"), ("match", "wicket", "captain", "bat")


def planted(seed=0, n_documents=300, length=10, extra=()):
    """Documents about fire or cricket, in turns, and of `extra` documents."""
    rng = np.random.default_rng(seed)
    documents = [list(rng.choice((FIRE, CRICKET)[j % 2], length)) for j in range(n_documents)]
    return Corpus.from_tokens([*documents, *extra])


def share_of(fit, word):
    """The share of each topic in a word's tokens."""
    return fit.p_topic_of_word[fit.vocabulary.index(word)]


@pytest.mark.parametrize("model", [ISLDA, SCLDA])
@pytest.mark.parametrize("seed", range(3))
def test_keywords_name_their_topics(model, seed):
    fit = model([["wicket"], ["smoke"]], schedule=SHORT).fit(planted(), seed)
    assert set(fit.top_words(0, 4)) == set(CRICKET)
    assert set(fit.top_words(1, 4)) == set(FIRE)
    assert fit.n_topics == 3
    shares = fit.mixed_doc_topics(planted())
    assert (shares[::2, 1] > shares[::2, 0]).mean() > 0.95
    assert (fit.doc_topics[1::2, 0] > fit.doc_topics[1::2, 1]).mean() > 0.95


def test_a_keyword_of_two_topics_may_have_either():
    fit = ISLDA([["wicket", "bat"], ["smoke", "bat"]], schedule=SHORT).fit(planted(), 0)
    assert share_of(fit, "bat")[2] == 0
    assert share_of(fit, "bat")[0] > 0.9  # where its company is


BLOCKS = (FIRE[:3], CRICKET[:3], ("bank", "money", "loan"))


def three_blocks(n_documents=60, length=6):
    """Documents about three things; a model with two topics has to put two of them together."""
    rng = np.random.default_rng(0)
    return Corpus.from_tokens([list(rng.choice(BLOCKS[j % 3], length)) for j in range(n_documents)])


def together(fit, one, other):
    best = fit.topics.argmax(axis=0)
    return bool(best[fit.vocabulary.index(one)] == best[fit.vocabulary.index(other)])


LINK = (("fire", "match"),)
MODELS = {
    "dflda": DFLDA(n_topics=2, eta=1000.0, schedule=SHORT),
    "sclda": SCLDA(n_topics=2, schedule=SHORT),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_links_decide_what_the_counts_leave_open(model):
    corpus = three_blocks()
    free = [together(model.fit(corpus, seed), *LINK[0]) for seed in range(6)]
    assert set(free) == {True, False}
    must, cannot = replace(model, must_links=LINK), replace(model, cannot_links=LINK)
    for seed in range(6):
        assert together(must.fit(corpus, seed), *LINK[0])
        assert not together(must.fit(corpus, seed), "fire", "bank")
        assert not together(cannot.fit(corpus, seed), *LINK[0])


def test_the_same_seed_finds_the_same():
    model = DFLDA([["fire", "smoke"], ["bat", "match"]], cannot_links=[("fire", "bat")], schedule=SHORT)
    first, again, other = (model.fit(planted(), seed) for seed in (4, 4, 5))
    assert np.array_equal(first.topics, again.topics)
    assert np.array_equal(first.doc_topics, again.doc_topics)
    assert not np.array_equal(first.topics, other.topics)


def test_progress_is_told():
    told = []
    ISLDA([["fire"]], schedule=Schedule(6, 2, 2)).fit(planted(), 0, lambda *step: told.append(step))
    assert told == [(n, 6) for n in range(1, 7)]


def test_rows_are_distributions_and_an_empty_document_has_equal_shares():
    corpus = planted(extra=[[]])
    fit = ISLDA([["fire"], ["bat"]], schedule=SHORT).fit(corpus, 0)
    for rows in (fit.topics, fit.doc_topics, fit.mixed_doc_topics(corpus), fit.p_topic_of_word):
        assert rows.sum(axis=1) == pytest.approx(1.0)
    assert fit.mixed_doc_topics(corpus)[-1] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ISLDA([["fire"]] * 3, n_topics=2).fit(planted(), 0), "keywords for 3 topics"),
        (lambda: SCLDA([["fire"]], strength=-1.0).fit(planted(), 0), "strength is -1.0"),
        (lambda: DFLDA([["fire"]], eta=0.0).fit(planted(), 0), "eta is 0.0"),
        (lambda: Schedule(10, 10, 1), "give more sweeps"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
