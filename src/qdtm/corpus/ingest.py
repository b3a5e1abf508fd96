"""Documents in; out come the same documents, one by one, and a store that remembers them for display.

Documents that are in memory already are only referred to. Those of an iterator or a file pass by once and are
written to a temporary file as they do, so that they are never all in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Generic, TypeVar

from qdtm.corpus.document_store import Column, DocumentStore, MemoryDocuments, as_display_text
from qdtm.corpus.readers.records import Record
from qdtm.corpus.sqlite_store import SqliteDocuments, SqliteWriter
from qdtm.errors import CorpusError

T = TypeVar("T")

Check = Callable[[int, object], T]
"""Makes what is needed of a value given by the user, or raises an error that names its position."""


class Intake(AbstractContextManager["Intake[T]"], Generic[T]):
    """Documents to be read once, with a store at the end.

    Iterate over it, then call `finish`, inside a `with` block that cleans up after errors.
    """

    def __iter__(self) -> Iterator[T]:
        """Yield the documents, checked."""
        raise NotImplementedError

    def finish(self) -> DocumentStore:
        """Return the store of the documents that were yielded."""
        raise NotImplementedError

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clean up."""


class MemoryIntake(Intake[T]):
    """Documents that are in memory.

    Parameters
    ----------
    values : Column
        The documents.
    check : callable
    documents : MemoryDocuments
        What to show for them.
    """

    def __init__(self, values: Column, check: Check[T], documents: MemoryDocuments) -> None:
        if len(values) != len(documents):
            raise CorpusError(f"There are {len(documents):,} texts for {len(values):,} documents.")
        self._values = values
        self._check = check
        self._documents = documents

    def __iter__(self) -> Iterator[T]:
        return (self._check(j, value) for j, value in enumerate(self._values))

    def finish(self) -> MemoryDocuments:
        """Return the store that was given."""
        return self._documents


class StreamIntake(Intake[T]):
    """Documents that pass by once.

    Parameters
    ----------
    values : iterable
        The documents.
    check : callable
    record_of : callable
        The record to remember for a position and a checked document.
    """

    def __init__(self, values: Iterable[Any], check: Check[T], record_of: Callable[[int, T], Record]) -> None:
        self._values = values
        self._check = check
        self._record_of = record_of
        self._writer = SqliteWriter()

    def __iter__(self) -> Iterator[T]:
        for j, value in enumerate(self._values):
            checked = self._check(j, value)
            self._writer.add(self._record_of(j, checked))
            yield checked

    def finish(self) -> SqliteDocuments:
        """Return the store that was written."""
        return self._writer.finish()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, and remove it after an error."""
        self._writer.__exit__(kind, error, trace)


def take_in(
    values: Iterable[Any],
    check: Check[T],
    *,
    texts: Column | None = None,
    ids: Column | None = None,
    fields: Mapping[str, Column] | None = None,
    titles: Column | None = None,
) -> Intake[T]:
    """Return the intake for what the user gave: by reference if it is in memory, else as a stream.

    A stream that comes with texts, ids, fields or titles, which are in memory, is put there too.
    """
    column = as_column(values)
    if column is None and (fields or any(given is not None for given in (texts, ids, titles))):
        column = list(values)
    if column is None:
        return StreamIntake(values, check, lambda j, value: Record(str(j), as_display_text(value)))
    documents = MemoryDocuments(column if texts is None else texts, ids, fields, titles=titles)
    return MemoryIntake(column, check, documents)


def as_column(values: Any) -> Column | None:
    """Return values in memory as a column that is safe to refer to, or None for an iterator.

    A list is copied, so that later changes to it do no harm; its texts are not.
    """
    if hasattr(values, "iloc"):
        return PositionalSeries(values)
    if isinstance(values, list | tuple):
        return list(values)
    if hasattr(values, "__len__") and hasattr(values, "__getitem__"):
        column: Column = values
        return column
    return None


class PositionalSeries:
    """A pandas Series, indexed by position whatever its index is."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def __len__(self) -> int:
        return len(self._series)

    def __iter__(self) -> Iterator[object]:
        return iter(self._series)

    def __getitem__(self, position: int) -> object:
        value: object = self._series.iloc[position]
        return value


def check_iterable(values: object, what: str) -> None:
    """Raise if something cannot be taken as documents in an order."""
    if isinstance(values, str | bytes):
        raise CorpusError(
            f"Expected {what}, got one string. Put a text into a list; read a file with Corpus.read(path)."
        )
    if isinstance(values, Mapping):
        raise CorpusError(f"Expected {what}, got a mapping. Pass its values, and its keys as ids.")
    if isinstance(values, set | frozenset):
        raise CorpusError(f"Expected {what}, got a set, which has no order. Make it a list.")
    n_dimensions = getattr(values, "ndim", 1)
    if n_dimensions != 1:
        raise CorpusError(
            f"Expected {what}, got an array of {n_dimensions} dimensions; see Corpus.from_counts."
        )
    if not isinstance(values, Iterable | Sequence) and as_column(values) is None:
        raise CorpusError(f"Expected {what}, got {type(values).__name__}.")
