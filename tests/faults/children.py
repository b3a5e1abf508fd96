"""Copies of this process: something to run in, how it ended out, with a say at each file operation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from qdtm.errors import QdtmError

REFUSED = 2
"""The exit code of what ended with one line for the user."""

_FILE_EVENTS = ("open", "os.", "shutil.", "sqlite3.connect")
_WRITING_EVENTS = ("os.rename", "os.mkdir", "os.fsync")
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def in_child(run: Callable[[], object], meanwhile: Callable[[int], object] | None = None) -> int:
    """Run something in a copy of this process; return its exit code, negative if it was killed."""
    process = os.fork()
    if process == 0:
        os._exit(_exit_code_of(run))
    if meanwhile is not None:
        meanwhile(process)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _exit_code_of(run: Callable[[], object]) -> int:
    try:
        run()
    except click.ClickException as error:
        print(error.message, file=sys.stderr, flush=True)
        return error.exit_code if "\n" not in error.message else 1
    except QdtmError as error:  # of the app, which says it on a page
        print(error, file=sys.stderr, flush=True)
        return REFUSED if "\n" not in str(error) else 1
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


def on_file_operations(act: Callable[[int], object], *, writing_only: bool = False) -> list[int]:
    """Call `act` with the number of each file operation of this process; return where they are counted.

    There is no way back: for children only.
    """
    count = [0]

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if _writes(event, arguments) if writing_only else event.startswith(_FILE_EVENTS):
            count[0] += 1
            act(count[0])

    fsync = os.fsync

    def watched_fsync(descriptor: int) -> None:
        watch("os.fsync", ())
        fsync(descriptor)

    os.fsync = watched_fsync
    sys.addaudithook(watch)
    return count


def count_operations(run: Callable[[], object], *, writing_only: bool = False) -> int:
    """Return how many file operations something has."""
    reading, writing = os.pipe()

    def counted() -> None:
        operations = on_file_operations(lambda _: None, writing_only=writing_only)
        run()
        os.write(writing, str(operations[0]).encode())

    if in_child(counted) != 0:
        raise SystemExit("it fails even if it is left alone")
    return int(os.read(reading, 100))


def _writes(event: str, arguments: tuple[object, ...]) -> bool:
    if event == "open":
        return isinstance(arguments[2], int) and bool(arguments[2] & _WRITING_FLAGS)
    return event.startswith(_WRITING_EVENTS)
