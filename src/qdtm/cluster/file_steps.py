"""What is done for one file of an index in parts, wherever there is room, and for one part.

In: how files are read (`Reading`), and which one. Out: what the next step needs to know of it; all that is
large is written down. A step that was taken is found again.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.distinct import copy_rows, hash_text
from qdtm.corpus.indexing import (
    IndexedTokens,
    count_matrix,
    hash_documents,
    index_texts,
    renumber,
    word_frequencies,
)
from qdtm.corpus.language import Sample, language_note
from qdtm.corpus.near_copies import compare, text_keys
from qdtm.corpus.parted_documents import PartedDocuments, texts_name
from qdtm.corpus.parts import describe, file_name, part_name
from qdtm.corpus.phrases import Phrase, cut_phrases
from qdtm.corpus.readers.read import SourceFiles, name_in_file
from qdtm.corpus.readers.records import ReadOptions, Record
from qdtm.corpus.sqlite_store import SqliteDocuments, SqliteWriter, rename_documents
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError, MissingExtraError
from qdtm.storage.array_store import ArrayStore
from qdtm.storage.temporary import ScratchFile

_TEXTS = 4_000  # read at a time


@dataclass(frozen=True)
class Reading:
    """What all files are read with.

    Parameters
    ----------
    files : SourceFiles
    options : ReadOptions
    pipeline : TextPipeline
    place : str
        Where every step is written down.
    """

    files: SourceFiles
    options: ReadOptions
    pipeline: TextPipeline
    place: str

    @property
    def store(self) -> ArrayStore:
        """What is written down."""
        return ArrayStore(self.place, private=False)

    def digest(self) -> str:
        """A mark of everything that the index depends on."""
        said = (self.files, self.options, self.pipeline.to_json())
        return hashlib.sha256(repr(said).encode()).hexdigest()


class FileFacts(NamedTuple):
    """What is known of a file that was read."""

    n_documents: int
    n_read: int
    n_tokens: int
    error: str
    note: str
    columns: list[Any]
    hashes: NDArray[np.uint64]  # (n,): of the documents' words
    ids: NDArray[np.uint64]  # (n,): of their names; 0 where the file's is in it


def read_file(reading: Reading, i: int) -> FileFacts:
    """Read a file, put its texts down and its words as numbers of its own."""
    store, name = reading.store, f"read-{i:05d}"
    if not store.exists(f"{name}.json"):
        _read_file(reading, i, store, name)
    said, arrays = store.read_json(f"{name}.json"), store.read(name)
    return FileFacts(**said, hashes=arrays["hashes"], ids=arrays["ids"])


def _read_file(reading: Reading, i: int, store: ArrayStore, name: str) -> None:
    scratch, sample, ids = ScratchFile(), Sample(), array("Q")
    records, writer = FileRecords(reading.files, i, reading.options), SqliteWriter(scratch.path)

    def texts() -> Iterator[str]:
        for record in records:
            writer.add(record)
            ids.append(0 if record.is_numbered else _hash_name(record.id))
            yield record.text

    try:
        with writer:
            indexed = index_texts(sample.of(texts()), reading.pipeline)
            documents = writer.finish()
            columns = (documents.id_name, documents.title_name, documents.text_name, documents.field_names)
            documents.close()
        store.put(texts_name(i), scratch.path)
    finally:
        scratch.remove()
    of_word = np.array([_hash_name(word) for word in indexed.words], np.uint64)
    arrays: dict[str, Any] = {
        "tokens": indexed.tokens,
        "offsets": indexed.offsets,
        "hashes": hash_documents(of_word[indexed.tokens], indexed.offsets),
        "ids": np.array(ids, np.uint64),
    }
    if indexed.joined is not None:
        arrays["joined"] = indexed.joined
    store.write(name, arrays)
    store.write_json(f"{name}.words", indexed.words)
    facts = {
        "n_documents": indexed.n_documents,
        "n_read": indexed.n_read,
        "n_tokens": len(indexed.tokens),
        "error": records.error,
        "note": language_note(sample.texts, reading.pipeline) if sample.texts else "",
        "columns": columns,
    }
    store.write_json(f"{name}.json", facts)


class FileRecords:
    """The records of one of several files; they end where it cannot be read on.

    Attributes
    ----------
    error : str
        What kept it from being read, if anything.
    """

    def __init__(self, files: SourceFiles, i: int, options: ReadOptions) -> None:
        self._records, self.error = files.read(i, options), ""

    def __iter__(self) -> Iterator[Record]:
        try:
            yield from self._records
        except (CorpusError, MissingExtraError) as error:
            self.error = str(error)


def _hash_name(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def rename_ids(reading: Reading, i: int, rows: NDArray[np.int64]) -> None:
    """Put the file's name before the ids of some documents, unless it is there."""
    store, scratch, file = reading.store, ScratchFile(), reading.files.files[i]

    def rename(id: str) -> str:
        return id if id.startswith(name_in_file(file, "")) else name_in_file(file, id)

    try:
        store.fetch(texts_name(i), scratch.path)
        rename_documents(scratch.path, rows.tolist(), rename)
        store.put(texts_name(i), scratch.path)
    finally:
        scratch.remove()


def count_words(
    reading: Reading, i: int, counted: NDArray[np.bool_]
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """Count the documents and the occurrences of a file's words."""
    indexed = _indexed(reading, i, "read")
    return indexed.words, *word_frequencies(indexed, counted)


def limit_words(reading: Reading, i: int, words: list[str]) -> tuple[Any, NDArray[np.int64]]:
    """Express a file's documents in the chosen words; return hashes for the sample, and lengths."""
    from qdtm.corpus.kernels import hash_joined  # slow to load

    found = renumber(_indexed(reading, i, "read"), words)
    arrays: dict[str, Any] = {"tokens": found.tokens, "offsets": found.offsets}
    lengths = np.diff(found.offsets)
    if found.joined is None:
        reading.store.write(f"limited-{i:05d}", arrays)
        return None, lengths
    reading.store.write(f"limited-{i:05d}", arrays | {"joined": found.joined})
    return hash_joined(found.tokens, found.joined, found.offsets), lengths


def take_documents(
    reading: Reading, i: int, chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]:
    """Return the tokens of some documents, what stands side by side, and lengths."""
    found = reading.store.read(f"limited-{i:05d}")
    lengths = np.diff(found["offsets"])
    kept = np.repeat(chosen, lengths)
    return found["tokens"][kept], found["joined"][kept], lengths[chosen]


def cut_words(
    reading: Reading, i: int, words: list[str], plan: tuple[dict[str, Phrase], list[str]] | None
) -> NDArray[np.int64]:
    """Cut phrases out of a file's documents; return how often each entry occurs."""
    arrays = reading.store.read(f"limited-{i:05d}")
    indexed = IndexedTokens(words, arrays["tokens"], arrays["offsets"], 0, arrays.get("joined"))
    found = indexed if plan is None else cut_phrases(indexed, *plan)
    reading.store.write(f"cut-{i:05d}", {"tokens": found.tokens, "offsets": found.offsets})
    return np.bincount(found.tokens, minlength=len(found.words)).astype(np.int64)


def finish_file(
    reading: Reading, i: int, new_number: NDArray[np.int32], n_words: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], dict[str, Any]]:
    """Write a file's documents as numbers; return hashes of their words and texts, and what was written."""
    store, arrays = reading.store, reading.store.read(f"cut-{i:05d}")
    tokens, offsets = new_number[arrays["tokens"]], arrays["offsets"]
    _write_numbers(store, file_name(i), tokens, offsets, n_words)
    hashes, keys = _read_texts(reading, i, len(offsets) - 1)
    store.write(keys_name(i), {"keys": keys})
    checks = {name: describe(store, name) for name in (file_name(i), texts_name(i))}
    return hash_documents(tokens, offsets), hashes, checks


def _write_numbers(
    store: ArrayStore, name: str, tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int
) -> None:
    """Write documents as tokens and as counts."""
    counts = count_matrix(tokens, offsets, n_words)
    starts = np.asarray(counts.indptr, np.int64)
    store.write(
        name,
        {"tokens": tokens, "offsets": offsets, "starts": starts, "words": counts.indices}
        | {"counts": counts.data},
    )


def _read_texts(reading: Reading, i: int, n: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Read all texts of a file once: their hashes, (n,), and their keys in each band, (bands, n)."""
    hashes, keys = np.zeros(n, np.uint64), []
    with reading.store.nearby(texts_name(i)) as path:
        documents = SqliteDocuments(path)
        for start in range(0, n, _TEXTS):
            texts = list(documents.select(range(start, min(start + _TEXTS, n))))
            hashes[start : start + len(texts)] = [hash_text(each.original) for each in texts]
            keys.append(text_keys(each.text for each in texts))
        documents.close()
    return hashes, np.ascontiguousarray(np.concatenate([text_keys([]), *keys]).T)


def keys_name(i: int) -> str:
    """The keys of a file's texts, by which near copies are found."""
    return f"keys-{i:05d}"


def read_band(reading: Reading, i: int, b: int) -> NDArray[np.uint32]:
    """Return the keys of a file's texts in one band."""
    return np.array(reading.store.read(keys_name(i))["keys"][b])


def compare_texts(reading: Reading, n_each: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which pairs of documents, given by their rows, are near copies."""
    documents = PartedDocuments(reading.place, n_each)
    try:
        return compare(documents, pairs)
    finally:
        documents.close()


def split_file(
    reading: Reading, i: int, local: NDArray[np.int64], place: NDArray[np.int64], bounds: NDArray[np.int64]
) -> list[tuple[Any, ...]]:
    """Return what of a file goes to each part: the places of documents, their lengths, and their tokens."""
    arrays = reading.store.read(file_name(i))
    tokens, starts, lengths = arrays["tokens"], arrays["offsets"][local], np.diff(arrays["offsets"])[local]
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], bounds)
    pieces = []
    for first, last in pairwise(ends.tolist()):
        chosen = order[first:last]
        offsets = np.concatenate([[0], np.cumsum(lengths[chosen])])
        pieces.append((place[chosen], lengths[chosen], copy_rows(tokens, starts[chosen], offsets)))
    return pieces


def join_part(reading: Reading, p: int, n_words: int, *pieces: tuple[Any, ...]) -> dict[str, Any]:
    """Write a part: its documents in the order of content, and the counts of their words."""
    place, lengths, tokens = (np.concatenate(each) for each in zip(*pieces, strict=True))
    order = np.argsort(place, kind="stable")
    starts = np.concatenate([[0], np.cumsum(lengths)])[order]
    offsets = np.concatenate([[0], np.cumsum(lengths[order])]).astype(np.int64)
    _write_numbers(reading.store, part_name(p), copy_rows(tokens, starts, offsets), offsets, n_words)
    return describe(reading.store, part_name(p))


def _indexed(reading: Reading, i: int, step: str) -> IndexedTokens:
    arrays = reading.store.read(f"{step}-{i:05d}")
    words = reading.store.read_json(f"{step}-{i:05d}.words")
    return IndexedTokens(words, arrays["tokens"], arrays["offsets"], 0, arrays.get("joined"))
