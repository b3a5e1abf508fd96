"""A `Corpus` in, a folder out, and back: arrays as safetensors, words as JSON, documents as SQLite.

A corpus that is saved on its own is an index: its distinct documents are saved with it, counted by documents
and by words, and what was learned of them, if it was.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.corpus.distinct_file import load_distinct, save_distinct
from qdtm.corpus.learned import read_learned, write_learned
from qdtm.corpus.records import Record
from qdtm.corpus.sqlite_store import SqliteDocuments, SqliteWriter
from qdtm.corpus.store import DocumentStore
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError, StorageError
from qdtm.placing import put_back
from qdtm.storage import (
    MANIFEST,
    ArraySpec,
    Manifest,
    load_arrays,
    load_json,
    read_manifest,
    save_arrays,
    save_json,
    write_directory_atomically,
    write_manifest,
)

KIND = "corpus"
VERSION = 2

_ARRAYS = "arrays.safetensors"
_VOCABULARY = "vocabulary.json"
_DOCUMENTS = "documents.sqlite"
_DISTINCT = "distinct.safetensors"
_LEARNED = "learned.safetensors"

_SPECS = {"tokens": ArraySpec("int32", 1), "offsets": ArraySpec("int64", 1)}


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

    Without what can be made again: a result should not be larger than it needs to be.
    """
    save_arrays(folder / _ARRAYS, {"tokens": corpus.tokens, "offsets": corpus.offsets})
    save_json(folder / _VOCABULARY, list(corpus.vocabulary))
    _save_documents(corpus.documents, folder / _DOCUMENTS)
    content = {
        "n_documents": corpus.n_documents,
        "n_words": corpus.n_words,
        "n_tokens": corpus.n_tokens,
        "fingerprint": corpus.fingerprint,
        "pipeline": corpus.pipeline.to_json(),
    }
    write_manifest(folder, kind=KIND, version=VERSION, content=content)


def load_corpus(path: str | os.PathLike[str], *, pipeline: TextPipeline | None = None) -> Corpus:
    """Load a corpus that `save_corpus` or `write_corpus` wrote; see `Corpus.load`.

    Raises
    ------
    StorageError
        If it is missing, damaged, or of another version.
    """
    folder = Path(path)
    manifest = read_manifest(folder, kind=KIND, max_version=VERSION)
    if manifest.version < VERSION:
        raise StorageError(f"{str(path)!r} was saved by an older version of qdtm; read the corpus anew.")
    _check_files(folder, manifest)
    arrays = load_arrays(folder / _ARRAYS, _SPECS)
    vocabulary = _checked_words(folder, load_json(folder / _VOCABULARY))
    documents = SqliteDocuments(folder / _DOCUMENTS)
    saved_pipeline = TextPipeline.from_json(manifest.content.get("pipeline", {}))
    try:
        corpus = Corpus(
            vocabulary,
            arrays["tokens"],
            arrays["offsets"],
            documents,
            pipeline or saved_pipeline,
            _location(folder),
        )
    except CorpusError as error:
        raise StorageError(f"{str(path)!r} is damaged: {error}") from error
    if corpus.fingerprint != manifest.content.get("fingerprint"):
        raise StorageError(
            f"{str(path)!r} is damaged: its contents do not have the fingerprint it was saved with."
        )
    if _DISTINCT in manifest.files:
        corpus.__dict__["open_distinct"] = partial(_open_distinct, folder, corpus)
    return corpus


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
            writer.add(Record(document.id, document.text, document.fields, documents.id_name))
        writer.finish().close()


def _check_files(folder: Path, manifest: Manifest) -> None:
    for name in (_ARRAYS, _VOCABULARY, _DOCUMENTS):
        if name not in manifest.files:
            raise StorageError(f"{str(folder)!r} is damaged: {name!r} is missing.")


def _checked_words(folder: Path, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise StorageError(f"{str(folder)!r} is damaged: its vocabulary is not a list of words.")
    return tuple(value)
