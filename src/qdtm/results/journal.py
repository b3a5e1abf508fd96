"""What people did to a result, act by act: corrections, tags, notes; each can be undone, and done again.

In: acts. Out: `History`, all of them in order and which are in force, and `Journal`, the same in a file of
lines (`journal.jsonl` in a result's folder) that only grows: an undone act stays in it, followed by a line
that takes it back. Whoever appends holds a lock and reads what others wrote first: no act loses another.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from qdtm.errors import ParameterError, StorageError
from qdtm.storage.atomic import write_errors
from qdtm.storage.folders import JOURNAL, require_file
from qdtm.storage.locks import LivenessLock

UNDO, REDO = "undo", "redo"
"""The kinds of the lines that take an act back, and bring it again."""

MAX_LINE = 256 * 2**10
"""Bytes of a line; a note of thirty pages is shorter."""

MAX_FILE = 64 * 2**20
"""Bytes of a journal; a tag takes about 150."""

_MAX_KIND, _MAX_BY = 40, 200  # characters


@dataclass(frozen=True)
class Act:
    """One thing that somebody did.

    Attributes
    ----------
    number : int
        From 1; no two acts of a journal have the same.
    at : str
        When, in UTC, as in "2026-11-18T08:20:00+00:00".
    by : str
        Who, if that is known.
    kind : str
        What was done, such as "rename" or "tag".
    values : mapping
        To what, and how; as JSON can hold it.
    """

    number: int
    at: str
    by: str
    kind: str
    values: Mapping[str, Any]

    @classmethod
    def from_json(cls, values: Any) -> Act:
        """Return what a line of a journal describes; anything else raises."""
        number, at, by, kind = (values[name] for name in ("number", "at", "by", "kind"))
        if type(number) is not int or number < 1 or not isinstance(values["values"], dict):
            raise ValueError("no act")
        if not all(isinstance(each, str) for each in (at, by, kind)) or len(kind) > _MAX_KIND:
            raise ValueError("no act")
        datetime.fromisoformat(at)
        return cls(number, at, by[:_MAX_BY], kind, values["values"])


# --- what is in force ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """All that was done to a result, what was undone too.

    Attributes
    ----------
    lines : tuple of Act
        In the order in which they were done; those of the kinds "undo" and "redo" are about another.
    n_damaged : int
        Lines of the file that could not be read.
    """

    lines: tuple[Act, ...] = ()
    n_damaged: int = 0

    @cached_property
    def acts(self) -> tuple[Act, ...]:
        """The acts that are in force, in order."""
        undone = set(self._undone)
        done = (act for act in self.lines if act.kind not in (UNDO, REDO))
        return tuple(act for act in done if act.number not in undone)

    @property
    def undone(self) -> tuple[Act, ...]:
        """The acts that were undone, the last one to be undone at the end."""
        known = {act.number: act for act in self.lines}
        return tuple(known[number] for number in self._undone if number in known)

    @cached_property
    def _undone(self) -> tuple[int, ...]:
        undone: list[int] = []
        for line in self.lines:
            number = line.values.get("number")
            if line.kind == UNDO and isinstance(number, int):
                undone.append(number)
            elif line.kind == REDO and number in undone:
                undone.remove(number)
        return tuple(undone)

    @property
    def last(self) -> int:
        """The number of the last line; 0 if nothing was done yet."""
        return self.lines[-1].number if self.lines else 0

    def append(self, kind: str, values: Mapping[str, Any], by: str = "") -> History:
        """Return the history with one more act."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        act = Act(self.last + 1, now, by[:_MAX_BY], kind, dict(values))
        return replace(self, lines=(*self.lines, act))

    def undo(self, number: int | None = None, by: str = "") -> History:
        """Return the history without an act: that of a number, else the last one that is in force.

        Raises
        ------
        ParameterError
            If there is no such act, or it was undone before.
        """
        if not self.acts:
            raise ParameterError("There is nothing to undo.")
        number = self.acts[-1].number if number is None else number
        if number not in {act.number for act in self.acts}:
            raise ParameterError(f"There is no act {number} to undo.")
        return self.append(UNDO, {"number": number}, by)

    def redo(self, number: int | None = None, by: str = "") -> History:
        """Return the history with an undone act in its old place: that of a number, else the last undone.

        Raises
        ------
        ParameterError
            If nothing was undone, or not this.
        """
        undone = [act.number for act in self.undone]
        if not undone:
            raise ParameterError("There is nothing to do again.")
        number = undone[-1] if number is None else number
        if number not in undone:
            raise ParameterError(f"There is no act {number} to do again.")
        return self.append(REDO, {"number": number}, by)

    @property
    def damage(self) -> str:
        """What of the file cannot be read, in a sentence; nothing if all can."""
        n = self.n_damaged
        lines = "1 line" if n == 1 else f"{n:,} lines"
        return (
            f"{lines} of {JOURNAL} cannot be read and {'is' if n == 1 else 'are'} passed over." if n else ""
        )


# --- the file -----------------------------------------------------------------------------------------------


class Journal:
    """The acts that are kept in a file.

    Parameters
    ----------
    path : path
        Of the file, or of the folder of a result, which has it as `journal.jsonl`. It need not be there yet.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        given = Path(path)
        self.path = given / JOURNAL if given.is_dir() else given

    @property
    def history(self) -> History:
        """All that the file has now.

        Raises
        ------
        StorageError
            If it cannot be read, or is too large.
        """
        return History(*self._read())

    @property
    def acts(self) -> tuple[Act, ...]:
        """The acts that are in force, in order."""
        return self.history.acts

    def append(self, kind: str, values: Mapping[str, Any], by: str = "") -> Act:
        """Add an act, after all that others added by now, and return it.

        Raises
        ------
        ParameterError
            If it is longer than a line may be, or is nothing that JSON can hold.
        StorageError
            If the disk refuses.
        """
        with self._writing() as history:
            return self._add(history.append(kind, values, by))

    def undo(self, number: int | None = None, by: str = "") -> Act:
        """Undo an act, by default the last one in force, and return it; see `History.undo`."""
        with self._writing() as history:
            undone = history.undo(number, by)
            self._add(undone)
            return undone.undone[-1]

    def redo(self, number: int | None = None, by: str = "") -> Act:
        """Do again what was undone, by default last, and return it; see `History.redo`."""
        with self._writing() as history:
            line = self._add(history.redo(number, by))
            return next(act for act in history.undone if act.number == line.values["number"])

    def follow(self, before: History, after: History) -> bool:
        """Add what a history has that another had not, unless somebody else was faster; tell whether it was.

        Raises
        ------
        ParameterError, StorageError
            As `append`.
        """
        with self._writing() as history:
            if history.last != before.last:
                return False
            for n in range(len(before.lines), len(after.lines)):
                self._add(replace(after, lines=after.lines[: n + 1]))
        return True

    def write(self, history: History) -> None:
        """Write a whole history to a file that is not there yet."""
        with write_errors(self.path):
            self.path.write_bytes(b"".join(map(_line, history.lines)))

    # --- inside ------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[History]:
        """Keep others from writing, and give what the file has."""
        lock = LivenessLock(self.path.with_name(f".{self.path.name}.lock"))
        with write_errors(self.path):
            lock.take(wait=True)
        try:
            yield self.history
        finally:
            lock.release(remove=True)

    def _add(self, history: History) -> Act:
        """Append the last line of a history to the file, and see that it reaches the disk."""
        act = history.lines[-1]
        line = _line(act)
        is_new = not self.path.exists()
        with write_errors(self.path), self.path.open("ab", buffering=0) as file:
            before = file.tell()
            if before + len(line) > MAX_FILE:
                raise StorageError(f"{str(self.path)!r} is full: it has {MAX_FILE >> 20} MB.")
            if before and not self._ends_a_line():
                line = b"\n" + line  # what a killed process began stays a line of its own
            try:
                while line:
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
            except OSError:  # a full disk takes a part of it
                file.truncate(before)
                if is_new:
                    self.path.unlink()
                raise
        return act

    def _ends_a_line(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _read(self) -> tuple[tuple[Act, ...], int]:
        """Return the acts in the file, and how many lines are none."""
        try:
            require_file(self.path)
            if self.path.stat().st_size > MAX_FILE:
                raise StorageError(f"{str(self.path)!r} is damaged: larger than {MAX_FILE >> 20} MB.")
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return (), 0
        except OSError as error:
            raise StorageError(f"Cannot read {str(self.path)!r}: {error.strerror or error}.") from error
        return _parsed(lines)


def _parsed(lines: list[bytes]) -> tuple[tuple[Act, ...], int]:
    """Return the acts of lines, each with a larger number than the one before, and how many are none."""
    acts: list[Act] = []
    n_damaged = 0
    for line in lines:
        try:
            act = Act.from_json(json.loads(line[: MAX_LINE + 1]))
            if act.number <= (acts[-1].number if acts else 0):
                raise ValueError("an act that was there before")
            acts.append(act)
        except (ValueError, KeyError, TypeError, RecursionError):
            n_damaged += bool(line.strip())
    return tuple(acts), n_damaged


def _line(act: Act) -> bytes:
    try:
        line = json.dumps(asdict(act), ensure_ascii=True, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise ParameterError(f"What was done ({act.kind}) cannot be kept: {error}.") from error
    if len(line) > MAX_LINE:
        raise ParameterError(f"What was done ({act.kind}) is too long to be kept: {len(line):,} bytes.")
    return line
