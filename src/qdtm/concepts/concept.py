"""A query's concept words, each with its evidence.

In: nothing; these are plain results, made by `build_concepts`. Out: `Concept`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.check import QueryCheck
from qdtm.concepts.query import Extractor, Query, Rule

Origin = Literal["query", "user", "expansion"]


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
        return tuple(rows[list(documents)].tolist())

    return replace(
        concept,
        words=tuple(replace(word, documents=move(word.documents)) for word in concept.words),
        readings=tuple(replace(each, documents=move(each.documents)) for each in concept.readings),
    )
