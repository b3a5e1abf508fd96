"""What the topic of a query says of documents: a document's share in it, by what others made of its words.

In: the counts and the tokens of documents, and which tokens the topic has. Out: log odds a document, with the
query's own words and without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.kernels import counts_of_words, shares_by_others, tokens_of_topic
from qdtm.evidence.views import FloatArray

SURE = 0.999
"""Shares in a topic are kept this far from 0 and 1 before their log odds are taken."""


def topic_looks(
    counts: Any,
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    in_topic: NDArray[np.bool_],
    words: Sequence[int],
) -> tuple[FloatArray, FloatArray]:
    """Log odds of a document's share in a topic, by others' use of its words: with the query's, without."""
    own = tokens_of_topic(counts.indptr, counts.indices, tokens, offsets, in_topic)
    usual = float(own.sum()) / max(len(tokens), 1)
    totals = counts_of_words(counts.indices, counts.data, own, counts.shape[1])
    return looks_by_others(counts, own, usual, words, *totals)


def looks_by_others(
    counts: Any,
    own: NDArray[np.int32],
    usual: float,
    words: Sequence[int],
    n_w: FloatArray,
    n_zw: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The same, given the tokens of each word in all documents, and those of the topic."""
    hidden = np.zeros(counts.shape[1], np.bool_)
    hidden[list(words)] = True
    arrays = (counts.indptr, counts.indices, counts.data)
    seen, unseen = shares_by_others(*arrays, own, usual, hidden, n_w, n_zw)
    return _log_odds(seen), _log_odds(unseen)


def _log_odds(share: FloatArray) -> FloatArray:
    bounded = np.clip(share, 1.0 - SURE, SURE)
    return np.asarray(np.log(bounded / (1.0 - bounded)))
