"""The measures of the paper's tables, one function a formula, pure over arrays."""

from qdtm.evaluation.metrics.classification import classification_accuracy
from qdtm.evaluation.metrics.coherence import c_v, npmi_coherence
from qdtm.evaluation.metrics.retrieval import mean_precision_at_k, precision_at_k, recall_at
from qdtm.evaluation.metrics.subtopics import (
    overall_quality,
    sibling_diversity,
    topic_cohesion,
    topic_diversity,
)
from qdtm.evaluation.metrics.windows import WindowCounts, count_texts, count_windows

__all__ = [
    "WindowCounts",
    "c_v",
    "classification_accuracy",
    "count_texts",
    "count_windows",
    "mean_precision_at_k",
    "npmi_coherence",
    "overall_quality",
    "precision_at_k",
    "recall_at",
    "sibling_diversity",
    "topic_cohesion",
    "topic_diversity",
]
