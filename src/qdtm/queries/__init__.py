"""From a query to concept words: what is asked, whether it can be answered, and which words stand for it."""

from qdtm.queries.answerability import RelatedWord, WordCheck
from qdtm.queries.check import QueryCheck, check_query
from qdtm.queries.concept import (
    Concept,
    ConceptReading,
    ConceptWord,
    RejectedWord,
    concept_from_json,
    concept_to_json,
)
from qdtm.queries.expansion import build_concepts
from qdtm.queries.query import Query, as_queries
from qdtm.queries.selection import choose_concepts

__all__ = [
    "Concept",
    "ConceptReading",
    "ConceptWord",
    "Query",
    "QueryCheck",
    "RejectedWord",
    "RelatedWord",
    "WordCheck",
    "as_queries",
    "build_concepts",
    "check_query",
    "choose_concepts",
    "concept_from_json",
    "concept_to_json",
]
