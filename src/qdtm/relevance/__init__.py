"""How sure the model is that a document is about a query: what it found in, a probability out."""

from qdtm.relevance.judging import judge_documents

__all__ = ["judge_documents"]
