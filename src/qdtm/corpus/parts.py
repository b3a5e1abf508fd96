"""An index in parts: a place with numbers and texts in many files in, a `Corpus` over them out.

The place is a folder or any fsspec URL. Texts stay there, those of each file that was read in a file of their
own, until they are shown. Numbers are copied to this machine's disk, once, and read from there as they are
needed: they are never all in memory.

The different documents are cut into parts in the order of their content (`DistinctCorpus`), at multiples of
`ALIGNED`, so that sums over blocks of documents are the same wherever a part is.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import ArrangedDocuments, DistinctCorpus, LearnedTopics
from qdtm.corpus.indexing import hash_documents
from qdtm.corpus.parted_documents import Columns, PartedDocuments
from qdtm.corpus.storage import checked_words, fits, is_order
from qdtm.corpus.text import TextPipeline
from qdtm.errors import StorageError
from qdtm.storage.array_store import Arrays, ArrayStore
from qdtm.storage.atomic import write_errors
from qdtm.storage.cache import atomic_path, cache_directory
from qdtm.storage.folders import (
    FORMAT,
    MANIFEST,
    Manifest,
    fitting_together,
    read_manifest,
    seal,
    sha256_of,
)

KIND = "corpus"
VERSION = 5

VOCABULARY, ORDER, COPIES = "vocabulary.json", "order.safetensors", "copies.safetensors"

ALIGNED = 2**14
"""Parts begin at multiples of so many documents: the blocks in which evidence adds up (`views.BLOCK`)."""

MOST_BLOCKS = 16
"""Blocks of a part at most: a worker must hold one."""

LAYOUT = 2
"""Of the numbers on this machine's disk."""

MOST_OPENED = 4
"""Indexes whose numbers stay on this machine's disk."""

_NUMBERS = {"tokens": np.int32, "words": np.int32, "counts": np.int32}
_OFFSETS = ("offsets", "starts")
_ORDERED, _COPIED = ("rows", "place"), ("original", "first")  # of a document each
_MOST = 2**40  # documents or words


def file_name(i: int) -> str:
    """The numbers of a file's documents, as they came."""
    return f"file-{i:05d}.safetensors"


def part_name(p: int) -> str:
    """The numbers of a part's documents, each different one once, in the order of content."""
    return f"part-{p:05d}.safetensors"


def topics_name(p: int) -> str:
    """The background topics of a part's tokens."""
    return f"topics-{p:05d}.safetensors"


def part_bounds(n_documents: int, n_wanted: int) -> NDArray[np.int64]:
    """Return where parts begin and the last ends, (P + 1,): about as many as wanted."""
    n_blocks = max(-(-n_documents // ALIGNED), 1)
    n_parts = max(min(n_wanted, n_blocks), -(-n_blocks // MOST_BLOCKS))
    blocks = n_blocks * np.arange(n_parts + 1) // n_parts
    return np.minimum(blocks * ALIGNED, n_documents).astype(np.int64)


# --- writing ------------------------------------------------------------------------------------------------


def write_parts_manifest(
    store: ArrayStore,
    pipeline: TextPipeline,
    n_each: NDArray[np.int64],
    bounds: NDArray[np.int64],
    columns: Columns,
    checks: Mapping[str, Any],
) -> None:
    """Say what is in a place, and how to know that it is still that; the last thing to be written there.

    Parameters
    ----------
    checks : mapping of str to dict
        Of each file with numbers or texts, from `describe`.
    """
    vocabulary, order = store.read_json(VOCABULARY), store.read(ORDER)
    first = store.read(COPIES)["first"]
    fingerprint, n_tokens = _fingerprint(store, vocabulary, len(n_each))
    content = {
        "n_documents": len(order["place"]),
        "n_words": len(vocabulary),
        "n_tokens": n_tokens,
        "n_copies": int((first != np.arange(len(first))).sum()),
        "fingerprint": fingerprint,
        "pipeline": pipeline.to_json(),
        "files": [int(n) for n in n_each],
        "parts": [int(at) for at in bounds],
        "columns": list(columns),
    }
    files = dict(checks) | {name: describe(store, name) for name in (VOCABULARY, ORDER, COPIES)}
    value = {"format": FORMAT, "kind": KIND, "version": VERSION, "content": content, "files": files}
    store.write_bytes(MANIFEST, seal(value))


def add_topics(store: ArrayStore, learned: LearnedTopics) -> None:
    """Write what was learned of the documents into a place that has its manifest, a part at a time."""
    manifest, offsets = manifest_of(store), 0
    files = {name: {"bytes": size, "sha256": digest} for name, (size, digest) in manifest.checks.items()}
    kind = np.uint8 if learned.topics.max(initial=0) <= np.iinfo(np.uint8).max else np.uint16
    for p in range(len(manifest.content["parts"]) - 1):
        n_tokens = len(_numbers_of(store, manifest, part_name(p))["tokens"])
        topics = learned.topics[offsets : offsets + n_tokens].astype(kind)
        offsets += n_tokens
        store.write(topics_name(p), {"topics": topics})
        files[topics_name(p)] = describe(store, topics_name(p))
    content = manifest.content | {"made_by": learned.made_by}
    value = {"format": FORMAT, "kind": KIND, "version": VERSION, "content": content, "files": files}
    store.write_bytes(MANIFEST, seal(value))


def describe(store: ArrayStore, name: str) -> dict[str, Any]:
    """Return what a manifest says of a file."""
    if (path := store.path(name)) is not None:
        return {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
    data = store.read_bytes(name)
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _fingerprint(store: ArrayStore, vocabulary: Sequence[str], n_files: int) -> tuple[str, int]:
    """The fingerprint of the corpus (`Corpus.fingerprint`), a file at a time, and how many tokens it has."""
    digest, offsets, n_tokens = hashlib.sha256(), [np.zeros(1, np.int64)], 0
    for word in vocabulary:
        data = word.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    for i in range(n_files):
        own = store.read(file_name(i))["offsets"]
        offsets.append(own[1:] + n_tokens)
        n_tokens += int(own[-1])
    digest.update(n_tokens.to_bytes(8, "little"))
    for i in range(n_files):
        digest.update(store.read(file_name(i))["tokens"].astype("<i4").data)
    every = np.concatenate(offsets).astype("<i8")
    digest.update(len(every).to_bytes(8, "little"))
    digest.update(every.data)
    return digest.hexdigest(), n_tokens


# --- opening ------------------------------------------------------------------------------------------------


def is_in_parts(place: str) -> bool:
    """Return whether an index in parts is at a place."""
    store = ArrayStore(place)
    return store.exists(MANIFEST) and store.exists(ORDER)


def manifest_of(store: ArrayStore) -> Manifest:
    """Read what a place says about itself; its files are checked when they are read."""
    with write_errors(tempfile.gettempdir()), tempfile.TemporaryDirectory(prefix="qdtm-") as folder:
        Path(folder, MANIFEST).write_bytes(store.read_bytes(MANIFEST))
        try:
            return read_manifest(folder, kind=KIND, max_version=VERSION, check_files=False)
        except StorageError as error:
            raise StorageError(str(error).replace(folder, store.root)) from None


def open_parts(place: str, pipeline: TextPipeline | None = None) -> Corpus:
    """Open an index in parts as a corpus, whose numbers are on this machine's disk.

    Raises
    ------
    StorageError
        If it is damaged, or of another version.
    """
    store = ArrayStore(place)
    manifest = manifest_of(store)
    with fitting_together(place):
        return _opened(store, manifest, pipeline)


def _opened(store: ArrayStore, manifest: Manifest, pipeline: TextPipeline | None) -> Corpus:
    content, place = manifest.content, store.root
    vocabulary = checked_words(place, _json(store, manifest, VOCABULARY))
    shape = _Shape.of(content)
    if shape.n_words != len(vocabulary):
        raise StorageError(f"{place!r} is damaged: its numbers are not those of its words.")
    folder = _numbers(store, manifest, shape)
    as_they_came, inside = (_Numbers(folder, side, len(vocabulary)) for side in ("files", "parts"))
    documents = PartedDocuments(place, shape.files, _columns(content))
    corpus = Corpus(
        vocabulary,
        as_they_came.tokens,
        as_they_came.offsets,
        documents,
        pipeline or TextPipeline.from_json(content["pipeline"]),
        Path(place).absolute() if "://" not in place else place,
    )
    corpus.__dict__["fingerprint"] = str(content["fingerprint"])
    corpus.__dict__["document_term_matrix"] = as_they_came.by_document()
    corpus.__dict__["open_distinct"] = partial(_distinct, corpus, inside, manifest, place)
    corpus.__dict__["open_copies"] = partial(_open_copies, inside, place)
    return corpus


class _Shape(NamedTuple):
    """How many words an index has, how many documents each file, and where parts of different ones begin."""

    n_words: int
    files: tuple[int, ...]
    parts: tuple[int, ...]

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> _Shape:
        """Take it from a manifest; raises a `ValueError` if there is no such index."""
        found = cls(content["n_words"], tuple(content["files"]), tuple(content["parts"]))
        numbers = (found.n_words, *found.files, *np.diff((0, *found.parts)).tolist())
        if not all(type(n) is int and 0 <= n < _MOST for n in numbers) or found.parts[:1] != (0,):
            raise ValueError("how many documents and words there are")
        return found

    def sizes(self, side: str) -> list[tuple[str, int]]:
        """Return the files of numbers, and how many documents each has."""
        if side == "files":
            return [(file_name(i), n) for i, n in enumerate(self.files)]
        return [(part_name(p), int(n)) for p, n in enumerate(np.diff(self.parts))]


class Parts(NamedTuple):
    """Where the parts of a corpus' different documents are.

    Attributes
    ----------
    place : str
    ends : tuple of int, length P + 1
        Where each begins among the documents, and where the last ends.
    """

    place: str
    ends: tuple[int, ...]

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The same as an array."""
        return np.array(self.ends, np.int64)


def parts_of(corpus: Corpus) -> Parts | None:
    """Return where the parts of a corpus are, if it was opened from some."""
    found: Parts | None = corpus.distinct.__dict__.get("parts")
    return found


def read_part(place: str, p: int) -> Arrays:
    """Read the numbers of one part, checked."""
    store = ArrayStore(place)
    return _numbers_of(store, manifest_of(store), part_name(p))


def _numbers_of(store: ArrayStore, manifest: Manifest, name: str, n_documents: int | None = None) -> Arrays:
    """Read the numbers of a file or part; compiled code may walk along them without leaving them."""
    arrays = _checked(store, manifest, name, (*_NUMBERS, *_OFFSETS))
    arrays |= {each: arrays[each].astype(np.int64) for each in _OFFSETS}
    with fitting_together(store.root):
        n_words = int(manifest.content["n_words"])
        n_documents = len(arrays["offsets"]) - 1 if n_documents is None else n_documents
        tokens = (arrays["offsets"], arrays["tokens"], arrays["tokens"])
        counts = (arrays["starts"], arrays["words"], arrays["counts"])
        if not all(fits(*each, n_documents, n_words) for each in (tokens, counts)):
            raise ValueError(f"the numbers of {name!r}")
    return arrays


def _distinct(corpus: Corpus, numbers: _Numbers, manifest: Manifest, place: str) -> DistinctCorpus:
    order = {name: numbers.array(name, np.int64) for name in _ORDERED}
    if not is_order(order["rows"], order["place"], corpus):
        raise StorageError(f"{place!r} is damaged: its documents are not those of the corpus.")
    found = DistinctCorpus(
        corpus.vocabulary,
        numbers.tokens,
        numbers.offsets,
        ArrangedDocuments(corpus.documents, order["rows"]),
        corpus.pipeline,
        rows=order["rows"],
        place=order["place"],
    )
    found.__dict__["document_term_matrix"] = numbers.by_document()
    found.__dict__["counts_by_word"] = numbers.by_word()
    found.__dict__["document_hashes"] = numbers.array("hashes", np.uint64)
    found.__dict__["parts"] = Parts(place, tuple(manifest.content["parts"]))
    if made_by := manifest.content.get("made_by"):
        topics = _topics(numbers, ArrayStore(place), manifest)
        if len(topics) != found.n_tokens:
            raise StorageError(f"{place!r} is damaged: its topics are not those of its tokens.")
        found.remember(LearnedTopics(topics, str(made_by)))
    return found


def _topics(numbers: _Numbers, store: ArrayStore, manifest: Manifest) -> NDArray[np.int32]:
    """Read the background topics of all tokens, copied to this machine if need be."""
    names = [topics_name(p) for p in range(len(manifest.content["parts"]) - 1)]
    if not manifest.checks.keys() >= set(names):
        raise StorageError(f"{store.root!r} is damaged: its topics are missing.")
    goal = numbers.path(f"topics-{_mark(manifest, names)}")
    if not goal.is_file():
        with atomic_path(goal) as path, write_errors(goal), path.open("wb") as out:
            for name in names:
                topics = _checked(store, manifest, name, ("topics",))["topics"]
                out.write(topics.astype(np.uint16).astype(np.int32).data)  # as they are written
    return numbers.array(goal.name.partition(".")[2], np.int32)


def _open_copies(numbers: _Numbers, place: str, name: str, n: int) -> NDArray[np.int64]:
    rows = numbers.array(name, np.int64)
    inside = len(rows) == n and bool(((rows >= 0) & (rows < n)).all())
    if not inside or (rows[rows] != rows).any():
        raise StorageError(f"{place!r} is damaged: its documents are not those of the corpus.")
    return rows


def _columns(content: Mapping[str, Any]) -> Columns:
    id, title, text, fields = content["columns"]
    return Columns(id, title, text, tuple(fields))


def _checked(store: ArrayStore, manifest: Manifest, name: str, wanted: Sequence[str]) -> Arrays:
    """Read the arrays of a file that is as it was written: rows of whole numbers."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    data = _checked_bytes(store, manifest, name)
    try:
        arrays = {each: array for each, array in load(data).items() if each in wanted}
    except (SafetensorError, KeyError, ValueError, TypeError) as error:  # a kind that NumPy does not have
        raise StorageError(f"{store.root!r} is damaged: {name!r} cannot be read.") from error
    if len(arrays) < len(wanted) or not all(a.ndim == 1 and a.dtype.kind in "iu" for a in arrays.values()):
        raise StorageError(f"{store.root!r} is damaged: {name!r} has other numbers.")
    return arrays


def _json(store: ArrayStore, manifest: Manifest, name: str) -> Any:
    try:
        return json.loads(_checked_bytes(store, manifest, name))
    except (ValueError, RecursionError) as error:
        raise StorageError(f"{store.root!r} is damaged: {name!r} is not valid JSON.") from error


def _checked_bytes(store: ArrayStore, manifest: Manifest, name: str) -> bytes:
    """Read a file that is as it was written."""
    data = store.read_bytes(name)
    if name not in manifest.checks or hashlib.sha256(data).hexdigest() != manifest.checks[name][1]:
        raise StorageError(f"{store.root!r} is damaged: {name!r} is not as it was saved.")
    return data


# --- numbers on this machine's disk -------------------------------------------------------------------------


class _Numbers:
    """Arrays in files of a folder, read as they are needed."""

    def __init__(self, folder: Path, side: str, n_words: int) -> None:
        self._folder, self._side, self._n_words = folder, side, n_words
        self.tokens, self.offsets = self.array("tokens", np.int32), self.array("offsets", np.int64)

    def path(self, name: str) -> Path:
        return self._folder / f"{self._side}.{name}"

    def array(self, name: str, kind: Any) -> NDArray[Any]:
        path = self.path(name)
        if not path.stat().st_size:
            return np.zeros(0, kind)
        return np.asarray(np.memmap(path, kind, "r"))

    def by_document(self) -> Any:
        """The counts read by documents: CSR, (D, V)."""
        parts = self.array("counts", np.int32), self.array("words", np.int32), self.array("starts", np.int64)
        return _canonical(csr_matrix(parts, shape=(len(self.offsets) - 1, self._n_words)))

    def by_word(self) -> Any:
        """The same read by words: CSC, (D, V)."""
        counts, rows = self.array("by_word.counts", np.int32), self.array("by_word.rows", np.int32)
        starts = self.array("by_word.starts", np.int64)
        return _canonical(csc_matrix((counts, rows, starts), shape=(len(self.offsets) - 1, self._n_words)))


def _canonical(matrix: Any) -> Any:
    matrix.has_canonical_format = True  # sorted, and each place once
    return matrix


def _numbers(store: ArrayStore, manifest: Manifest, shape: _Shape) -> Path:
    """Return the folder of this machine that has the numbers of an index, copied there if need be."""
    numbers = [name for name in manifest.checks if not name.startswith(("texts-", "topics-"))]
    goal = cache_directory() / "indexes" / f"{LAYOUT}-{_mark(manifest, numbers, shape)}"
    if goal.is_dir():
        goal.touch()
        return goal
    with write_errors(goal.parent):
        goal.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".", dir=goal.parent))
        try:
            _copy_numbers(store, manifest, shape, folder)
            with suppress(OSError):  # another process may be quicker
                folder.rename(goal)
            _make_room(goal)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return goal


def _mark(manifest: Manifest, names: Iterable[str], shape: _Shape | None = None) -> str:
    """A mark of what some files hold, and of what they were checked against."""
    held = [manifest.checks[name] for name in names], shape
    return hashlib.sha256(repr(held).encode()).hexdigest()[:40]


def _make_room(newest: Path) -> None:
    """Remove the numbers of indexes that were not opened for long; those of the last few stay."""
    kept = sorted(newest.parent.glob("[!.]*"), key=lambda each: (each != newest, -each.stat().st_mtime))
    for folder in kept[MOST_OPENED:]:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_numbers(store: ArrayStore, manifest: Manifest, shape: _Shape, folder: Path) -> None:
    for side in ("files", "parts"):
        _append(store, manifest, shape.sizes(side), folder, side)
    order = _checked(store, manifest, ORDER, _ORDERED)
    if len(order["rows"]) != shape.parts[-1]:
        raise StorageError(f"{store.root!r} is damaged: its numbers are not those of its documents.")
    for name, array in {**order, **_checked(store, manifest, COPIES, _COPIED)}.items():
        array.astype(np.int64).tofile(folder / f"parts.{name}")
    numbers = _Numbers(folder, "parts", shape.n_words)
    hash_documents(numbers.tokens, numbers.offsets).tofile(numbers.path("hashes"))
    _turn_by_word(numbers)


def _append(
    store: ArrayStore, manifest: Manifest, files: Sequence[tuple[str, int]], folder: Path, side: str
) -> None:
    """Put the arrays of several files one after the other."""
    totals = dict.fromkeys(_OFFSETS, 0)
    with ExitStack() as opened:
        out = {
            name: opened.enter_context((folder / f"{side}.{name}").open("wb"))
            for name in (*_NUMBERS, *_OFFSETS)
        }
        for name in _OFFSETS:
            out[name].write(np.zeros(1, np.int64).data)
        for file, n_documents in files:
            arrays = _numbers_of(store, manifest, file, n_documents)
            for name, kind in _NUMBERS.items():
                out[name].write(np.ascontiguousarray(arrays[name], kind).data)
            for name in _OFFSETS:
                out[name].write(np.ascontiguousarray(arrays[name][1:] + totals[name]).data)
                totals[name] += int(arrays[name][-1])


def _turn_by_word(numbers: _Numbers) -> None:
    """Write the counts of the parts read by words, a block of documents at a time."""
    by_document = numbers.by_document()
    (n_documents, n_words), size = by_document.shape, by_document.nnz
    in_documents = np.zeros(n_words, np.int64)
    for first in range(0, n_documents, ALIGNED):
        here = slice(by_document.indptr[first], by_document.indptr[min(first + ALIGNED, n_documents)])
        in_documents += np.bincount(by_document.indices[here], minlength=n_words)
    starts = np.concatenate([[0], np.cumsum(in_documents)]).astype(np.int64)
    starts.tofile(numbers.path("by_word.starts"))
    out = {}
    for name in ("rows", "counts"):
        path = numbers.path(f"by_word.{name}")
        path.touch()
        out[name] = np.memmap(path, np.int32, "w+", shape=(size,)) if size else np.zeros(0, np.int32)
    at = starts[:-1].copy()
    for first in range(0, n_documents, ALIGNED):
        block = by_document[first : first + ALIGNED].tocsc()
        sizes = np.diff(block.indptr)
        goal = np.repeat(at - block.indptr[:-1], sizes) + np.arange(block.nnz)
        out["rows"][goal], out["counts"][goal] = block.indices + first, block.data
        at += sizes
