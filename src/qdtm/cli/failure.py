"""What a command's failure looks like: exceptions in, one line on stderr and an exit code out."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from qdtm.cli.console import one_line
from qdtm.errors import QdtmError

BROKEN_PIPE = 141
_DEBUG = "qdtm.debug"
_LONGEST_NAME = 100
_DISK_REFUSES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
_NAME_REFUSED = (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES)


class Failure(click.ClickException):
    """An error that the user can mend: `qdtm: message`, exit code 2."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line."""
        click.echo(f"qdtm: {self.message}", file=file, err=file is None)


class UnexpectedFailure(Failure):
    """An error that is our bug."""

    exit_code = 1


class InterruptedFailure(Failure):
    """The user stopped the command."""

    exit_code = 130


def debug_option(function: Any) -> Any:
    """Add `--debug`, which `one_line_failures` obeys."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        ctx.meta[_DEBUG] = value

    return click.option(
        "--debug", is_flag=True, expose_value=False, is_eager=True, callback=remember,
        help="Show a traceback if something fails.",
    )(function)  # fmt: skip


@contextmanager
def one_line_failures(ctx: click.Context | None = None) -> Iterator[None]:
    """Turn what a command raises into one line and an exit code; raise it as it is with `--debug`."""
    try:
        yield
        sys.stdout.flush()
    except (click.exceptions.Exit, click.Abort, Failure):
        raise
    except BrokenPipeError:
        _close_stdout()
        raise click.exceptions.Exit(BROKEN_PIPE) from None
    except (Exception, KeyboardInterrupt) as error:
        if ctx is not None and ctx.meta.get(_DEBUG):
            raise
        raise _failure(error) from None


def _failure(error: BaseException) -> Failure:
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "qdtm"
        return Failure(f"{error.format_message()} See '{command} --help'.")
    if isinstance(error, click.ClickException):
        return Failure(error.format_message())
    if isinstance(error, KeyboardInterrupt):
        return InterruptedFailure("interrupted; nothing was written.")
    if isinstance(error, QdtmError):
        return Failure(str(error))
    if isinstance(error, OSError) and error.errno in _DISK_REFUSES:
        return Failure(f"cannot write: {error.strerror}; make room, or write elsewhere.")
    if isinstance(error, OSError) and error.errno in _NAME_REFUSED:
        return Failure(f"cannot use {_shortened(str(error.filename))!r}: {error.strerror}.")
    if isinstance(error, MemoryError):
        return Failure("there is not enough memory for this; try a smaller vocabulary (--max-words).")
    return UnexpectedFailure(f"unexpected {type(error).__name__}: {error}; use --debug to see where.")


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."


def _close_stdout() -> None:
    """Send what is still unwritten nowhere, so that Python does not complain about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
