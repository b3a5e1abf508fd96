"""A .gz or .zip file in, the records of what is in it out.

What is packed is unpacked to a folder of its own, within bounds, and is gone when it has been read. Nothing
in an archive decides where a file is put.
"""

from __future__ import annotations

import gzip
import itertools
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from qdtm.corpus.readers.documents import DOCUMENTS
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import Meter, Reader, ReadOptions, Record
from qdtm.errors import CorpusError, QdtmError

_FREE_BYTES = 2**24
_MAX_GROWTH = 200
_MAX_MEMBERS = 100_000
_MAX_NAME, _MAX_ENDING, _MAX_DEPTH = 200, 20, 8  # bytes, characters, folders
_PIECE = 2**20


def read_gzip(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the records of a file that is packed alone, such as news.csv.gz."""
    from qdtm.corpus.readers.read import find_reader

    inner = find_reader(Path(path.stem))
    if inner is read_gzip or inner is read_zip:
        raise CorpusError(f"{str(path)!r} is packed twice; unpack it.")
    with _scratch(path) as folder:
        target = folder / path.stem
        with _unpacking(path), gzip.open(path) as packed:
            _copy(packed, target, _allowed(path), path)
        yield from _read(inner, target, path.stem, options, meter, path)


def read_zip(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the records of the files in a .zip file: documents as those of a folder, or tables in turn.

    Of a mixture, what is larger is read, and the rest told of: a table may come with a page about it, and
    documents with a list of them.
    """
    from qdtm.corpus.readers.read import READERS, read_files, read_folder
    from qdtm.corpus.readers.sources import SourceFile, tell_of_others

    with _scratch(path) as scratch:
        folder = scratch / path.name  # what messages call it
        with _unpacking(path), ZipFile(path) as archive:
            members = _members(archive, path)
            chosen, are_documents = _chosen(members, set(READERS), path)
            left = _allowed(path)
            for name, member in chosen.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed:
                    left -= _copy(packed, target, left, path)
        if are_documents:
            yield from _read(read_folder, folder, path.name, options, meter, path)
            return
        tell_of_others(Counter(_ending(name) for name in members.keys() - chosen.keys()), path.name)
        if len(chosen) == 1:
            (name,) = chosen
            yield from _read(READERS[_ending(name)], folder / name, name, options, meter, path)
        else:
            files = [
                SourceFile(str(folder / name), member.file_size, name) for name, member in chosen.items()
            ]
            yield from read_files(files, options, meter, repr(path.name))


def _chosen(members: dict[str, ZipInfo], known: set[str], path: Path) -> tuple[dict[str, ZipInfo], bool]:
    """Return the files of an archive that are unpacked, and whether documents are read, not tables."""
    readable = {name: each for name, each in members.items() if _ending(name) in known - {".zip"}}
    if not readable:
        packed = any(_ending(name) == ".zip" for name in members)
        reason = (
            "is packed twice; unpack it"
            if packed
            else f"has nothing that can be read: {', '.join(sorted(known))}"
        )
        raise CorpusError(f"{str(path)!r} {reason}.")
    one_text = len(readable) == 1 and _ending(next(iter(readable))) == ".txt"
    tables = {name: each for name, each in readable.items() if one_text or _ending(name) not in DOCUMENTS}
    n_bytes = sum(each.file_size for each in readable.values())
    if 2 * sum(each.file_size for each in tables.values()) > n_bytes or len(tables) == len(readable):
        return tables, False
    return members, True


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _members(archive: ZipFile, path: Path) -> dict[str, ZipInfo]:
    """Return the files of an archive by a name under which they can be put into a folder of ours."""
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise CorpusError(
            f"{str(path)!r} has {len(archive.infolist()):,} files; at most {_MAX_MEMBERS:,} are read."
        )
    members: dict[str, ZipInfo] = {}
    for member in archive.infolist():
        parts = [_shortened(part) for part in PurePosixPath(member.filename.replace("\\", "/")).parts]
        parts = [part for part in parts if part not in ("/", "..", ".") and not part.endswith(":")]
        if not parts or member.is_dir() or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        if member.flag_bits & 1:
            raise CorpusError(f"{str(path)!r} is encrypted; unpack it.")
        members[_new_name("/".join(parts[-_MAX_DEPTH:]), members)] = member
    return dict(sorted(members.items()))


def _shortened(part: str) -> str:
    """Return a name that fits into a file system, with its ending."""
    name = PurePosixPath(part)
    ending = name.suffix if len(name.suffix) <= _MAX_ENDING else ""
    kept = part.removesuffix(ending).encode("utf-8", "replace")[: _MAX_NAME - len(ending.encode())]
    return kept.decode("utf-8", "ignore") + ending


def _new_name(name: str, taken: Container[str]) -> str:
    """Return the name, or one like it: an archive may have several files of one name, or of one cut short."""
    ending = PurePosixPath(name).suffix
    others = (f"{name.removesuffix(ending)} ({n}){ending}" for n in itertools.count(2))
    return next(each for each in itertools.chain([name], others) if each not in taken)


def _read(
    reader: Reader, target: Path, name: str, options: ReadOptions, meter: Meter, path: Path
) -> Iterator[Record]:
    """Read what was unpacked; messages name it as the user knows it."""
    try:
        yield from reader(target, options, meter)
    except CorpusError as error:
        known = str(path) if name == path.name else f"{path}/{name}"
        raise CorpusError(str(error).replace(str(target), known)) from None


def _allowed(path: Path) -> int:
    return _FREE_BYTES + _MAX_GROWTH * path.stat().st_size


def _copy(packed: IO[bytes] | gzip.GzipFile, target: Path, allowed: int, path: Path) -> int:
    """Unpack a file, as long as it does not come to far more than it was packed in; return its size."""
    n_bytes = 0
    with target.open("wb") as file:
        while piece := packed.read(_PIECE):
            n_bytes += len(piece)
            if n_bytes > allowed:
                raise CorpusError(f"{str(path)!r} unpacks to more than {_MAX_GROWTH} times its size.")
            file.write(piece)
    return n_bytes


@contextmanager
def _scratch(path: Path) -> Iterator[Path]:
    with reading_errors(path):
        folder = tempfile.mkdtemp(prefix="qdtm-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _unpacking(path: Path) -> Iterator[None]:
    try:
        yield
    except QdtmError:  # which may be a ValueError too
        raise
    except (
        BadZipFile,
        gzip.BadGzipFile,
        EOFError,
        zlib.error,
        LZMAError,
        NotImplementedError,
        ValueError,
    ) as error:
        raise CorpusError(f"{str(path)!r} is damaged: it cannot be unpacked.") from error
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise CorpusError(f"Cannot read {str(path)!r}: {reason}.") from error
