"""A corpus as the model sees it: each different document once, in an order that only their content decides.

Where documents are judged by passage, their passages take their place here.

In: a `Corpus`. Out: its `DistinctCorpus`, and the way back from what was found in it to the documents as they
came. So a shuffled file gives the same topics, bytes and all, and a text that is there a thousand times
weighs no more than one that is there once. What counts documents still counts them all (`copies`). A text
that repeats another but for a few words stays, since these may be what a query asks for; whose copy it is, is
known (`original`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.document_store import Document, DocumentStore
from qdtm.corpus.indexing import hash_documents
from qdtm.corpus.passage_split import Passages
from qdtm.storage.folders import ArraySpec, save_arrays
from qdtm.storage.mapped import empty_beside

# --- what was learned once ----------------------------------------------------------------------------------
#
# What was learned of a corpus once, for all queries: the topic of each token of its distinct documents.
#
# In: topics, as the sampler found them. Out: a file, and the topics back. It lies in an index, or in the
# cache folder. Who made them is written beside, since other settings would have found others.


@dataclass(frozen=True, eq=False)
class LearnedTopics:
    """Topics of a corpus' distinct documents.

    Parameters
    ----------
    topics : ndarray of int32, shape (N',)
        Of each token, from 0.
    made_by : str
        What they were learned with.
    """

    topics: NDArray[np.int32]
    made_by: str


def write_learned(path: Path, learned: LearnedTopics) -> None:
    """Write topics to a file, in as few bytes as they take."""
    kind = np.uint8 if learned.topics.max(initial=0) <= np.iinfo(np.uint8).max else np.uint16
    save_arrays(path, {"topics": learned.topics.astype(kind)}, metadata={"made_by": learned.made_by})


def read_learned(path: Path, n_tokens: int) -> LearnedTopics | None:
    """Read topics; None if there are none, or they are damaged or of another corpus."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            made_by = (file.metadata() or {}).get("made_by", "")
            found = file.get_slice("topics")
            fits = ArraySpec(found.get_dtype(), len(found.get_shape())) in _SPECS
            if not fits or found.get_shape()[0] != n_tokens:
                return None
            topics = np.asarray(file.get_tensor("topics"))
    except (SafetensorError, OSError):
        return None
    return LearnedTopics(topics.astype(np.int32), made_by)


_SPECS = (ArraySpec("U8", 1), ArraySpec("U16", 1))


# --- each document once -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class DistinctCorpus(Corpus):
    """The different documents of a corpus, in the order of a hash of their content.

    Attributes
    ----------
    rows : ndarray of int64, shape (D',)
        Where each of them first stands in the corpus that it was made of.
    place : ndarray of int64, shape (D,)
        Which of them each document of that corpus is.
    of_documents : Passages, optional
        Where these are passages, those of the documents as they came: `rows` and `place` are of passages.
    """

    rows: NDArray[np.int64] = field(kw_only=True)
    place: NDArray[np.int64] = field(kw_only=True)
    of_documents: Passages | None = field(kw_only=True, default=None)

    @property
    def distinct(self) -> DistinctCorpus:
        """Itself."""
        return self

    @property
    def by_content(self) -> DistinctCorpus:
        """Itself."""
        return self

    @cached_property
    def copies(self) -> NDArray[np.int64]:
        """How many documents, or passages, each of them stands for, (D',)."""
        return np.bincount(self.place, minlength=len(self.rows))

    @property
    def document_rows(self) -> NDArray[np.int64]:
        """The row of the document as it came where each of them first stands, (D',)."""
        return self.rows if self.of_documents is None else self.of_documents.document[self.rows]

    @property
    def document_places(self) -> NDArray[np.int64]:
        """Where each document as it came is here, or its first passage, (D,)."""
        return self.place if self.of_documents is None else self.place[self.of_documents.first[:-1]]

    def count_documents(self, rows: NDArray[np.int64], *, copies: bool = True) -> int:
        """Count the documents as they came that some of these are, or are passages of."""
        if self.of_documents is None:
            return int(self.copies[rows].sum()) if copies else len(rows)
        chosen = np.zeros(len(self.rows), np.bool_)
        chosen[rows] = True
        return int(self.of_documents.largest(chosen[self.place]).sum())

    @cached_property
    def original(self) -> NDArray[np.int64]:
        """Which of them each is a near copy of, itself if of none, (D',); see `near_copies`."""
        from qdtm.corpus.near_copies import find_originals

        arranged = self.documents
        if isinstance(arranged, ArrangedDocuments):
            return find_originals(arranged.source, self.rows)
        return find_originals(arranged, np.arange(self.n_documents))

    @property
    def learned(self) -> LearnedTopics | None:
        """What was learned of these documents, if it was."""
        known: LearnedTopics | None = self.__dict__.get("_learned")
        return known

    def remember(self, learned: LearnedTopics) -> None:
        """Keep what was learned of these documents; an index that is saved then has it."""
        self.__dict__["_learned"] = learned

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give each document as it came what was found for it here, (D, ...)."""
        return values[self.place]

    def spread_tokens(self, values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
        """Give each token of the documents as they came, with these offsets, what its own has here, (N,)."""
        return copy_rows(values, self.offsets[self.place], offsets)

    def gather_tokens(self, values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
        """Give each token here what it has in the documents as they came, with these offsets, (N',)."""
        return copy_rows(values, offsets[self.rows], self.offsets)


def find_distinct(corpus: Corpus, *, keep_copies: bool = False) -> DistinctCorpus:
    """Put the documents of a corpus in the order of their content.

    Parameters
    ----------
    keep_copies : bool
        Whether documents with the same text stay beside each other, and near copies count as any; else each
        text is there once.
    """
    rows, place = arrange(corpus.by_passage, keep_copies=keep_copies)
    found = take_rows(corpus, rows, place)
    if keep_copies:
        found.__dict__["original"] = np.arange(len(rows))
    return found


def take_rows(corpus: Corpus, rows: NDArray[np.int64], place: NDArray[np.int64]) -> DistinctCorpus:
    """Make the distinct corpus of documents whose rows, and whose places among these, are known."""
    judged = corpus.by_passage
    offsets = np.concatenate([[0], np.cumsum(judged.document_lengths[rows])])
    return DistinctCorpus(
        corpus.vocabulary,
        copy_rows(corpus.tokens, judged.offsets[rows], offsets),
        offsets,
        ArrangedDocuments(judged.documents, rows),
        corpus.pipeline,
        rows=rows,
        place=place,
        of_documents=corpus.passages,
    )


def copy_rows(values: NDArray[Any], starts: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """Take the runs of values that begin at `starts`, one after the other; `offsets` say where they end."""
    from qdtm.corpus.kernels import copy_runs  # slow to load

    found = empty_beside(values, int(offsets[-1]), values.dtype)
    copy_runs(np.ascontiguousarray(values), starts, np.asarray(offsets), found)
    return found


def arrange(corpus: Corpus, *, keep_copies: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the different documents by content, (D',), and which of them each is, (D,)."""

    def hash_texts(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        found = (hash_text(document.original) for document in corpus.documents.select(rows.tolist()))
        return np.fromiter(found, np.uint64, len(rows))

    hashes = hash_documents(corpus.tokens, corpus.offsets)
    return arrange_hashes(hashes, hash_texts, keep_copies=keep_copies)


def arrange_hashes(
    hashes: NDArray[np.uint64],
    hash_texts: Callable[[NDArray[np.int64]], NDArray[np.uint64]],
    *,
    keep_copies: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the same as `arrange`, by hashes of words; those of texts are asked for where they decide."""
    _, first, group, size = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(hashes):
        return first, group
    texts = np.zeros(len(hashes), np.uint64)
    alike = np.flatnonzero(size[group] > 1)  # the same words: the texts may differ in what is left out
    texts[alike] = hash_texts(alike)
    order = np.lexsort((texts, hashes))
    is_new = np.ones(len(hashes), np.bool_)
    if not keep_copies:
        same = (np.diff(hashes[order]) == 0) & (np.diff(texts[order]) == 0)
        is_new[1:] = ~same
    place = np.empty(len(hashes), np.int64)
    place[order] = np.cumsum(is_new) - 1
    return order[is_new], place


def hash_text(text: str) -> int:
    """Hash a text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


class ArrangedDocuments:
    """Documents of a store in another order.

    Parameters
    ----------
    source : DocumentStore
    rows : ndarray of int64
        Of the source.
    """

    def __init__(self, source: DocumentStore, rows: NDArray[np.int64]) -> None:
        self.source, self._rows = source, rows

    @property
    def id_name(self) -> str:
        """What the user calls the ids."""
        return self.source.id_name

    @property
    def title_name(self) -> str | None:
        """What the user calls the titles, if they are from a column."""
        return self.source.title_name

    @property
    def text_name(self) -> str | None:
        """What the user calls the texts, if they are from columns."""
        return self.source.text_name

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields."""
        return self.source.field_names

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Document:
        return next(self.select([index]))

    def __iter__(self) -> Iterator[Document]:
        return self.select(range(len(self)))

    def select(self, indices: Iterable[int]) -> Iterator[Document]:
        """Yield the documents at `indices`, in that order."""
        wanted = list(indices)
        found = self.source.select(self._rows[wanted].tolist())
        for index, document in zip(wanted, found, strict=True):
            yield replace(document, index=index)

    def find(self, id: str) -> int | None:
        """Return the first place of a document with an id, None if there is none."""
        row = self.source.find(id)
        at = np.flatnonzero(self._rows == (-1 if row is None else row))
        return int(at[0]) if len(at) else None
