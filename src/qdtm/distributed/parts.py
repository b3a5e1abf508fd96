"""Parts of a corpus on the workers: files that were read in, documents over the common vocabulary out.

A part is a file. The driver knows how large each is and asks them questions: of every part in its order
(`ask`), or for the sum over all parts (`add_up`), which each worker adds up before it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.term_index import Collection, TermIndex
from qdtm.corpus.indexing import count_matrix, renumber
from qdtm.distributed.counting import READ, FileShare, read_share
from qdtm.distributed.workers import Memory, Workers, call_all
from qdtm.errors import ClusterError

PARTS = "parts"
"""Where a worker remembers its parts, in order."""

OfPart = Callable[..., Any]
"""A function of a module, whose first argument is a `Part`."""


@dataclass(eq=False)
class Part:
    """The documents of one file.

    Parameters
    ----------
    number : int
        Which file of the corpus.
    name : str
    tokens, offsets : ndarray of shape (N_p,) and (D_p + 1,)
    n_words : int
        V.
    ids : list of str, length D_p
    first_document : int
        The number of its first document in the whole corpus.
    whole : Collection, optional
        What is counted over the whole corpus.
    notes : dict
        What is worked out for a query and needed again.
    """

    number: int
    name: str
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    ids: list[str]
    first_document: int = 0
    whole: Collection | None = None
    notes: dict[Any, Any] = field(default_factory=dict)

    @property
    def n_documents(self) -> int:
        """How many documents there are, empty ones included."""
        return len(self.offsets) - 1

    @cached_property
    def index(self) -> TermIndex:
        """The word counts of the documents, with what is known of the whole corpus."""
        return TermIndex.from_matrix(count_matrix(self.tokens, self.offsets, self.n_words), self.whole)


@dataclass(frozen=True)
class PartSize:
    """How large a part is, as the driver knows it."""

    name: str
    n_documents: int
    n_tokens: int


def encode_parts(workers: Workers, vocabulary: Sequence[str]) -> tuple[list[PartSize], Collection]:
    """Express all files that were read in the common vocabulary.

    Returns
    -------
    sizes : list of PartSize
        In the order of the files.
    collection : Collection
        What is counted over all of them.
    """
    answers = call_all(workers, _encode, tuple(vocabulary))
    sizes = [size for found, _, _ in answers for size in found]
    n_documents = sum(size.n_documents for size in sizes)
    collection = Collection(n_documents, sum(a[1] for a in answers), sum(a[2] for a in answers))
    call_all(workers, _learn, collection, _starts([size.n_documents for size in sizes]))
    return sizes, collection


def ask(workers: Workers, function: OfPart, *arguments: Any) -> list[Any]:
    """Ask every part; return the answers in the order of the corpus."""
    answers = call_all(workers, _ask, function, *arguments)
    return [answer for of_worker in answers for answer in of_worker]


def add_up(workers: Workers, function: OfPart, *arguments: Any) -> Any:
    """Ask every part; return the sum of the answers, which must not depend on their order."""
    answers = call_all(workers, _add_up, function, *arguments)
    return _sum([answer for answer in answers if answer is not None])


# --- on a worker -------------------------------------------------------------------------------------------


def parts_of(memory: Memory) -> list[Part]:
    """Return the parts of a worker."""
    if PARTS not in memory:
        raise ClusterError("A worker died, and with it what it had read and searched; start again.")
    parts: list[Part] = memory[PARTS]
    return parts


def _encode(memory: Memory, vocabulary: tuple[str, ...]) -> tuple[Any, ...]:
    """Make parts of the files that were read; return their sizes, word counts and document frequencies."""
    parts, n_words = [], len(vocabulary)
    for number, file in sorted(memory.pop(READ).items()):
        encoded = renumber(file.tokens, vocabulary)
        parts.append(Part(number, file.name, encoded.tokens, encoded.offsets, n_words, file.ids))
    memory[PARTS] = parts
    word_counts, frequency = np.zeros((2, n_words), np.int64)
    for part in parts:
        word_counts += np.bincount(part.tokens, minlength=n_words)
        frequency += np.diff(part.index.by_word.indptr)
        del part.index  # it is made again, when the whole corpus is known
    return [PartSize(p.name, p.n_documents, len(p.tokens)) for p in parts], word_counts, frequency


def read_again(memory: Memory, share: FileShare, vocabulary: tuple[str, ...]) -> None:
    """Make the parts of a worker whose predecessor died, so that their documents can be written."""
    if PARTS not in memory:
        read_share(memory, share)
        _encode(memory, vocabulary)


def _learn(memory: Memory, collection: Collection, first_documents: NDArray[np.int64]) -> None:
    """Tell all parts what the whole corpus is like, and where in it they are."""
    for part in memory[PARTS]:
        part.whole, part.first_document = collection, int(first_documents[part.number])


def _ask(memory: Memory, function: OfPart, *arguments: Any) -> list[Any]:
    return [function(part, *arguments) for part in parts_of(memory)]


def _add_up(memory: Memory, function: OfPart, *arguments: Any) -> Any:
    return _sum(_ask(memory, function, *arguments)) if parts_of(memory) else None


def _sum(values: Sequence[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def _starts(lengths: Sequence[int]) -> NDArray[np.int64]:
    """Where each stretch begins if they are laid end to end, shape (n,)."""
    return np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64)
