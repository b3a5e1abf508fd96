"""Two results in, what they have in common out: two phrasings of one question, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.results.documents import order_by
from qdtm.results.result import QueryScores, Result
from qdtm.results.topic import Topic

_N_WORDS = 100
_N_DOCUMENTS = 50
_ALIKE = 0.3  # cosine below which two subtopics are not paired


@dataclass(frozen=True)
class SubtopicPair:
    """A subtopic on the left, the one on the right that is most like it, and how alike they are (0 to 1)."""

    left: Topic | None
    right: Topic | None
    similarity: float


@dataclass(frozen=True)
class Comparison:
    """What two topics have in common.

    Attributes
    ----------
    similarity : float
        The cosine of the parents' words, 0 to 1.
    shared_words, left_words, right_words : tuple of str
        Concept words of both, and of one alone.
    n_documents, n_shared_documents : int
        Of the most relevant documents on each side, how many are on both; 0 of 0 in different corpora.
    pairs : tuple of SubtopicPair
        The most alike first, then those that stand alone.
    """

    similarity: float
    shared_words: tuple[str, ...]
    left_words: tuple[str, ...]
    right_words: tuple[str, ...]
    n_documents: int
    n_shared_documents: int
    pairs: tuple[SubtopicPair, ...]


def compare_topics(
    left: Result,
    q_left: int,
    scores_left: QueryScores,
    right: Result,
    q_right: int,
    scores_right: QueryScores,
) -> Comparison:
    """Compare the topic of a query with that of another, of the same result or of two."""
    topics = left.topics[q_left], right.topics[q_right]
    words = [[w.word for w in each.fit.concepts[q].words] for each, q in ((left, q_left), (right, q_right))]
    same_corpus = left.fit.corpus_fingerprint == right.fit.corpus_fingerprint
    best = [_best(each, scores) for each, scores in ((left, scores_left), (right, scores_right))]
    n_documents = min(map(len, best)) if same_corpus else 0
    return Comparison(
        similarity=word_similarity(*topics),
        shared_words=tuple(word for word in words[0] if word in words[1]),
        left_words=tuple(word for word in words[0] if word not in words[1]),
        right_words=tuple(word for word in words[1] if word not in words[0]),
        n_documents=n_documents,
        n_shared_documents=len({*best[0][:n_documents]} & {*best[1][:n_documents]}),
        pairs=tuple(_pairs(topics[0].subtopics, topics[1].subtopics)),
    )


def word_similarity(left: Topic, right: Topic) -> float:
    """Return the cosine of the most probable words of two topics, of whatever vocabularies."""
    a, b = dict(left.top_words(_N_WORDS)), dict(right.top_words(_N_WORDS))
    lengths = np.sqrt(sum(p * p for p in a.values()) * sum(p * p for p in b.values()))
    return float(sum(p * b.get(word, 0.0) for word, p in a.items()) / lengths) if lengths else 0.0


def _best(result: Result, scores: QueryScores) -> list[int]:
    rows = order_by(scores.relevance, result.corpus.document_lengths)[:_N_DOCUMENTS]
    return [int(row) for row in rows]


def _pairs(left: Sequence[Topic], right: Sequence[Topic]) -> list[SubtopicPair]:
    """Pair subtopics one to one, the most alike first; what is left stands alone."""
    every = sorted(
        ((word_similarity(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right)),
        key=lambda each: (-each[0], each[1], each[2]),
    )
    pairs, taken_left, taken_right = [], set(), set()
    for similarity, i, j in every:
        if similarity >= _ALIKE and i not in taken_left and j not in taken_right:
            pairs.append(SubtopicPair(left[i], right[j], similarity))
            taken_left.add(i)
            taken_right.add(j)
    pairs += [SubtopicPair(each, None, 0.0) for i, each in enumerate(left) if i not in taken_left]
    pairs += [SubtopicPair(None, each, 0.0) for j, each in enumerate(right) if j not in taken_right]
    return pairs
