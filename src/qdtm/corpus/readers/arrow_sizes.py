"""What Arrow's columns and messages come to when they are unpacked, said before the memory is taken.

A few bytes of Parquet or of a compressed Arrow file can stand for gigabytes: one zero two hundred million
times, one long text in every row. In: the description of a file, a message of it, or a column of a batch.
Out: a number of bytes, characters or cells.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3  # kinds of messages that have buffers
_ROOT = 0
_HEADER_TYPE, _HEADER = 1, 2  # fields of a message
_DATA = 1  # of a dictionary batch: the record batch in it
_BUFFERS, _COMPRESSION = 2, 3  # of a record batch


_COUNT = """
import sys
from pyarrow.parquet import read_metadata
data = read_metadata(sys.argv[1])
groups = map(data.row_group, range(data.num_row_groups))
print(sum(group.column(c).num_values for group in groups for c in range(data.num_columns)))
"""


def unpacked_parquet(file: Any, path: Path) -> tuple[int, int]:
    """Return how many bytes, or values of lists, a .parquet file has, and the bytes of its largest part."""
    sizes = [file.metadata.row_group(n).total_byte_size for n in range(file.metadata.num_row_groups)]
    has_lists = any(file.schema.column(c).max_repetition_level for c in range(len(file.schema)))
    return max(sum(sizes), _n_values(path) if has_lists else 0), max(sizes, default=0)


def _n_values(path: Path) -> int:
    """Return how many values all columns of a .parquet file have; a list may have any number in few bytes.

    Asked in a process of its own, because a damaged description of a column ends the process that reads it.
    """
    done = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-P", "-c", _COUNT, str(path.absolute())],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    return int(done.stdout)


def unpacked_message(message: Any) -> int:
    """Return how many bytes the compressed buffers of an Arrow message say that they unpack to.

    Each begins with that number. pyarrow takes so much memory at once, and has no bound for it.
    """
    head = memoryview(message.metadata)
    header = _table_at(head, _ROOT)
    kind = _field(head, header, _HEADER_TYPE)
    if kind is None or head[kind] not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return 0
    batch = _table_of(head, header, _HEADER)
    if head[kind] == _DICTIONARY_BATCH:
        batch = _table_of(head, batch, _DATA)
    if _field(head, batch, _COMPRESSION) is None:
        return 0
    body, total = memoryview(message.body), 0
    for offset, length in _buffers(head, batch):
        if length >= 8:
            total += max(0, struct.unpack_from("<q", body, offset)[0])  # -1: not compressed
    return total


def n_cells(column: Any) -> int:
    """Return how many characters, or cells of lists, a column has at least when it is made of Python's own.

    Notes
    -----
    pyarrow counts a text that many rows name once, and what is null not at all.
    """
    import pyarrow

    kinds, n = pyarrow.types, len(column)
    kind = column.type
    if isinstance(column, pyarrow.ExtensionArray):
        return n_cells(column.storage)
    if kinds.is_dictionary(kind):
        return n + _named(column)
    if _is_any(kind, "is_run_end_encoded"):
        return n + n * _longest(column.values)
    if kinds.is_struct(kind):
        return n + sum(map(n_cells, column.flatten()))
    if kinds.is_union(kind):
        fields = [column.field(c) for c in range(kind.num_fields)]
        is_dense = kind.mode == "dense"  # then rows may name the same value
        return n + (n * max(map(_longest, fields), default=0) if is_dense else sum(map(n_cells, fields)))
    if kinds.is_map(kind):
        return n + n_cells(column.keys) + n_cells(column.items)
    if _is_any(kind, "is_list_view", "is_large_list_view"):  # and these, too
        return n + _n_listed(column) * max(1, _longest(column.values))
    if _is_nested(kind):
        return n + n_cells(column.flatten())
    return n + (_n_bytes(column) if _has_lengths(kind) or _is_view(kind) else 0)


def _named(column: Any) -> int:
    """Return the characters of a column whose values are kept once, and named by number."""
    import pyarrow.compute as compute

    if not _has_lengths(column.type.value_type):
        return len(column) * _longest(column.dictionary)
    lengths = compute.take(compute.binary_length(column.dictionary), column.indices)
    return int(compute.sum(lengths).as_py() or 0)


def _longest(values: Any) -> int:
    """Return how long the longest value is, or more if it is made of others."""
    import pyarrow.compute as compute

    if len(values) and _has_lengths(values.type):
        return int(compute.max(compute.binary_length(values)).as_py() or 0)
    is_flat = not _is_nested(values.type) and not _is_view(values.type)
    return 1 if is_flat else n_cells(values)


def _n_listed(column: Any) -> int:
    import pyarrow.compute as compute

    return int(compute.sum(compute.list_value_length(column)).as_py() or 0)


def _n_bytes(column: Any) -> int:
    if not _is_view(column.type):
        return int(column.nbytes)
    return sum(len(each.as_buffer() or b"") for each in column if each.is_valid)


def _has_lengths(kind: Any) -> bool:
    return _is_any(kind, "is_string", "is_large_string", "is_binary", "is_large_binary")


def _is_view(kind: Any) -> bool:
    return _is_any(kind, "is_string_view", "is_binary_view")


def _is_nested(kind: Any) -> bool:
    return _is_any(kind, "is_nested", "is_fixed_size_list")  # pyarrow 15 does not count these among those


def _is_any(kind: Any, *tests: str) -> bool:
    """Return whether a type is one of several, some of which older versions of pyarrow do not know."""
    import pyarrow.types as kinds

    return any(getattr(kinds, test)(kind) for test in tests if hasattr(kinds, test))


# --- a message's metadata, which is a flatbuffer -----------------------------------------------------------


def _table_at(head: memoryview, at: int) -> int:
    """Return where the table is to which the number at a place points."""
    return at + int(struct.unpack_from("<I", head, at)[0])


def _field(head: memoryview, table: int, number: int) -> int | None:
    """Return where a field of a table is; None if the table does not have it."""
    names = table - struct.unpack_from("<i", head, table)[0]
    place = 4 + 2 * number
    if place >= struct.unpack_from("<H", head, names)[0]:
        return None
    offset = struct.unpack_from("<H", head, names + place)[0]
    return table + offset if offset else None


def _table_of(head: memoryview, table: int, number: int) -> int:
    at = _field(head, table, number)
    if at is None:
        raise ValueError("a message without its header")
    return _table_at(head, at)


def _buffers(head: memoryview, batch: int) -> list[tuple[int, int]]:
    """Return where each buffer of a record batch begins in the body, and how long it is."""
    at = _field(head, batch, _BUFFERS)
    if at is None:
        return []
    vector = _table_at(head, at)
    n = struct.unpack_from("<I", head, vector)[0]
    if n * 16 > len(head):
        raise ValueError("more buffers than there is room for")
    return [struct.unpack_from("<qq", head, vector + 4 + 16 * number) for number in range(n)]
