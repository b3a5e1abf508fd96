"""The experiments' files: found in a data folder, or fetched once into the cache, always checked.

In: a folder given by name or by `QDTM_DATA`, or none at all, and a `RemoteFile` (name, address, sha256). Out:
a path whose content has that checksum. The folder's layout is `corpora/` (the three corpora), `authors/` (the
paper's own inputs), `nlp/` (stop words) and `reference/` (the external corpus for coherence); any part may be
missing. What is checked is the content inside a .gz, so that a copy compressed anew is still the same file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qdtm.errors import CorpusError
from qdtm.storage.cache import atomic_path, cache_directory

DATA_VARIABLE = "QDTM_DATA"


def find_data(path: str | Path | None = None) -> Path | None:
    """Return the folder with the experiments' data, or None if no folder was named.

    Parameters
    ----------
    path : str or Path, optional
        The folder; without it, the environment variable `QDTM_DATA` is read.

    Raises
    ------
    CorpusError
        If a folder was named that does not exist.
    """
    named = path or os.environ.get(DATA_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise CorpusError(
            f"The data folder {str(folder)!r} does not exist. Give an existing one with --data or "
            f"{DATA_VARIABLE}, or neither to download the corpora."
        )
    return folder


def require_file(relative: str, data: str | Path | None = None) -> Path:
    """Return a file of the data folder that has no source to download it from.

    Raises
    ------
    CorpusError
        If no data folder was named or the file is not in it.
    """
    folder = find_data(data)
    if folder is None:
        raise CorpusError(
            f"{relative!r} is needed. Name the folder that has it with --data or {DATA_VARIABLE}."
        )
    file = folder / relative
    if not file.is_file():
        raise CorpusError(
            f"{relative!r} is not in the data folder {str(folder)!r}. "
            f"Put it there, or name another folder with --data or {DATA_VARIABLE}."
        )
    return file


# --- files ------------------------------------------------------------------------------------------------


#: Called as a download goes on: name of the file, bytes so far, bytes in all (None if nobody says).
DownloadProgress = Callable[[str, int, int | None], None]

_CHUNK = 1 << 16
_TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class RemoteFile:
    """A file of a corpus: its name under `corpora/`, its address, the sha256 of what is in it."""

    name: str
    url: str
    sha256: str


def content_sha256(path: Path) -> str:
    """Return the sha256 of a file's content, decompressed first if the name ends in .gz."""
    if path.suffix == ".gz":
        with gzip.open(path, "rb") as compressed:
            return hashlib.file_digest(compressed, "sha256").hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def verify(path: Path, sha256: str) -> Path:
    """Return `path` if its content has the checksum.

    Raises
    ------
    CorpusError
        If it has another one, or is not a readable .gz file.
    """
    try:
        found = content_sha256(path)
    except (EOFError, gzip.BadGzipFile) as error:
        raise CorpusError(f"{str(path)!r} is damaged ({error}). Delete it and try again.") from error
    if found != sha256:
        raise CorpusError(
            f"{str(path)!r} is not the file of the experiments: its sha256 is {found[:12]}..., "
            f"not {sha256[:12]}.... Delete it and try again."
        )
    return path


def obtain(
    file: RemoteFile, data: str | Path | None = None, progress: DownloadProgress | None = None
) -> Path:
    """Return the path of a checked file: from the data folder, else from the cache, else downloaded to it.

    Parameters
    ----------
    file : RemoteFile
        What is wanted.
    data : str or Path, optional
        The data folder, see `find_data`; the file lies under `corpora/` there.
    progress : callable, optional
        Called with (name, bytes so far, bytes in all) during a download.

    Raises
    ------
    CorpusError
        If the file has a wrong checksum or cannot be downloaded.
    """
    folder = find_data(data)
    cached = cache_directory() / "corpora" / file.name
    for path in ([folder / "corpora" / file.name] if folder else []) + [cached]:
        if path.is_file():
            return verify(path, file.sha256)
    _download(file, cached, progress)
    return cached


def _download(file: RemoteFile, target: Path, progress: DownloadProgress | None) -> None:
    """Fetch a file to `target`, which exists afterwards only if the checksum is right."""
    with atomic_path(target) as temporary:
        try:
            _stream(file, temporary, progress)
        except OSError as error:
            raise offline_error(file.name, file.url, error) from error
        verify(temporary, file.sha256)


def _stream(file: RemoteFile, target: Path, progress: DownloadProgress | None) -> None:
    """Copy the bytes behind the address to `target`."""
    with (
        urllib.request.urlopen(file.url, timeout=_TIMEOUT_SECONDS) as response,  # noqa: S310 - our own addresses
        target.open("wb") as out,
    ):
        length = response.headers.get("Content-Length")
        done = 0
        while chunk := response.read(_CHUNK):
            out.write(chunk)
            done += len(chunk)
            if progress is not None:
                progress(file.name, done, int(length) if length else None)


def offline_error(name: str, url: str, error: OSError) -> CorpusError:
    """Return the one line a user sees when a file cannot be downloaded."""
    reason = getattr(error, "reason", None) or error.strerror or error
    return CorpusError(
        f"Cannot download {name} from {url} ({reason}). Connect to the internet, or name a folder that has "
        f"corpora/{name} with --data or {DATA_VARIABLE}."
    )
