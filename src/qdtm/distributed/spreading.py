"""A `FileCorpus` and workers in, a `SpreadCorpus` out: the driver's view of documents that it never holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qdtm.concepts.term_index import Collection
from qdtm.corpus.text import TextPipeline
from qdtm.distributed.counting import count_vocabulary
from qdtm.distributed.files import FileCorpus, SourceFile, list_files
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
    """

    vocabulary: tuple[str, ...]
    pipeline: TextPipeline
    collection: Collection
    parts: tuple[PartSize, ...]
    workers: Workers

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


def spread_corpus(source: FileCorpus, workers: Workers) -> SpreadCorpus:
    """Read the files of a corpus on the workers.

    Raises
    ------
    CorpusError
        If a file is missing, cannot be read or lacks a column (it is named), or nothing is left of them.
    """
    files = list_files(source.files)
    pipeline = source.pipeline or TextPipeline()
    shares = share_out(files, workers.n_workers)
    vocabulary, _ = count_vocabulary(workers, shares, source.read_options, pipeline)
    sizes, collection = encode_parts(workers, vocabulary)
    return SpreadCorpus(vocabulary, pipeline, collection, tuple(sizes), workers)


def share_out(files: Sequence[SourceFile], n_workers: int) -> list[list[tuple[int, SourceFile]]]:
    """Give each worker files in a row with about as many bytes as the others'."""
    size = np.maximum([file.size for file in files], 1)
    middle = np.cumsum(size) - size / 2
    worker = np.minimum(middle * n_workers // size.sum(), n_workers - 1).astype(int)
    shares: list[list[tuple[int, SourceFile]]] = [[] for _ in range(n_workers)]
    for number, file in enumerate(files):
        shares[worker[number]].append((number, file))
    return shares
