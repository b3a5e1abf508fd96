"""Files and folders that are whole or absent: a place in, a name beside it to write under, out.

What was written gets its place in one step when it is whole and has reached the disk, and goes if anything
fails. One process at a time may write a place; another is told so. What a killed process left behind beside
a place goes when the place is written next, and a result that it had moved aside is put back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from qdtm.errors import StorageError
from qdtm.storage.locks import LivenessLock

_UNFINISHED, _ASIDE = ".tmp", ".old"

_reserved: ContextVar[frozenset[Path]] = ContextVar("qdtm_reserved_places", default=frozenset())
"""The places that whoever runs now has reserved: a command does for its whole work, and a save inside it."""


@contextmanager
def reserve(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Keep a place for this process until the block ends, and tidy up around it first.

    Parameters
    ----------
    path : path
        A file or folder to be written. Missing parent folders are made, and go again if nothing came.

    Yields
    ------
    Path
        The place, as an absolute path.

    Raises
    ------
    StorageError
        If another process has it, or the disk refuses.
    """
    place = _absolute(path)
    if not place.name:
        raise StorageError(f"{str(path)!r} is the whole disk; give the name of a file or folder on it.")
    if place in _reserved.get():
        yield place
        return
    with _parents_of(place):
        lock = LivenessLock(place.with_name(f".{place.name}.lock"))
        with write_errors(path):
            if not lock.take():
                raise StorageError(
                    f"Another process is writing {str(path)!r}; wait for it, or give another name."
                )
        token = _reserved.set(_reserved.get() | {place})
        try:
            with write_errors(path):
                _tidy(place)
            yield place
        finally:
            _reserved.reset(token)
            lock.release(remove=True)


@contextmanager
def placed_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give an empty folder to fill; when the block ends well it takes the place, whatever is there now.

    Raises
    ------
    StorageError
        If another process is writing there, or the disk refuses.
    """
    with reserve(path) as place:
        folder = _beside(place, _UNFINISHED)
        with write_errors(path):
            folder.mkdir()
        try:
            yield folder
            with write_errors(path):
                _sync_folder(folder)
                _put_folder(folder, place)
                _sync(place.parent)
        finally:
            _remove(folder)


def give_place(folder: Path, path: str | os.PathLike[str]) -> None:
    """Give a folder that is whole its place, whatever is there now; if the disk refuses, both stay.

    Raises
    ------
    StorageError
        If another process is writing there, or the disk refuses.
    """
    with reserve(path) as place, write_errors(path):
        _sync_folder(folder)
        hidden = _beside(place, _UNFINISHED)  # after a kill nobody takes it for work to go on with
        folder.rename(hidden)
        try:
            _put_folder(hidden, place)
        except OSError:
            hidden.rename(folder)
            raise
        try:
            _sync(place.parent)
        finally:
            _remove(hidden)  # what was there before


@contextmanager
def placed_files(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Give an empty folder to fill; when the block ends well its files take their places in a folder.

    If that folder has nothing but files of these names, it is replaced in one step. Else what it has beside
    them stays, and they come one by one, each whole.

    Parameters
    ----------
    path : path
        The folder, which need not be there.
    force : bool
        Whether files of these names may be replaced.

    Raises
    ------
    StorageError
        If there are such files and `force` is not set, another process is writing there, or the disk refuses.
    """
    with reserve(path) as place:
        folder = _beside(place, _UNFINISHED)
        with write_errors(path):
            folder.mkdir()
        try:
            yield folder
            with write_errors(path):
                names, there = _files_in(folder), _files_in(place)
                taken = sorted(names & there)
                if taken and not force:
                    raise StorageError(
                        f"{str(place / taken[0])!r} exists already; use force (--force) to replace it."
                    )
                _sync_folder(folder)
                if there <= names and not place.is_symlink():
                    _put_folder(folder, place)
                else:
                    _put_files(folder, place, sorted(names))
                _sync(place.parent)
        finally:
            _remove(folder)


@contextmanager
def placed_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of a file to write; when the block ends well it takes the place, whatever is there now.

    Raises
    ------
    StorageError
        If another process is writing there, a folder or a device is there, or the disk refuses.
    """
    with reserve(path) as place:
        with write_errors(path):
            if place.is_dir():
                raise StorageError(f"{str(path)!r} is a folder; give the name of a file.")
            if place.exists() and not place.is_file():
                raise StorageError(f"{str(path)!r} is no file that can be replaced; give another name.")
        file = _beside(place, _UNFINISHED)
        try:
            with write_errors(path):
                file.touch(exist_ok=False)  # a place that cannot be written to fails now, not after the work
            yield file
            with write_errors(path):
                _sync(file)
                file.replace(place)
                _sync(place.parent)
        finally:
            _remove(file)


def remove_folder(path: str | os.PathLike[str]) -> None:
    """Remove a folder; its name goes first, so that a kill leaves nothing half-removed under it."""
    place = _absolute(path)
    gone = _beside(place, _UNFINISHED)
    with suppress(OSError):
        place.rename(gone)
    _remove(gone)


def put_back(path: str | os.PathLike[str]) -> None:
    """Put back a folder that a killed process had moved aside to replace it, if that is why it is missing."""
    place = _absolute(path)
    with suppress(OSError, StorageError):  # whoever asked will say that it is missing
        if not place.exists() and any(aside.suffix == _ASIDE for aside in _left_behind(place)):
            with reserve(place):
                pass


@contextmanager
def write_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the disk says into one line about the place."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"Cannot write {str(path)!r}: {error.strerror or error}.") from error


# --- inside ------------------------------------------------------------------------------------------------


def _absolute(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow a link and replace its goal


def _beside(place: Path, ending: str) -> Path:
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}{ending}")


@contextmanager
def _parents_of(place: Path) -> Iterator[None]:
    """Make the folders above a place; those that are still empty at the end go again."""
    missing = [parent for parent in place.parents if not parent.exists()]  # the innermost first
    with write_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):
            for parent in missing:
                parent.rmdir()


def _left_behind(place: Path) -> list[Path]:
    """Return what writers of a place keep beside it; with the place reserved, they are dead."""
    pattern = re.compile(re.escape(f".{place.name}.") + r"[0-9a-f]{8}\.(tmp|old)")
    return sorted(path for path in place.parent.iterdir() if pattern.fullmatch(path.name))


def _tidy(place: Path) -> None:
    for path in _left_behind(place):
        if path.suffix == _ASIDE and not place.exists():
            path.rename(place)
        else:
            _remove(path)


def _remove(path: Path) -> None:
    """Remove a file or a folder if it is there; what cannot be removed is left for the next writer."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _put_folder(folder: Path, place: Path) -> None:
    """Give a folder its place; what was there gets the folder's name, to be removed."""
    if not place.exists():
        folder.rename(place)
    elif not _swap(folder, place):
        aside = _beside(place, _ASIDE)
        place.rename(aside)
        try:
            folder.rename(place)
        except OSError:
            aside.rename(place)
            raise
        _remove(aside)


def _files_in(folder: Path) -> set[Path]:
    """Return what is in a folder, below it too, as paths from it; folders that have nothing do not count."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}


def _put_files(folder: Path, place: Path, names: Sequence[Path]) -> None:
    """Give the files of a folder their places in another one by one."""
    for name in names:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (folder / name).replace(target)
        _sync(target.parent)


def _swap(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system or the file system cannot."""
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE (which macOS calls RENAME_SWAP)
    names = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "linux":
            return bool(ctypes.CDLL(None).renameat2(here, names[0], here, names[1], exchange) == 0)
        if sys.platform == "darwin":
            return bool(ctypes.CDLL(None).renamex_np(*names, exchange) == 0)
    except (OSError, AttributeError):  # an older C library
        pass
    return False


def _sync_folder(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        _sync(path)
    _sync(folder)


def _sync(path: Path) -> None:
    """See that a file, or the names in a folder, have reached the disk."""
    is_folder = path.is_dir()
    if is_folder and os.name == "nt":  # where folders cannot be opened
        return
    descriptor = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not is_folder or error.errno != errno.EINVAL:  # not every file system can do it for folders
            raise
    finally:
        os.close(descriptor)
