"""Where what is costly to make or to fetch is kept, and how a file gets there whole.

In: the environment variable `QDTM_CACHE` or the platform's habit. Out: a folder, and files that are either
complete or absent: a crash half-way through leaves no broken file behind.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from qdtm.errors import StorageError

CACHE_VARIABLE = "QDTM_CACHE"


def cache_directory() -> Path:
    """Return the folder for cached files: `QDTM_CACHE`, else the user's cache folder on this platform."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("qdtm", appauthor=False)


@contextlib.contextmanager
def without_cache() -> Iterator[None]:
    """Use a folder of its own for what is cached, which is gone when the block ends."""
    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="qdtm-cache-") as folder:
        os.environ[CACHE_VARIABLE] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[CACHE_VARIABLE]
            else:
                os.environ[CACHE_VARIABLE] = before


@contextlib.contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """Give a temporary path that becomes `target` when the block ends without an error.

    It lies beside `target` and has its suffix.

    Raises
    ------
    StorageError
        If the folder cannot be made or written to.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent)
    except OSError as error:
        raise StorageError(
            f"Cannot write to the cache folder {str(target.parent)!r} ({error.strerror}). "
            f"Set {CACHE_VARIABLE} to a folder that you can write to."
        ) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
