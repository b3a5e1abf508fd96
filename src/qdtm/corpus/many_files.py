"""`FileCorpus`: names, patterns and URLs in, their files read in order into one `Corpus` out.

A file is on this machine, on a disk that all machines share, or at any URL that fsspec knows. One at a URL is
copied to this machine, for as long as it is read.
"""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from qdtm.corpus.building import of_records
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.readers.folder import DOCUMENTS
from qdtm.corpus.readers.read import READERS, read_records
from qdtm.corpus.readers.records import N_PEEKED, NO_TITLE, ReadOptions, Record, find_roles
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError, MissingExtraError, QdtmError
from qdtm.memory import require_memory

_WITHOUT_COLUMNS = (".cor", *DOCUMENTS)

MEMORY_A_BYTE = 1
"""Memory that reading takes at least for each byte of a file.

Tables of texts took 2.6 and 4.5 (docs/corpus.md, docs/reliability.md); those with other long columns take
less."""


@dataclass(frozen=True)
class FileCorpus:
    """A corpus in many files.

    Nothing is read before a model is fitted; then all are read into one corpus, in this process.

    Parameters
    ----------
    files : str, path, or a sequence of these
        Names or patterns such as "news/*.csv", local or URLs ("s3://bucket/news-*.jsonl"); .csv, .tsv,
        .jsonl, .parquet, or .txt with a document a line. The files of a pattern are taken in the order of
        their names.
    text_column : str or sequence of str, optional
        The column of the text, the same in all files; of several, the texts are joined.
    id_column, title_column : str, optional
        The columns of the name and of the title of a document. Columns that are not named are found in the
        first file.
    encoding : str, optional
        The encoding, where it should not be found out.
    pipeline : TextPipeline, optional
        The steps from text to words.
    """

    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    text_column: str | Sequence[str] | None = None
    id_column: str | None = None
    encoding: str | None = None
    pipeline: TextPipeline | None = None
    title_column: str | None = None

    @property
    def read_options(self) -> ReadOptions:
        """What is said about each file."""
        return ReadOptions(self.text_column, self.id_column, self.encoding, title_column=self.title_column)

    def to_corpus(self, pipeline: TextPipeline | None = None) -> Corpus:
        """Read all files into one corpus, in their order.

        Parameters
        ----------
        pipeline : TextPipeline, optional
            The steps from text to words, where none were given before.

        Raises
        ------
        CorpusError
            If a file is missing, cannot be read or lacks a column (it is named), or nothing is left of them.
        OutOfMemoryError
            If the files are larger than the memory that can be had.
        """
        files = list_files(self.files)
        _require_memory(files)
        options = settle_columns(files[0].name, self.read_options)
        records = (record for file in files for record in read_file(file.name, options))
        return of_records(records, self.pipeline or pipeline)


@dataclass(frozen=True, order=True)
class SourceFile:
    """One file of a corpus.

    Parameters
    ----------
    name : str
        A path, or a URL.
    size : int
        In bytes; 0 where that is not known.
    """

    name: str
    size: int


def _require_memory(files: Sequence[SourceFile]) -> None:
    """Refuse files that cannot fit; how many words are in the others is known when they are read."""
    n_bytes = MEMORY_A_BYTE * sum(file.size for file in files)
    what = f"The corpus of {len(files):,} files, which is gathered in this process,"
    require_memory(n_bytes, what, "give fewer files, or fit where there is more memory")


# --- which files -------------------------------------------------------------------------------------------


def list_files(files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[SourceFile]:
    """Find the files that names and patterns stand for.

    Raises
    ------
    CorpusError
        If one stands for none, a file is there twice or cannot be read; the message names it.
    """
    wanted = [files] if isinstance(files, str | os.PathLike) else list(files)
    if not wanted:
        raise CorpusError("There is no file in the list; name one, or give a pattern such as 'news/*.csv'.")
    found = [file for each in wanted for file in _matches(os.fspath(each))]
    seen: set[str] = set()
    for file in found:
        if file.name in seen:
            raise CorpusError(f"The file {file.name!r} is there twice; name it once.")
        seen.add(file.name)
        _check_ending(file.name)
    return found


def is_pattern(name: str) -> bool:
    """Return whether a name is a URL, or stands for more than one file."""
    return is_url(name) or glob.has_magic(name)


def is_url(name: str) -> bool:
    """Return whether a name is a URL."""
    return "://" in name


def _matches(name: str) -> list[SourceFile]:
    if is_url(name):
        return _matches_of_url(name)
    names = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else [name]  # noqa: PTH207
    paths = [Path(each).absolute() for each in names]
    files = [path for path in paths if path.is_file()]
    if not files:
        raise CorpusError(
            f"No file matches {name!r}." if glob.has_magic(name) else f"There is no file {name!r}."
        )
    return [SourceFile(str(path), path.stat().st_size) for path in files]


def _matches_of_url(name: str) -> list[SourceFile]:
    with _remote_errors(name):
        system, path = _file_system(name)
        found = sorted(system.glob(path)) if glob.has_magic(path) else [path]
        details = [system.info(each) for each in found]
    files = [info for info in details if info.get("type") == "file"]
    if not files:
        raise CorpusError(f"No file matches {name!r}.")
    return [SourceFile(str(system.unstrip_protocol(i["name"])), int(i.get("size") or 0)) for i in files]


def _check_ending(name: str) -> None:
    if Path(name).suffix.lower() not in READERS:
        known = ", ".join(READERS)
        raise CorpusError(f"Files like {name!r} cannot be read. Known: {known}.")


# --- reading one -------------------------------------------------------------------------------------------


def settle_columns(file: str, options: ReadOptions) -> ReadOptions:
    """Find the columns of text, name and title in the first file; all others must have them too."""
    if Path(file).suffix.lower() in _WITHOUT_COLUMNS:
        return options
    every = replace(options, all_fields=True)
    rows = [record.fields for record in islice(read_file(file, every), N_PEEKED)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    values = [[row.get(name, "") for name in names] for row in rows]
    roles = find_roles(names, values, options, repr(file))
    return replace(
        options,
        text_column=tuple(names[c] for c in roles.text),
        id_column=None if roles.id is None else names[roles.id],
        title_column=NO_TITLE if roles.title is None else names[roles.title],
    )


def read_file(file: str, options: ReadOptions) -> Iterator[Record]:
    """Yield the records of a file, wherever it is; an error names it as the user did.

    Raises
    ------
    CorpusError
        If it cannot be read, or lacks a column.
    """
    if Path(file).suffix.lower() in _WITHOUT_COLUMNS:
        options = replace(options, text_column=None, id_column=None, title_column=None)
    with _nearby(file) as path:
        try:
            yield from read_records(path, options)
        except CorpusError as error:
            raise CorpusError(_naming(str(error), path, file)) from None


def _naming(message: str, path: Path, file: str) -> str:
    """Call a file what the user called it, and where it is known by its last name alone, by all of it."""
    named = message.replace(str(path), file)
    return named if file in named else named.replace(repr(path.name), repr(file))


@contextmanager
def _nearby(file: str) -> Iterator[Path]:
    """Give a file on this machine's disk."""
    if not is_url(file):
        yield Path(file)
        return
    with tempfile.TemporaryDirectory(prefix="qdtm-") as folder:
        path = Path(folder) / Path(file).name
        with _remote_errors(file):
            system, remote = _file_system(file)
            system.get_file(remote, str(path))
        yield path


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError(f"Reading {url!r} needs the extra 'ray': pip install 'qdtm[ray]'.") from None
    system, path = url_to_fs(url)
    return system, str(path)


@contextmanager
def _remote_errors(url: str) -> Iterator[None]:
    """Turn whatever a file system at a URL raises into one clear line."""
    try:
        yield
    except QdtmError:
        raise
    except FileNotFoundError:
        raise CorpusError(f"There is no file {url!r}.") from None
    except Exception as error:  # each file system has errors of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise CorpusError(f"Cannot read {url!r}: {reason}.") from error
