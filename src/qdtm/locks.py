"""Whether a process is still at work, without asking its number: a file that it keeps locked while it lives.

The system lets go of the lock when the process ends, however it ends.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class LivenessLock:
    """A lock that says that its holder lives.

    Parameters
    ----------
    path : Path
        A file that need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self, *, wait: bool = False) -> bool:
        """Take the lock; False if another process has it (and we do not wait for it).

        On a file system that knows no locks nobody is kept out.
        """
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(descriptor, wait)
            except OSError as error:
                if error.errno not in _NO_LOCKS_HERE:
                    os.close(descriptor)
                    return False
            if _is_file(descriptor, self._path):
                self._descriptor = descriptor
                return True
            os.close(descriptor)  # its last holder removed it after we had opened it

    def release(self, *, remove: bool = False) -> None:
        """Let go of the lock, and remove its file if told to."""
        if self._descriptor is None:
            return
        if remove and sys.platform != "win32":  # before it is let go, or it might be another's by then
            with suppress(OSError):
                self._path.unlink()
        os.close(self._descriptor)
        if remove and sys.platform == "win32":  # where an open file stays
            with suppress(OSError):
                self._path.unlink()
        self._descriptor = None

    def __enter__(self) -> LivenessLock:
        self.take(wait=True)  # somebody may be looking at it just now
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_held(path: Path) -> bool:
    """Tell whether a living process holds the lock."""
    if not path.exists():
        return False
    lock = LivenessLock(path)
    free = lock.take()
    lock.release()
    return not free


def _lock(descriptor: int, wait: bool) -> None:
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_file(descriptor: int, path: Path) -> bool:
    """Tell whether an open file is the one that a path names."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
