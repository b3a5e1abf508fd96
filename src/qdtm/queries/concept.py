"""A query's concept words, each with its evidence, and the same as JSON.

In: nothing; these are plain results, made by `build_concepts`. Out: `Concept`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import QdtmError, StorageError
from qdtm.queries.answerability import RelatedWord, WordCheck
from qdtm.queries.check import QueryCheck
from qdtm.queries.query import Extractor, Query, Rule
from qdtm.reprs import listed, on_screen, quoted

# --- concepts -----------------------------------------------------------------------------------------------

Origin = Literal["query", "user", "expansion"]


@dataclass(frozen=True, repr=False)
class ConceptWord:
    """A word that stands for a query, and why.

    Parameters
    ----------
    word : str
    index : int
        Its place in the vocabulary.
    score : float
        The extractor's score (KLD where nothing is expanded).
    origin : {"query", "user", "expansion"}
        Whether it is a word of the query's text, the user's own choice, or a proposal.
    n_documents : int
        Documents of the corpus that have the word.
    n_retrieved : int
        Those of them that the query retrieves: the documents that support the word.
    documents : tuple of int
        Up to five of the supporting documents, best first: those in which the query and the word are
        likeliest. If no retrieved document has the word, those of the corpus in which the word is likeliest.
    tied : bool
        Whether the word belongs to the query's topic wherever it stands. A general word of a query of several
        ("language" of "sign language") does not.
    """

    word: str
    index: int
    score: float
    origin: Origin
    n_documents: int
    n_retrieved: int
    documents: tuple[int, ...]
    tied: bool = True

    def __repr__(self) -> str:
        loose = "" if self.tied else ", not tied"
        where = f"in {self.n_documents:,} documents, {self.n_retrieved:,} of them retrieved"
        return on_screen(f"ConceptWord({quoted(self.word)}, {self.origin}{loose}, {where})")


@dataclass(frozen=True)
class RejectedWord:
    """A word that was proposed or asked for but is no concept word, and why."""

    word: str
    reason: str


@dataclass(frozen=True)
class ConceptReading:
    """One of several things that documents mean by a query.

    Parameters
    ----------
    n_documents : int
        Documents that name the query in this sense.
    words : tuple of str
        The words that tell it best from the others.
    documents : tuple of int
        Up to three typical documents.
    """

    n_documents: int
    words: tuple[str, ...]
    documents: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Concept:
    """A query and the words that stand for it.

    Parameters
    ----------
    name : str
        The query's name.
    query : Query
        What the user asked.
    rule : {"and", "or"}
        The rule that held.
    extractor : {"kld", "fre", "rel"} or None
        What proposed words; None if nothing was expanded.
    words : tuple of ConceptWord
        The query's own words, then the user's, then the proposals, best first. At least one.
    check : QueryCheck
        What the corpus knows of the query.
    rejected : tuple of RejectedWord
        Words left out, with the reason.
    readings : tuple of ConceptReading
        What documents mean by the query, if they fall into groups that do not know each other; else none.
        `Query.reading` counts them from 1.
    """

    name: str
    query: Query
    rule: Rule
    extractor: Extractor | None
    words: tuple[ConceptWord, ...]
    check: QueryCheck
    rejected: tuple[RejectedWord, ...]
    readings: tuple[ConceptReading, ...] = ()

    def __repr__(self) -> str:
        words, n = [each.word for each in self.words], len(self.words)
        return on_screen(f"Concept({quoted(self.name)}: {n} word{'s' * (n != 1)}: {listed(words)})")

    def _repr_html_(self) -> str:
        from qdtm.present.notebook import concept_html

        return concept_html(self)

    @property
    def retrieved(self) -> int:
        """How many documents the query retrieved."""
        return self.check.n_retrieved

    @property
    def word_indices(self) -> tuple[int, ...]:
        """The places of the concept words in the vocabulary."""
        return tuple(word.index for word in self.words)

    @property
    def tied_indices(self) -> tuple[int, ...]:
        """The places of those that are tied to the topic."""
        return tuple(word.index for word in self.words if word.tied)

    @property
    def examples(self) -> tuple[int, ...]:
        """The most typical document of each reading."""
        return tuple(reading.documents[0] for reading in self.readings)

    @property
    def without_own(self) -> str:
        """A sentence that says so if no word of the query is among the words; else empty."""
        if any(word.origin != "expansion" for word in self.words):
            return ""
        words = ", ".join(f"'{word.word}'" for word in self.words)
        return f"The topic has no word of the query itself; what goes with it stands for it: {words}."

    @property
    def split(self) -> str:
        """A sentence that says so if documents mean several things and none was chosen; else empty."""
        if not self.readings or self.query.reading is not None:
            return ""
        listed = list_readings(self.readings)
        return f"The documents that name it fall into {len(self.readings)} groups: {listed}."


def list_readings(readings: Sequence[ConceptReading], n_words: int = 3) -> str:
    """List readings in a line: "1 engine, wheel, brake (34), 2 orbit, launch, moon (12)"."""
    return ", ".join(
        f"{number} {', '.join(reading.words[:n_words])} ({reading.n_documents:,})"
        for number, reading in enumerate(readings, start=1)
    )


def place_documents(concept: Concept, rows: NDArray[np.int64]) -> Concept:
    """Return a concept whose documents are where `rows` says."""

    def move(documents: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(rows[list(documents)].tolist()))  # passages may be of one document

    return replace(
        concept,
        words=tuple(replace(word, documents=move(word.documents)) for word in concept.words),
        readings=tuple(replace(each, documents=move(each.documents)) for each in concept.readings),
    )


# --- concepts as JSON ---------------------------------------------------------------------------------------
#
# Concepts as JSON, to be saved with a model.
#
# In: a `Concept`. Out: plain data, and the equal `Concept` back from it.

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
