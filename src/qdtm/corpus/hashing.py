"""A hash of each document's words: documents as numbers in, a number a document out.

It stands for the content of a document wherever an order or a sample is needed that does not depend on the
order of the rows in a file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK = 2**20
"""So many tokens are worked on at a time, so that what is needed on the way stays small."""

_FACTOR, _START = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xCBF29CE484222325)


def hash_documents(tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash the words of each document in their order, shape (D,).

    The sum over a document's tokens of a mixed (word, place), mixed again: the same in any order of
    documents.
    """
    parts = [
        _hash_block(tokens[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first])
        for first, last in blocks_of(offsets)
    ]
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def blocks_of(offsets: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of documents that together have about a block of tokens."""
    first, n_documents = 0, len(offsets) - 1
    while first < n_documents:
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1
        last = max(first + 1, last)
        yield first, last
        first = last


def _hash_block(tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    lengths = np.diff(offsets)
    place = np.arange(len(tokens), dtype=np.int64) - np.repeat(offsets[:-1], lengths)
    with np.errstate(over="ignore"):
        each = _mix(_mix(tokens.astype(np.uint64) + _START) + place.astype(np.uint64) * _FACTOR)
        sums = np.zeros(len(lengths), np.uint64)
        filled = lengths > 0
        if filled.any():
            sums[filled] = np.add.reduceat(each, offsets[:-1][filled], dtype=np.uint64)
        return _mix(sums + lengths.astype(np.uint64))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finisher of splitmix64 (Steele, Lea and Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed
