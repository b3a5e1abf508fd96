"""The documents that show best what a topic or subtopic is about: a `Result` in, typical documents out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Document
from qdtm.results.distributions import average_over_tokens, word_topic_probabilities
from qdtm.results.documents import CopyGroups, order_by
from qdtm.results.query_scores import QueryScores
from qdtm.results.result import Result

SHORT = 12
"""Tokens: a document's share counts as if so many more of its tokens were elsewhere."""


def typical_documents(
    scores: QueryScores,
    s: int,
    lengths: NDArray[np.int64],
    n: int = 3,
    first_copy: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the rows of the documents that are most about the subtopic at position `s`, best first.

    Only documents that are about the query; those whose main subtopic it is come before others. A short
    document is easily all about one thing; its share counts for less. Of copies
    (`Corpus.first_copy`) there is one.
    """
    copies = CopyGroups(scores, first_copy)
    rows = np.flatnonzero((scores.shares[:, s] > 0) & scores.about)
    trusted = scores.shares[rows, s] * lengths[rows] / (lengths[rows] + SHORT)
    return copies.first(rows[order_by(trusted + scores.mainly_in(s)[rows], n=copies.enough(n))])[:n]


def representative_documents(
    result: Result, topic: str | None = None, n: int = 3
) -> dict[str, list[Document]]:
    """Return the documents that are most about a topic, or about each of them, by id."""
    wanted = {each.id for each in result.all_topics()} if topic is None else {result.topic(topic).id}
    lengths, first_copy = result.corpus.document_lengths, result.corpus.first_copy
    found: dict[str, NDArray[np.int64]] = {}
    for q, parent in enumerate(result.topics):
        if wanted.isdisjoint(each.id for each in parent.walk()):
            continue
        scores = result.scores(q)
        copies = CopyGroups(scores, first_copy)
        best = order_by(scores.relevance * lengths / (lengths + SHORT), n=copies.enough(n))
        found[parent.id] = copies.first(best)[:n]
        for s, each in enumerate(parent.below()):
            found[each.id] = typical_documents(scores, s, lengths, n, first_copy)
    asked = [k for k, each in enumerate(result.background) if each.id in wanted]
    if asked:
        columns = [result.fit.n_queries + k for k in asked]
        weights = word_topic_probabilities(result.fit.word_topic)[:, columns]
        shares = average_over_tokens(result.corpus.document_term_matrix, weights, np.zeros(len(asked)))
        for column, k in enumerate(asked):
            found[result.background[k].id] = order_by(shares[:, column] * lengths / (lengths + SHORT), n=n)
    ids = [each.id for each in result.all_topics() if each.id in wanted]
    return {id: list(result.corpus.documents.select(found[id].tolist())) for id in ids}
