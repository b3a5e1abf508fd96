"""The systems that the query-driven model is compared with, each a model in its own right."""

from qdtm.evaluation.baselines.chain import Schedule
from qdtm.evaluation.baselines.constrained import DFLDA, ISLDA, SCLDA
from qdtm.evaluation.baselines.retrieval import bm25_scores, query_likelihood_scores
from qdtm.evaluation.baselines.topic_fit import TopicFit

__all__ = ["DFLDA", "ISLDA", "SCLDA", "Schedule", "TopicFit", "bm25_scores", "query_likelihood_scores"]
