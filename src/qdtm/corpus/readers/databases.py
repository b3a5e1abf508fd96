"""A table of a database in, records out: SQLite and DuckDB, opened for reading only."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from qdtm.corpus.document_store import as_field
from qdtm.corpus.readers.contents import needed
from qdtm.corpus.readers.csv_files import records_of_rows
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import MAX_TEXT, N_PEEKED, CorpusWarning, Meter, ReadOptions, Record
from qdtm.errors import CorpusError

DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb")
SEPARATOR = "::"
"""Between the name of a file and that of a table: "news.db::articles"."""

_ROWS_AT_ONCE = 500
_N_LISTED, _N_LOOKED_AT = 20, 200  # tables
_SQLITE = b"SQLite format 3\0"
_WRITES_WAL = 18  # the byte that says how it is written
_DUCKDB = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "threads": "1",  # rows come one by one, and a thread that finds no memory when it begins ends the process
}


def split_table(path: Path) -> tuple[Path, str | None]:
    """Return the file and the table that a name stands for."""
    file, separator, table = str(path).rpartition(SEPARATOR)
    is_table = bool(separator) and Path(file).suffix.lower() in DATABASES
    return (Path(file), table) if is_table else (path, None)


def read_database(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of a table; without a name, of the one with the most text."""
    with reading_errors(path), path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if not is_sqlite and path.suffix.lower() != ".duckdb":
        raise CorpusError(f"{str(path)!r} is not an SQLite database, or is damaged.")
    opened = _sqlite(path) if is_sqlite else _duckdb(path)
    with _errors(path), closing(opened) as connection:
        table = _choose(connection, _tables(connection, is_sqlite), options.table, path)
        n_rows = _n_rows(connection, table)
        cursor = connection.execute(f"SELECT * FROM {_quoted(table)}")  # noqa: S608
        names = [column[0] for column in cursor.description]
        yield from records_of_rows(names, _rows(cursor, n_rows, meter), options, path)


def _sqlite(path: Path) -> Any:
    how = "immutable=1" if _is_at_rest(path) else "mode=ro"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MAX_TEXT)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _is_at_rest(path: Path) -> bool:
    """Return whether a database keeps a log of what is written (WAL), and there is none: nobody has it open.

    Opened as others are, it would get a log and an index of it beside it, which a reader cannot remove.
    """
    with path.open("rb") as file:
        keeps_log = file.read(_WRITES_WAL + 1)[_WRITES_WAL:] == b"\2"
    return keeps_log and not path.with_name(f"{path.name}-wal").exists()


def _duckdb(path: Path) -> Any:
    duckdb = needed("duckdb", "duckdb", path)
    with _errors(path):
        return duckdb.connect(
            str(path),
            read_only=True,
            config=_DUCKDB,
        )


def _tables(connection: Any, is_sqlite: bool) -> list[str]:
    """Return the tables that hold rows: no views, which may be anything, and no virtual ones."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' "
        "AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        if is_sqlite
        else "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY 1"
    )
    return [str(name) for (name,) in connection.execute(query).fetchall()]


def _choose(connection: Any, tables: list[str], wanted: str | None, path: Path) -> str:
    """Return the table that is wanted, or the one with the most text, with a warning if there are others."""
    if wanted in tables:
        return str(wanted)
    listed = ", ".join(map(repr, tables[:_N_LISTED])) or "none"
    more = f" and {len(tables) - _N_LISTED:,} more" if len(tables) > _N_LISTED else ""
    how = f"give one as '{path.name}{SEPARATOR}TABLE'. Tables: {listed}{more}."
    if wanted is not None or not tables:
        which = "no table" if wanted is None else f"no table {wanted!r}"
        raise CorpusError(f"There is {which} in {str(path)!r}; {how}")
    chosen = max(tables[:_N_LOOKED_AT], key=lambda table: _n_characters(connection, table))
    if len(tables) > 1:
        message = f"{path.name!r} has several tables; {chosen!r}, with the most text, was read. Or {how}"
        warnings.warn(message, CorpusWarning, stacklevel=2)
    return chosen


def _n_characters(connection: Any, table: str) -> float:
    """Return about how much text is in a table, by its first rows."""
    try:
        rows = connection.execute(f"SELECT * FROM {_quoted(table)} LIMIT {N_PEEKED}").fetchall()  # noqa: S608
        n_characters = sum(len(cell) for row in rows for cell in row if isinstance(cell, str))
        return n_characters / max(len(rows), 1) * _n_rows(connection, table)
    except Exception:  # each database has errors of its own; a broken table is not chosen
        return 0.0


def _n_rows(connection: Any, table: str) -> int:
    return int(connection.execute(f"SELECT COUNT(*) FROM {_quoted(table)}").fetchone()[0])  # noqa: S608


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _rows(cursor: Any, n_rows: int, meter: Meter) -> Iterator[list[str]]:
    n_read = 0
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        for row in rows:
            yield [_cell(value) for value in row]
        n_read += len(rows)
        meter.set(min(1.0, n_read / max(n_rows, 1)))


def _cell(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else as_field(value)


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (CorpusError, KeyboardInterrupt, GeneratorExit):
        raise
    except Exception as error:  # DuckDB has errors of its own
        reason = " ".join(str(error).split())[:200]
        raise CorpusError(f"{str(path)!r} cannot be read as a database: {reason}.") from error
