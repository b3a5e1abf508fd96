"""Concepts as JSON, to be saved with a model.

In: a `Concept`. Out: plain data, and the equal `Concept` back from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from qdtm.concepts.check import QueryCheck
from qdtm.concepts.concept import Concept, ConceptReading, ConceptWord, RejectedWord
from qdtm.concepts.query import Query
from qdtm.concepts.related import RelatedWord
from qdtm.concepts.verdict import WordCheck
from qdtm.errors import QdtmError, StorageError

_KINDS: tuple[type[Any], ...] = (
    Concept,
    ConceptReading,
    ConceptWord,
    Query,
    QueryCheck,
    RejectedWord,
    RelatedWord,
    WordCheck,
)
_HINTS = {kind: get_type_hints(kind) for kind in _KINDS}


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
            values["check"],
            words=tuple(_make(WordCheck, word) for word in values["check"]["words"]),
            related=tuple(_make(RelatedWord, word) for word in values["check"].get("related", ())),
        )
        parts = dict(
            values,
            query=_make(Query, values["query"]),
            words=tuple(_make(ConceptWord, word) for word in values["words"]),
            check=_make(QueryCheck, check),
            rejected=tuple(_make(RejectedWord, word) for word in values["rejected"]),
            readings=tuple(_make(ConceptReading, reading) for reading in values.get("readings", ())),
        )
        concept: Concept = _make(Concept, parts)
    except (KeyError, TypeError, ValueError, OverflowError, QdtmError):
        raise StorageError("A saved concept is damaged: its parts make no sense.") from None
    return concept


def _make(kind: type[Any], values: Any) -> Any:
    """Make a result of its parts, each of the type that it is declared with; JSON's lists become tuples."""
    if not isinstance(values, Mapping):
        raise TypeError(f"not the parts of a {kind.__name__}")
    parts = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    hints = _HINTS[kind]
    for name, value in parts.items():
        if not _is_of(value, hints[name]):
            raise TypeError(f"{name} of a {kind.__name__} is of another type")
    return kind(**parts)


def _is_of(value: Any, hint: Any) -> bool:
    """Return whether a value is what a type hint of our results says; a number that is none is not."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_is_of(value, each) for each in get_args(hint))
    if origin is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if origin is tuple:
        return isinstance(value, tuple) and all(_is_of(each, get_args(hint)[0]) for each in value)
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    return type(value) is hint
