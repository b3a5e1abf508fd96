"""The vocabulary of a corpus in many files: files in, the words that keep the limits out.

Each worker reads its files, numbers their tokens and counts their words. Words are dealt out to the workers
by a hash, each adds up the counts of its words and sends those that keep the limits; so nobody ever holds all
words of the corpus. The vocabulary is the one that a single machine would choose.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.indexing import (
    IndexedTokens,
    check_tokens_left,
    check_words_left,
    index_texts,
    word_frequencies,
)
from qdtm.corpus.records import ReadOptions
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.vocabulary import VocabularyLimits
from qdtm.distributed.files import SourceFile, read_file, settle_columns
from qdtm.distributed.workers import Memory, Workers

READ = "read"
"""Where a worker remembers the files that it has read, by their number."""


@dataclass(frozen=True, eq=False)
class ReadFile:
    """A file as a worker remembers it until the vocabulary is known.

    Parameters
    ----------
    name : str
    tokens : IndexedTokens
        Over words of its own.
    ids : list of str, length D_f
    """

    name: str
    tokens: IndexedTokens
    ids: list[str]


@dataclass(frozen=True, eq=False)
class WordTable:
    """Words and how often they occur.

    Parameters
    ----------
    words : list of str, length n
    in_documents, occurrences : ndarray of int64, shape (n,)
    """

    words: list[str]
    in_documents: NDArray[np.int64]
    occurrences: NDArray[np.int64]


@dataclass(frozen=True)
class Sizes:
    """How much a worker has read: documents, tokens, and tokens that are left of these after cleaning."""

    n_documents: int
    n_read: int
    n_tokens: int


@dataclass(frozen=True)
class FileShare:
    """The files that one worker reads.

    Parameters
    ----------
    files : tuple of (int, SourceFile)
        With their numbers in the corpus.
    options : ReadOptions
    pipeline : TextPipeline
    """

    files: tuple[tuple[int, SourceFile], ...]
    options: ReadOptions
    pipeline: TextPipeline


def settled_options(workers: Workers, first: SourceFile, options: ReadOptions) -> ReadOptions:
    """Find the columns in the first file, on a worker."""
    found: ReadOptions = workers.fetch([workers.call(0, _settle, first.name, options)])[0]
    return found


def count_vocabulary(workers: Workers, shares: Sequence[FileShare]) -> tuple[str, ...]:
    """Read all files, and choose the vocabulary.

    Parameters
    ----------
    workers : Workers
    shares : sequence of FileShare
        One a worker.

    Returns
    -------
    tuple of str, length V

    Raises
    ------
    CorpusError
        If a file cannot be read or lacks a column (it is named), or nothing is left after cleaning.
    """
    n = workers.n_workers
    limits = shares[0].pipeline.limits
    done = [workers.call(w, read_files, shares[w], n, n_results=1 + n) for w in range(n)]
    sizes: list[Sizes] = workers.fetch([results[0] for results in done])
    n_documents = sum(size.n_documents for size in sizes)
    check_tokens_left(n_documents, sum(s.n_read for s in sizes), sum(s.n_tokens for s in sizes))
    chosen = workers.fetch(
        [workers.call(w, choose_words, limits, n_documents, *[r[1 + w] for r in done]) for w in range(n)]
    )
    table = _joined([found for found, _ in chosen])
    check_words_left(len(table.words), sum(seen for _, seen in chosen), limits, n_documents)
    return tuple(_select(table, limits, n_documents).words)


# --- on a worker -------------------------------------------------------------------------------------------


def _settle(_: Memory, first: str, options: ReadOptions) -> ReadOptions:
    return settle_columns(first, options)


def read_files(memory: Memory, share: FileShare, n_buckets: int) -> list[Any]:
    """Read files and remember them; return their `Sizes`, and a `WordTable` for each bucket of words."""
    read_share(memory, share)
    read: list[ReadFile] = list(memory[READ].values())
    sizes = Sizes(
        sum(file.tokens.n_documents for file in read),
        sum(file.tokens.n_read for file in read),
        sum(len(file.tokens.tokens) for file in read),
    )
    table = _joined([WordTable(file.tokens.words, *word_frequencies(file.tokens)) for file in read])
    bucket = np.array([zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in table.words], np.int64)
    return [sizes, *(_taken(table, np.flatnonzero(bucket % n_buckets == b)) for b in range(n_buckets))]


def read_share(memory: Memory, share: FileShare) -> None:
    """Read files and remember them."""
    memory[READ] = {number: _read(file.name, share.options, share.pipeline) for number, file in share.files}


def choose_words(
    _: Memory, limits: VocabularyLimits, n_documents: int, *tables: WordTable
) -> tuple[WordTable, int]:
    """Add up the counts of one bucket; return the words that keep the limits, and how many it had."""
    table = _joined(tables)
    return _select(table, limits, n_documents), len(table.words)


def _read(file: str, options: ReadOptions, pipeline: TextPipeline) -> ReadFile:
    ids: list[str] = []

    def texts() -> Any:
        for record in read_file(file, options):
            ids.append(record.id)
            yield record.text

    return ReadFile(file, index_texts(texts(), pipeline), ids)


# --- tables of words ---------------------------------------------------------------------------------------


def _joined(tables: Sequence[WordTable]) -> WordTable:
    """Add tables up, word by word."""
    numbers: dict[str, int] = {}
    places = [
        np.array([numbers.setdefault(w, len(numbers)) for w in table.words], np.int64) for table in tables
    ]
    in_documents, occurrences = np.zeros((2, len(numbers)), np.int64)
    for place, table in zip(places, tables, strict=True):
        in_documents[place] += table.in_documents
        occurrences[place] += table.occurrences
    return WordTable(list(numbers), in_documents, occurrences)


def _select(table: WordTable, limits: VocabularyLimits, n_documents: int) -> WordTable:
    """Keep the words that the limits allow, in alphabetical order."""
    chosen = limits.select(table.words, table.in_documents, table.occurrences, n_documents)
    return _taken(table, np.array(chosen, np.int64))


def _taken(table: WordTable, places: NDArray[np.int64]) -> WordTable:
    words = [table.words[place] for place in places]
    return WordTable(words, table.in_documents[places], table.occurrences[places])
