"""Tables that need an extra in, records out: .parquet and .arrow (pyarrow) and .xlsx (openpyxl)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from qdtm.corpus.document_store import as_field
from qdtm.corpus.readers.contents import damage, needed, open_package
from qdtm.corpus.readers.csv_files import records_of_rows, require_rows
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import Meter, ReadOptions, Record
from qdtm.errors import CorpusError

_BATCH = 200
_LAST_ROW = 2**20
_FREE_BYTES = 2**23
_FREE_CELLS = 2**23
_MAX_GROWTH = 50
"""A sheet unpacks to five or twenty times its size; what grows more than this, and is large, is a trap."""


def read_parquet(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of a .parquet file."""
    parquet = needed("pyarrow.parquet", "parquet", path)
    with reading_errors(path):
        path.open("rb").close()  # what the system says is clearer than what pyarrow does
    with damage(path, "a parquet"):
        file = parquet.ParquetFile(path)
        names = list(file.schema_arrow.names)
    require_rows(file.metadata.num_rows, path)
    yield from records_of_rows(names, _parquet_rows(file, meter, path), options, path)


def _parquet_rows(file: Any, meter: Meter, path: Path) -> Iterator[list[str]]:
    with damage(path, "a parquet"):
        n_rows, n_read = file.metadata.num_rows, 0
        for batch in file.iter_batches(batch_size=_BATCH):
            columns = (map(as_field, column.to_pylist()) for column in batch.columns)
            yield from map(list, zip(*columns, strict=True))
            n_read += batch.num_rows
            meter.set(min(1.0, n_read / max(n_rows, 1)))


def read_arrow(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of an Arrow file (.arrow, or .feather of version 2)."""
    arrow, ipc = needed("pyarrow", "parquet", path), needed("pyarrow.ipc", "parquet", path)
    with reading_errors(path):
        path.open("rb").close()
    with damage(path, "an Arrow"), arrow.OSFile(str(path)) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = ipc.open_file(source) if is_file else ipc.open_stream(source)
        yield from records_of_rows(
            list(reader.schema.names), _arrow_rows(reader, is_file, meter), options, path
        )


def _arrow_rows(reader: Any, is_file: bool, meter: Meter) -> Iterator[list[str]]:
    n = reader.num_record_batches if is_file else 0
    batches = (reader.get_batch(i) for i in range(n)) if is_file else iter(reader)
    for number, batch in enumerate(batches, start=1):
        batch.validate(full=True)  # what a file claims about its buffers may be wrong
        for first in range(0, batch.num_rows, _BATCH):
            columns = (map(as_field, column.to_pylist()) for column in batch.slice(first, _BATCH).columns)
            yield from map(list, zip(*columns, strict=True))
        meter.set(number / n if n else 0.0)


def read_xlsx(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of the first sheet of an .xlsx file."""
    openpyxl = needed("openpyxl", "xlsx", path)
    _check_growth(path)
    with damage(path, "an .xlsx"):
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    with closing(book):
        rows = _xlsx_rows(book, meter, path)
        header = next(rows, None)
        if header is None:
            raise CorpusError(f"{str(path)!r} is empty.")
        width = len(header)
        yield from records_of_rows(header, (row[:width] for row in rows), options, path)


def _xlsx_rows(book: Any, meter: Meter, path: Path) -> Iterator[list[str]]:
    """Yield the rows of the first sheet that are not empty, down to the last that a sheet can have."""
    allowed = (
        _FREE_CELLS + _MAX_GROWTH * path.stat().st_size
    )  # empty cells cost no bytes, and are made all the same
    with damage(path, "an .xlsx"):
        sheet = book.worksheets[0]
        n_rows = sheet.max_row or 0
        sheet.reset_dimensions()  # how large it says it is may be wrong, and rows would be filled up to it
        for number, row in enumerate(sheet.iter_rows(max_row=_LAST_ROW, values_only=True), start=1):
            meter.set(min(1.0, number / n_rows) if n_rows else 0.0)
            allowed -= len(row)
            if allowed < 0:
                raise _grown(path)
            if any(cell is not None for cell in row):
                yield [as_field(cell) for cell in row]


def _check_growth(path: Path) -> None:
    """Refuse a workbook that unpacks to far more than its size."""
    with open_package(path, "an .xlsx") as archive:
        n_unpacked = sum(member.file_size for member in archive.infolist())
    if n_unpacked > _FREE_BYTES and n_unpacked > _MAX_GROWTH * path.stat().st_size:
        raise _grown(path)


def _grown(path: Path) -> CorpusError:
    return CorpusError(
        f"{str(path)!r} unpacks to more than {_MAX_GROWTH} times its size; that is no table of texts."
    )
