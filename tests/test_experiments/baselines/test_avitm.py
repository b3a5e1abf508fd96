"""ProdLDA on planted topics: the bound rises, the topics come back, seeds decide."""

import numpy as np
import pytest

from experiments.baselines.avitm import AVITM
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

torch = pytest.importorskip("torch", reason="needs the extra 'experiments'")

WORDS = [tuple(f"{stem}{w}" for w in range(8)) for stem in "abc"]


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    return Corpus.from_tokens([list(rng.choice(WORDS[j % 3], 12)) for j in range(300)] + [[]])


@pytest.fixture(scope="module")
def model():
    return AVITM(3, n_hidden=30, batch_size=50, n_epochs=60, learning_rate=1e-2)


@pytest.fixture(scope="module")
def training(corpus, model):
    return model.train(corpus, 0)


def test_the_bound_rises(training):
    assert training.elbo[-5:].mean() > training.elbo[:5].mean() + 1
    smooth = training.elbo.reshape(6, 10).mean(axis=1)
    assert (np.diff(smooth) > -0.2).all()


def test_planted_topics_come_back(training):
    found = {frozenset(training.fit.top_words(k, 8)) for k in range(3)}
    assert found == {frozenset(words) for words in WORDS}
    labels = np.arange(300) % 3
    best = training.fit.doc_topics[:300].argmax(axis=1)
    assert all(len(set(best[labels == q])) == 1 for q in range(3))
    assert len(set(best)) == 3


def test_the_same_seed_finds_the_same_and_torch_stays_as_it_was(corpus, model):
    torch.manual_seed(11)
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    short = AVITM(3, n_hidden=10, batch_size=50, n_epochs=2)
    first, again, other = (short.fit(corpus, seed).topics for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.get_num_threads() == threads


def test_too_little_is_refused():
    with pytest.raises(ParameterError, match="2 topics and 2 documents with words, got 3 and 1"):
        AVITM(3).fit(Corpus.from_tokens([["a"], []]))
