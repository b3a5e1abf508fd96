"""The documents behind a corpus, for display: an index in, a `Document` out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.markup import readable
from qdtm.corpus.titles import title_of
from qdtm.errors import CorpusError

DOCUMENT = "document"
"""What ids are called that are from no column of the user's."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document, to be read by people.

    Attributes
    ----------
    index : int
        Its row in the corpus, from 0.
    id : str
        Its name for display; not necessarily unique.
    text : str
        Without HTML; what it is made of otherwise is `original`.
    fields : mapping of str to str
        Whatever else came with it, such as the other columns of a table.
    title : str
        One line: what the user calls its title, else how the text begins. Empty only if the text is.
    original : str
        The text as the user gave it.
    """

    index: int
    id: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    original: str = None  # type: ignore[assignment] # the text as it is given here, unless it is known

    def __post_init__(self) -> None:
        if self.original is None:
            object.__setattr__(self, "original", self.text)
            object.__setattr__(self, "text", readable(self.text))
            object.__setattr__(self, "title", title_of(self.title, self.text))


class DocumentStore(Protocol):
    """What holds the documents of a corpus, in order."""

    @property
    def id_name(self) -> str:
        """What the user calls the ids: the name of their column, else `DOCUMENT`."""
        ...

    @property
    def title_name(self) -> str | None:
        """What the user calls the titles: the name of their column, if they are from one."""
        ...

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields, in the order of the source; those of the ids and titles are not."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Document: ...

    def __iter__(self) -> Iterator[Document]: ...

    def select(self, indices: Iterable[int]) -> Iterator[Document]:
        """Yield the documents at `indices`, in that order."""
        ...

    def find(self, id: str) -> int | None:
        """Return the row of the first document with an id, None if there is none."""
        ...


class Column(Protocol):
    """One value for each document: a list, or anything that can be indexed like one."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> object: ...

    def __iter__(self) -> Iterator[object]: ...


class MemoryDocuments:
    """Documents that are Python objects already; keeps references to them, never copies.

    Parameters
    ----------
    texts : sequence
        A text, None or NaN (an empty text), or a list of tokens for each document.
    ids : sequence, optional
        Names for display; the row number (from 0) without.
    fields : mapping of str to sequence, optional
        Further columns, each as long as `texts`.
    id_name : str
        What the user calls the ids.
    titles : sequence, optional
        A title for each document; None and NaN where it has none.
    title_name : str, optional
        What the user calls the titles.
    """

    def __init__(
        self,
        texts: Column,
        ids: Column | None = None,
        fields: Mapping[str, Column] | None = None,
        id_name: str = DOCUMENT,
        titles: Column | None = None,
        title_name: str | None = None,
    ) -> None:
        self.id_name = id_name
        self.title_name = title_name
        self._texts = texts
        self._ids = ids
        self._titles = titles
        self._fields = dict(fields or {})
        for name, column in {"ids": ids, "titles": titles, **self._fields}.items():
            if column is not None and len(column) != len(texts):
                raise CorpusError(f"{name!r} has {len(column):,} values for {len(texts):,} documents.")

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields."""
        return tuple(self._fields)

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: int) -> Document:
        index = row_number(index, len(self))
        return Document(
            index,
            str(index) if self._ids is None else as_field(self._ids[index]),
            as_display_text(self._texts[index]),
            {name: as_field(column[index]) for name, column in self._fields.items()},
            "" if self._titles is None else as_field(self._titles[index]),
        )

    def __iter__(self) -> Iterator[Document]:
        return self.select(range(len(self)))

    def select(self, indices: Iterable[int]) -> Iterator[Document]:
        """Yield the documents at `indices`, in that order."""
        return (self[index] for index in indices)

    def find(self, id: str) -> int | None:
        """Return the row of the first document with an id, None if there is none."""
        if self._ids is None:  # they are the rows
            row = int(id) if id.isascii() and id.isdecimal() and len(id) < 20 else -1
            return row if 0 <= row < len(self) and str(row) == id else None
        return next((j for j, each in enumerate(self._ids) if as_field(each) == id), None)


class BagTexts:
    """The "texts" of documents known by their word counts only: their words, one after the other.

    Parameters
    ----------
    words : sequence of str, length V
    tokens : ndarray of int32, shape (N,)
    offsets : ndarray of int64, shape (D + 1,)
    """

    def __init__(self, words: Sequence[str], tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        self._words = words
        self._tokens = tokens
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, j: int) -> str:
        return " ".join(self._words[w] for w in self._tokens[self._offsets[j] : self._offsets[j + 1]])


def row_number(index: int, n_documents: int) -> int:
    """Return `index` counted from the start; negative ones count from the end.

    Raises
    ------
    IndexError
        If there is no such document.
    """
    row = int(index) + n_documents if index < 0 else int(index)
    if not 0 <= row < n_documents:
        raise IndexError(f"There is no document {index}; the corpus has {n_documents:,} documents, from 0.")
    return row


def is_missing(value: object) -> bool:
    """Return whether a cell holds nothing: None, NaN, or pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def as_field(value: object) -> str:
    """Return a cell as the text that is shown for it."""
    return "" if is_missing(value) else str(value)


def as_display_text(value: object) -> str:
    """Return what was given as a document's text as one string; ready tokens are joined by spaces."""
    if isinstance(value, str) or is_missing(value):
        return as_field(value)
    return " ".join(map(str, value)) if isinstance(value, Iterable) else str(value)
