"""Where a command prints: results on stdout, progress and notes on stderr, and only text that is safe."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from qdtm.errors import StorageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


# --- safe text ----------------------------------------------------------------------------------------------
#
# Text of unknown origin in, text that is safe to print out.
#
# A document may hold control characters, colour codes or marks that reverse the reading direction; none of
# them may reach a terminal.

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b.?"
)
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line, without control characters, cut to `limit` characters."""
    text = " ".join(_UNPRINTABLE.sub(" ", _ESCAPE.sub("", text)).split())
    if limit is None or len(text) <= limit:
        return text
    cut = text[: limit - 1]
    at_a_space = cut.rsplit(" ", 1)[0]
    return (at_a_space if len(at_a_space) > limit // 2 else cut).rstrip(" ,.;:") + "…"


# --- consoles -----------------------------------------------------------------------------------------------


def results_console() -> Console:
    """Return the console for results; no colour codes unless it is a terminal, and nothing is markup."""
    return _console(sys.stdout)


def print_page(sections: Iterable[RenderableType]) -> None:
    """Print sections as results; without the blanks at the ends of lines unless it is a terminal."""
    console = results_console()
    for section in sections:
        if console.is_terminal:
            console.print(section)
            continue
        with console.capture() as captured:
            console.print(section)
        click.echo("\n".join(line.rstrip() for line in captured.get().split("\n")), nl=False)


def notes_console(*, quiet: bool = False) -> Console:
    """Return the console for progress and notes."""
    console = _console(sys.stderr)
    console.quiet = quiet
    return console


def print_start(console: Console, text: str) -> None:
    """Say at once what is about to happen, before anything is loaded; on a terminal, until the next line."""
    console.print(one_line(text), end="\r" if console.is_terminal else "\n", soft_wrap=True)


def print_reading(console: Console, corpus: Sequence[str]) -> None:
    """Say that a corpus is about to be read; if it is not there, the error says all there is to say."""
    first = corpus[0]
    if Path(first).exists() or any(sign in first for sign in ("*", "?", "[", "::", "://")):
        print_start(console, f"reading {several_names(corpus)}")


def several_names(names: Sequence[str]) -> str:
    """Return the first of several names, and how many more there are."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"


def print_json(value: Any) -> None:
    """Print a result as JSON, numbers as numbers, in ASCII so that it survives any pipe."""
    click.echo(json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2))


def print_note(console: Console, kind: str, text: str) -> None:
    """Print a line that says something the user should know; `kind` is "note" or "warning"."""
    console.print(f"qdtm: {kind}: {one_line(text)}", style="yellow", soft_wrap=True)


@contextmanager
def warnings_as_notes(console: Console) -> Iterator[None]:
    """Print the package's warnings as lines of ours while a command runs."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print_note(console, "warning", str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def check_free(output: str, *, force: bool) -> None:
    """Refuse a file that is there already, unless it may be replaced, before any work.

    Raises
    ------
    StorageError
    """
    path = Path(output)
    if path.is_dir():
        raise StorageError(f"{output!r} is a folder; give the name of a file.")
    if path.exists() and not force:
        raise StorageError(f"{output!r} exists already; use --force to replace it.")


@contextmanager
def opened(output: str | None) -> Iterator[TextIO]:
    """Give a file to write, which gets its name when it is whole; or the screen."""
    from qdtm.storage.atomic import placed_file, write_errors

    if output is None:
        yield lenient(sys.stdout)
        return
    with (
        placed_file(output) as path,
        write_errors(output),
        path.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        yield file


def lenient(stream: Any) -> Any:
    """Return a stream that prints "?" for a character it does not have, and never fails for that."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    return stream


def _console(stream: Any) -> Console:
    from rich.console import Console

    return Console(file=lenient(stream), markup=False, emoji=False, highlight=False)
