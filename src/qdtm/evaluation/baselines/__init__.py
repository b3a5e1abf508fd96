"""The systems that the query-driven model is compared with, each a model in its own right."""

from qdtm.evaluation.baselines.avitm import AVITM
from qdtm.evaluation.baselines.chain import Schedule
from qdtm.evaluation.baselines.collapsed import LDA, SeededLDA
from qdtm.evaluation.baselines.constrained import DFLDA, ISLDA, SCLDA
from qdtm.evaluation.baselines.encoder import DocumentEncoder
from qdtm.evaluation.baselines.hdp import HDP
from qdtm.evaluation.baselines.hierarchical import HTM, TopicTree
from qdtm.evaluation.baselines.topic_fit import TopicFit
from qdtm.evaluation.retrieval import bm25_scores, query_likelihood_scores

__all__ = [
    "AVITM",
    "DFLDA",
    "HDP",
    "HTM",
    "ISLDA",
    "LDA",
    "SCLDA",
    "DocumentEncoder",
    "Schedule",
    "SeededLDA",
    "TopicFit",
    "TopicTree",
    "bm25_scores",
    "query_likelihood_scores",
]
