"""A `Result` in, the plain data that other topic-model tools read out."""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.results.distributions import document_topics, topic_word_probabilities
from qdtm.results.result import Result


def to_topicwizard(result: Result) -> dict[str, Any]:
    """Return what topicwizard calls topic data: ``topicwizard.visualize(topic_data=...)``.

    Returns
    -------
    dict
        `corpus` (list of str), `vocab` (V,), `document_term_matrix` (D, V) sparse, `document_topic_matrix`
        (D, K), `topic_term_matrix` (K, V), `document_representation` (the topic shares, (D, K)), `transform`
        (None) and `topic_names` (K): the parents, then the background.
    """
    fit, corpus = result.fit, result.corpus
    shares = document_topics(corpus.document_term_matrix, fit.word_topic)  # (D, K)
    return {
        "corpus": [document.text for document in corpus.documents],
        "vocab": np.array(fit.vocabulary),
        "document_term_matrix": corpus.document_term_matrix,
        "document_topic_matrix": shares,
        "topic_term_matrix": topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta),
        "document_representation": shares,
        "transform": None,
        "topic_names": [topic.name for topic in (*result.topics, *result.background)],
    }


def to_octis(result: Result, n_words: int = 10) -> dict[str, Any]:
    """Return what OCTIS calls a model's output, for its metrics.

    Returns
    -------
    dict
        `topics` (list of K lists of words), `topic-word-matrix` (K, V), `topic-document-matrix` (K, D).
    """
    fit = result.fit
    topics = (*result.topics, *result.background)
    return {
        "topics": [[word for word, _ in topic.top_words(n_words)] for topic in topics],
        "topic-word-matrix": topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta),
        "topic-document-matrix": document_topics(result.corpus.document_term_matrix, fit.word_topic).T,
    }
