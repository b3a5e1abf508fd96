"""What becomes of a topic when it is asked for otherwise: results in, what they have in common out.

Each subtopic of the left one stays, splits, merges or vanishes on the right; documents are gained and lost.
The results may be of other words for one question, of another extractor, rule or seed, or even of other
corpora: then documents cannot be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray
from qdtm.results.documents import order_by
from qdtm.results.query_scores import QueryScores
from qdtm.results.result import Result
from qdtm.results.table_formats import data_frame
from qdtm.results.topic_distances import FOUND, Parts, match

# --- two results --------------------------------------------------------------------------------------------

Fate = Literal["stays", "splits", "merges", "vanishes"]
FATES: tuple[Fate, ...] = ("stays", "splits", "merges", "vanishes")

N_EXAMPLES = 5
_EXCERPT = 160  # characters of a document

LEAST_PART = 0.15
"""A piece counts as a part of another subtopic from this share of its tokens on."""

_NONE: tuple[int, ...] = ()

BETTER, NO_WORSE = 0.1, 0.02
"""A part belongs if the parts together are so much more alike with it than without; or, if it is alike by
itself, at most so much less."""


@dataclass(frozen=True)
class SubtopicFate:
    """What becomes of a subtopic of the left topic.

    Attributes
    ----------
    id, name : str
    fate : {"stays", "splits", "merges", "vanishes"}
    to : tuple of str
        The subtopics on the right that it is, that it falls into, or that it is a part of.
    beside : tuple of str
        Where it merges, the other subtopics of the left topic that do so too.
    likeness : float
        How alike it is to these together, 0 to 1; of one that vanishes, to the nearest.
    """

    id: str
    name: str
    fate: Fate
    to: tuple[str, ...]
    beside: tuple[str, ...]
    likeness: float


@dataclass(frozen=True)
class ExampleDocument:
    """A document that is on one side only."""

    id: str
    title: str
    relevance: float
    text: str


@dataclass(frozen=True)
class DocumentChanges:
    """Which documents are taken to be about the topic, on each side.

    Attributes
    ----------
    n_left, n_right, n_both : int
    gained, lost : tuple of ExampleDocument
        On the right alone and on the left alone, the most relevant first; examples, not all.
    """

    n_left: int
    n_right: int
    n_both: int
    gained: tuple[ExampleDocument, ...]
    lost: tuple[ExampleDocument, ...]

    @property
    def n_gained(self) -> int:
        """Documents that the right topic has and the left has not."""
        return self.n_right - self.n_both

    @property
    def n_lost(self) -> int:
        """Documents that the left topic has and the right has not."""
        return self.n_left - self.n_both


@dataclass(frozen=True)
class Comparison:
    """What two topics have in common.

    Attributes
    ----------
    overlap : float
        The share of words that the parents have in common, 0 to 1.
    shared_words, left_words, right_words : tuple of str
        Concept words of both, and of one alone.
    fates : tuple of SubtopicFate
        Of the left subtopics, in order.
    new : tuple of str
        Ids of right subtopics that no left one stays as, splits or merges into.
    documents : DocumentChanges or None
        None if the corpora differ.
    """

    overlap: float
    shared_words: tuple[str, ...]
    left_words: tuple[str, ...]
    right_words: tuple[str, ...]
    fates: tuple[SubtopicFate, ...]
    new: tuple[str, ...]
    documents: DocumentChanges | None


def compare_topics(
    left: Result,
    q_left: int,
    right: Result,
    q_right: int,
    *,
    scores: tuple[QueryScores, QueryScores] | None = None,
) -> Comparison:
    """Compare the topic of a query with that of another, of the same result or of two.

    Parameters
    ----------
    left, right : Result
    q_left, q_right : int
        Which query of each.
    scores : pair of QueryScores, optional
        Of the documents against the two queries, if they are at hand.
    """
    words = [[w.word for w in each.fit.concepts[q].words] for each, q in ((left, q_left), (right, q_right))]
    fates, new = subtopic_fates(left, q_left, right, q_right)
    documents = None
    if left.fit.corpus_fingerprint == right.fit.corpus_fingerprint:
        documents = _document_changes(left, q_left, right, q_right, scores)
    return Comparison(
        overlap=_overlap(left, q_left, right, q_right),
        shared_words=tuple(word for word in words[0] if word in words[1]),
        left_words=tuple(word for word in words[0] if word not in words[1]),
        right_words=tuple(word for word in words[1] if word not in words[0]),
        fates=fates,
        new=new,
        documents=documents,
    )


# --- subtopics ---------------------------------------------------------------------------------------------


def subtopic_fates(
    left: Result, q_left: int, right: Result, q_right: int
) -> tuple[tuple[SubtopicFate, ...], tuple[str, ...]]:
    """Say what becomes of each left subtopic, and which right ones are new (by id)."""
    own, others = left.topics[q_left].subtopics, right.topics[q_right].subtopics
    a, b = _splits(left, q_left, right, q_right)
    alike = a.likeness(b)  # (S, R)
    pairs = {pair.left: pair.right for pair in match(alike, FOUND)}
    splits = {s: parts for s in range(a.n) if (parts := parts_of(s, a, b))}
    merges = {s: (r, parts) for r in range(b.n) for parts in [parts_of(r, b, a)] for s in parts}
    fates = []
    for s, topic in enumerate(own):
        fate: Fate = "vanishes"
        to, beside = _NONE, _NONE
        if s in splits:
            fate, to = "splits", splits[s]
        elif s in merges:
            fate, to, beside = "merges", (merges[s][0],), tuple(x for x in merges[s][1] if x != s)
        elif s in pairs:
            fate, to = "stays", (pairs[s],)
        value = a.likeness_of(b, (s, *beside), to) if to else float(alike[s].max(initial=0.0))
        names = tuple(others[r].id for r in to), tuple(own[x].id for x in beside)
        fates.append(SubtopicFate(topic.id, topic.short_name, fate, *names, value))
    used = {id for each in fates for id in each.to}
    return tuple(fates), tuple(each.id for each in others if each.id not in used)


def parts_of(s: int, whole: Parts, others: Parts) -> tuple[int, ...]:
    """Return the subtopics of another split that together are subtopic `s`, largest first.

    None if there are not several. Only those are tried that are nearer to `s` than to any other, and large
    enough to matter.
    """
    nearest = whole.distances(others).argmin(axis=0) if whole.n and others.n else np.zeros(0, np.int64)
    mine = [r for r in np.flatnonzero(nearest == s) if others.sizes[r] >= LEAST_PART * whole.sizes[s]]
    parts = tuple(sorted((int(r) for r in mine), key=lambda r: -others.sizes[r]))
    while len(parts) > 1 and not _last_belongs(parts, s, whole, others):
        parts = parts[:-1]
    return parts if len(parts) > 1 and whole.likeness_of(others, (s,), parts) >= FOUND else ()


def _last_belongs(parts: tuple[int, ...], s: int, whole: Parts, others: Parts) -> bool:
    """Tell whether the smallest of some parts makes them more like subtopic `s`."""
    together, without, alone = (
        whole.likeness_of(others, (s,), each) for each in (parts, parts[:-1], parts[-1:])
    )
    return together >= without + (-NO_WORSE if alone >= FOUND else BETTER)


def _splits(left: Result, q_left: int, right: Result, q_right: int) -> tuple[Parts, Parts]:
    """Return the subtopics of both sides over one vocabulary."""
    counts = left.fit.subtopic_counts[q_left], right.fit.subtopic_counts[q_right]
    a, b = _over_one_vocabulary(left, counts[0], right, counts[1])
    return Parts(a), Parts(b)


def _over_one_vocabulary(
    left: Result, a: NDArray[np.float32], right: Result, b: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return counts of words, (V, S) and (V, R), over the words of both vocabularies."""
    if left.fit.vocabulary == right.fit.vocabulary:
        return a, b
    words = {word: w for w, word in enumerate(dict.fromkeys((*left.fit.vocabulary, *right.fit.vocabulary)))}
    spread = []
    for result, counts in ((left, a), (right, b)):
        wide = np.zeros((len(words), counts.shape[1]), np.float32)
        wide[[words[word] for word in result.fit.vocabulary]] = counts
        spread.append(wide)
    return spread[0], spread[1]


def _overlap(left: Result, q_left: int, right: Result, q_right: int) -> float:
    """Return the share of words that two parent topics have in common."""
    parents = left.fit.word_topic[:, [q_left]], right.fit.word_topic[:, [q_right]]
    a, b = (Parts(each) for each in _over_one_vocabulary(left, parents[0], right, parents[1]))
    return float(1.0 - a.distances(b)[0, 0])


# --- documents ---------------------------------------------------------------------------------------------


def _document_changes(
    left: Result, q_left: int, right: Result, q_right: int, scores: tuple[QueryScores, QueryScores] | None
) -> DocumentChanges:
    a, b = scores or (left.scores(q_left), right.scores(q_right))
    in_left = left.relevance(q_left).about  # (D,)
    in_right = right.relevance(q_right).about
    return DocumentChanges(
        n_left=int(in_left.sum()),
        n_right=int(in_right.sum()),
        n_both=int((in_left & in_right).sum()),
        gained=_examples(right, b.relevance, in_right & ~in_left),
        lost=_examples(left, a.relevance, in_left & ~in_right),
    )


def _examples(
    result: Result, relevance: FloatArray, wanted: NDArray[np.bool_]
) -> tuple[ExampleDocument, ...]:
    """Return the most relevant of the documents that are wanted."""
    rows = np.flatnonzero(wanted)
    rows = rows[order_by(relevance[rows], result.corpus.document_lengths[rows], N_EXAMPLES)]
    return tuple(
        ExampleDocument(
            each.id, each.title, float(relevance[each.index]), " ".join(each.text[:_EXCERPT].split())
        )
        for each in result.corpus.documents.select(rows.tolist())
    )


# --- a result and its variants ------------------------------------------------------------------------------
#
# How much a finding hangs on how it was asked for: a result and variants of it in, one table out.
#
# Each variant is compared with the reference (`qdtm.results.comparison`); a subtopic that stays in most of
# them does not hang on a word of the query, the extractor, the rule or the seed.


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
