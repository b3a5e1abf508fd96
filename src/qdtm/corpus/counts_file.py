"""The word counts of a `Corpus` in, a file out, and back: by documents and by words, ready for queries.

Counting a million documents takes longer than answering a query about them, so an index keeps the counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.errors import StorageError
from qdtm.storage import ArraySpec, load_arrays, save_arrays

_PARTS = {
    "offsets": ArraySpec("int64", 1),  # (D + 1,) or (V + 1,)
    "places": ArraySpec("int32", 1),  # (n,) words of a document, or documents of a word
    "counts": ArraySpec("uint16", 1),  # (n,)
}
_READ_BY = ("documents", "words")
_LARGEST = np.iinfo(np.uint16).max


def save_counts(path: Path, corpus: Corpus) -> None:
    """Write the counts of a corpus; not if one is too large for the file, which can be done without."""
    matrices = (corpus.document_term_matrix, corpus.counts_by_word)
    if corpus.n_tokens and matrices[0].data.max() > _LARGEST:
        return
    arrays: dict[str, NDArray[Any]] = {}
    for by, matrix in zip(_READ_BY, matrices, strict=True):
        for part, values in zip(_PARTS, (matrix.indptr, matrix.indices, matrix.data), strict=True):
            arrays[f"{by}.{part}"] = np.asarray(values, _PARTS[part].dtype)
    save_arrays(path, arrays)


def load_counts(path: Path, corpus: Corpus) -> None:
    """Give a corpus the counts that were saved with it, so that they need not be made again.

    Raises
    ------
    StorageError
        If the file is damaged, or does not fit the corpus.
    """
    from scipy.sparse import csc_matrix, csr_matrix

    shape = (corpus.n_documents, corpus.n_words)
    arrays = load_arrays(path, {f"{by}.{part}": spec for by in _READ_BY for part, spec in _PARTS.items()})
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
