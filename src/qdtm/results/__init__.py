"""The frozen outcome of a fit, and everything that can be read off it."""

from qdtm.results.distributions import (
    document_subtopics,
    document_topics,
    topic_word_probabilities,
    word_topic_probabilities,
)
from qdtm.results.documents import DocumentTable, RelevantDocument, rank_documents
from qdtm.results.fit import ModelFit
from qdtm.results.scores import DocumentScores, score_documents
from qdtm.results.storage import load_model, save_model
from qdtm.results.topic import Topic
from qdtm.results.topics import build_topics
from qdtm.sampler.trace import Trace

__all__ = [
    "DocumentScores",
    "DocumentTable",
    "ModelFit",
    "RelevantDocument",
    "Topic",
    "Trace",
    "build_topics",
    "document_subtopics",
    "document_topics",
    "load_model",
    "rank_documents",
    "save_model",
    "score_documents",
    "topic_word_probabilities",
    "word_topic_probabilities",
]
