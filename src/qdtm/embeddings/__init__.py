"""Word vectors: loading them, and which words they relate to a query's concept words."""

from qdtm.embeddings.loading import load_vectors
from qdtm.embeddings.similarity import PromotionGraph, promotion_graph, similarity_threshold
from qdtm.embeddings.vectors import VocabularyVectors, WordVectors, embed_vocabulary

__all__ = [
    "PromotionGraph",
    "VocabularyVectors",
    "WordVectors",
    "embed_vocabulary",
    "load_vectors",
    "promotion_graph",
    "similarity_threshold",
]
