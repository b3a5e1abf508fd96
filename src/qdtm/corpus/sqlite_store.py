"""Documents in an SQLite file: written row by row while a corpus is read, read back only when shown."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import islice
from json.encoder import encode_basestring
from pathlib import Path
from types import TracebackType
from typing import Any

from qdtm.corpus.document_store import DOCUMENT, Document, row_number
from qdtm.corpus.readers.records import Record
from qdtm.errors import StorageError
from qdtm.storage.temporary import ScratchFile

_ROWS_AT_ONCE = 500
_CHARACTERS_AT_ONCE = 2**24
_FEW, _MANY = 8, 100
"""Of more than so many fields, a record that has fewer than an eighth is written without the others."""

_ID = -1
"""The position of the column of ids among the names of fields, if they are from one."""

_TITLE, _TEXT = -2, -3
"""The positions of the columns of titles and of texts."""

_SCHEMA = """
    CREATE TABLE documents (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL, fields TEXT NOT NULL,
        title TEXT NOT NULL
    );
    CREATE TABLE field_names (position INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""
_SCHEMA_WITHOUT_TITLES = _SCHEMA.replace(",\n        title TEXT NOT NULL", "")
_COLUMNS = "row, id, text, fields, title"
_COLUMNS_WITHOUT_TITLES = "row, id, text, fields, '' AS title"
_INDEX = "CREATE INDEX documents_by_id ON documents (id)"


class SqliteDocuments:
    """The documents of an SQLite file, opened for reading only; safe to use from several threads.

    Parameters
    ----------
    path : Path
        A file that `SqliteWriter` made.
    scratch : ScratchFile, optional
        What to remove when this object goes.

    Raises
    ------
    StorageError
        If the file is missing or not one of ours.
    """

    def __init__(self, path: Path, *, scratch: ScratchFile | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = os.getpid()
        if scratch is not None:
            weakref.finalize(self, scratch.remove)
        self._check_schema()
        self._length = int(self._rows("SELECT COUNT(*) FROM documents")[0][0])
        if self._bounds() != ((0, self._length - 1) if self._length else (None, None)):
            raise StorageError(f"{str(path)!r} is damaged: its rows are not numbered from 0.")
        names = dict(self._rows("SELECT position, name FROM field_names ORDER BY position"))
        self._id_name = str(names.pop(_ID, DOCUMENT))
        self._title_name: str | None = names.pop(_TITLE, None)
        self._text_name: str | None = names.pop(_TEXT, None)
        self._field_names = tuple(names.values())

    @property
    def id_name(self) -> str:
        """What the user calls the ids."""
        return self._id_name

    @property
    def title_name(self) -> str | None:
        """What the user calls the titles, if they are from a column."""
        return self._title_name

    @property
    def text_name(self) -> str | None:
        """What the user calls the texts, if they are from columns."""
        return self._text_name

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields, in the order they were met."""
        return self._field_names

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Document:
        return next(self.select([index]))

    def __iter__(self) -> Iterator[Document]:
        query = f"SELECT {self._columns} FROM documents WHERE row >= ? AND row < ? ORDER BY row"  # noqa: S608
        for first in range(0, self._length, _ROWS_AT_ONCE):
            rows = self._rows(query, (first, first + _ROWS_AT_ONCE))
            self._check_found(len(rows), min(_ROWS_AT_ONCE, self._length - first))
            yield from (self._document(*values) for values in rows)

    def select(self, indices: Iterable[int]) -> Iterator[Document]:
        """Yield the documents at `indices`, in that order, a few hundred read at a time."""
        rows = (row_number(index, self._length) for index in indices)
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            marks = ",".join("?" * len(batch))
            query = f"SELECT {self._columns} FROM documents WHERE row IN ({marks})"  # noqa: S608 - only "?"
            found = {values[0]: values for values in self._rows(query, batch)}
            self._check_found(len(found), len(set(batch)))
            yield from (self._document(*found[row]) for row in batch)

    def _check_found(self, n_found: int, n_wanted: int) -> None:
        """Refuse a file that counts rows which are not there."""
        if n_found != n_wanted:
            raise StorageError(f"{str(self.path)!r} is damaged: some of its rows cannot be found.")

    def find(self, id: str) -> int | None:
        """Return the row of the first document with an id, None if there is none."""
        row: int | None = self._rows("SELECT MIN(row) FROM documents WHERE id = ?", (_clean(id),))[0][0]
        return row

    def first_repeated_id(self) -> str | None:
        """Return an id that more than one document has, if there is one."""
        found = self._rows(
            "SELECT id FROM documents GROUP BY id HAVING COUNT(*) > 1 ORDER BY MIN(row) LIMIT 1"
        )
        return str(found[0][0]) if found else None

    def copy_to(self, path: Path) -> None:
        """Write a copy of the file."""
        try:
            shutil.copyfile(self.path, path)
        except OSError as error:
            raise StorageError(f"Cannot copy the documents: {error.strerror or error}.") from error

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}  # another process reads the same file, and never removes it

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["path"])  # type: ignore[misc]

    def __deepcopy__(self, memo: dict[int, Any]) -> SqliteDocuments:
        return self  # read-only: a copy would differ in nothing but the life of the file

    def _document(self, row: int, id: str, text: str, fields: str, title: str) -> Document:
        return Document(row, str(id), str(text), self._named(row, fields), str(title))

    def _named(self, row: int, fields: str) -> dict[str, str]:
        """Return the fields of a document by their names."""
        try:
            values = json.loads(fields)
        except (TypeError, ValueError, RecursionError):
            values = None
        if isinstance(values, list):
            values += [""] * (len(self._field_names) - len(values))  # written before a field was first met
            return dict(zip(self._field_names, map(str, values), strict=False))
        try:
            return {self._field_names[_place(key)]: str(value) for key, value in values.items()}
        except (AttributeError, ValueError, IndexError) as error:
            raise StorageError(
                f"{str(self.path)!r} is damaged: the fields of document {row:,} make no sense."
            ) from error

    def _rows(self, query: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, _sqlite_errors(f"Cannot read the documents in {str(self.path)!r}"):
            return self._open().execute(query, tuple(values)).fetchall()

    def _open(self) -> sqlite3.Connection:
        """Return the connection of this process; one made before a fork must not be used after it."""
        if self._connection is None or self._process != os.getpid():
            uri = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
            self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._process = os.getpid()
        return self._connection

    def _bounds(self) -> tuple[int | None, int | None]:
        """Return the lowest and the highest row; asked for together, SQLite would look at every row."""
        first, last = (self._rows(f"SELECT {end}(row) FROM documents")[0][0] for end in ("MIN", "MAX"))  # noqa: S608
        return first, last

    def _check_schema(self) -> None:
        """Refuse a file with other tables, columns, views or triggers than ours.

        It may lack the index, and titles if it was made before there were any.
        """
        found = {_one_line(str(sql)) for (sql,) in self._rows("SELECT sql FROM sqlite_master")} - {_INDEX}
        if found not in (_statements(_SCHEMA), _statements(_SCHEMA_WITHOUT_TITLES)):
            raise StorageError(f"{str(self.path)!r} is damaged: it is not a store of documents.")
        self._columns = _COLUMNS if found == _statements(_SCHEMA) else _COLUMNS_WITHOUT_TITLES


def _statements(schema: str) -> set[str]:
    return {_one_line(sql) for sql in schema.split(";") if sql.strip()}


def _one_line(sql: str) -> str:
    return " ".join(sql.split())


class SqliteWriter:
    """Puts records into an SQLite file, one after the other.

    A context manager: on an error the file is removed.

    Parameters
    ----------
    path : Path, optional
        The file to make; a temporary one without.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._scratch: ScratchFile | None = None
        if path is None:
            self._scratch = ScratchFile()
            path = self._scratch.path
        self.path = path
        self._fields: dict[str, int] = {}
        self._names: tuple[str, ...] = ()
        self._roles: dict[int, str] = {}
        self._n_rows = 0
        self._n_characters = 0
        self._waiting: list[tuple[int, str, str, str, str]] = []
        with _sqlite_errors(f"Cannot write {str(self.path)!r}"):
            self._connection = sqlite3.connect(self.path, isolation_level=None)
            # No journal: a file that was not finished is thrown away.
            self._connection.executescript(
                f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_SCHEMA} BEGIN;"
            )

    def __enter__(self) -> SqliteWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        if error is not None and self._scratch is not None:
            self._scratch.remove()
        elif error is not None:
            with suppress(OSError):
                self.path.unlink()

    def __len__(self) -> int:
        return self._n_rows

    def add(self, record: Record) -> None:
        """Append a record."""
        text = _clean(record.text)
        self._roles = {_ID: record.id_name, _TITLE: record.title_name, _TEXT: record.text_name}
        self._waiting.append(
            (self._n_rows, _clean(record.id), text, self._pack(record.fields), _clean(record.title))
        )
        self._n_rows += 1
        self._n_characters += len(text)
        if len(self._waiting) >= _ROWS_AT_ONCE or self._n_characters >= _CHARACTERS_AT_ONCE:
            self._write()

    def finish(self) -> SqliteDocuments:
        """Return the documents, open for reading; nothing can be added after this."""
        self._write()
        with _sqlite_errors(f"Cannot write {str(self.path)!r}"):
            roles = [(position, _clean(name)) for position, name in self._roles.items() if name]
            names = [*roles, *enumerate(self._fields)]
            self._connection.executemany("INSERT INTO field_names VALUES (?, ?)", names)
            self._connection.execute(_INDEX)
            self._connection.execute("COMMIT")
            self._connection.close()
        return SqliteDocuments(self.path, scratch=self._scratch)

    def _pack(self, fields: Mapping[str, str]) -> str:
        """Return the fields as a JSON list in the order in which field names were first met."""
        if not fields:
            return "[]"
        if tuple(fields) != self._names:  # nearly always the same as before
            return self._pack_strange(fields)
        return f"[{', '.join([encode_basestring(_clean(value)) for value in fields.values()])}]"

    def _pack_strange(self, fields: Mapping[str, str]) -> str:
        """Return the fields of a record that does not have exactly those met so far, which it may add to.

        One that has few of them is written as an object by place: where every line has a key of its own,
        lists would take the square of the file's size.
        """
        for name in fields:
            self._fields.setdefault(_clean(name), len(self._fields))
        if len(self._names) != len(self._fields):
            self._names = tuple(self._fields)
        placed = {self._fields[_clean(name)]: _clean(value) for name, value in fields.items()}
        if _FEW * len(placed) < len(self._fields) > _MANY:
            return json.dumps(placed, ensure_ascii=False)
        return json.dumps([placed.get(place, "") for place in range(len(self._fields))], ensure_ascii=False)

    def _write(self) -> None:
        with _sqlite_errors(f"Cannot write {str(self.path)!r}"):
            self._connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", self._waiting)
        self._waiting.clear()
        self._n_characters = 0


def rename_documents(path: Path, rows: Iterable[int], rename: Callable[[str], str]) -> None:
    """Give some documents of a file other ids."""
    with _sqlite_errors(f"Cannot write {str(path)!r}"), closing(sqlite3.connect(path)) as connection:
        for row in rows:
            (id,) = connection.execute("SELECT id FROM documents WHERE row = ?", (row,)).fetchone()
            connection.execute("UPDATE documents SET id = ? WHERE row = ?", (_clean(rename(id)), row))
        connection.commit()


def _place(key: str) -> int:
    place = int(key)
    if place < 0:
        raise ValueError(key)
    return place


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold: halves of surrogate pairs become question marks."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


@contextmanager
def _sqlite_errors(what: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:  # the second: a text that is not UTF-8
        raise StorageError(f"{what}: {' '.join(str(error).split())}.") from error
