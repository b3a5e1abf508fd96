"""Whether a process is still at work, without asking its number: a file that it keeps locked while it lives.

The system lets go of the lock when the process ends, however it ends.
"""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

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
        # A corpus may be let go of by another thread, and a file that only exists says nothing of a process.
        self._lock = FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False)

    def take(self, *, wait: bool = False) -> bool:
        """Take the lock; False if another process has it (and we do not wait for it).

        On a file system that knows no locks nobody is kept out.
        """
        self._path.parent.stat()  # filelock would make a folder that somebody has removed
        try:
            self._lock.acquire(blocking=wait)
        except Timeout:
            return False
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise
        return True

    def release(self, *, remove: bool = False) -> None:
        """Let go of the lock, and remove its file if told to."""
        remove = remove and self._lock.is_locked
        if remove and sys.platform != "win32":  # before it is let go, or it might be another's by then
            with suppress(OSError):
                self._path.unlink()
        self._lock.release()
        if remove and sys.platform == "win32":  # where an open file stays
            with suppress(OSError):
                self._path.unlink()

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
