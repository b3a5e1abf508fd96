"""tomotopy's models: counts read back whole, seeds, keywords; our own sampler finds what it finds."""

import numpy as np
import pytest

from experiments.baselines.constrained import ISLDA
from experiments.baselines.tomotopy_models import HTM, LDA, SeededLDA
from experiments.baselines.topic_fit import Schedule
from qdtm.corpus import Corpus

from .test_constrained import BLOCKS, CRICKET, FIRE, planted, three_blocks

pytest.importorskip("tomotopy", reason="needs the extra 'experiments'")

SHORT = Schedule(60, 30, 10)


def test_counts_are_whole_and_all_there():
    corpus = planted(extra=[[]])
    fit = LDA(2, schedule=Schedule(20, 19, 1)).fit(corpus, 0)
    blocks = {frozenset(fit.top_words(k, 4)) for k in range(2)}
    assert blocks == {frozenset(FIRE), frozenset(CRICKET)}
    occurs = np.bincount(corpus.tokens, minlength=corpus.n_words)
    tokens = fit.p_topic_of_word * occurs[:, None]
    assert tokens == pytest.approx(np.rint(tokens))
    for rows in (fit.topics, fit.doc_topics):
        assert rows.sum(axis=1) == pytest.approx(1.0)
    assert fit.doc_topics[-1] == pytest.approx([0.5, 0.5])


def test_keywords_name_their_topics():
    fit = SeededLDA([["wicket"], ["smoke"]], schedule=SHORT).fit(planted(), 0)
    assert set(fit.top_words(0, 4)) == set(CRICKET)
    assert set(fit.top_words(1, 4)) == set(FIRE)


def test_the_same_seed_finds_the_same():
    corpus = planted()
    assert np.array_equal(*(LDA(3, schedule=SHORT).fit(corpus, 1).topics for _ in range(2)))


def test_our_sampler_has_the_same_posterior_as_tomotopy():
    """Of documents that three topics make: how even the words' topics are, over many short chains."""
    corpus = three_blocks(30, 4)
    schedule = Schedule(100, 50, 5)

    def evenness(model):
        runs = [model.fit(corpus, seed).p_topic_of_word for seed in range(30)]
        return np.mean([(p**2).sum(axis=1).mean() for p in runs])

    theirs = evenness(LDA(3, alpha=0.5, beta=0.5, schedule=schedule))
    ours = evenness(ISLDA([()] * 2, alpha=0.5, beta=0.5, schedule=schedule))
    assert ours == pytest.approx(theirs, abs=0.04)


def test_the_second_level_is_read_as_parents_and_the_third_as_their_children():
    rng = np.random.default_rng(0)
    corpus = Corpus.from_tokens([[*rng.choice(BLOCKS[j % 3], 8), "said", "said"] for j in range(90)] + [[]])
    tree = HTM(gamma=1.0, n_sweeps=60).fit(corpus, 0)
    assert tree.parents.shape == (len(tree.children), corpus.n_words)
    assert tree.parents.sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    assert sum(prevalence.sum() for prevalence in tree.child_prevalence) < 1
    for children, prevalence in zip(tree.children, tree.child_prevalence, strict=True):
        assert len(children) == len(prevalence) > 0
