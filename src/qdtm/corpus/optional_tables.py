"""Tables that need an extra in, records out: .parquet (pyarrow) and .xlsx (openpyxl)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from qdtm.corpus.encoding import reading_errors
from qdtm.corpus.records import Meter, ReadOptions, Record
from qdtm.corpus.store import as_field
from qdtm.corpus.tables import records_of_rows
from qdtm.errors import CorpusError, MissingExtraError

_BATCH = 1_000


def read_parquet(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of a .parquet file."""
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise _missing("parquet", path) from error
    with reading_errors(path):
        try:
            file = parquet.ParquetFile(path)
            yield from records_of_rows(file.schema_arrow.names, _parquet_rows(file, meter), options, path)
        except pyarrow.ArrowInvalid as error:
            raise CorpusError(f"{str(path)!r} is not a parquet file, or is damaged.") from error


def _parquet_rows(file: Any, meter: Meter) -> Iterator[list[str]]:
    n_rows, n_read = file.metadata.num_rows, 0
    for batch in file.iter_batches(batch_size=_BATCH):
        columns = (map(as_field, column.to_pylist()) for column in batch.columns)
        yield from map(list, zip(*columns, strict=True))
        n_read += batch.num_rows
        meter.set(n_read / n_rows)


def read_xlsx(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of the first sheet of an .xlsx file."""
    try:
        openpyxl = import_module("openpyxl")
    except ImportError as error:
        raise _missing("xlsx", path) from error
    with reading_errors(path):
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        except (BadZipFile, KeyError, ValueError, openpyxl.utils.exceptions.InvalidFileException) as error:
            raise CorpusError(f"{str(path)!r} is not an .xlsx file, or is damaged.") from error
        sheet = book.worksheets[0]
        rows = (row for row in sheet.iter_rows(values_only=True) if any(cell is not None for cell in row))
        header = next(rows, None)
        if header is None:
            raise CorpusError(f"{str(path)!r} is empty.")
        n_rows = sheet.max_row or 0
        yield from records_of_rows(
            [as_field(c) for c in header], _metered(rows, n_rows, meter), options, path
        )


def _metered(rows: Iterator[Any], n_rows: int, meter: Meter) -> Iterator[list[str]]:
    for number, row in enumerate(rows, start=2):
        if n_rows:
            meter.set(min(1.0, number / n_rows))
        yield [as_field(cell) for cell in row]


def _missing(extra: str, path: Path) -> MissingExtraError:
    return MissingExtraError(f"Reading {path.name!r} needs the extra {extra!r}: pip install 'qdtm[{extra}]'.")
