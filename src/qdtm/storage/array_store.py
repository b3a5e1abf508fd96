"""Files in one place that several processes share: a folder, or any fsspec URL.

In: named arrays, JSON or whole files. Out: the same under a name, and back. A file is whole or absent.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from qdtm.errors import MissingExtraError, StorageError
from qdtm.storage.atomic import give_place
from qdtm.storage.folders import MANIFEST

Arrays = dict[str, NDArray[Any]]


class ArrayStore:
    """Files in one place.

    Parameters
    ----------
    root : str
        A folder, which is made if it is missing, or a URL that fsspec understands.
    private : bool
        Whether nobody else may look into a folder that is made.
    """

    def __init__(self, root: str, *, private: bool = True) -> None:
        self.root = root
        self._files: _LocalFiles | _RemoteFiles = (
            _remote_files(root) if "://" in root else _LocalFiles(Path(root), 0o700 if private else 0o777)
        )

    def write(self, name: str, arrays: Arrays) -> None:
        """Put arrays down under a name; what was there is replaced."""
        from safetensors.numpy import save

        self.write_bytes(name, save(arrays))

    def read(self, name: str) -> Arrays:
        """Take up the arrays that are there under a name.

        Raises
        ------
        StorageError
            If there is nothing, or it is damaged.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            arrays: Arrays = load(self.read_bytes(name))
        except SafetensorError as error:
            raise StorageError(f"{name!r} in {self.root!r} is damaged: {error}.") from error
        return arrays

    def write_json(self, name: str, value: object) -> None:
        """Put a value down as JSON."""
        self.write_bytes(name, json.dumps(value).encode())

    def read_json(self, name: str) -> Any:
        """Take up a value that was put down as JSON."""
        try:
            return json.loads(self.read_bytes(name))
        except ValueError as error:
            raise StorageError(f"{name!r} in {self.root!r} is damaged: not valid JSON.") from error

    def write_bytes(self, name: str, data: bytes) -> None:
        """Put bytes down under a name."""
        try:
            self._files.write(name, data)
        except OSError as error:
            raise StorageError(f"Cannot write to {self.root!r}: {error.strerror or error}.") from error

    def read_bytes(self, name: str) -> bytes:
        """Take up the bytes that are there under a name."""
        try:
            return self._files.read(name)
        except OSError as error:
            raise StorageError(f"There is no {name!r} in {self.root!r}: {error}.") from error

    def put(self, name: str, path: Path) -> None:
        """Put a file of this machine down under a name; it is gone from where it was."""
        try:
            self._files.put(name, path)
        except OSError as error:
            raise StorageError(f"Cannot write to {self.root!r}: {error.strerror or error}.") from error

    @contextmanager
    def nearby(self, name: str) -> Iterator[Path]:
        """Give a file as one of this machine: itself, or a copy that is gone when the block ends."""
        if isinstance(self._files, _LocalFiles):
            yield self._files.path(name)
            return
        with tempfile.TemporaryDirectory(prefix="qdtm-") as folder:
            self.fetch(name, Path(folder) / name)
            yield Path(folder) / name

    def fetch(self, name: str, path: Path) -> None:
        """Copy a file to this machine."""
        path.write_bytes(self.read_bytes(name))

    def path(self, name: str) -> Path | None:
        """Where a file lies on this machine; None if it lies elsewhere."""
        return self._files.path(name) if isinstance(self._files, _LocalFiles) else None

    def exists(self, name: str) -> bool:
        """Return whether there is anything under a name."""
        return self._files.exists(name)

    def remove(self, name: str) -> None:
        """Forget what is there under a name, if anything."""
        self._files.remove(name)

    def clear(self) -> None:
        """Forget everything."""
        self._files.clear()

    def move_to(self, root: str) -> None:
        """Give everything another place; what is there is replaced, in one step on a disk of this machine."""
        self._files.move_to(root)
        self.__init__(root)  # type: ignore[misc]


class _LocalFiles:
    """Files in a folder."""

    def __init__(self, folder: Path, mode: int) -> None:
        self._folder, self._mode = folder, mode

    def write(self, name: str, data: bytes) -> None:
        self._folder.mkdir(mode=self._mode, parents=True, exist_ok=True)
        temporary = self._folder / f".{name}.{os.getpid()}.tmp"
        temporary.write_bytes(data)
        temporary.replace(self._folder / name)

    def read(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def put(self, name: str, path: Path) -> None:
        self._folder.mkdir(mode=self._mode, parents=True, exist_ok=True)
        temporary = self._folder / f".{name}.{os.getpid()}.tmp"
        shutil.move(path, temporary)
        temporary.replace(self._folder / name)

    def path(self, name: str) -> Path:
        return self._folder / name

    def exists(self, name: str) -> bool:
        return (self._folder / name).exists()

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def move_to(self, root: str) -> None:
        for left in self._folder.glob(".*.tmp"):  # by a process that was killed
            left.unlink(missing_ok=True)
        give_place(self._folder, root)


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

    def put(self, name: str, path: Path) -> None:
        self._files.makedirs(self._path, exist_ok=True)
        self._files.put_file(str(path), f"{self._path}/{name}")
        path.unlink()

    def exists(self, name: str) -> bool:
        return bool(self._files.exists(f"{self._path}/{name}"))

    def remove(self, name: str) -> None:
        if self._files.exists(f"{self._path}/{name}"):
            self._files.rm_file(f"{self._path}/{name}")

    def clear(self) -> None:
        if self._files.exists(self._path):
            self._files.rm(self._path, recursive=True)

    def move_to(self, root: str) -> None:
        goal = self._files._strip_protocol(root)
        _RemoteFiles(self._files, goal).clear()
        self._files.makedirs(goal, exist_ok=True)
        names = [path.rpartition("/")[2] for path in self._files.ls(self._path, detail=False)]
        for name in sorted(names, key=lambda name: (name == MANIFEST, name)):  # what is whole has a manifest
            self._files.mv(f"{self._path}/{name}", f"{goal}/{name}")
        self.clear()


def _remote_files(url: str) -> _RemoteFiles:
    try:
        from fsspec.core import url_to_fs

        return _RemoteFiles(*url_to_fs(url))
    except ImportError:
        raise MissingExtraError(
            f"{url!r} needs fsspec (and its package for this kind of URL): pip install fsspec."
        ) from None
    except ValueError as error:
        raise StorageError(f"{url!r} is no place that fsspec knows: {error}.") from None
