"""From a query to concept words: what is asked, whether it can be answered, and which words stand for it."""

from qdtm.concepts.check import QueryCheck, check_query
from qdtm.concepts.choosing import choose_concepts
from qdtm.concepts.concept import Concept, ConceptReading, ConceptWord, RejectedWord
from qdtm.concepts.expand import build_concepts
from qdtm.concepts.json_form import concept_from_json, concept_to_json
from qdtm.concepts.query import Query, as_queries
from qdtm.concepts.related import RelatedWord
from qdtm.concepts.verdict import WordCheck

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
