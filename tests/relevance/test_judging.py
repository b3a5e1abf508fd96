"""Judging: the right documents are judged likely, wherever the evidence for them is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from qdtm.concepts.reach import Reach
from qdtm.relevance import core
from qdtm.relevance.judging import Asked, Evidence, judge_documents
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
    return csr_matrix(counts), word_topic, asked(counts[:, :10].sum(axis=1) / 20.0, range(10))


def asked(scores, words, **more):
    """A query for some words; its reach is as broad as the concept is."""
    return Asked(Reach(N_OWN / N_DOCUMENTS, scores), list(words)[:2], list(words), **more)


def unit_vectors(seed=1):
    """Words of the topic lie in one direction, the others anywhere."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(100, 8))
    vectors[:10] += np.array([4.0] + [0.0] * 7)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("vectors", [None, unit_vectors()], ids=["counts alone", "with word vectors"])
def test_documents_of_the_topic_are_judged_likely_and_others_are_not(vectors):
    counts, word_topic, query = made()
    judged = judge_documents(counts, word_topic, Evidence([query], word_vectors=vectors))[:, 0]
    assert judged.shape == (N_DOCUMENTS,)
    assert ((judged >= 0) & (judged <= 1)).all()
    assert judged[:N_OWN].min() > judged[N_OWN:].max()
    relevance = Relevance("q", judged)
    assert relevance.about.sum() == pytest.approx(N_OWN, abs=6)
    assert relevance.n_about == pytest.approx(N_OWN, rel=0.2)


def encoded(truth, seed=3):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(len(truth), 16)) + 3.0 * truth[:, None]).astype(np.float32)


def found(judged):
    """The share of the concept's documents among as many that rank first."""
    return float((np.argsort(-judged, kind="stable")[:N_OWN] < N_OWN).mean())


def test_a_document_encoder_corrects_what_words_get_wrong():
    counts, word_topic, query = made(noise=0.85)  # the words hardly tell
    vectors = encoded(np.arange(N_DOCUMENTS) < N_OWN)
    plain = judge_documents(counts, word_topic, Evidence([query]))[:, 0]
    helped = judge_documents(counts, word_topic, Evidence([query], document_vectors=vectors))[:, 0]
    assert found(helped) > found(plain) + 0.05


def test_what_the_encoder_makes_of_the_query_counts_too():
    counts, word_topic, query = made()
    blind = np.ones_like(word_topic)  # the topic tells nothing, nor does what names the query
    query = asked(np.random.default_rng(5).random(N_DOCUMENTS), [99])
    vectors = encoded(np.arange(N_DOCUMENTS) < N_OWN)
    without = judge_documents(counts, blind, Evidence([query], document_vectors=vectors))[:, 0]
    query = replace(query, vector=np.ones(16, np.float32))
    asked_for = judge_documents(counts, blind, Evidence([query], document_vectors=vectors))[:, 0]
    assert found(asked_for) > found(without) + 0.05


def test_a_topic_without_rivals_is_no_larger_than_its_reach():
    counts, word_topic, query = made()
    broad = np.column_stack([word_topic.sum(axis=1) * 0.7, word_topic.sum(axis=1) * 0.3]).astype(np.float32)
    alone = judge_documents(counts, broad, Evidence([query]))[:, 0]
    among_rivals = judge_documents(counts, broad, Evidence([query], covering=True))[:, 0]
    assert alone.sum() < 2 * N_OWN < among_rivals.sum()


def test_documents_that_name_a_rare_query_come_first_though_its_topic_is_of_something_else():
    counts, word_topic, _ = made()
    astray = word_topic[:, ::-1].copy()  # the topic has taken what the query does not mean
    names = np.asarray(counts[:, :10].sum(axis=1)).ravel() / 20.0
    judged = judge_documents(counts, astray, Evidence([asked(names, range(10))]))[:, 0]
    first = np.argsort(-judged, kind="stable")[: round(0.25 * core.HEAD * N_DOCUMENTS)]
    assert (first < N_OWN).all()


def test_a_document_that_cannot_be_about_it_is_judged_impossible():
    counts, word_topic, query = made()
    query.reach.document_scores[:5] = -np.inf
    judged = judge_documents(counts, word_topic, Evidence([query], word_vectors=unit_vectors()))[:, 0]
    assert (judged[:5] == 0).all()
    assert judged[5:N_OWN].min() > judged[N_OWN:].max()


def test_queries_compete_for_a_document():
    counts, word_topic, query = made()
    both = np.column_stack([word_topic, word_topic[:, :1] * 0])
    both[10:20, 1], both[10:20, 2] = 0.0, word_topic[10:20, 1]  # words 10 to 19 are the other query's
    other = asked(np.asarray(counts[:, 10:20].sum(axis=1)).ravel() / 20.0, range(10, 20))
    evidence = Evidence([query, other], word_vectors=unit_vectors())
    judged = judge_documents(counts, both[:, [0, 2, 1]], evidence)
    assert (judged[:N_OWN, 0] > judged[:N_OWN, 1]).all()


@pytest.mark.parametrize("n_documents", [1, 2, 3])
@pytest.mark.parametrize("by", ["words", "an encoder"])
def test_very_few_documents_are_judged_all_the_same(n_documents, by):
    counts, word_topic, query = made()
    few = asked(query.reach.document_scores[:n_documents], range(10))
    vectors = {"word_vectors": unit_vectors()} if by == "words" else {"document_vectors": np.eye(n_documents)}
    judged = judge_documents(counts[:n_documents], word_topic, Evidence([few], **vectors))
    assert judged.shape == (n_documents, 1)
    assert np.isfinite(judged).all()


def test_the_same_again():
    counts, word_topic, query = made()
    evidence = Evidence([query], word_vectors=unit_vectors())
    first, again = (judge_documents(counts, word_topic, evidence) for _ in range(2))
    assert first.tobytes() == again.tobytes()
