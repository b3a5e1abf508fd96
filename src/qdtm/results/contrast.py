"""Two queries of a result held against each other: what is in one and not in the other.

In: a `Result` and two of its queries. Out: `Contrast`: the words that tell their topics apart, the documents
of one, of the other and of both, and the subtopics that come nearest to the other side.

Words are compared by their log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008):
the corpus' own word frequencies stand behind both topics, so a rare word needs more evidence, and each
difference comes with its standard error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import QueryError
from qdtm.results.distributions import FloatArray
from qdtm.results.documents import order_by
from qdtm.results.one_group import one_group
from qdtm.results.passages import Passage
from qdtm.results.reasons import Reasons
from qdtm.results.relevance import Relevance
from qdtm.results.result import Result
from qdtm.results.table_formats import data_frame
from qdtm.results.topic_distances import topic_overlaps
from qdtm.results.topics import Topic

SURE = 1.96
"""Standard errors that a difference must have to count: 95 in 100."""


@dataclass(frozen=True)
class ContrastWord:
    """A word that one topic has more than the other.

    Attributes
    ----------
    word : str
    log_odds : float
        How much likelier it is on the left than on the right, as a difference of log-odds; negative if it is
        likelier on the right.
    error : float
        The standard error of that.
    n_left, n_right : float
        Its tokens in each topic, averaged over the samples.
    """

    word: str
    log_odds: float
    error: float
    n_left: float
    n_right: float

    @property
    def z(self) -> float:
        """The difference in standard errors."""
        return self.log_odds / self.error


@dataclass(frozen=True)
class ContrastDocument:
    """A document, and how relevant it is to each of two queries.

    Attributes
    ----------
    index : int
    id, title : str
    left, right : float
        Its relevance to each query.
    text : str
    marked : Passage
        Where it says what makes it relevant: to the query it is shown for, to the left one of both.
    """

    index: int
    id: str
    title: str
    left: float
    right: float
    text: str
    marked: Passage

    @property
    def passage(self) -> str:
        """Where it says what makes it relevant, on one line."""
        return self.marked.line


@dataclass(frozen=True)
class NearSubtopic:
    """A subtopic, and the one of the other query that has most in common with it.

    Attributes
    ----------
    id, name : str
    nearest, nearest_name : str
        Of the other query.
    overlap : float
        Of their words, 0 to 1 (Bhattacharyya's coefficient).
    """

    id: str
    name: str
    nearest: str
    nearest_name: str
    overlap: float


@dataclass(frozen=True, repr=False)
class Contrast:
    """What two queries have apart, and in common.

    Attributes
    ----------
    left, right : str
        Their names.
    overlap : float
        Of the words of their topics, 0 to 1.
    left_words, right_words : tuple of ContrastWord
        The words that one has more than the other, with 95 in 100, the surest first.
    n_left, n_right, n_both : int
        Documents that are about one query and not about the other (by the recommended cut-offs), and those
        that are about both.
    left_documents, right_documents, both_documents : tuple of ContrastDocument
        The most relevant of each.
    left_subtopics, right_subtopics : tuple of NearSubtopic
        Those of each side that come nearest to the other, nearest first.
    """

    left: str
    right: str
    overlap: float
    left_words: tuple[ContrastWord, ...]
    right_words: tuple[ContrastWord, ...]
    n_left: int
    n_right: int
    n_both: int
    left_documents: tuple[ContrastDocument, ...]
    right_documents: tuple[ContrastDocument, ...]
    both_documents: tuple[ContrastDocument, ...]
    left_subtopics: tuple[NearSubtopic, ...]
    right_subtopics: tuple[NearSubtopic, ...]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of the words, those of the left first."""
        words = (*self.left_words, *self.right_words)
        names = ("word", "log_odds", "error", "z", "n_left", "n_right")
        return data_frame({name: [getattr(word, name) for word in words] for name in names})

    def __repr__(self) -> str:
        left, right = (", ".join(w.word for w in words[:5]) for words in (self.left_words, self.right_words))
        documents = f"{self.n_left}, {self.n_right} and {self.n_both} documents"
        return f"Contrast({self.left!r}: {left}; {self.right!r}: {right}; {documents} of each and both)"


def contrast_queries(
    result: Result, left: str | int, right: str | int, *, n_words: int = 15, n_documents: int = 5
) -> Contrast:
    """Hold two queries of a result against each other.

    Parameters
    ----------
    result : Result
    left, right : str or int
        The queries' names, or their positions.
    n_words, n_documents : int
        How many of each kind at most.

    Raises
    ------
    QueryError
        If there is no such query, or it is the same twice.
    """
    a, b = result.query_index(left), result.query_index(right)
    if a == b:
        raise QueryError(f"Query {left!r} cannot be contrasted with itself; give another one.")
    topics = result.topics[a], result.topics[b]
    words = contrast_words(result, a, b)
    relevance = result.relevance(a), result.relevance(b)
    sides = documents_by_side(*relevance, result.corpus.document_lengths)
    overlap = topic_overlaps(_own_words(result))[a, b]
    shown = [
        _documents(result, rows, *relevance, result.reasons(q), n_documents)
        for rows, q in zip(sides, (a, b, a), strict=True)
    ]
    return Contrast(
        left=topics[0].name,
        right=topics[1].name,
        overlap=float(overlap),
        left_words=tuple(word for word in words if word.z > SURE)[:n_words],
        right_words=tuple(word for word in reversed(words) if word.z < -SURE)[:n_words],
        n_left=len(sides[0]),
        n_right=len(sides[1]),
        n_both=len(sides[2]),
        left_documents=shown[0],
        right_documents=shown[1],
        both_documents=shown[2],
        left_subtopics=_nearest(result, topics[0], topics[1]),
        right_subtopics=_nearest(result, topics[1], topics[0]),
    )


def contrast_words(result: Result, a: int, b: int) -> list[ContrastWord]:
    """Return all words of two topics, the surest of the first at the start, of the second at the end."""
    fit = result.fit
    n_a, n_b = (fit.word_topic[:, q].astype(np.float64) for q in (a, b))  # (V,)
    n_w = fit.word_topic.sum(axis=1, dtype=np.float64)
    prior = (
        fit.beta * len(n_w) * n_w / max(n_w.sum(), 1.0)
    )  # the model's smoothing, in the corpus' proportions
    log_odds, error = weighted_log_odds(n_a, n_b, prior)
    words = np.flatnonzero((n_a > 0) | (n_b > 0))
    order = words[np.lexsort((words, -(log_odds / error)[words]))]
    return [
        ContrastWord(fit.vocabulary[w], float(log_odds[w]), float(error[w]), float(n_a[w]), float(n_b[w]))
        for w in order.tolist()
    ]


def weighted_log_odds(n_a: FloatArray, n_b: FloatArray, prior: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the difference of the words' log-odds in two topics, and its standard error, (V,) each.

    Equations 16 and 20 of Monroe, Colaresi and Quinn (2008).

    Parameters
    ----------
    n_a, n_b : ndarray of shape (V,)
        Tokens of each word in each topic.
    prior : ndarray of shape (V,)
        Tokens of each word that are thought to stand behind both; above 0 where a topic has the word.
    """
    a, b = n_a + prior, n_b + prior
    a, b = np.maximum(a, 1e-9), np.maximum(b, 1e-9)
    log_odds = np.log(a / (a.sum() - a)) - np.log(b / (b.sum() - b))
    return log_odds, np.sqrt(1.0 / a + 1.0 / b)


def documents_by_side(
    left: Relevance, right: Relevance, lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the documents of the first query only, of the second only, and of both; best first."""
    kinds = (
        (left.about & ~right.about, left.scores),
        (right.about & ~left.about, right.scores),
        (left.about & right.about, np.minimum(left.scores, right.scores)),
    )
    found = [np.flatnonzero(mask) for mask, _ in kinds]
    ordered = [
        rows[order_by(score[rows], lengths[rows])] for rows, (_, score) in zip(found, kinds, strict=True)
    ]
    return ordered[0], ordered[1], ordered[2]


def _documents(
    result: Result, rows: NDArray[np.int64], left: Relevance, right: Relevance, reasons: Reasons, n: int
) -> tuple[ContrastDocument, ...]:
    documents = result.corpus.documents.select(rows[:n].tolist())
    return tuple(
        ContrastDocument(
            index=d.index,
            id=d.id,
            title=d.title,
            left=float(left.scores[d.index]),
            right=float(right.scores[d.index]),
            text=d.text,
            marked=reasons.passage(d),
        )
        for d in documents
    )


def _nearest(result: Result, own: Topic, other: Topic) -> tuple[NearSubtopic, ...]:
    """Return a query's subtopics, those that come nearest to one of the other query's first.

    A topic that is one group has none, and is itself what another's come near to.
    """
    mine, theirs = (() if one_group(result, each) else each.subtopics for each in (own, other))
    theirs = theirs or (other,)
    if not mine:
        return ()
    overlaps = topic_overlaps(np.stack([topic.probabilities for topic in (*mine, *theirs)]))
    between = overlaps[: len(mine), len(mine) :]  # (S, S')
    best = between.argmax(axis=1)
    near = [
        NearSubtopic(topic.id, topic.short_name, theirs[t].id, theirs[t].short_name, float(between[s, t]))
        for s, (topic, t) in enumerate(zip(mine, best.tolist(), strict=True))
    ]
    return tuple(sorted(near, key=lambda each: (-each.overlap, each.id)))


def closest_pairs(result: Result) -> Iterable[tuple[int, int]]:
    """Yield each query with the one it has most in common with, each pair once."""
    n = len(result.topics)
    if n < 2:
        return
    overlaps = topic_overlaps(_own_words(result))
    np.fill_diagonal(overlaps, -1.0)
    pairs = [(q, int(overlaps[q].argmax())) for q in range(n)]
    yield from dict.fromkeys((min(pair), max(pair)) for pair in pairs)


def _own_words(result: Result) -> FloatArray:
    """Return the share of each word in the topic of each query, (Q, V).

    Not smoothed: of a rare topic in a large vocabulary smoothing is the most, and all topics have it in
    common.
    """
    counts = result.fit.word_topic[:, : result.fit.n_queries].T.astype(np.float64)
    shares: FloatArray = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return shares
