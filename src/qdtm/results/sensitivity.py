"""How much a finding hangs on how it was asked for: a result and variants of it in, one table out.

Each variant is compared with the reference (`qdtm.results.comparison`); a subtopic that stays in most of them
does not hang on a word of the query, the extractor, the rule or the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from qdtm.results.comparison import Comparison, SubtopicFate, compare_topics
from qdtm.results.frames import data_frame
from qdtm.results.result import Result


@dataclass(frozen=True)
class Variant:
    """The topic asked for in another way.

    Attributes
    ----------
    label : str
        What is other: 'asked "israel"', "rule or", "seed 1".
    prevalence : float
        The parent topic's share of the corpus.
    n_subtopics : int
    names : tuple of (str, str)
        Id and name of each of its subtopics.
    comparison : Comparison
        The reference on the left, this on the right.
    """

    label: str
    prevalence: float
    n_subtopics: int
    names: tuple[tuple[str, str], ...]
    comparison: Comparison


@dataclass(frozen=True)
class Sensitivity:
    """A topic and what becomes of it in variants.

    Attributes
    ----------
    name : str
        The topic's.
    label : str
        How the reference was asked for.
    prevalence : float
    subtopics : tuple of (str, str)
        Id and name of each of the reference's subtopics.
    variants : tuple of Variant
    """

    name: str
    label: str
    prevalence: float
    subtopics: tuple[tuple[str, str], ...]
    variants: tuple[Variant, ...]

    def fates(self, id: str) -> tuple[SubtopicFate, ...]:
        """What becomes of the subtopic with an id, in each variant."""
        return tuple(fate for each in self.variants for fate in each.comparison.fates if fate.id == id)

    def n_stays(self, id: str) -> int:
        """In how many variants the subtopic with an id stays."""
        return sum(fate.fate == "stays" for fate in self.fates(id))

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each subtopic and variant."""
        rows = [(each.label, fate) for each in self.variants for fate in each.comparison.fates]
        return data_frame(
            {
                "variant": [label for label, _ in rows],
                "subtopic": [fate.id for _, fate in rows],
                "name": [fate.name for _, fate in rows],
                "fate": [fate.fate for _, fate in rows],
                "to": [", ".join(fate.to) for _, fate in rows],
                "likeness": [fate.likeness for _, fate in rows],
            }
        )

    def documents_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each variant: documents gained and lost."""
        known = [(each.label, each.comparison.documents) for each in self.variants]
        rows = [(label, changes) for label, changes in known if changes is not None]
        names = ("n_left", "n_right", "n_both", "n_gained", "n_lost")
        columns: dict[str, Any] = {"variant": [label for label, _ in rows]}
        return data_frame(columns | {name: [getattr(each, name) for _, each in rows] for name in names})

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        return asdict(self) | {"n_stays": {id: self.n_stays(id) for id, _ in self.subtopics}}


def compare_results(
    reference: Result,
    others: Sequence[tuple[str, Result]],
    query: str | int = 0,
    *,
    label: str = "",
    queries: Sequence[int] | None = None,
) -> Sensitivity:
    """Compare a topic of one result with the topics that answer to it in others.

    Parameters
    ----------
    reference : Result
    others : sequence of (str, Result)
        What is other about each, and the result.
    query : str or int
        Which query of the reference.
    label : str
        How the reference was asked for.
    queries : sequence of int, optional
        Which query of each other result; by default the one of the same name, or else the one in its place.
    """
    q = reference.query_index(query)
    topic = reference.topics[q]
    variants = []
    for i, (name, result) in enumerate(others):
        there = _counterpart(reference, q, result) if queries is None else queries[i]
        parent = result.topics[there]
        variants.append(
            Variant(
                name,
                parent.prevalence,
                len(parent.subtopics),
                tuple((each.id, each.short_name) for each in parent.subtopics),
                compare_topics(reference, q, result, there),
            )
        )
    subtopics = tuple((each.id, each.short_name) for each in topic.subtopics)
    return Sensitivity(topic.name, label or topic.name, topic.prevalence, subtopics, tuple(variants))


def _counterpart(reference: Result, q: int, other: Result) -> int:
    names = [concept.name for concept in other.fit.concepts]
    name = reference.fit.concepts[q].name
    return names.index(name) if name in names else min(q, len(names) - 1)
