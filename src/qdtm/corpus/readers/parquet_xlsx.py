"""Tables that need an extra in, records out: .parquet and .arrow (pyarrow) and .xlsx (openpyxl)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from qdtm.corpus.document_store import as_field
from qdtm.corpus.readers.arrow_sizes import n_cells, unpacked_message, unpacked_parquet
from qdtm.corpus.readers.contents import damage, needed, open_package
from qdtm.corpus.readers.csv_files import records_of_rows, require_rows, require_size
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import Meter, ReadOptions, Record
from qdtm.errors import CorpusError

_BATCH = 200
_LEAST_BATCH, _BATCH_BYTES = 4, 2**28
"""Fewer rows at once where a column is large: each of them may be one and the same long text."""

_AFTER_MARK = 8
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
        n_unpacked, largest = unpacked_parquet(file, path)
    require_rows(file.metadata.num_rows, path)
    require_size(n_unpacked, path)
    may_take = _BATCH_BYTES + _MAX_GROWTH * path.stat().st_size
    n_at_once = max(_LEAST_BATCH, min(_BATCH, may_take // max(largest, 1)))
    yield from records_of_rows(names, _parquet_rows(file, n_at_once, meter, path), options, path)


def _parquet_rows(file: Any, n_at_once: int, meter: Meter, path: Path) -> Iterator[list[str]]:
    with damage(path, "a parquet"):
        n_rows, n_read = file.metadata.num_rows, 0
        for batch in file.iter_batches(batch_size=n_at_once):
            yield from _rows(batch, path)
            n_read += batch.num_rows
            meter.set(min(1.0, n_read / max(n_rows, 1)))


def read_arrow(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of an Arrow file (.arrow, or .feather of version 2)."""
    arrow, ipc = needed("pyarrow", "parquet", path), needed("pyarrow.ipc", "parquet", path)
    with reading_errors(path):
        path.open("rb").close()
    with damage(path, "an Arrow"), arrow.OSFile(str(path)) as source:
        # A file is a stream between two marks, and a list of where its messages are. It is read as the
        # stream, so that the messages that are read are those that were looked at.
        start = _AFTER_MARK if source.read(6) == b"ARROW1" else 0
        source.seek(start)
        n_messages = _looked_at(ipc.MessageReader.open_stream(source), path)
        source.seek(start)
        reader = ipc.open_stream(source)
        rows = _arrow_rows(reader, n_messages, meter, path)
        yield from records_of_rows(list(reader.schema.names), rows, options, path)


def _looked_at(messages: Iterable[Any], path: Path) -> int:
    """Return how many messages there are, none of which unpacks to far more than the file."""
    n_messages = n_unpacked = 0
    for message in messages:
        n_messages += 1
        n_unpacked += unpacked_message(message)
        require_size(n_unpacked, path)
    return n_messages


def _arrow_rows(reader: Any, n_messages: int, meter: Meter, path: Path) -> Iterator[list[str]]:
    for number, batch in enumerate(reader, start=1):
        batch.validate(full=True)  # what a file claims about its buffers may be wrong
        for first in range(0, batch.num_rows, _BATCH):
            yield from _rows(batch.slice(first, _BATCH), path)
        meter.set(min(1.0, number / max(n_messages - 1, 1)))  # the first is the schema


def _rows(batch: Any, path: Path) -> Iterator[list[str]]:
    """Yield the rows of a batch as text."""
    require_size(sum(map(n_cells, batch.columns)), path)
    columns = (map(as_field, _values(column)) for column in batch.columns)
    return map(list, zip(*columns, strict=True))


def _values(column: Any) -> Sequence[object]:
    """Return the values of a column; a date that Python has none for as the text that Arrow makes of it."""
    import pyarrow

    if not pyarrow.types.is_temporal(column.type):
        return list(column.to_pylist())
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError, LookupError):
        plain = _without_zone(column)
        return [_date(value) for value in plain]


def _without_zone(column: Any) -> Any:
    """Return times as those of Greenwich: which zone is meant is not known here."""
    import pyarrow

    if not pyarrow.types.is_timestamp(column.type):
        return column
    return column.cast(pyarrow.int64()).cast(pyarrow.timestamp(column.type.unit))


def _date(value: Any) -> object:
    import pyarrow

    try:
        return value.as_py()
    except (ValueError, OverflowError):
        return value.cast(pyarrow.string()).as_py()


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
