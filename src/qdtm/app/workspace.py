"""Where the app keeps things: a folder in, named places in it out.

Everything is under a name that the app made up, never one that a user gave. A file is written whole or not at
all, so a kill at any moment leaves nothing half-written behind.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from qdtm.errors import QdtmError, StorageError

Kind = Literal["corpora", "jobs"]
KINDS: tuple[Kind, ...] = ("corpora", "jobs")
BIN = "bin"

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}|demo")
_MAX_JSON_BYTES = 32 * 2**20
_LEFT = (".*.tmp", "*/.*.gone", f"{BIN}/*/.*.gone", "*/*/.*.tmp")  # by a server that was killed


class NotFoundError(QdtmError, LookupError):
    """There is no such corpus or job in the workspace."""


class InBinError(NotFoundError):
    """It is in the bin, from where it can be brought back."""


@dataclass(frozen=True)
class Workspace:
    """A folder with corpora and jobs, and a bin for those that were removed (`qdtm.app.bin`).

    Parameters
    ----------
    root : Path
    """

    root: Path

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Workspace:
        """Open a workspace, making the folder if it is missing.

        Raises
        ------
        StorageError
            If the folder cannot be made or written to.
        """
        root = Path(path).expanduser().absolute()
        try:
            for kind in KINDS:
                (root / kind).mkdir(parents=True, exist_ok=True, mode=0o700)
                (root / BIN / kind).mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = root / f".{secrets.token_hex(4)}.tmp"
            probe.write_bytes(b"")
            probe.unlink(missing_ok=True)  # another server may have tidied up
            for gone in (found for pattern in _LEFT for found in root.glob(pattern)):
                shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
        except OSError as error:
            raise StorageError(
                f"Cannot use {str(path)!r} as a workspace: {error.strerror or error}."
            ) from error
        return cls(root)

    def new(self, kind: Kind) -> str:
        """Make a place for a corpus or a job, and return its id."""
        while True:
            id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
            try:
                (self.root / kind / id).mkdir(mode=0o700)
            except FileExistsError:
                continue
            except OSError as error:
                raise StorageError(f"Cannot write to the workspace: {error.strerror or error}.") from error
            return id

    def folder(self, kind: Kind, id: str) -> Path:
        """Return the folder of a corpus or job, whether it exists or not.

        Raises
        ------
        NotFoundError
            If the id is none of ours; what comes from a browser may be anything.
        """
        if _ID.fullmatch(id) is None:
            raise NotFoundError(f"There is no such {_SINGULAR[kind]}.")
        return self.root / kind / id

    def existing(self, kind: Kind, id: str) -> Path:
        """Return the folder of a corpus or job that exists."""
        folder = self.folder(kind, id)
        if not folder.is_dir():
            if self.binned(kind, id).is_dir():
                raise InBinError(f"This {_SINGULAR[kind]} is in the bin; bring it back from there.")
            raise NotFoundError(f"There is no such {_SINGULAR[kind]}; it may have been removed.")
        return folder

    def binned(self, kind: Kind, id: str) -> Path:
        """Return where a corpus or job lies if it is in the bin."""
        return self.root / BIN / kind / self.folder(kind, id).name

    def ids(self, kind: Kind) -> list[str]:
        """Return the ids of all corpora or jobs, newest first."""
        return _ids_in(self.root / kind)

    def binned_ids(self, kind: Kind) -> list[str]:
        """Return the ids of those that are in the bin."""
        return _ids_in(self.root / BIN / kind)

    def remove(self, kind: Kind, id: str) -> None:
        """Remove a corpus or job for good."""
        remove_folder(self.existing(kind, id))


_SINGULAR: dict[Kind, str] = {"corpora": "corpus", "jobs": "result"}


def _ids_in(folder: Path) -> list[str]:
    """Return the ids in a folder, newest first; none if somebody has removed it."""
    with suppress(FileNotFoundError):
        return sorted((path.name for path in folder.iterdir() if _ID.fullmatch(path.name)), reverse=True)
    return []


def remove_folder(folder: Path) -> None:
    """Remove a folder of the workspace; its name disappears before its files do.

    Raises
    ------
    NotFoundError
        If it is not there, or not any more.
    """
    gone = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.gone")
    try:
        folder.rename(gone)
    except FileNotFoundError:
        raise NotFoundError("It is not there any more; another page may have removed it.") from None
    shutil.rmtree(gone, ignore_errors=True)


def write_json(path: Path, value: object) -> None:
    """Write a JSON file, whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        unfinished.write_text(json.dumps(value, allow_nan=False), encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise StorageError(f"Cannot write to the workspace: {error.strerror or error}.") from error


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a JSON object; None if the file is missing or holds nothing of ours."""
    try:
        if path.stat().st_size > _MAX_JSON_BYTES:
            return None
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def now() -> str:
    """Return the time as it is written down: ISO, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def default_workspace() -> Path:
    """Return where the app keeps things if the user does not say: the platform's place for data."""
    from platformdirs import user_data_path

    return user_data_path("qdtm", appauthor=False) / "workspace"
