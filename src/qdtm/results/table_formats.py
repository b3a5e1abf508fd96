"""Tables as CSV files that a spreadsheet opens, as Parquet files, and as pandas DataFrames.

A .csv file has no types, so a text that a spreadsheet would run as a formula gets an apostrophe before it;
the id of a topic, which would be read as a number, stands with its name (`TopicId`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, TextIO

from qdtm.errors import MissingExtraError
from qdtm.results.tables import Cell, Table, TopicId

# --- CSV ----------------------------------------------------------------------------------------------------

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?%?")


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet runs: what looks like a formula gets an apostrophe before it.

    A plain number such as "-3.5" is left as it is. Old line ends become new ones, which `csv.writer` puts
    between quotes; what follows a bare carriage return would be a row of its own, and could be a formula.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def save_csv(table: Table, path: Path) -> None:
    """Write a table to a .csv file, in UTF-8 with a mark that spreadsheets know it by."""
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        write_csv(table, file)


def write_csv(table: Table, file: TextIO) -> None:
    """Write a table as .csv to a file that was opened with `newline=""`."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in table.names])
    for row in table.rows():
        writer.writerow(map(_csv_cell, row))


def plain_cell(cell: Cell) -> str | int | float | None:
    """Return a cell for a table that has texts and numbers only: yes or no, a list and an id as a text."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, TopicId):
        return str(cell)
    return ", ".join(cell) if isinstance(cell, tuple) else cell


def _csv_cell(cell: Cell) -> str | int:
    value = plain_cell(cell)
    if isinstance(value, str):
        return safe_cell(value)
    if isinstance(value, float):
        return f"{value:.6f}"
    return "" if value is None else value


# --- Parquet ------------------------------------------------------------------------------------------------
#
# A `Table` in, a .parquet file with types out, written some rows at a time; pyarrow is an extra.

_BLOCK = 5_000  # rows written at a time

MOST_ROWS = 1_000_000
"""Of a .parquet file; what is more goes to further ones, which programs read as one table."""


def save_parquet(table: Table, path: Path) -> None:
    """Write a table to a .parquet file: ids are texts, flags are bools, words are lists.

    A long one is written in parts: `documents.parquet`, `documents-00001.parquet`, ...

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(
            "Parquet needs pyarrow, which is not installed: pip install 'qdtm[parquet]'."
        ) from None
    text = pa.string()
    kinds = {"number": pa.float64(), "count": pa.int64(), "flag": pa.bool_(), "list": pa.list_(text)}
    schema = pa.schema([(each.name, kinds.get(each.kind, text)) for each in table.columns])
    rows = iter(table.rows())
    for n in count():
        first = list(islice(rows, 1))
        if n and not first:
            return
        own = chain(first, islice(rows, MOST_ROWS - 1))
        part = path if n == 0 else path.with_stem(f"{path.stem}-{n:05d}")
        with pq.ParquetWriter(part, schema, compression="zstd") as writer:
            while block := list(islice(own, _BLOCK)):
                columns = [[_parquet_cell(row[c]) for row in block] for c in range(len(schema))]
                writer.write_table(pa.table(columns, schema=schema))


def _parquet_cell(cell: Cell) -> Any:
    value = _cell(cell)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


# --- data frames --------------------------------------------------------------------------------------------
#
# Columns or a `Table` in, pandas DataFrames out; pandas is an extra, imported when a table is asked for.


def data_frame(columns: Mapping[str, Sequence[Any] | Any]) -> Any:
    """Return a pandas DataFrame of columns.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingExtraError(
            "A DataFrame needs pandas, which is not installed: pip install 'qdtm[pandas]'."
        ) from None
    return DataFrame(dict(columns))


def table_frame(table: Table) -> Any:
    """Return a table as a DataFrame: ids are texts, flags are bools, counts are whole, words are lists."""
    rows = list(table.rows())
    frame = data_frame({name: [_cell(row[c]) for row in rows] for c, name in enumerate(table.names)})
    return frame.astype({column.name: "Int64" for column in table.columns if column.kind == "count"})


def _cell(cell: Cell) -> Any:
    if isinstance(cell, TopicId):
        return cell.id
    return list(cell) if isinstance(cell, tuple) else cell
