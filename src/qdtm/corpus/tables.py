"""Rows of a table in, records out: .csv and .tsv files, and what other table readers share with them."""

from __future__ import annotations

import csv
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from qdtm.corpus.columns import N_PEEKED, distinct_names, find_id_column, find_text_column
from qdtm.corpus.encoding import bounded_lines, open_text
from qdtm.corpus.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning, Meter, ReadOptions, Record
from qdtm.errors import CorpusError

_DELIMITERS = ",\t;|"
_N_SNIFFED = 200
_MANY_LINES = 1_000
_DELIMITER_NOTE = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # the first line of some spreadsheets' exports


def read_delimited(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the rows of a .csv or .tsv file, whose delimiter and encoding are found out.

    A short row lacks its last cells. The surplus cells of a long row are joined to its last one, which is
    right when a text in the last column has delimiters and no quotes; how often that happened is told at the
    end.
    """
    with open_text(path, options.encoding, meter, newline="") as file:
        lines = bounded_lines(file, path)
        first = list(itertools.islice(lines, _N_SNIFFED))
        delimiter = _find_delimiter(first, prefer="\t" if path.suffix.lower() in (".tsv", ".tab") else ",")
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
    """Yield a record for each row; the columns that are neither text nor name become its fields.

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
    names = distinct_names(header)
    rows = iter(rows)
    peeked = list(itertools.islice(rows, N_PEEKED))
    if not peeked:
        raise CorpusError(f"{str(path)!r} has a header and no rows.")
    source = repr(path.name)
    text = find_text_column(names, peeked, options.text_column, source)
    name = find_id_column(names, options.id_column, source)
    apart = () if options.all_fields else (text, name)
    others = [(c, names[c]) for c in range(len(names)) if c not in apart]
    for number, row in enumerate(itertools.chain(peeked, rows), start=1):
        cells = row if len(row) == len(names) else row + [""] * (len(names) - len(row))
        identity = cells[name] if name is not None else ""
        yield Record(identity or str(number), cells[text], {column: cells[c] for c, column in others})


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
    complete = (
        widths[:-1] if len(lines) == _N_SNIFFED and len(widths) > 1 else widths
    )  # the last may be cut off
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
