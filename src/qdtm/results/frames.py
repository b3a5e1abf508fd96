"""Columns or a `Table` in, pandas DataFrames out; pandas is an extra, imported when a table is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qdtm.errors import MissingExtraError
from qdtm.results.schema import Cell, Table, TopicId


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
    """Return a table as a DataFrame: ids are texts, flags are bools, words are lists."""
    rows = list(table.rows())
    return data_frame({name: [_cell(row[c]) for row in rows] for c, name in enumerate(table.names)})


def _cell(cell: Cell) -> Any:
    if isinstance(cell, TopicId):
        return cell.id
    return list(cell) if isinstance(cell, tuple) else cell
