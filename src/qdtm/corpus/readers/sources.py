"""Names, patterns, folders and URLs in; out come the files that they stand for.

A file is on this machine, on a disk that all machines share, or at any URL that fsspec knows. One at a URL is
copied to this machine, for as long as it is read.
"""

from __future__ import annotations

import glob
import itertools
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qdtm.corpus.readers.databases import split_table
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import CorpusWarning
from qdtm.errors import CorpusError, MissingExtraError, QdtmError

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Sequence["SourceFile"]
"""A name, or several; or files under names of their own."""

_TEMPORARY = ("~$", ".")
"""How the names begin of files that programs leave beside a document, and of hidden ones."""

_TABLES = (".csv", ".tsv", ".jsonl", ".ris", ".bib", ".nbib", ".parquet", ".arrow", ".xlsx", ".json")
_N_LISTED = 5
_SAVED = "qdtm.json"


@dataclass(frozen=True)
class SourceFile:
    """One file of a corpus.

    Parameters
    ----------
    place : str
        A path, or a URL.
    size : int
        In bytes; 0 where that is not known.
    name : str
        What it is called among the others: its path from the folder that all are in.
    """

    place: str
    size: int
    name: str = ""

    @property
    def ending(self) -> str:
        """Which decides how it is read."""
        return split_table(Path(self.place))[0].suffix.lower()


# --- which files -------------------------------------------------------------------------------------------


def as_names(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the names that a user gave: one, or several.

    Raises
    ------
    CorpusError
        If there are none.
    """
    names = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not names:
        raise CorpusError("There is no file in the list; name one, or give a pattern such as 'news/*.csv'.")
    return [os.fspath(name) for name in names]


def is_url(name: str) -> bool:
    """Return whether a name is a URL."""
    return "://" in name


def is_pattern(name: str) -> bool:
    """Return whether a name stands for the files that are like it; "paper[1].pdf" may be a file."""
    return glob.has_magic(name) and (is_url(name) or not os.path.lexists(name))


def list_files(names: Sequence[str], known: Collection[str], documents: Collection[str]) -> list[SourceFile]:
    """Find the files that names, patterns and folders stand for, each once.

    Parameters
    ----------
    names : sequence of str
    known : collection of str
        The endings of files that can be read. Of a pattern, others are passed over, and told of.
    documents : collection of str
        The endings of files that are read from a folder.

    Raises
    ------
    CorpusError
        If one stands for none, or cannot be read; the message names it.
    """
    found: dict[str, SourceFile] = {}
    bases: list[str] = []
    for name in names:
        files, base = _matches(name, known, documents)
        bases.append(base)
        found |= {file.place: file for file in files if file.place not in found}
    base = _common(bases)
    return [replace(file, name=_relative(file.place, base)) for file in found.values()]


def _matches(name: str, known: Collection[str], documents: Collection[str]) -> tuple[list[SourceFile], str]:
    """Return the files that one name stands for, and the folder that they are in."""
    if is_url(name):
        files = _matches_of_url(name)
    elif is_pattern(name):
        files = [file for each in sorted(glob.glob(name, recursive=True)) for file in _at(each, documents)]  # noqa: PTH207
    else:
        files = list(_at(name, documents, must_be=True))
        if Path(name).is_dir():
            return files, os.path.abspath(name)  # noqa: PTH100 - resolve() would follow a link
    readable = [file for file in files if file.ending in known]
    if not readable:
        raise CorpusError(
            f"Files like {files[0].place!r} cannot be read. Known: {', '.join(known)}."
            if files
            else f"No file matches {name!r}."
        )
    tell_of_others(Counter(file.ending for file in files if file.ending not in known), name)
    return readable, _common([file.place.rpartition("/")[0] for file in readable])


def _at(name: str, documents: Collection[str], *, must_be: bool = False) -> Iterator[SourceFile]:
    """Yield the file at a path, or the documents of the folder there."""
    path, table = split_table(Path(name))
    with reading_errors(path):
        if "\0" in name or (must_be and not path.exists()):
            raise CorpusError(f"There is no file {name!r}.")
        place = Path(os.path.abspath(path))  # noqa: PTH100
        if (path / _SAVED).is_file():
            raise CorpusError(f"{name!r} is a saved corpus; give it alone.")
        if path.is_dir():
            if must_be:
                yield from list_folder(place, documents)
        elif path.is_file():
            named = place.as_posix() if table is None else f"{place.as_posix()}::{table}"
            yield SourceFile(named, path.stat().st_size)
        elif must_be:  # a pipe would be waited for without end
            raise CorpusError(f"{name!r} is not a file; save what it gives to one.")


def list_folder(path: Path, documents: Collection[str]) -> list[SourceFile]:
    """Return the documents in a folder and the folders inside it, in the order of their names.

    Raises
    ------
    CorpusError
        If there are none.
    """
    with reading_errors(path):
        next(path.iterdir(), None)  # raises if the folder may not be read, where rglob finds nothing
        files, others = [], Counter[str]()
        for file in path.rglob("*"):
            place, ending = file.relative_to(path), file.suffix.lower()
            if (file.name.startswith(_TEMPORARY) and ending != ".txt") or not file.is_file():
                continue
            if any(part.startswith(".") or part == "__MACOSX" for part in place.parts[:-1]):
                continue
            if ending in documents:
                files.append(SourceFile(file.as_posix(), file.stat().st_size, place.as_posix()))
            else:
                others[ending] += 1
    table = next((ending for ending in _TABLES if ending in others), None)
    hint = f" For its tables give a pattern: '{path}/*{table}'." if table else ""
    if not files:
        raise CorpusError(
            f"There are no documents in the folder {str(path)!r} ({', '.join(documents)}).{hint}"
        )
    tell_of_others(others, path.name, hint)
    return sorted(files, key=lambda file: file.name)


def tell_of_others(others: Counter[str], source: str, hint: str = "") -> None:
    """Warn of files that are of no kind that is read, if there are any, and say how they could be."""
    if others:
        listed = ", ".join(
            f"{n:,} {ending or 'without ending'}" for ending, n in others.most_common(_N_LISTED)
        )
        message = f"Of other kinds, and not read, in {source!r}: {listed}.{hint}"
        warnings.warn(message, CorpusWarning, stacklevel=3)


def _common(places: Sequence[str]) -> str:
    """Return the folder in which all places are; nothing if there is none."""
    levels = zip(*(place.split("/") for place in places), strict=False)
    return "/".join(parts[0] for parts in itertools.takewhile(lambda parts: len(set(parts)) == 1, levels))


def _relative(place: str, base: str) -> str:
    return place.removeprefix(f"{base}/") if base else place.lstrip("/")


# --- at a URL ----------------------------------------------------------------------------------------------


def _matches_of_url(name: str) -> list[SourceFile]:
    with _remote_errors(name):
        system, path = _file_system(name)
        found = sorted(system.glob(path)) if glob.has_magic(path) else [path]
        details = [system.info(each) for each in found]
    files = [info for info in details if info.get("type") == "file"]
    if not files:
        raise CorpusError(f"No file matches {name!r}.")
    return [SourceFile(str(system.unstrip_protocol(i["name"])), int(i.get("size") or 0)) for i in files]


@contextmanager
def nearby(place: str) -> Iterator[Path]:
    """Give a file on this machine's disk."""
    if not is_url(place):
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix="qdtm-") as folder:
        path = Path(folder) / Path(place).name
        with _remote_errors(place):
            system, remote = _file_system(place)
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
