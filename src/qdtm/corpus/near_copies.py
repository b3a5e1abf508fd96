"""Near copies: texts that repeat another but for a few words, found by their shingles.

In: the texts of a corpus. Out: of each the text that it is a copy of, by content alone, not by rows.

A shingle is a run of five words (w-shingling, Broder 1997); numbers and stop words count, case and
punctuation do not. Two texts are copies if they share four fifths of all shingles that either has (Jaccard).
MinHash in bands (locality-sensitive hashing, Indyk and Motwani 1998) finds the pairs that may be; each is
then compared exactly. Time is linear in the text; 64 bytes a document are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import DocumentStore
from qdtm.progress import check_cancelled

COPY = 0.8
"""Shingles that copies share, of all that either has. A text that adds a quarter to another, or quotes it
whole in one of that length, is below; an edited agency story above. With five words it is what Lee et al.
(2022) take to clean corpora from near copies."""

PAIRS = 2_000
"""Compared at a time."""

_TEXTS = 4_000  # read at a time
_IntArray = NDArray[np.int64]


class _Encoded(NamedTuple):
    """Texts as the kernels read them: bytes in lower case, and where each text begins."""

    codes: NDArray[np.uint8]
    offsets: _IntArray


def find_originals(documents: DocumentStore, rows: _IntArray) -> _IntArray:
    """Return which of some documents each of them is a near copy of; itself if of none, (n,).

    Parameters
    ----------
    documents : DocumentStore
    rows : ndarray of int64, shape (n,)
        Of documents with different texts. In an order of content, the copies are the same in any order of
        the file.
    """
    pairs = candidates(_band_keys(documents, rows).T)
    parts = (pairs[start : start + PAIRS] for start in range(0, len(pairs), PAIRS))
    are_copies = np.concatenate([np.zeros(0, np.bool_), *(compare(documents, rows[p]) for p in parts)])
    return choose_originals(pairs[are_copies], len(rows))


def choose_originals(pairs: _IntArray, n: int) -> _IntArray:
    """Make those that most are like the originals, of equals the first, and the others their copies, (n,).

    So every copy is like its original, not only like another copy of it.

    Parameters
    ----------
    pairs : ndarray of int64, shape (m, 2)
        Of texts that are copies of each other.
    """
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    texts, starts, n_alike = np.unique(both[:, 0], return_index=True, return_counts=True)
    original, open_ = np.arange(n), np.ones(n, np.bool_)
    for at in np.argsort(-n_alike, kind="stable").tolist():
        if open_[texts[at]]:
            alike = both[starts[at] : starts[at] + n_alike[at], 1]
            original[alike[open_[alike]]] = texts[at]
            open_[alike] = open_[texts[at]] = False
    return original


def _band_keys(documents: DocumentStore, rows: _IntArray) -> NDArray[np.uint32]:
    """Return the keys of each text, (n, bands), read in the file's order; copies mostly share one."""
    from qdtm.corpus.shingles import N_BANDS  # slow to load

    keys = np.empty((len(rows), N_BANDS), np.uint32)
    order = np.argsort(rows, kind="stable")
    for start in range(0, len(rows), _TEXTS):
        check_cancelled()
        at = order[start : start + _TEXTS]
        keys[at] = text_keys(_texts(documents, rows[at]))
    return keys


def text_keys(texts: Iterable[str]) -> NDArray[np.uint32]:
    """Return the keys of some texts, (n, bands)."""
    from qdtm.corpus.shingles import band_keys  # slow to load

    return np.asarray(band_keys(*_encoded(texts)))


def candidates(bands: Iterable[NDArray[np.uint32]]) -> _IntArray:
    """Pair texts with a key in common, (m, 2): each with the first that has it, and with the one before.

    Parameters
    ----------
    bands : iterable of ndarray of uint32, shape (n,)
        The keys of all texts, a band after the other.
    """
    n, found = 0, np.zeros(0, np.int64)
    for key in bands:
        check_cancelled()
        n = len(key)
        order = np.argsort(key, kind="stable")
        same = np.flatnonzero(np.diff(key[order].astype(np.int64)) == 0)  # as the one before
        starts = np.flatnonzero(np.diff(key[order].astype(np.int64), prepend=-1) != 0)
        first = starts[np.searchsorted(starts, same, side="right") - 1]
        pairs = [order[at] * n + order[same + 1] for at in (first, same)]
        found = np.unique(np.concatenate([found, *pairs]))
    return np.stack(np.divmod(found, max(n, 1)), axis=1)


def compare(documents: DocumentStore, pairs: _IntArray) -> NDArray[np.bool_]:
    """Say which pairs of texts, given by their rows, are copies, (m,)."""
    from qdtm.corpus.shingles import jaccard  # slow to load

    check_cancelled()
    read, at = np.unique(pairs, return_inverse=True)
    alike = jaccard(*_encoded(_texts(documents, read)), at.reshape(-1, 2))
    return np.asarray(alike >= COPY)


def _texts(documents: DocumentStore, rows: _IntArray) -> Iterator[str]:
    return (document.text for document in documents.select(rows.tolist()))


def _encoded(texts: Iterable[str]) -> _Encoded:
    parts = [text.lower().encode("utf-8", "replace") for text in texts]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return _Encoded(np.frombuffer(b"".join(parts), np.uint8), offsets)
