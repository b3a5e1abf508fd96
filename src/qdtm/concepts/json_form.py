"""Concepts as JSON, to be saved with a model.

In: a `Concept`. Out: plain data, and the equal `Concept` back from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from qdtm.concepts.check import QueryCheck
from qdtm.concepts.concept import Concept, ConceptWord, RejectedWord
from qdtm.concepts.query import Query
from qdtm.concepts.verdict import WordCheck
from qdtm.errors import QdtmError, StorageError


def concept_to_json(concept: Concept) -> dict[str, Any]:
    """Return a concept in a form that JSON can hold."""
    return asdict(concept)


def concept_from_json(values: Mapping[str, Any]) -> Concept:
    """Return the concept that `concept_to_json` described.

    Raises
    ------
    StorageError
        If the description is not one of ours.
    """
    try:
        check = dict(
            values["check"], words=tuple(_make(WordCheck, word) for word in values["check"]["words"])
        )
        return Concept(
            **dict(
                values,
                query=_make(Query, values["query"]),
                words=tuple(_make(ConceptWord, word) for word in values["words"]),
                check=_make(QueryCheck, check),
                rejected=tuple(_make(RejectedWord, word) for word in values["rejected"]),
            )
        )
    except (KeyError, TypeError, ValueError, QdtmError):
        raise StorageError("A saved concept is damaged: its parts make no sense.") from None


def _make(kind: type[Any], values: Mapping[str, Any]) -> Any:
    """Make a result of its parts; what JSON turned into lists becomes tuples again."""
    return kind(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    )
