"""The documents of an index in parts, for display: their texts lie in several files, here or at a URL.

In: a place, and how many documents each file has. Out: a `DocumentStore` over all of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import DOCUMENT, Document, row_number
from qdtm.corpus.sqlite_store import SqliteDocuments
from qdtm.storage.array_store import ArrayStore

_AT_ONCE = 500


def texts_name(i: int) -> str:
    """The texts of a file's documents."""
    return f"texts-{i:05d}.sqlite"


class Columns(NamedTuple):
    """What the user calls what documents have."""

    id: str = DOCUMENT
    title: str | None = None
    text: str | None = None
    fields: tuple[str, ...] = ()


class PartedDocuments:
    """Documents whose texts lie in several files; a file is opened, or fetched, when one of its is shown.

    Parameters
    ----------
    place : str
    n_each : sequence of int
        How many documents each file has.
    columns : Columns
    """

    def __init__(self, place: str, n_each: Sequence[int] | NDArray[np.int64], columns: Columns | None = None):
        self._place, self._columns = place, columns or Columns()
        self._starts = np.concatenate([[0], np.cumsum(n_each)]).astype(np.int64)
        self._open: dict[int, SqliteDocuments] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def id_name(self) -> str:
        """What the user calls the ids."""
        return self._columns.id

    @property
    def title_name(self) -> str | None:
        """What the user calls the titles, if they are from a column."""
        return self._columns.title

    @property
    def text_name(self) -> str | None:
        """What the user calls the texts, if they are from columns."""
        return self._columns.text

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields, in the order in which files were met."""
        return self._columns.fields

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, index: int) -> Document:
        return next(self.select([index]))

    def __iter__(self) -> Iterator[Document]:
        return self.select(range(len(self)))

    def select(self, indices: Iterable[int]) -> Iterator[Document]:
        """Yield the documents at `indices`, in that order, a few hundred read at a time."""
        rows = (row_number(index, len(self)) for index in indices)
        while batch := list(islice(rows, _AT_ONCE)):
            found = self._read(np.unique(batch))
            yield from (found[row] for row in batch)

    def _read(self, rows: NDArray[np.int64]) -> dict[int, Document]:
        files = np.searchsorted(self._starts, rows, side="right") - 1
        found: dict[int, Document] = {}
        for i in np.unique(files).tolist():
            own = rows[files == i]
            local = self._file(i).select((own - self._starts[i]).tolist())
            found |= {row: self._named(each, row) for row, each in zip(own.tolist(), local, strict=True)}
        return found

    def _named(self, document: Document, row: int) -> Document:
        fields = dict.fromkeys(self._columns.fields, "") | dict(document.fields)
        return replace(document, index=row, fields=fields)

    def find(self, id: str) -> int | None:
        """Return the row of the first document with an id, None if there is none."""
        for i in range(len(self._starts) - 1):
            if (row := self._file(i).find(id)) is not None:
                return int(self._starts[i]) + row
        return None

    def _file(self, i: int) -> SqliteDocuments:
        if i not in self._open:
            self._open[i] = SqliteDocuments(self._path(i))
        return self._open[i]

    def _path(self, i: int) -> Path:
        store = ArrayStore(self._place)
        if (path := store.path(texts_name(i))) is not None:
            return path
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="qdtm-texts-")
        path = Path(self._folder.name) / texts_name(i)
        store.fetch(texts_name(i), path)
        return path

    def close(self) -> None:
        """Close all files; they are opened again when they are needed."""
        for documents in self._open.values():
            documents.close()
        self._open = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"place": self._place, "n_each": np.diff(self._starts), "columns": self._columns}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __deepcopy__(self, memo: dict[int, Any]) -> PartedDocuments:
        return self  # read-only
