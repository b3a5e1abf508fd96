"""A temporary file, and what killed processes left of theirs: nothing in, the name of a file to write out.

Beside the file lies a lock that its maker holds while it lives. Whoever makes a temporary file removes those
whose lock nobody holds.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from qdtm.errors import StorageError
from qdtm.storage.locks import LivenessLock, is_held

_PREFIX, _SUFFIX, _LOCK = "qdtm-", ".sqlite", ".lock"


class ScratchFile:
    """The name of a file that goes when it is removed, or after its process has died.

    Raises
    ------
    StorageError
        If no file can be made where the system keeps temporary ones.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        try:
            folder = Path(tempfile.gettempdir())
            self.path, self._lock = _make(folder)
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(
                f"Cannot make a temporary file: {reason}; set TMPDIR to a folder with room."
            ) from error
        with suppress(OSError):  # to tidy up is no reason to fail
            if is_held(_lock_of(self.path)):  # else locks mean nothing here
                _remove_orphans(folder)

    def remove(self) -> None:
        """Remove the file; in a forked child do nothing, it is its parent's."""
        if os.getpid() == self._process:
            with suppress(OSError):
                self.path.unlink()
            self._lock.release(remove=True)


def _make(folder: Path) -> tuple[Path, LivenessLock]:
    """Make a file and take its lock, or leave nothing."""
    path = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    lock = LivenessLock(_lock_of(path))
    if not lock.take(wait=True):  # somebody may be looking at it just now
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    try:
        path.touch(mode=0o600, exist_ok=False)
    except OSError:
        lock.release(remove=True)
        raise
    return path, lock


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + _LOCK)


def _remove_orphans(folder: Path) -> None:
    """Remove the files of our processes that are no more."""
    with suppress(OSError):
        for lock_path in list(folder.glob(f"{_PREFIX}*{_SUFFIX}{_LOCK}")):
            _remove_orphan(lock_path)


def _remove_orphan(lock_path: Path) -> None:
    with suppress(OSError):
        lock = LivenessLock(lock_path)
        if _is_ours(lock_path) and lock.take():
            lock_path.with_name(lock_path.name.removesuffix(_LOCK)).unlink(missing_ok=True)
            lock.release(remove=True)


def _is_ours(path: Path) -> bool:
    """Whether a file is one that this user made; a link may lead anywhere."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and (sys.platform == "win32" or found.st_uid == os.getuid())
