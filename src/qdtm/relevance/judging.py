"""How likely each document is to be about each query: a fit and other views in, probabilities out.

The topic speaks first: p(z|d) and the log odds of the document's words. A second look by meaning corrects it.
Several queries compete, with each other and with the rest of the corpus. The documents that are surest come
first whatever the topic says; more of them where queries do not cover the corpus, for then nothing keeps a
topic from being too broad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.reach import Reach
from qdtm.relevance.calibration import calibrate
from qdtm.relevance.core import HEAD, HEAD_AMONG_RIVALS, core_first, core_scores, naming_scores
from qdtm.relevance.second_look import Look, Neighbours, Ridge, look_again
from qdtm.relevance.views import (
    centred,
    mean_log_odds,
    mean_word_vectors,
    standardised,
    topic_share,
    unit_rows,
)
from qdtm.results.distributions import FloatArray, topic_shares

ROUNDS = 3
"""Second looks, each at the verdict that the one before has corrected."""

WORDS_WEIGHT, CORE_WORDS_WEIGHT = 1.0, 3.0
"""Of a look by mean word vectors: beside the topic's two views, and beside what names the query."""

RIDGE_WEIGHT, NEIGHBOURS_WEIGHT = 2.0, 2.0
"""Of looks by a document encoder."""

CORE_LIKENESS = 3.0
"""The weight, in the core, of how near a document is to the query itself; beside the topic it is 1."""

COMPETITION = 4.0
"""The weight of a document's share among the queries."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What is known of one query beside its topic.

    Parameters
    ----------
    reach : Reach
        How much a document is like those that name the query, and how many may be about it.
    naming_words : sequence of int
        The query's own words.
    concept_words : sequence of int
        Those and the ones they were expanded to.
    vector : ndarray of float32, shape (e,), optional
        What a document encoder makes of the query.
    """

    reach: Reach
    naming_words: Sequence[int] = ()
    concept_words: Sequence[int] = ()
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class Evidence:
    """What else is known of the documents.

    Parameters
    ----------
    asked : sequence of Asked
        Of each query.
    covering : bool
        Whether the queries cover the corpus together, and so keep each other in bounds.
    word_vectors : ndarray of float32, shape (V, d), optional
        Of length 1.
    document_vectors : ndarray of float32, shape (D, e), optional
        By a document encoder; it takes the place of word vectors.
    """

    asked: Sequence[Asked]
    covering: bool = False
    word_vectors: NDArray[np.float32] | None = None
    document_vectors: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class Meaning:
    """What the documents' vectors say: by words or by an encoder, the latter with more weight.

    Parameters
    ----------
    topic_looks, core_looks : sequence of (weight, Look)
        With the verdict of the topic, and with the core.
    query_likeness : ndarray of shape (D, Q)
        How near each document is to each query itself; 0 without an encoder.
    """

    topic_looks: Sequence[tuple[float, Look]]
    core_looks: Sequence[tuple[float, Look]]
    query_likeness: FloatArray | float = 0.0


def judge_documents(counts: Any, word_topic: NDArray[np.float32], evidence: Evidence) -> FloatArray:
    """Say how likely each document is to be about each query.

    Parameters
    ----------
    counts : scipy CSR matrix, shape (D, V)
    word_topic : ndarray of shape (V, K)
        Tokens of each word in each topic; the queries' come first.
    evidence : Evidence

    Returns
    -------
    ndarray of float64, shape (D, Q)
        Between 0 and 1; 0 for a document without known words, or with words that the user excluded.
    """
    # DEVIATION(9): the paper ranks by p(z|d) alone.
    n_queries = len(evidence.asked)
    possible = np.isfinite(
        np.column_stack([asked.reach.document_scores for asked in evidence.asked])
    )  # (D, Q)
    meaning = _meaning(counts, evidence)
    share = topic_share(counts, word_topic, n_queries)
    first = standardised(share) + standardised(mean_log_odds(counts, word_topic, n_queries))
    seen = look_again(
        first + meaning.query_likeness, meaning.topic_looks, possible, _sizes(word_topic, evidence), ROUNDS
    )
    looked = seen.looked if meaning.topic_looks else share
    scores = _compete(seen.scores)
    judged = np.column_stack(
        [calibrate(scores[:, q], looked[:, q], seen.first_verdict[:, q]) for q in range(n_queries)]
    )  # (D, Q)
    core = _core(counts, evidence, meaning, possible)
    head = HEAD_AMONG_RIVALS if evidence.covering else HEAD
    judged = core_first(judged, np.where(possible, scores, -np.inf), core, head)
    return np.asarray(np.where(possible, judged, 0.0))


def _sizes(word_topic: NDArray[np.float32], evidence: Evidence) -> NDArray[np.int64]:
    """How many documents are about each query, by its topic; no more than it reaches if it has no rivals."""
    shares = topic_shares(word_topic)[: len(evidence.asked)]
    if not evidence.covering:
        shares = np.minimum(shares, [asked.reach.breadth for asked in evidence.asked])
    n_documents = len(evidence.asked[0].reach.document_scores)
    return np.maximum(1, np.round(shares * n_documents)).astype(np.int64)


def _core(counts: Any, evidence: Evidence, meaning: Meaning, possible: NDArray[np.bool_]) -> FloatArray:
    """How near each document is to the core of each query, shape (D, Q)."""
    asked = evidence.asked
    named = naming_scores(
        counts,
        [one.reach.document_scores for one in asked],
        [one.naming_words for one in asked],
        [one.concept_words for one in asked],
    )
    core = core_scores(named + CORE_LIKENESS * meaning.query_likeness, meaning.core_looks, possible)
    return np.where(possible, core, -np.inf)


def _meaning(counts: Any, evidence: Evidence) -> Meaning:
    """Look at the documents by an encoder's vectors, by those of their words, or not at all."""
    if evidence.document_vectors is not None:
        return _encoded_meaning(evidence.document_vectors, [one.vector for one in evidence.asked])
    if evidence.word_vectors is None:
        return Meaning((), ())
    ridge = Ridge(centred(mean_word_vectors(counts, evidence.word_vectors)))
    return Meaning([(WORDS_WEIGHT, ridge)], [(CORE_WORDS_WEIGHT, ridge)])


def _encoded_meaning(vectors: NDArray[np.float32], queries: Sequence[NDArray[np.float32] | None]) -> Meaning:
    common = unit_rows(vectors).mean(axis=0)
    rows = centred(vectors, common)
    looks: list[tuple[float, Look]] = [(RIDGE_WEIGHT, Ridge(rows)), (NEIGHBOURS_WEIGHT, Neighbours(rows))]
    near = [
        np.zeros(len(rows)) if query is None else rows @ centred(query[None], common)[0] for query in queries
    ]
    return Meaning(looks, looks, standardised(np.column_stack(near)))


def _compete(scores: FloatArray) -> FloatArray:
    """Let several queries compete for a document, with each other and with the rest of the corpus; (D, Q)."""
    if scores.shape[1] == 1:
        return scores
    rivals = np.column_stack([scores, np.zeros(len(scores))])  # (D, Q + 1); the rest is average
    odds = np.exp(rivals - rivals.max(axis=1, keepdims=True))
    won = odds[:, :-1] / odds.sum(axis=1, keepdims=True)
    return np.asarray(scores + COMPETITION * standardised(won))
