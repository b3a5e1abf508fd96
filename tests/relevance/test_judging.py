"""Judging: the right documents are judged likely, wherever the evidence for them is."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from qdtm.relevance.judging import Evidence, judge_documents
from qdtm.results.relevance import Relevance

N_DOCUMENTS, N_OWN = 400, 60


def made(seed=0, noise=0.25):
    """Documents of 20 tokens: the first 60 mostly of words 0 to 9, the others mostly of words 10 to 99."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((N_DOCUMENTS, 100), np.int64)
    for j in range(N_DOCUMENTS):
        own = rng.random(20) < (1 - noise if j < N_OWN else noise / 3)
        words = np.where(own, rng.integers(0, 10, 20), rng.integers(10, 100, 20))
        np.add.at(counts[j], words, 1)
    word_topic = np.column_stack([counts[:N_OWN].sum(axis=0), counts[N_OWN:].sum(axis=0)]).astype(np.float32)
    reach = counts[:, :10].sum(axis=1) / 20.0
    return csr_matrix(counts), word_topic, [reach]


def unit_vectors(seed=1):
    """Words of the topic lie in one direction, the others anywhere."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(100, 8))
    vectors[:10] += np.array([4.0] + [0.0] * 7)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("vectors", [None, unit_vectors()], ids=["counts alone", "with word vectors"])
def test_documents_of_the_topic_are_judged_likely_and_others_are_not(vectors):
    counts, word_topic, reach = made()
    judged = judge_documents(counts, word_topic, Evidence(reach, vectors))[:, 0]
    assert judged.shape == (N_DOCUMENTS,)
    assert ((judged >= 0) & (judged <= 1)).all()
    assert judged[:N_OWN].min() > judged[N_OWN:].max()
    relevance = Relevance("q", judged)
    assert relevance.about.sum() == pytest.approx(N_OWN, abs=6)
    assert relevance.n_about == pytest.approx(N_OWN, rel=0.2)


def test_a_document_encoder_corrects_what_words_get_wrong():
    counts, word_topic, reach = made(noise=0.85)  # the words hardly tell
    truth = np.arange(N_DOCUMENTS) < N_OWN
    rng = np.random.default_rng(3)
    encoded = (rng.normal(size=(N_DOCUMENTS, 16)) + 3.0 * truth[:, None]).astype(np.float32)

    def found(judged):
        return truth[np.argsort(-judged, kind="stable")[:N_OWN]].mean()

    plain = judge_documents(counts, word_topic, Evidence(reach))[:, 0]
    helped = judge_documents(counts, word_topic, Evidence(reach, None, encoded))[:, 0]
    assert found(helped) > found(plain) + 0.05


def test_a_document_that_cannot_be_about_it_is_judged_impossible():
    counts, word_topic, (reach,) = made()
    reach[:5] = -np.inf
    judged = judge_documents(counts, word_topic, Evidence([reach], unit_vectors()))[:, 0]
    assert (judged[:5] == 0).all()
    assert judged[5:N_OWN].min() > judged[N_OWN:].max()


def test_queries_compete_for_a_document():
    counts, word_topic, (reach,) = made()
    both = np.column_stack([word_topic, word_topic[:, :1] * 0])
    both[10:20, 1], both[10:20, 2] = 0.0, word_topic[10:20, 1]  # words 10 to 19 are the other query's
    other = np.asarray(counts[:, 10:20].sum(axis=1)).ravel() / 20.0
    judged = judge_documents(counts, both[:, [0, 2, 1]], Evidence([reach, other], unit_vectors()))
    assert (judged[:N_OWN, 0] > judged[:N_OWN, 1]).all()


@pytest.mark.parametrize("n_documents", [1, 2, 3])
def test_very_few_documents_are_judged_all_the_same(n_documents):
    counts, word_topic, (reach,) = made()
    judged = judge_documents(
        counts[:n_documents], word_topic, Evidence([reach[:n_documents]], unit_vectors())
    )
    assert judged.shape == (n_documents, 1)
    assert np.isfinite(judged).all()


def test_the_same_again():
    counts, word_topic, reach = made()
    first, again = (judge_documents(counts, word_topic, Evidence(reach, unit_vectors())) for _ in range(2))
    assert first.tobytes() == again.tobytes()
