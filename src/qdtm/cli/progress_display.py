"""What a person sees while a command works, on stderr: how far the reading is, which sweep, how many topics.

On a terminal it is a live line that is gone at the end; in a file, one line a finished stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from qdtm.cli.console import one_line
from qdtm.jit import must_compile

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.progress import Progress as FitProgress

_STAGES = {
    "encoding": "encoding documents",
    "background": "background",
    "parents": "parent topics",
    "subtopics": "subtopics",
}
_Line = tuple[int, str | None]
"""A chain and a query: subtopics of several run side by side."""

_PREPARING, _COMPILING = "preparing", "preparing (the first run compiles its kernels, once)"


class ReadingDisplay(AbstractContextManager["ReadingDisplay"]):
    """A bar for the reading of a file; call it with the documents read and the share of the file."""

    def __init__(self, console: Console, name: str) -> None:
        self._bar = _live(console)
        self._task = self._bar.add_task(one_line(f"reading {name}", 40), total=1.0, note="")

    def __enter__(self) -> ReadingDisplay:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, n_documents: int, share: float) -> None:
        """Show how far the reading is."""
        self._bar.update(self._task, completed=share, note=f"{n_documents:,} documents")


class StepsDisplay:
    """A line for each step of an index that is written in parts, once it is done."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, step: str, done: int, n: int) -> None:
        """Say that a step is done with all files, or parts."""
        if done == n:
            self._console.print(f"{step}: {n:,} of {n:,}")


class FitDisplay(AbstractContextManager["FitDisplay"]):
    """The stages of a fit, a line for each chain; call it with each `qdtm.progress.Progress`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_live = console.is_terminal and not console.quiet
        self._bar = _live(console)
        self._start = _COMPILING if must_compile() else _PREPARING
        self._tasks = {0: self._bar.add_task(self._start, total=None, note="")}
        self._last: dict[_Line, FitProgress] = {}

    def __enter__(self) -> FitDisplay:
        if self._is_live:
            self._bar.start()
        else:
            self._console.print(self._start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_stages(sorted(self._last, key=lambda key: key[0]))
        if self._is_live:
            self._bar.stop()

    def __call__(self, progress: FitProgress) -> None:
        """Show where the fit is."""
        chain = progress.chain
        if chain not in self._tasks:
            self._tasks[chain] = self._bar.add_task("", note="")
        self._end_stages(
            [key for key, last in self._last.items() if key[0] == chain and last.stage != progress.stage]
        )
        self._last[chain, progress.query] = progress
        self._bar.update(
            self._tasks[chain],
            description=_stage(progress),
            total=progress.max_sweeps,
            completed=progress.sweep,
            note=progress.note,
        )

    def _end_stages(self, keys: Iterable[_Line]) -> None:
        """Leave a line about each stage that is over, where no live line shows it."""
        for key in keys:
            last = self._last.pop(key)
            if not self._is_live:
                self._console.print(f"{_stage(last)}: {last.outcome}")


def _stage(progress: FitProgress) -> str:
    name = _STAGES.get(progress.stage, progress.stage)
    return progress.run + (name if progress.query is None else one_line(f"{name} of '{progress.query}'", 40))


def _live(console: Console) -> Progress:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[note]}", markup=False),
    )
    return Progress(*columns, console=console, transient=True)
