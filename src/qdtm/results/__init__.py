"""The frozen outcome of a fit, and everything that can be read off it."""

from qdtm.results.distributions import (
    document_subtopics,
    document_topics,
    topic_word_probabilities,
    word_topic_probabilities,
)
from qdtm.results.documents import DocumentTable, RelevantDocument, rank_documents
from qdtm.results.explain import ExplainedToken, Explanation, explain_document
from qdtm.results.fit import ModelFit
from qdtm.results.presentation import Presentation
from qdtm.results.result import Result
from qdtm.results.scores import QueryScores, relevance_to, score_documents
from qdtm.results.stability import QueryStability, Stability, SubtopicStability
from qdtm.results.storage import load_model, save_model
from qdtm.results.topic import Topic
from qdtm.results.topics import build_topics
from qdtm.results.trends import Trends, topics_over_time, topics_per_class
from qdtm.sampler.trace import Trace

__all__ = [
    "DocumentTable",
    "ExplainedToken",
    "Explanation",
    "ModelFit",
    "Presentation",
    "QueryScores",
    "QueryStability",
    "RelevantDocument",
    "Result",
    "Stability",
    "SubtopicStability",
    "Topic",
    "Trace",
    "Trends",
    "build_topics",
    "document_subtopics",
    "document_topics",
    "explain_document",
    "load_model",
    "rank_documents",
    "relevance_to",
    "save_model",
    "score_documents",
    "topic_word_probabilities",
    "topics_over_time",
    "topics_per_class",
    "word_topic_probabilities",
]
