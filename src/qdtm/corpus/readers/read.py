"""A path in, its records out: which reader reads what."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from qdtm.corpus.readers.bibtex import read_bibtex
from qdtm.corpus.readers.csv_files import read_delimited
from qdtm.corpus.readers.databases import DATABASES, read_database, split_table
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.folder import DOCUMENTS, read_document, read_folder
from qdtm.corpus.readers.json_files import read_json
from qdtm.corpus.readers.json_lines import read_json_lines
from qdtm.corpus.readers.packed import read_gzip, read_zip
from qdtm.corpus.readers.parquet_xlsx import read_arrow, read_parquet, read_xlsx
from qdtm.corpus.readers.records import Meter, Reader, ReadOptions, Record
from qdtm.corpus.readers.tagged_files import read_tagged
from qdtm.corpus.readers.text_files import read_lines
from qdtm.errors import CorpusError

READERS: dict[str, Reader] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".txt": read_lines,
    ".cor": read_lines,
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".xlsx": read_xlsx,
    ".ris": read_tagged,
    ".nbib": read_tagged,
    ".ciw": read_tagged,
    ".bib": read_bibtex,
    **dict.fromkeys(DATABASES, read_database),
    **{ending: read_document for ending in DOCUMENTS if ending != ".txt"},
    ".zip": read_zip,
    ".gz": read_gzip,
}
"""The reader for each file ending; add to it to read other files."""


def read_records(
    path: str | os.PathLike[str], options: ReadOptions | None = None, meter: Meter | None = None
) -> Iterator[Record]:
    """Return the records of a file or folder, read as they are asked for.

    Parameters
    ----------
    path : path
        A file with one of the endings in `READERS`, or a folder of documents; a table of a database
        is "news.db::articles".
    options : ReadOptions, optional
        What the user says about the columns and the encoding.
    meter : Meter, optional
        Told how far the reading has come.

    Raises
    ------
    CorpusError
        If there is no such file, or no reader for it.
    """
    place, table = split_table(Path(path))
    options = options or ReadOptions()
    if table is not None:
        options = replace(options, table=table)
    return _reader(place)(place, options, meter or Meter())


def _reader(path: Path) -> Reader:
    with reading_errors(path):
        if "\0" in str(path) or not path.exists():
            raise CorpusError(f"There is no file or folder {str(path)!r}.")
        if path.is_dir():
            return read_folder
        if not path.is_file():  # a pipe would be waited for without end
            raise CorpusError(f"{str(path)!r} is not a file; save what it gives to one.")
    return find_reader(path)


def find_reader(path: Path) -> Reader:
    """Return the reader for a file, by its ending.

    Raises
    ------
    CorpusError
        If there is none.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(READERS)
        raise CorpusError(
            f"Files like {path.name!r} cannot be read. Known: {known}, or a folder of documents."
        )
    return reader
