"""A `Corpus` in, a folder out, and back: arrays as safetensors, words as JSON, documents as SQLite.

A corpus that is saved on its own is an index: its distinct documents are saved with it, counted by documents
and by words, and what was learned of them, if it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus, read_learned, take_rows, write_learned
from qdtm.corpus.document_store import DocumentStore
from qdtm.corpus.passage_split import Passages
from qdtm.corpus.readers.records import Record
from qdtm.corpus.sqlite_store import SqliteDocuments, SqliteWriter
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError, StorageError
from qdtm.storage.atomic import put_back
from qdtm.storage.cache import cache_directory
from qdtm.storage.folders import (
    MANIFEST,
    ArraySpec,
    Manifest,
    load_arrays,
    load_json,
    read_manifest,
    read_whole,
    save_arrays,
    save_json,
    write_directory_atomically,
    write_manifest,
)

# --- distinct documents as a file ---------------------------------------------------------------------------
#
# The `DistinctCorpus` of a corpus in, a file out, and back: its order, and its word counts for queries.
#
# Counting a million documents takes longer than answering a query about them, so an index keeps the counts,
# by documents and by words.

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
    if not is_order(rows, place, corpus):
        raise StorageError(f"{str(path)!r} is damaged: its documents are not those of the corpus.")
    found = take_rows(corpus, rows, place)
    if len(arrays["documents.offsets"]) > 1:
        _give_counts(path, found, arrays)
    return found


def is_order(rows: NDArray[np.int64], place: NDArray[np.int64], corpus: Corpus) -> bool:
    """Return whether every document, or passage, is at a place where one with as many tokens stands."""
    n_documents, lengths = corpus.by_passage.n_documents, corpus.by_passage.document_lengths
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
        if not fits(offsets, places, counts, *lengths) or int(counts.sum(dtype=np.int64)) != corpus.n_tokens:
            raise StorageError(f"{str(path)!r} is damaged: its counts do not fit the corpus.")
        loaded = matrix((counts.astype(np.int32), places, offsets), shape=shape)
        loaded.has_canonical_format = True  # sorted, and each place once
        corpus.__dict__[name] = loaded  # where the cached property looks


def fits(
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


# --- a corpus as a folder -----------------------------------------------------------------------------------

KIND = "corpus"
VERSION = 4
_OLDEST_VERSION = 2
"""Without titles: documents are then called by the beginning of their text. Below 4 none are split."""

_ARRAYS = "arrays.safetensors"
_VOCABULARY = "vocabulary.json"
_DOCUMENTS = "documents.sqlite"
_DISTINCT = "distinct.safetensors"
_LEARNED = "learned.safetensors"
_COPIES = "copies.safetensors"

_SPECS = {"tokens": ArraySpec("int32", 1), "offsets": ArraySpec("int64", 1)}
_PASSAGES = {"first_passages": ArraySpec("int64", 1), "passage_offsets": ArraySpec("int64", 1)}
_COPY_SPECS = {"original": ArraySpec("int32", 1), "first": ArraySpec("int32", 1)}  # (D',), (D,)


def save_corpus(corpus: Corpus, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Save a corpus to a folder of its own; see `Corpus.save`."""
    with write_directory_atomically(path, force=force) as folder:
        inside = corpus.distinct
        save_distinct(folder / _DISTINCT, inside)
        if inside.learned is not None:
            write_learned(folder / _LEARNED, inside.learned)
        write_corpus(corpus, folder)


def write_corpus(corpus: Corpus, folder: Path) -> None:
    """Write a corpus and its manifest into a folder that exists, such as one inside another result.

    Without what can be made again: a result should not be larger than it needs to be. Near copies are written
    down, since finding them takes reading all texts.
    """
    copies = {"original": corpus.distinct.original, "first": corpus.first_copy}
    if any((rows != np.arange(len(rows))).any() for rows in copies.values()):
        save_arrays(folder / _COPIES, {name: rows.astype(np.int32) for name, rows in copies.items()})
    arrays: dict[str, NDArray[Any]] = {"tokens": corpus.tokens, "offsets": corpus.offsets}
    if corpus.passages is not None:
        arrays |= {"first_passages": corpus.passages.first, "passage_offsets": corpus.passages.offsets}
    save_arrays(folder / _ARRAYS, arrays)
    save_json(folder / _VOCABULARY, list(corpus.vocabulary))
    _save_documents(corpus.documents, folder / _DOCUMENTS)
    content = {
        "n_documents": corpus.n_documents,
        "n_words": corpus.n_words,
        "n_tokens": corpus.n_tokens,
        **({} if corpus.passages is None else {"n_passages": len(corpus.passages)}),
        "n_copies": corpus.n_copies,
        "fingerprint": corpus.fingerprint,
        "pipeline": corpus.pipeline.to_json(),
    }
    write_manifest(folder, kind=KIND, version=VERSION, content=content)


def _write_copies(corpus: DistinctCorpus, path: Path) -> int:
    """Write down which documents are near copies of which, if any are; return how many."""
    original = corpus.original
    n_near = int((original != np.arange(len(original))).sum())
    if n_near:
        save_arrays(path, {"original": original.astype(np.int32)})
    return n_near


def load_corpus(path: str | os.PathLike[str], *, pipeline: TextPipeline | None = None) -> Corpus:
    """Load a corpus that `save_corpus` or `write_corpus` wrote; see `Corpus.load`.

    Raises
    ------
    StorageError
        If it is missing, damaged, or of another version.
    """
    from qdtm.corpus.parts import is_in_parts, open_parts

    if is_in_parts(os.fspath(path)):
        return open_parts(os.fspath(path), pipeline)
    if "://" in os.fspath(path):
        raise StorageError(f"There is no index at {os.fspath(path)!r}; {_WAY_OUT}")
    return read_whole(path, partial(_load_corpus, pipeline=pipeline))


def _load_corpus(folder: Path, pipeline: TextPipeline | None) -> Corpus:
    manifest = read_manifest(folder, kind=KIND, max_version=VERSION)
    if manifest.version < _OLDEST_VERSION:
        raise StorageError(f"{str(folder)!r} was saved by an older version of qdtm; read the corpus anew.")
    _check_files(folder, manifest)
    saved_pipeline = TextPipeline.from_json(manifest.content.get("pipeline", {}))
    is_split = saved_pipeline.split_documents is not None and "n_passages" in manifest.content
    arrays = load_arrays(folder / _ARRAYS, _SPECS | _PASSAGES if is_split else _SPECS)
    vocabulary = checked_words(folder, load_json(folder / _VOCABULARY))
    documents = SqliteDocuments(folder / _DOCUMENTS)
    try:
        corpus = Corpus(
            vocabulary,
            arrays["tokens"],
            arrays["offsets"],
            documents,
            _as_split(pipeline, saved_pipeline),
            _location(folder),
            Passages(*(arrays[name] for name in _PASSAGES)) if is_split else None,
        )
    except CorpusError as error:
        raise StorageError(f"{str(folder)!r} is damaged: {error}") from error
    if corpus.fingerprint != manifest.content.get("fingerprint"):
        raise StorageError(
            f"{str(folder)!r} is damaged: its contents do not have the fingerprint it was saved with."
        )
    if _DISTINCT in manifest.files:
        corpus.__dict__["open_distinct"] = partial(_open_distinct, folder, corpus)
    if "n_copies" in manifest.content:  # older ones look for them
        saved = folder / _COPIES if _COPIES in manifest.files else None
        corpus.__dict__["open_copies"] = partial(_open_copies, saved)
    return corpus


def _as_split(given: TextPipeline | None, saved: TextPipeline) -> TextPipeline:
    """Return the pipeline that the user gives in place of a saved one, which knows of the split."""
    if given is None or given.split_documents == saved.split_documents:
        return given or saved
    return replace(given, split_documents=saved.split_documents)


def _open_copies(path: Path | None, name: str, n: int) -> NDArray[np.int64]:
    """Load which of `n` documents each repeats, by its name in the file; none does if there is no file."""
    if path is None:
        return np.arange(n)
    rows = load_arrays(path, _COPY_SPECS)[name].astype(np.int64)
    fits = len(rows) == n and bool(((rows >= 0) & (rows < n)).all())
    if not fits or (rows[rows] != rows).any():
        raise StorageError(f"{str(path)!r} is damaged: its documents are not those of the corpus.")
    return rows


def _open_distinct(folder: Path, corpus: Corpus) -> DistinctCorpus:
    """Load the distinct documents of an index, once they are asked for."""
    inside = load_distinct(folder / _DISTINCT, corpus)
    if learned := read_learned(folder / _LEARNED, inside.n_tokens):
        inside.remember(learned)
    return inside


def saved_fingerprint(path: Path) -> str | None:
    """Return the fingerprint that a saved corpus claims to have; None if no folder of ours is there.

    Raises
    ------
    StorageError
        If its manifest cannot be read.
    """
    put_back(path)
    if not os.path.isfile(path / MANIFEST):  # noqa: PTH113 - which is False for names that no disk can have
        return None
    content = load_json(path / MANIFEST)
    try:
        return str(content["content"]["fingerprint"])
    except (KeyError, TypeError, IndexError):
        return ""


def _location(folder: Path) -> Path | None:
    """Return where a corpus lies; None for the copy inside a result, which goes when that goes."""
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - a link is where the user wants it to be
    return None if (place.parent / MANIFEST).is_file() else place


def _save_documents(documents: DocumentStore, path: Path) -> None:
    if isinstance(documents, SqliteDocuments):
        documents.copy_to(path)
        return
    with SqliteWriter(path) as writer:
        for document in documents:
            writer.add(
                Record(
                    document.id,
                    document.original,
                    document.fields,
                    documents.id_name,
                    document.title,
                    documents.title_name or "",
                    documents.text_name or "",
                )
            )
        writer.finish().close()


def _check_files(folder: Path, manifest: Manifest) -> None:
    for name in (_ARRAYS, _VOCABULARY, _DOCUMENTS):
        if name not in manifest.files:
            raise StorageError(f"{str(folder)!r} is damaged: {name!r} is missing.")


def checked_words(folder: Path | str, value: Any) -> tuple[str, ...]:
    """Return a vocabulary that was read; raises a `StorageError` if it is none."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise StorageError(f"{str(folder)!r} is damaged: its vocabulary is not a list of words.")
    return tuple(value)


# --- the index that a result refers to ----------------------------------------------------------------------
#
# The index that a saved result refers to: where it lies in, what a manifest says of it out, and back.
#
# A result names its index twice: as seen from the result's own folder, so that both can be moved together,
# and from the root of the disk, so that the result can be moved alone. The fingerprint says whether what is
# there is still it.

_WAY_OUT = (
    "put it back, or say where it is (--index DIR; in Python, corpus=DIR). "
    "Results that are made with --standalone need none."
)


def index_of(corpus: Corpus, result: str | os.PathLike[str]) -> Path | str | None:
    """Return the index that a result saved at a place may refer to; None if it has to keep a copy.

    One that the result takes the place of would be gone, and a cache may be emptied at any time.
    """
    index = corpus.location
    if isinstance(index, str):  # a URL
        return index
    if index is None or _is_within(index, Path(result)) or _is_within(index, cache_directory()):
        return None
    return index


def describe_index(
    corpus: Corpus, index: Path | str | None, result: str | os.PathLike[str]
) -> dict[str, str]:
    """Return what the manifest of a result says about its corpus; only the paths depend on where they lie."""
    described = {"fingerprint": corpus.fingerprint}
    if index is None:
        return described
    if isinstance(index, str):
        return described | {"path": index, "absolute": index}
    try:
        path = Path(os.path.relpath(index, _absolute(result))).as_posix()
    except ValueError:  # another drive
        path = str(index)
    return described | {"path": path, "absolute": str(index)}


def find_index(result: Path, described: Mapping[str, Any]) -> Path | str:
    """Return where the index of a result lies now.

    Raises
    ------
    StorageError
        If it is gone, or another one is in its place.
    """
    if "://" in (url := str(described["absolute"])):
        return url  # whose fingerprint is compared when it is open
    places = _places(result, str(described["path"]), url)
    found = {place: saved_fingerprint(place) for place in places}
    for place, fingerprint in found.items():
        if fingerprint == described["fingerprint"]:
            return place
    others = [place for place, fingerprint in found.items() if fingerprint is not None]
    if others:
        raise StorageError(
            f"{str(result)!r} needs its index, but what is now at {str(others[0])!r} is another one "
            f"(the fingerprint differs); {_WAY_OUT}"
        )
    looked = " or ".join(repr(str(place)) for place in places)
    raise StorageError(f"{str(result)!r} needs its index, which is gone: it is not at {looked}; {_WAY_OUT}")


def _places(result: Path, path: str, absolute: str) -> list[Path]:
    """Return where to look, each place once: beside the result as named, as it really lies, and by itself."""
    here = _absolute(result)
    places = (here / path, here.resolve() / path, Path(absolute))
    return list(dict.fromkeys(_absolute(place) for place in places))


def _is_within(path: Path, folder: Path) -> bool:
    return _absolute(path).resolve().is_relative_to(_absolute(folder).resolve())


def _absolute(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links stay as the user set them
