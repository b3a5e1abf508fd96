"""The `DistinctCorpus` of a corpus in, a file out, and back: its order, and its word counts for queries.

Counting a million documents takes longer than answering a query about them, so an index keeps the counts, by
documents and by words.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus, take_rows
from qdtm.errors import StorageError
from qdtm.storage import ArraySpec, load_arrays, save_arrays

_PARTS = {
    "offsets": ArraySpec("int64", 1),  # (D + 1,) or (V + 1,)
    "places": ArraySpec("int32", 1),  # (n,) words of a document, or documents of a word
    "counts": ArraySpec("uint16", 1),  # (n,)
}
_READ_BY = ("documents", "words")
_ORDER = {"rows": ArraySpec("int32", 1), "place": ArraySpec("int32", 1)}
_COUNTS = {f"{by}.{part}": spec for by in _READ_BY for part, spec in _PARTS.items()}
_LARGEST = np.iinfo(np.uint16).max


def save_distinct(path: Path, corpus: DistinctCorpus) -> None:
    """Write the order and the counts; no counts if one is too large for the file, which can do without."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(corpus, name).astype(np.int32) for name in _ORDER}
    matrices: tuple[Any, ...] = (corpus.document_term_matrix, corpus.counts_by_word)
    if corpus.n_tokens and matrices[0].data.max() > _LARGEST:
        matrices = (csr_matrix((0, 0)), csc_matrix((0, 0)))
    for by, matrix in zip(_READ_BY, matrices, strict=True):
        for part, values in zip(_PARTS, (matrix.indptr, matrix.indices, matrix.data), strict=True):
            arrays[f"{by}.{part}"] = np.asarray(values, _PARTS[part].dtype)
    save_arrays(path, arrays)


def load_distinct(path: Path, corpus: Corpus) -> DistinctCorpus:
    """Return the distinct documents of a corpus, with the counts that were saved.

    Raises
    ------
    StorageError
        If the file is damaged, or does not fit the corpus.
    """
    arrays = load_arrays(path, _ORDER | _COUNTS)
    rows, place = (arrays[name].astype(np.int64) for name in _ORDER)
    if not _is_order(rows, place, corpus):
        raise StorageError(f"{str(path)!r} is damaged: its documents are not those of the corpus.")
    found = take_rows(corpus, rows, place)
    if len(arrays["documents.offsets"]) > 1:
        _give_counts(path, found, arrays)
    return found


def _is_order(rows: NDArray[np.int64], place: NDArray[np.int64], corpus: Corpus) -> bool:
    """Return whether every document is at a place where one with as many tokens stands."""
    n_documents, lengths = corpus.n_documents, corpus.document_lengths
    if len(place) != n_documents or not len(rows) or rows.min() < 0 or rows.max() >= n_documents:
        return False
    if place.min() < 0 or place.max() >= len(rows):
        return False
    return bool((lengths[rows[place]] == lengths).all() and (place[rows] == np.arange(len(rows))).all())


def _give_counts(path: Path, corpus: DistinctCorpus, arrays: Mapping[str, NDArray[Any]]) -> None:
    shape = (corpus.n_documents, corpus.n_words)
    for by, name, matrix, lengths in zip(
        _READ_BY, ("document_term_matrix", "counts_by_word"), (csr_matrix, csc_matrix), (shape, shape[::-1]),
        strict=True,
    ):  # fmt: skip
        offsets, places, counts = (arrays[f"{by}.{part}"] for part in _PARTS)
        if not _fits(offsets, places, counts, *lengths) or int(counts.sum(dtype=np.int64)) != corpus.n_tokens:
            raise StorageError(f"{str(path)!r} is damaged: its counts do not fit the corpus.")
        loaded = matrix((counts.astype(np.int32), places, offsets), shape=shape)
        loaded.has_canonical_format = True  # sorted, and each place once
        corpus.__dict__[name] = loaded  # where the cached property looks


def _fits(
    offsets: NDArray[np.int64],
    places: NDArray[np.int32],
    counts: NDArray[np.uint16],
    n_rows: int,
    n_columns: int,
) -> bool:
    """Return whether compiled code may walk along the arrays without leaving them."""
    return (
        len(offsets) == n_rows + 1
        and len(places) == len(counts) == offsets[-1]
        and offsets[0] == 0
        and bool((np.diff(offsets) >= 0).all())
        and (not len(places) or bool(places.min() >= 0 and places.max() < n_columns))
    )
