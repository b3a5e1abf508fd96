"""Files in, a .zip out whose bytes depend on nothing but their names and contents."""

from __future__ import annotations

from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_PERMISSIONS = 0o644 << 16  # of a plain file


class Archive:
    """A .zip that is being written: the same files give the same bytes, whenever and wherever.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._zip = ZipFile(path, "w", ZIP_DEFLATED, compresslevel=3)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def open(self, name: str) -> IO[bytes]:
        """Open a file in it to write; one at a time."""
        entry = ZipInfo(name)  # of 1980, whatever the clock says
        entry.compress_type, entry.external_attr, entry.create_system = ZIP_DEFLATED, _PERMISSIONS, 3
        return self._zip.open(entry, "w", force_zip64=True)

    def write(self, name: str, text: str) -> None:
        """Write a file of text, in UTF-8."""
        with self.open(name) as file:
            file.write(text.encode("utf-8"))


def zip_folder(folder: Path, path: Path) -> None:
    """Write all files of a folder to a .zip, in the order of their names, below the folder's own name."""
    with Archive(path) as archive:
        for file in sorted(folder.rglob("*"), key=lambda each: each.relative_to(folder).parts):
            if file.is_file():
                name = f"{folder.name}/{file.relative_to(folder).as_posix()}"
                with archive.open(name) as target, file.open("rb") as source:
                    while block := source.read(1 << 20):
                        target.write(block)
