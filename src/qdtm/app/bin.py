"""What was removed from a workspace: a corpus or result in, the same back for thirty days, or gone for good.

A folder in the bin is the folder itself, moved in one step, with a note inside that says when and what. A
kill between two steps leaves it in one place or the other, and whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from qdtm.app.workspace import KINDS, Kind, NotFoundError, Workspace, read_json, remove_folder, write_json
from qdtm.errors import StorageError

KEPT = timedelta(days=30)
"""How long something stays in the bin."""

_NOTE = "binned.json"
_LONGEST = 300


@dataclass(frozen=True)
class Binned:
    """Something in the bin.

    Attributes
    ----------
    kind : {"corpora", "jobs"}
    id : str
        Under which it comes back.
    what : str
        What the user calls it.
    when : datetime
        When it was removed, UTC.
    """

    kind: Kind
    id: str
    what: str
    when: datetime

    @property
    def until(self) -> datetime:
        """When it goes for good."""
        return self.when + KEPT


def discard(workspace: Workspace, kind: Kind, id: str, what: str, now: datetime | None = None) -> None:
    """Move a corpus or a result to the bin.

    Raises
    ------
    NotFoundError
        If it is not there, or not any more: another tab was faster.
    StorageError
        If the disk refuses.
    """
    folder = workspace.existing(kind, id)
    _note(workspace, folder / _NOTE, what, now)
    try:
        folder.rename(workspace.binned(kind, id))
    except FileNotFoundError:
        raise NotFoundError("It is not there any more; another page may have removed it.") from None
    except OSError as error:
        raise StorageError(f"It could not be moved to the bin: {error.strerror or error}.") from error


def restore(workspace: Workspace, kind: Kind, id: str) -> None:
    """Bring something back from the bin, under the id that it had.

    Raises
    ------
    NotFoundError
        If it is not in the bin, or not any more.
    StorageError
        If its place is taken, or the disk refuses.
    """
    folder = workspace.folder(kind, id)
    if folder.exists():
        raise StorageError("It is there already; nothing was brought back.")
    try:
        workspace.binned(kind, id).rename(folder)
    except FileNotFoundError:
        raise NotFoundError("It is not in the bin any more.") from None
    except OSError as error:
        raise StorageError(f"It could not be brought back: {error.strerror or error}.") from error
    with suppress(OSError):
        (folder / _NOTE).unlink()


def delete(workspace: Workspace, kind: Kind, id: str) -> None:
    """Remove something in the bin for good.

    Raises
    ------
    NotFoundError
        If it is not in the bin, or not any more.
    """
    remove_folder(workspace.binned(kind, id))


def in_bin(workspace: Workspace) -> list[Binned]:
    """Return what is in the bin, what was removed last first."""
    return sorted(_all(workspace), key=lambda each: (each.when, each.id), reverse=True)


def find_binned(workspace: Workspace, kind: Kind, id: str) -> Binned | None:
    """Return something as it lies in the bin, None if it does not."""
    folder = workspace.binned(kind, id)
    if not folder.is_dir():
        return None
    note = read_json(folder / _NOTE) or {}
    when = _time(str(note.get("when")))
    if when is None:  # damaged: its thirty days begin now
        what = str(note.get("what") or id)
        _note(workspace, folder / _NOTE, what, None)
        return Binned(kind, id, what, datetime.now(UTC))
    return Binned(kind, id, str(note.get("what") or id), when)


def empty_bin(workspace: Workspace, now: datetime | None = None) -> None:
    """Remove for good what has been in the bin for thirty days.

    A clock that was set back makes things stay longer, never shorter.
    """
    now = now or datetime.now(UTC)
    for each in in_bin(workspace):
        if now > each.until:
            with suppress(NotFoundError):
                delete(workspace, each.kind, each.id)


# --- inside ------------------------------------------------------------------------------------------------


def _all(workspace: Workspace) -> Iterator[Binned]:
    for kind in KINDS:
        for id in workspace.binned_ids(kind):
            with suppress(StorageError):
                found = find_binned(workspace, kind, id)
                if found is not None:
                    yield found


def _note(workspace: Workspace, path: Path, what: str, now: datetime | None) -> None:
    when = max(now or datetime.now(UTC), _newest(workspace))
    write_json(path, {"when": when.isoformat(timespec="seconds"), "what": what[:_LONGEST]})


def _newest(workspace: Workspace) -> datetime:
    """Return when the newest thing in the workspace was made: no removal is older, whatever clocks say."""
    ids = [id for kind in KINDS for id in (*workspace.ids(kind), *workspace.binned_ids(kind))]
    times = [_time(f"{id[:4]}-{id[4:6]}-{id[6:8]}T{id[9:11]}:{id[11:13]}:{id[13:15]}+00:00") for id in ids]
    return max((time for time in times if time is not None), default=datetime.min.replace(tzinfo=UTC))


def _time(text: str) -> datetime | None:
    """Read a time with its zone; None if it is none."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
