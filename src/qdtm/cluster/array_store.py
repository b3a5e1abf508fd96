"""Where a worker puts its arrays down, so that its successor finds them: a folder, or any fsspec URL.

In: named arrays. Out: one safetensors file under a name, and the arrays again. A file is whole or absent.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from qdtm.errors import MissingExtraError, StorageError

Arrays = dict[str, NDArray[Any]]


class ArrayStore:
    """Files in one place.

    Parameters
    ----------
    root : str
        A folder, which is made if it is missing, or a URL that fsspec understands.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._files: Any = _remote_files(root) if "://" in root else _LocalFiles(Path(root))

    def write(self, name: str, arrays: Arrays) -> None:
        """Put arrays down under a name; what was there is replaced."""
        from safetensors.numpy import save

        try:
            self._files.write(name, save(arrays))
        except OSError as error:
            raise StorageError(
                f"A worker cannot write to {self._root!r}: {error.strerror or error}."
            ) from error

    def read(self, name: str) -> Arrays:
        """Take up what is there under a name.

        Raises
        ------
        StorageError
            If there is nothing, or it is damaged.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            arrays: Arrays = load(self._files.read(name))
        except (OSError, SafetensorError) as error:
            raise StorageError(f"A worker does not find {name!r} in {self._root!r}: {error}.") from error
        return arrays

    def remove(self, name: str) -> None:
        """Forget what is there under a name, if anything."""
        self._files.remove(name)

    def clear(self) -> None:
        """Forget everything."""
        self._files.clear()


class _LocalFiles:
    """Files in a folder that nobody else may read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, data: bytes) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self._folder / f".{name}.{os.getpid()}.tmp"
        temporary.write_bytes(data)
        temporary.replace(self._folder / name)

    def read(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class _RemoteFiles:
    """Files in an object store, where a file appears when it is whole."""

    def __init__(self, files: Any, path: str) -> None:
        self._files, self._path = files, path

    def write(self, name: str, data: bytes) -> None:
        self._files.makedirs(self._path, exist_ok=True)
        self._files.pipe_file(f"{self._path}/{name}", data)

    def read(self, name: str) -> bytes:
        data: bytes = self._files.cat_file(f"{self._path}/{name}")
        return data

    def remove(self, name: str) -> None:
        if self._files.exists(f"{self._path}/{name}"):
            self._files.rm_file(f"{self._path}/{name}")

    def clear(self) -> None:
        if self._files.exists(self._path):
            self._files.rm(self._path, recursive=True)


def _remote_files(url: str) -> _RemoteFiles:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError(
            f"{url!r} needs fsspec (and its package for this kind of URL): pip install fsspec."
        ) from None
    return _RemoteFiles(*url_to_fs(url))
