"""Rows of a table in, records out: .csv and .tsv files, and what other table readers share with them."""

from __future__ import annotations

import csv
import itertools
import re
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from qdtm.corpus.readers.encoding import bounded_lines, open_text
from qdtm.corpus.readers.records import (
    MAX_TEXT,
    MAX_TEXT_MB,
    N_PEEKED,
    CorpusWarning,
    Meter,
    ReadOptions,
    Record,
    check_width,
    distinct_names,
    find_roles,
    join_texts,
)
from qdtm.corpus.readers.references import arranged, is_table_of_references, reference_of_row
from qdtm.errors import CorpusError

T = TypeVar("T")

_DELIMITERS = ",\t;|"
_N_SNIFFED = 200
_SNIFFED_OF_LINE = 2**20
_MANY_LINES = 1_000
_FREE_CHARACTERS = 2**24
_ROW = 32  # characters that a row counts for at least: it becomes a document, even if nothing is in it
_MAX_GROWTH = 200
_DELIMITER_NOTE = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # the first line of some spreadsheets' exports


def read_delimited(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of a .csv or .tsv file, whose delimiter and encoding are found out.

    A short row lacks its last cells. The surplus cells of a long row are joined to its last one, which is
    right when a text in the last column has delimiters and no quotes; how often that happened is told at the
    end.
    """
    with open_text(path, options.encoding, meter, newline="") as file:
        lines = bounded_lines(file, path)
        first = peek(lines, _N_SNIFFED, len)
        delimiter = _find_delimiter(
            [line[:_SNIFFED_OF_LINE] for line in first],
            prefer="\t" if path.suffix.lower() in (".tsv", ".tab") else ",",
        )
        if first and _DELIMITER_NOTE.fullmatch(first[0]):
            first = first[1:]
        rows = _parse(itertools.chain(first, lines), delimiter, path)
        header = next(rows, None)
        if header is None:
            raise CorpusError(f"{str(path)!r} is empty.")
        yield from records_of_rows(header, _fitted(rows, len(header), delimiter, path), options, path)


def records_of_rows(
    header: Sequence[str], rows: Iterable[list[str]], options: ReadOptions, path: Path
) -> Iterator[Record]:
    """Yield a record for each row; the columns that are neither text, name nor title become its fields.

    Parameters
    ----------
    header : sequence of str
        The column names; repeated and empty ones are made distinct.
    rows : iterable of lists of str
        The cells of each row, at most as many as there are columns.
    options : ReadOptions
    path : Path
        For messages.
    """
    source = repr(path.name)
    check_width(len(header), source)
    names = distinct_names(header)
    rows = _growing(iter(rows), path)
    peeked = peek(rows, N_PEEKED, lambda row: sum(map(len, row)))
    if not peeked:
        raise CorpusError(f"{str(path)!r} has a header and no rows.")
    if options.text_column is None and is_table_of_references(names):
        every = enumerate(itertools.chain(peeked, rows), start=1)
        yield from arranged((reference_of_row(names, row, n) for n, row in every), options, path)
        return
    roles = find_roles(names, peeked, options, source)
    apart = () if options.all_fields else roles.apart
    others = [c for c in range(len(names)) if c not in apart]
    called = roles.names(names)
    peeked[0] = peeked[0] + [""] * (len(names) - len(peeked[0]))  # so that all columns are met
    for number, row in enumerate(itertools.chain(peeked, rows), start=1):
        width = len(row)
        there = others if width == len(names) else others[: bisect_left(others, width)]
        fields = {names[c]: row[c] for c in there}
        text, identity, title = (_cell(row, c) for c in (roles.text[0], roles.id, roles.title))
        if len(roles.text) > 1:
            text = join_texts(_cell(row, c) for c in roles.text)
        yield Record(identity or str(number), text, fields, title=title, is_numbered=not identity, **called)


def _cell(row: Sequence[str], position: int | None) -> str:
    return row[position] if position is not None and position < len(row) else ""


def peek(values: Iterator[T], n: int, size: Callable[[T], int]) -> list[T]:
    """Take the first `n` values, or fewer if they are large, so that looking at them costs little memory."""
    taken: list[T] = []
    n_characters = 0
    while len(taken) < n and n_characters < MAX_TEXT:
        value = next(values, None)
        if value is None:
            break
        taken.append(value)
        n_characters += size(value)
    return taken


def _growing(rows: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    """Pass rows on, as long as they do not come to far more than the file that they are read from.

    A compressed table may hold a long text once and name it a million times, in a few bytes each, or say in
    as many that a hundred million rows are empty.
    """
    allowed = _allowed_characters(path)
    for row in rows:
        allowed -= _ROW + len(row) + sum(map(len, row))
        if allowed < 0:
            raise _grown(path)
        yield row


def require_rows(n_rows: int, path: Path) -> None:
    """Refuse a table that says at its beginning that it has far more rows than its size can hold."""
    require_size(n_rows * _ROW, path)


def require_size(n_characters: int, path: Path) -> None:
    """Refuse a table of which a part comes to far more than the file that it is read from."""
    if n_characters > _allowed_characters(path):
        raise _grown(path)


def _allowed_characters(path: Path) -> int:
    return _FREE_CHARACTERS + _MAX_GROWTH * path.stat().st_size


def _grown(path: Path) -> CorpusError:
    return CorpusError(
        f"{str(path)!r} unpacks to more than {_MAX_GROWTH} times its size; that is no table of texts."
    )


def _find_delimiter(lines: Sequence[str], prefer: str) -> str:
    """Return the delimiter under which the first lines agree best on a number of columns, two at least."""
    note = _DELIMITER_NOTE.fullmatch(lines[0]) if lines else None
    if note:
        return note[1]
    candidates = prefer + _DELIMITERS.replace(prefer, "")
    return max(candidates, key=lambda delimiter: _agreement(lines, delimiter))  # the preferred one wins ties


def _agreement(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """Return the share of rows as wide as the header, and that width; nothing for a single column."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_TEXT))
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    is_cut = len(lines) == _N_SNIFFED or max(map(len, lines)) == _SNIFFED_OF_LINE
    complete = widths[:-1] if is_cut and len(widths) > 1 else widths  # the last may not be whole
    return sum(width == widths[0] for width in complete) / len(complete), widths[0]


def _parse(lines: Iterable[str], delimiter: str, path: Path) -> Iterator[list[str]]:
    """Yield the rows that are not blank."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_TEXT))  # a setting of the whole process
    reader = csv.reader(lines, delimiter=delimiter)
    start = 0
    try:
        for row in reader:
            if reader.line_num - start > _MANY_LINES:
                warnings.warn(
                    f"A row of {path.name!r} runs from line {start + 1:,} to {reader.line_num:,}; "
                    "a quotation mark may not be closed.",
                    CorpusWarning,
                    stacklevel=2,
                )
            start = reader.line_num
            if row:
                yield row
    except csv.Error as error:
        raise CorpusError(
            f"Line {reader.line_num:,} of {str(path)!r} cannot be read: {error} (a cell may have "
            f"{MAX_TEXT_MB} MB)."
        ) from error


def _fitted(rows: Iterator[list[str]], width: int, delimiter: str, path: Path) -> Iterator[list[str]]:
    """Yield rows that are no wider than the header."""
    n_long = first_long = 0
    for number, row in enumerate(rows, start=1):
        if len(row) > width:
            if any(row[width:]):
                n_long += 1
                first_long = first_long or number
            row = [*row[: width - 1], delimiter.join(row[width - 1 :]).rstrip(delimiter)]
        yield row
    if n_long and width > 1:  # a single column is put together again as it was
        warnings.warn(
            f"{n_long:,} rows of {path.name!r} have more cells than the header (first: row {first_long:,}); "
            "the surplus was joined to the last column.",
            CorpusWarning,
            stacklevel=2,
        )
