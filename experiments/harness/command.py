"""What the commands of benches share: options, progress on stderr, and rows as a page, JSON or a file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from experiments.harness.cells import Bench, Cell, Model, ResultT
from experiments.harness.records import as_json, check_writable, read_rows, write_rows
from experiments.harness.report import page
from experiments.harness.run import run_cells
from experiments.harness.store import CellStore
from experiments.harness.summary import unique
from experiments.harness.workbench import Workbench
from qdtm.cli.console import notes_console, print_json, print_page, warnings_as_notes
from qdtm.cli.failure import InterruptedFailure
from qdtm.cli.options import output_options, together

if TYPE_CHECKING:
    from rich.console import Console


INSTRUCTIONS = ("TOMOTOPY_ISA", "avx2")
"""With wider instructions, where a processor has them, tomotopy rounds otherwise, and finds other trees."""


def datasets_option(names: Sequence[str], usual: str = "all") -> Any:
    """Make the option of which corpora are asked."""
    return click.option(
        "--dataset", "datasets", multiple=True, type=click.Choice(names),
        help=f"A corpus; may be repeated.  [{usual}]",
    )  # fmt: skip


def models_option(usual: str = "all that can be run here") -> Any:
    """Make the option of which rows are run."""
    return click.option(
        "--model", "models", multiple=True, metavar="NAME", help=f"A row; may be repeated.  [{usual}]"
    )


queries_option = click.option(
    "--query", "queries", multiple=True, metavar="N|TEXT",
    help="A query, by its number from 0 or its name; may be repeated.  [all]",
)  # fmt: skip


def running_options(runs: int) -> Any:
    """Make the options of how cells are run; `runs` is how often each model is by default."""
    return together(
        click.option("--runs", type=click.IntRange(1), default=runs, show_default=True, metavar="N",
                     help="Runs of each model, with one seed after the other."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N",
                     help="Of the first run."),
        click.option("--max-sweeps", type=click.IntRange(1), metavar="N", help="Sweeps of a phase at most."),
        click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
                     help="Worker processes; the result is the same with any."),
        click.option("--data", type=click.Path(), metavar="DIR",
                     help="The experiments' data.  [$QDTM_DATA, else downloaded]"),
        click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.json",
                     help="Write the figures here too."),
        click.option("--update", is_flag=True, help="Leave rows of other models and corpora in FILE.json."),
        click.option("--fresh", is_flag=True, help="Run finished cells too."),
        output_options,
    )  # fmt: skip


def run_bench(
    bench: Bench[ResultT, Any],
    options: Mapping[str, Any],
    make_models: Callable[[], Mapping[str, Model]],
    plan: Callable[[Sequence[str]], Sequence[Cell]],
    workbench: Workbench,
) -> None:
    """Run the cells of a bench with progress on stderr, then print and write what they come to.

    Parameters
    ----------
    bench : Bench
    options : mapping
        Those of the command.
    make_models : callable
        Makes the rows that can be run here; its warnings are shown.
    plan : callable
        Lists the cells of rows by their names.
    workbench : Workbench
    """
    if options["out"] is not None:
        check_writable(options["out"])
    os.environ.setdefault(*INSTRUCTIONS)
    notes = notes_console()
    with warnings_as_notes(notes):
        models = make_models()
        cells = plan(tuple(models))
        with RunDisplay(notes, len(cells)) as display, kept_when_interrupted(display):
            workbench.progress = display.downloading
            results = run_cells(
                bench, cells, models, workbench, CellStore(bench), n_jobs=options["jobs"],
                fresh=options["fresh"],
                on_result=lambda result, is_new: display.finished(_line(bench, result), is_new),
            )  # fmt: skip
    rows = bench.summarise(results)
    if options["out"] is not None:
        write_rows(options["out"], _joined(rows, _before(bench, options)))
    if options["as_json"]:
        print_json([as_json(row) for row in rows])
    else:
        print_page(page(bench.report(rows)))


def _before(bench: Bench[ResultT, Any], options: Mapping[str, Any]) -> list[Any]:
    """Return the rows that a file has, if those of other models and corpora are to stay."""
    return read_rows(options["out"], bench.row) if options["update"] and options["out"].is_file() else []


def _joined(rows: Sequence[Any], before: Sequence[Any]) -> list[Any]:
    """Put rows in place of those of the same models and corpora; others stay, and where they were."""
    measured = {(row.dataset, row.model) for row in rows}
    known = unique((row.dataset, row.model) for row in before)
    places = {pair: place for place, pair in enumerate(known)}
    others = [row for row in before if (row.dataset, row.model) not in measured]
    return sorted([*others, *rows], key=lambda row: places.get((row.dataset, row.model), len(places)))


def _line(bench: Bench[ResultT, Any], result: ResultT) -> str:
    cell, said = result.cell, bench.describe(result)
    return f"{cell.bench} {cell.dataset} {cell.model} seed {cell.seed}: {result.seconds:.1f} s{said}"


class RunDisplay(AbstractContextManager["RunDisplay"]):
    """What a person sees while cells run: downloads, how many are done, and a line for each, on stderr.

    Parameters
    ----------
    console : Console
    n_cells : int
        How many runs there are in all.
    """

    def __init__(self, console: Console, n_cells: int) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._console, self.n_cells = console, n_cells
        self.n_done = self._n_kept = 0
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

    def __enter__(self) -> RunDisplay:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        minutes = (time.monotonic() - self._start) / 60
        kept = f" ({self._n_kept} kept from before)" if self._n_kept else ""
        self._console.print(f"{self.n_done} of {self.n_cells} runs{kept}, {minutes:.1f} minutes")

    def finished(self, line: str, is_new: bool) -> None:
        """Show that a run is finished."""
        self.n_done += 1
        self._n_kept += not is_new
        self._bar.update(
            self._task, description="runs", completed=self.n_done, note=f"{self.n_done} of {self.n_cells}"
        )
        if is_new:
            self._console.print(line, soft_wrap=True)

    def downloading(self, name: str, n_bytes: int, total: int | None) -> None:
        """Show how far a download is."""
        note = f"{name} {n_bytes / 1e6:.1f} MB"
        self._bar.update(self._download, visible=n_bytes != total, completed=n_bytes, total=total, note=note)


@contextmanager
def kept_when_interrupted(display: RunDisplay) -> Iterator[None]:
    """Say after Ctrl-C what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedFailure(
            f"interrupted; {display.n_done} of {display.n_cells} runs are finished and kept. "
            "The same command goes on from there."
        ) from None
