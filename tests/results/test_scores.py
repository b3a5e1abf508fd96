"""Relevance and main subtopics of documents."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm.results import document_subtopics, document_topics
from qdtm.results import scores as scores_module
from qdtm.results.scores import cutoffs, judged_relevance, score_documents, score_fitted

from .synthetic import make_fit


def test_scores_are_those_of_the_distributions(corpus, fit):
    counts = corpus.document_term_matrix
    scores = score_fitted(fit, counts)
    np.testing.assert_array_equal(scores.relevance, fit.judged.relevance.astype(np.float64))
    assert scores.share == pytest.approx(document_topics(counts, fit.word_topic)[:, :2], abs=1e-12)
    for q in range(2):
        shares = document_subtopics(counts, fit.word_topic, fit.subtopic_counts[q], q)
        has_one = scores.subtopic[:, q] >= 0
        assert (scores.subtopic[has_one, q] == shares[has_one].argmax(axis=1)).all()
        assert scores.subtopic_share[has_one, q] == pytest.approx(shares[has_one].max(axis=1))
        assert (scores.subtopic_share[~has_one, q] == 0).all()
    assert (scores.n_tokens == corpus.document_lengths).all()


def test_only_documents_about_a_query_have_a_main_subtopic(corpus, fit):
    scores = score_fitted(fit, corpus.document_term_matrix)
    np.testing.assert_array_equal(scores.about, scores.relevance >= cutoffs(scores.relevance))
    np.testing.assert_array_equal(scores.subtopic >= 0, scores.about)
    assert scores.about.any()
    assert not scores.about.all()
    empty = int(np.flatnonzero(corpus.document_lengths == 0)[0])
    assert (scores.subtopic[empty] == -1).all()


def test_words_of_dropped_subtopics_alone_give_none(corpus, fit):
    none = tuple(np.zeros_like(counts) for counts in fit.subtopic_counts)
    scores = score_fitted(replace(fit, subtopic_counts=none), corpus.document_term_matrix)
    assert (scores.subtopic == -1).all()


def test_without_subtopics(corpus):
    scores = score_fitted(make_fit(corpus, n_subtopics=(0, 0)), corpus.document_term_matrix)
    assert (scores.subtopic == -1).all()


def test_blocks_change_nothing(corpus, fit, monkeypatch):
    counts, relevance = corpus.document_term_matrix, judged_relevance(fit)
    whole = score_documents(fit, counts, relevance, relevance > 0.5)
    monkeypatch.setattr(scores_module, "BLOCK", 3)
    blocks = score_documents(fit, counts, relevance, relevance > 0.5)
    for name in ("relevance", "about", "subtopic", "subtopic_share", "n_tokens"):
        assert (getattr(whole, name) == getattr(blocks, name)).all()
