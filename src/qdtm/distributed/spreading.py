"""A `FileCorpus` and workers in, a `SpreadCorpus` out: the driver's view of documents that it never holds.

Where there are no workers but this machine, its files are read into one `Corpus`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.term_index import Collection
from qdtm.corpus.building import of_records
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.store import MemoryDocuments
from qdtm.corpus.text import TextPipeline
from qdtm.distributed.counting import FileShare, count_vocabulary, settled_options
from qdtm.distributed.files import FileCorpus, SourceFile, list_files, read_file, settle_columns
from qdtm.distributed.parts import PartSize, encode_parts
from qdtm.distributed.searching import PartsSearcher
from qdtm.distributed.workers import Workers


@dataclass(frozen=True, eq=False, repr=False)
class SpreadCorpus:
    """A corpus whose documents are on the workers.

    Attributes
    ----------
    vocabulary : tuple of str, length V
    pipeline : TextPipeline
    collection : Collection
        What is counted over all documents.
    parts : tuple of PartSize
        The files, in order.
    workers : Workers
        Who have them.
    shares : tuple of FileShare
        Which files each worker read, and how.
    """

    vocabulary: tuple[str, ...]
    pipeline: TextPipeline
    collection: Collection
    parts: tuple[PartSize, ...]
    workers: Workers
    shares: tuple[FileShare, ...]

    @property
    def n_words(self) -> int:
        """The number of words in the vocabulary, V."""
        return len(self.vocabulary)

    @property
    def n_documents(self) -> int:
        """The number of documents, D; empty ones count."""
        return self.collection.n_documents

    @property
    def n_tokens(self) -> int:
        """The number of tokens, N."""
        return sum(part.n_tokens for part in self.parts)

    @property
    def tokens(self) -> NDArray[np.int32]:
        """The tokens that are here: none."""
        return np.zeros(0, np.int32)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The documents that are here: none."""
        return np.zeros(1, np.int64)

    @cached_property
    def without_documents(self) -> Corpus:
        """The vocabulary and the pipeline, for queries and new documents."""
        return Corpus(self.vocabulary, self.tokens, self.offsets, MemoryDocuments([]), self.pipeline)

    @property
    def fingerprint(self) -> str:
        """Of what is here."""
        return self.without_documents.fingerprint

    @cached_property
    def word_index(self) -> Mapping[str, int]:
        """The position of each word in the vocabulary."""
        return {word: w for w, word in enumerate(self.vocabulary)}

    @cached_property
    def searcher(self) -> PartsSearcher:
        """Who answers queries."""
        return PartsSearcher(self.workers, self.collection)

    def __repr__(self) -> str:
        numbers = f"{self.n_documents:,} documents, {self.n_words:,} words, {self.n_tokens:,} tokens"
        return f"SpreadCorpus({len(self.parts):,} files, {numbers})"


def spread_corpus(
    source: FileCorpus, workers: Workers, files: Sequence[SourceFile] | None = None
) -> SpreadCorpus:
    """Read the files of a corpus on the workers; `files` if they have been listed already.

    Raises
    ------
    CorpusError
        If a file is missing, cannot be read or lacks a column (it is named), or nothing is left of them.
    """
    files = files or list_files(source.files)
    pipeline = source.pipeline or TextPipeline()
    options = settled_options(workers, files[0], source.read_options)
    shares = tuple(FileShare(tuple(s), options, pipeline) for s in share_out(files, workers.n_workers))
    vocabulary = count_vocabulary(workers, shares)
    sizes, collection = encode_parts(workers, vocabulary)
    return SpreadCorpus(vocabulary, pipeline, collection, tuple(sizes), workers, shares)


def gather_corpus(source: FileCorpus) -> Corpus:
    """Read all files of a corpus into one, on this machine."""
    files = list_files(source.files)
    options = settle_columns(files[0].name, source.read_options)
    records = (record for file in files for record in read_file(file.name, options))
    return of_records(records, source.pipeline)


def share_out(files: Sequence[SourceFile], n_workers: int) -> list[list[tuple[int, SourceFile]]]:
    """Give each worker files in a row with about as many bytes as the others'."""
    size = np.maximum([file.size for file in files], 1)
    middle = np.cumsum(size) - size / 2
    worker = np.minimum(middle * n_workers // size.sum(), n_workers - 1).astype(int)
    shares: list[list[tuple[int, SourceFile]]] = [[] for _ in range(n_workers)]
    for number, file in enumerate(files):
        shares[worker[number]].append((number, file))
    return shares
