"""What a person sees while experiments run, on stderr: downloads, how many runs are done, what each got.

Every finished run leaves a line; on a terminal there is a bar below.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.evaluation.bench import CellResult


class BenchDisplay(AbstractContextManager["BenchDisplay"]):
    """The progress of experiments.

    Parameters
    ----------
    console : Console
    n_cells : int
        How many runs there are in all.
    """

    def __init__(self, console: Console, n_cells: int) -> None:
        self._console = console
        self.n_cells = n_cells
        self._n_kept = 0
        self._start = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("preparing", total=n_cells, note="")
        self._download = self._bar.add_task("downloading", visible=False, note="")
        self.n_done = 0

    def __enter__(self) -> BenchDisplay:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        minutes = (time.monotonic() - self._start) / 60
        kept = f" ({self._n_kept} kept from before)" if self._n_kept else ""
        self._console.print(f"{self.n_done} of {self.n_cells} runs{kept}, {minutes:.1f} minutes")

    def finished(self, result: CellResult, is_new: bool) -> None:
        """Show that a run is finished."""
        self.n_done += 1
        self._n_kept += not is_new
        self._bar.update(
            self._task, description="runs", completed=self.n_done, note=f"{self.n_done} of {self.n_cells}"
        )
        if is_new:
            self._console.print(_line(result), soft_wrap=True)

    def downloading(self, name: str, n_bytes: int, total: int | None) -> None:
        """Show how far a download is."""
        note = f"{name} {n_bytes / 1e6:.1f} MB"
        self._bar.update(self._download, visible=n_bytes != total, completed=n_bytes, total=total, note=note)


@contextmanager
def kept_when_interrupted(display: BenchDisplay) -> Iterator[None]:
    """Say after Ctrl-C what is kept."""
    from qdtm.cli.failure import InterruptedFailure

    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedFailure(
            f"interrupted; {display.n_done} of {display.n_cells} runs are finished and kept. "
            "The same command goes on from there."
        ) from None


def _line(result: CellResult) -> str:
    cell = result.cell
    figures = "".join(f", {figure.metric} {figure.value:.3f}" for figure in result.figures)
    return f"{cell.table} {cell.dataset} {cell.model} seed {cell.seed}: {result.seconds:.1f} s{figures}"
