"""A path in, or several, their records out: which reader reads what, and what is passed over."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from qdtm.corpus.readers.bibtex import read_bibtex
from qdtm.corpus.readers.csv_files import read_delimited
from qdtm.corpus.readers.databases import DATABASES, read_database, split_table
from qdtm.corpus.readers.documents import DOCUMENTS, document_contents, read_document
from qdtm.corpus.readers.encoding import is_empty, reading_errors
from qdtm.corpus.readers.json_files import read_json
from qdtm.corpus.readers.json_lines import read_json_lines
from qdtm.corpus.readers.packed import read_gzip, read_zip
from qdtm.corpus.readers.parquet_xlsx import read_arrow, read_parquet, read_xlsx
from qdtm.corpus.readers.records import (
    CorpusWarning,
    Meter,
    PassedOver,
    Reader,
    ReadOptions,
    Record,
)
from qdtm.corpus.readers.references import arranged
from qdtm.corpus.readers.sources import (
    Source,
    SourceFile,
    as_names,
    is_pattern,
    is_url,
    list_files,
    list_folder,
    nearby,
)
from qdtm.corpus.readers.tagged_files import is_bibliography, read_tagged
from qdtm.corpus.readers.text_files import read_lines
from qdtm.corpus.titles import first_line
from qdtm.errors import CorpusError, MissingExtraError
from qdtm.memory import require_memory

_BIBLIOGRAPHIES: dict[str, Reader] = {
    ".ris": read_tagged,
    ".nbib": read_tagged,
    ".ciw": read_tagged,
    ".enw": read_tagged,
    ".bib": read_bibtex,
}
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
    **_BIBLIOGRAPHIES,
    **dict.fromkeys(DATABASES, read_database),
    **{ending: read_document for ending in DOCUMENTS if ending != ".txt"},
    ".zip": read_zip,
    ".gz": read_gzip,
}
"""The reader for each file ending; add to it to read other files."""

_ALONE = set(DOCUMENTS) - {".txt"}
"""The endings of files that are one document, whatever is beside them."""

MEMORY_A_BYTE = 1
"""Memory that reading takes at least for each byte of a table.

Tables of texts took 2.6 and 4.5 (docs/corpus.md, docs/reliability.md); those with other long columns take
less."""

FILE = "file"
"""The field that says which of several files a document is from."""


def read_records(
    source: Source, options: ReadOptions | None = None, meter: Meter | None = None
) -> Iterator[Record]:
    """Return the records of a file, a folder, or several of these, read as they are asked for.

    Parameters
    ----------
    source : path, or a sequence of these or of `SourceFile`
        A file with one of the endings in `READERS`, a folder of documents, a pattern ("papers/*.pdf") or a
        URL; a table of a database is "news.db::articles".
    options : ReadOptions, optional
        What the user says about the columns and the encoding.
    meter : Meter, optional
        Told how far the reading has come.

    Raises
    ------
    CorpusError
        If there is no such file, or no reader for it.
    """
    options, meter = options or ReadOptions(), meter or Meter()
    files = [each for each in source if isinstance(each, SourceFile)] if isinstance(source, Sequence) else []
    if not files:
        names = as_names(cast("str | Sequence[str]", source))
        if len(names) == 1 and not is_pattern(names[0]) and not is_url(names[0]):
            return _read_one(Path(names[0]), options, meter)
        files = list_files(names, READERS, DOCUMENTS)
    elif len(files) == 1:
        return _read_named(files[0], options, meter)
    _require_memory(files)
    return read_files(files, options, meter, f"the {len(files):,} files")


def _read_named(file: SourceFile, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the records of the only file there is, which messages call by its name."""
    path = Path(file.place)
    try:
        for record in _read_one(path, options, meter):
            yield replace(record, id=Path(file.name).stem) if file.ending in _ALONE else record
    except (CorpusError, MissingExtraError) as error:
        message = (
            str(error).replace(repr(file.place), repr(file.name)).replace(repr(path.name), repr(file.name))
        )
        raise type(error)(message) from None


def _read_one(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    place, table = split_table(path)
    if table is not None:
        options = replace(options, table=table)
    return _reader(place)(place, options, meter)


def _reader(path: Path) -> Reader:
    with reading_errors(path):
        if "\0" in str(path) or not path.exists():
            raise CorpusError(f"There is no file or folder {str(path)!r}.")
        if path.is_dir():
            return read_folder
        if not path.is_file():  # a pipe would be waited for without end
            raise CorpusError(f"{str(path)!r} is not a file; save what it gives to one.")
    reader = find_reader(path)
    if is_empty(path):
        raise CorpusError(f"{str(path)!r} is empty.")
    return reader


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


# --- several files -----------------------------------------------------------------------------------------


def read_folder(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield each document in a folder and the folders inside it, in the order of their names.

    Raises
    ------
    CorpusError
        If there is no document, or none that can be read.
    """
    files = list_folder(path, DOCUMENTS)
    for _, record in _Reading(files, options, meter, f"the folder {str(path)!r}").pairs():
        yield record


def read_files(
    files: Sequence[SourceFile], options: ReadOptions, meter: Meter, source: str
) -> Iterator[Record]:
    """Yield the records of several files in turn; the field "file" says which one each is from.

    Raises
    ------
    CorpusError
        If none of them can be read.
    """
    for file, record in _Reading(files, options, meter, source).pairs():
        yield _with_file(record, file)


@dataclass(frozen=True)
class SourceFiles:
    """The files that names stand for, to be read one by one, wherever that is.

    Attributes
    ----------
    files : tuple of SourceFile
    several : bool
        Whether a field says which file a document is from: not in a folder, or of a file that was named.
    """

    files: tuple[SourceFile, ...]
    several: bool

    @classmethod
    def of(cls, source: Sequence[str]) -> SourceFiles:
        """Find the files, as `read_records` does."""
        names = as_names(source)
        several = len(names) > 1 or is_pattern(names[0]) or is_url(names[0])
        return cls(tuple(list_files(names, READERS, DOCUMENTS)), several)

    def __len__(self) -> int:
        return len(self.files)

    def read(self, number: int, options: ReadOptions) -> Iterator[Record]:
        """Yield the records of one file as if all were read here.

        An entry whose name an earlier file has is called by it alone: only who sees all files can tell.
        """
        file = self.files[number]
        if not self.several and len(self.files) == 1 and file.ending not in _ALONE:
            yield from _read_one(Path(file.place), options, Meter())
            return
        for record in _Reading(self.files, options, Meter(), "").records_of(file):
            yield _with_file(record, file) if self.several else record


def name_in_file(file: SourceFile, id: str) -> str:
    """Return what an entry of a table is called whose own name another file has."""
    return f"{file.name}:{id}"


def _with_file(record: Record, file: SourceFile) -> Record:
    """Say in a field which file a record is from."""
    own = {f"{FILE}_2" if name == FILE else name: value for name, value in record.fields.items()}
    return replace(record, fields={FILE: file.name} | own)


class _Reading:
    """Several files that become one corpus. What cannot be read is passed over, and told of at the end.

    A document's name is its path, without the ending where all have the same. An entry of a table has its own
    name; where it has none, or an earlier file has the same, the file's stands before it.
    """

    def __init__(self, files: Sequence[SourceFile], options: ReadOptions, meter: Meter, source: str) -> None:
        self._files, self._options, self._meter, self._source = files, options, meter, source
        names = {file.name: file.name.removesuffix(Path(file.name).suffix) for file in files}
        are_alike = len({file.ending for file in files}) == 1 and len(set(names.values())) == len(files)
        self._names = names if are_alike else {name: name for name in names}
        self._has_folders = any("/" in name for name in names)
        self._has_tables = any(_is_table(file) for file in files)
        self._doubtful: list[tuple[str, str]] = []
        self._owners: dict[int, str] = {}

    def pairs(self) -> Iterator[tuple[SourceFile, Record]]:
        """Yield the records of each file, and which file it is."""
        passed, total, done = PassedOver(), sum(file.size for file in self._files) or 1, 0
        self._meter.n_files, self._meter.passed = len(self._files), passed
        for file in self._files:
            inner, n_read = Meter(), 0
            self._meter.follow(inner, done / total, file.size / total)
            try:
                for record in self.records_of(file, inner):
                    n_read += 1
                    yield file, record
            except (CorpusError, MissingExtraError) as error:
                if len(self._files) == 1:
                    raise
                passed.add(file.name, file.place, error, n_read)
            done += file.size
        if len(passed) == len(self._files) and not passed.n_read:
            raise CorpusError(f"Nothing in {self._source} can be read: {passed}")
        passed.tell(self._source)
        self._tell_of_doubts()

    def records_of(self, file: SourceFile, meter: Meter | None = None) -> Iterator[Record]:
        """Yield the records of one file; after the first table, those of others have its columns."""
        with nearby(file.place) as path:
            try:
                with reading_errors(path):
                    is_list = file.ending == ".txt" and is_bibliography(path)
                if file.ending in DOCUMENTS and not is_list:
                    yield from arranged([self._document(file, path)], self._said_of(file), path)
                    return
                for record in _read_one(path, self._said_of(file), meter or Meter()):
                    if self._options.before is None and record.text_name:
                        self._options = replace(self._options, before=record)
                    yield self._named(record, file)
            except CorpusError as error:
                raise CorpusError(str(error).replace(str(path), file.place)) from None

    def _said_of(self, file: SourceFile) -> ReadOptions:
        """Return what the user says about a file: columns are those of the tables, if there are any."""
        if not self._has_tables or _is_table(file):
            return self._options
        return replace(self._options, text_column=None, id_column=None, title_column=None)

    def _document(self, file: SourceFile, path: Path) -> Record:
        contents = document_contents(path, file.ending, self._options.encoding)
        if contents.encoding is not None and contents.encoding.note:
            self._doubtful.append((file.name, contents.encoding.note))
        fields = {"folder": file.name.rpartition("/")[0]} if self._has_folders else {}
        title = contents.own_title or first_line(contents.text) or Path(file.name).stem
        return Record(self._names[file.name], contents.text, fields | contents.fields, title=title)

    def _named(self, record: Record, file: SourceFile) -> Record:
        """Give an entry of a table a name that none of another file has."""
        is_own = not record.is_numbered and self._owners.setdefault(hash(record.id), file.name) == file.name
        return record if is_own else replace(record, id=name_in_file(file, record.id))

    def _tell_of_doubts(self) -> None:
        if self._doubtful:
            name, note = self._doubtful[0]
            n = len(self._doubtful)
            files = "1 file" if n == 1 else f"{n:,} files"
            message = f"{files} of {self._source} in doubt; the first, {name!r}, {note}"
            warnings.warn(message, CorpusWarning, stacklevel=2)


def _is_table(file: SourceFile) -> bool:
    """Return whether a file has columns that a user may name."""
    return file.ending not in DOCUMENTS and file.ending not in _BIBLIOGRAPHIES


def _require_memory(files: Sequence[SourceFile]) -> None:
    """Refuse tables that cannot fit; how many words are in the others is known when they are read."""
    n_bytes = MEMORY_A_BYTE * sum(file.size for file in files if _is_table(file))
    what = f"The corpus of {len(files):,} files, which is gathered in this process,"
    require_memory(n_bytes, what, "give fewer files, or fit where there is more memory")
