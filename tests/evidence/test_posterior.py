"""What fitted topics add: every document seen by what others made of its words."""

import numpy as np
import pytest

from qdtm.evidence.evidence import Evidence
from qdtm.evidence.posterior import revise
from qdtm.evidence.topic_looks import SURE, topic_looks

from .worlds import random_counts


def as_tokens(counts, seed):
    """The documents of counts as tokens in random order, with offsets."""
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(np.repeat(np.arange(counts.shape[1]), row)) for row in counts.toarray()]
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return np.concatenate(rows).astype(np.int32), offsets


def naive_look(counts, tokens, offsets, in_topic, hide):
    """Log odds of the mean, over a document's tokens, of how much of the word others have in the topic."""
    n_documents = counts.shape[0]
    document = np.repeat(np.arange(n_documents), np.diff(offsets))
    usual = in_topic.mean()
    looks = []
    for j in range(n_documents):
        shares = []
        for w in tokens[offsets[j] : offsets[j + 1]]:
            if w in hide:
                continue
            elsewhere = (tokens == w) & (document != j)
            shares.append((in_topic[elsewhere].sum() + usual) / (elsewhere.sum() + 1.0))
        share = np.clip(np.mean(shares) if shares else usual, 1 - SURE, SURE)
        looks.append(np.log(share / (1 - share)))
    return looks


@pytest.mark.parametrize("seed", range(5))
def test_looks_equal_a_loop_that_leaves_the_document_out(seed):
    counts = random_counts(seed)
    tokens, offsets = as_tokens(counts, seed)
    in_topic = np.random.default_rng(seed + 1).random(len(tokens)) < 0.3
    seen, unseen = topic_looks(counts, tokens, offsets, in_topic, (2, 7))
    np.testing.assert_allclose(seen, naive_look(counts, tokens, offsets, in_topic, ()), rtol=1e-10)
    np.testing.assert_allclose(unseen, naive_look(counts, tokens, offsets, in_topic, (2, 7)), rtol=1e-10)


def test_what_a_document_has_itself_in_the_topic_does_not_matter():
    counts = random_counts(0)
    tokens, offsets = as_tokens(counts, 0)
    in_topic = np.random.default_rng(1).random(len(tokens)) < 0.3
    other = in_topic.copy()
    span = slice(offsets[3], offsets[4])
    other[span] = in_topic[span][np.random.default_rng(2).permutation(offsets[4] - offsets[3])]
    first, second = (topic_looks(counts, tokens, offsets, each, ())[0] for each in (in_topic, other))
    assert first[3] == second[3]  # as many tokens are in the topic, so that the usual share is the same


def test_an_empty_topic_and_an_empty_document():
    counts = random_counts(0)
    tokens, offsets = as_tokens(counts, 0)
    for look in topic_looks(counts, tokens, offsets, np.zeros(len(tokens), bool), (0,)):
        assert np.isfinite(look).all()
        assert (look == look[0]).all()


def evidence_of(strength, scores, words=(0,)):
    possible = np.ones(len(scores), bool)
    possible[-1] = False
    return Evidence(np.zeros(len(scores)), possible, strength, scores, scores, words)


def test_a_topic_that_tells_names_from_others_counts_and_one_that_does_not_hardly():
    rng = np.random.default_rng(0)
    about = np.arange(200) < 40
    strength = np.where(about & (rng.random(200) < 0.5), 0.8, 0.0)
    evidence = evidence_of(strength, about + rng.normal(0, 1.0, 200))
    telling = 4.0 * about + rng.normal(size=200)
    noise = rng.permutation(telling)
    good, bad = revise(evidence, telling, telling), revise(evidence, noise, noise)
    unnamed = about & (strength == 0)
    assert good.probability[unnamed].mean() > bad.probability[unnamed].mean() + 0.1
    correlation = np.corrcoef(bad.seen, evidence.seen)[0, 1]
    assert correlation > 0.85
    assert good.probability[-1] == 0.0  # what cannot be about it is not


def test_what_a_topic_adds_leaves_the_names_as_they_are():
    counts = random_counts(3)
    tokens, offsets = as_tokens(counts, 3)
    topics = np.random.default_rng(0).integers(0, 3, len(tokens)).astype(np.int32)
    strength = (np.arange(40) % 4 == 0) * 0.7
    evidence = evidence_of(strength, np.random.default_rng(1).normal(size=40), (1,))
    found = revise(evidence, *topic_looks(counts, tokens, offsets, topics == 1, (1,)))
    assert (found.strength is strength, found.words) == (True, (1,))
    assert (found.probability != evidence.probability).any()
