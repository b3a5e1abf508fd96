"""Runs drawn at random from docs/results and run again, to see that the program measures what is written.

In: the JSON files of the benches. Out: for each drawn run the command that repeats it, and how far its
figures are from those of the file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from experiments.harness.report import Table, page
from experiments.harness.summary import grouped
from experiments.pages import PAPER_FILE, RESULTS
from qdtm.cli.console import print_page
from qdtm.errors import ParameterError

ASKED_BY = {
    "table1": (),
    "table3": (),
    "together": (),
    "alone": ("query",),
    "rare": ("query", "level"),
    "staying": ("query",),
    "subtopics": ("query",),
}
"""The benches, by the names of their files, and what tells their cells apart beside corpus, row and run."""

ALIKE = 0.0005
"""Figures that are no further apart are the same in the tables, which have three places."""

T = TypeVar("T")
Row = Mapping[str, Any]
Figures = Mapping[tuple[Any, ...], float]
"""What was measured: by metric, query and level, or by query and field."""

_NO_FIGURES = ("seed", "seconds", "runs")


@dataclass(frozen=True)
class Run:
    """A run that a file has figures of.

    Attributes
    ----------
    file : str
        Its name, without .json.
    dataset, model : str
    seed : int
    asked : tuple of str
        Options that choose the query, if a run is of one.
    figures : mapping
        Those of the file.
    """

    file: str
    dataset: str
    model: str
    seed: int
    asked: tuple[str, ...]
    figures: Figures

    @property
    def arguments(self) -> tuple[str, ...]:
        """Of `python -m experiments`, to run it again."""
        bench = self.file.removesuffix(PAPER_FILE)
        preset = ("--preset", "paper") if bench != self.file else ()
        chosen = ("--dataset", self.dataset, "--model", self.model, *self.asked, *preset)
        return (bench, *chosen, "--seed", str(self.seed), "--runs", "1")


@dataclass(frozen=True)
class Check:
    """A run that was run again; `apart` is the largest difference, None where no figure could be compared."""

    run: Run
    n_compared: int
    apart: float | None

    @property
    def is_alike(self) -> bool:
        """Whether the tables would have the same figures."""
        return self.apart is not None and self.apart <= ALIKE


# --- which runs there are --------------------------------------------------------------------------------


def runs_of(file: str, rows: Sequence[Row]) -> list[Run]:
    """Return all runs that the rows of a file have figures of, one by one.

    A row that has fewer runs than others of its model says of no figure which run it is from; it is left out.
    """
    keys = ASKED_BY[file.removesuffix(PAPER_FILE)]
    most = Counter[str]()
    for row in rows:
        most[row["model"]] = max(most[row["model"]], row.get("runs", 1))
    found: dict[tuple[str, str, int, tuple[str, ...]], dict[tuple[Any, ...], float]] = {}
    for row in rows:
        if row.get("runs", 1) < most[row["model"]] or (keys and row.get("query") is None):
            continue
        asked = tuple(part for key in keys if key in row for part in (f"--{key}", str(row[key])))
        for seed, name, value in _figures(row):
            found.setdefault((row["dataset"], row["model"], seed, asked), {})[name] = value
    return [Run(file, *place, figures) for place, figures in found.items()]


def _figures(row: Row) -> Iterator[tuple[int, tuple[Any, ...], float]]:
    """Yield run, name and value of what a row says of single runs."""
    if "metric" in row:
        name = (row["metric"], row.get("query"), row.get("level"))
        by_run = row.get("by_run") or ([row["mean"]] if row["runs"] == 1 else [])
        yield from ((seed, name, value) for seed, value in enumerate(by_run))
        return
    for field, value in row.items():
        if isinstance(value, int | float) and field not in _NO_FIGURES:
            yield row.get("seed", 0), (row.get("query"), field), value


def draw(runs: Sequence[Run], n: int, seed: int) -> list[Run]:
    """Draw runs, none twice: first a file, for long ones should not have all, then a row, then a run."""
    rng, left = np.random.default_rng(seed), list(runs)
    drawn: list[Run] = []
    while left and len(drawn) < n:
        of_file = _one(rng, grouped(left, lambda run: run.file))
        run = _one(rng, _one(rng, grouped(of_file, lambda run: run.model)))
        left.remove(run)
        drawn.append(run)
    return drawn


def _one(rng: np.random.Generator, choices: Sequence[T]) -> T:
    return choices[int(rng.integers(len(choices)))]


# --- run again -------------------------------------------------------------------------------------------


def run_again(run: Run, data: str | None = None) -> Check:
    """Run a run anew in a process of its own, and hold its figures against those of the file."""
    given = () if data is None else ("--data", data)
    command = [sys.executable, "-m", "experiments", *run.arguments, "--fresh", "--json", *given]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return Check(run, 0, None)
    return compare(run, json.loads(done.stdout))


def compare(run: Run, rows: Sequence[Row]) -> Check:
    """Hold the rows of a run of one seed against the figures of a file."""
    now: dict[tuple[Any, ...], float] = {}
    for row in rows:
        if row["dataset"] == run.dataset and row["model"] == run.model:
            now |= {name: value for _, name, value in _figures(row)}
    known = [abs(now[name] - value) for name, value in run.figures.items() if name in now]
    return Check(run, len(known), max(known, default=None))


# --- command ---------------------------------------------------------------------------------------------


@click.command("spot-check")
@click.option("--runs", "n_runs", type=click.IntRange(1), default=5, show_default=True, metavar="N",
              help="How many runs are drawn.")  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Of the draw."
)
@click.option("--file", "files", multiple=True, metavar="NAME",
              help="Draw from this file, without .json; may be repeated.  [all]")  # fmt: skip
@click.option("--model", "models", multiple=True, metavar="NAME", help="Only this row; may be repeated.")
@click.option("--data", type=click.Path(), metavar="DIR", help="The experiments' data.  [$QDTM_DATA]")
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=RESULTS,
              metavar="DIR", help="Where the files are.  [docs/results]")  # fmt: skip
@click.option("--list", "only_list", is_flag=True, help="Say which runs are drawn, and how to repeat them.")
def spot_check(
    n_runs: int,
    seed: int,
    files: Sequence[str],
    models: Sequence[str],
    data: str | None,
    folder: Path,
    only_list: bool,
) -> None:
    """Draw runs from docs/results at random, run them again, and compare.

    Exits with 1 if a figure would be another in the tables, or could not be measured.
    """
    drawn = draw(_known_runs(folder, files, models), n_runs, seed)
    if only_list:
        for run in drawn:
            click.echo(command_of(run))
        return
    checks = [_checked(run, data) for run in drawn]
    heads = ("file", "run", "figures", "apart")
    lines = ((c.run.file, _asked(c.run), str(c.n_compared), _said(c)) for c in checks)
    print_page(page([Table.of(heads, lines)]))
    sys.exit(not all(check.is_alike for check in checks))


def command_of(run: Run) -> str:
    """Return the command that repeats a run, for a shell."""
    import shlex

    return shlex.join(["python", "-m", "experiments", *run.arguments])


def _known_runs(folder: Path, files: Sequence[str], models: Sequence[str]) -> list[Run]:
    """Return the runs of files, or of all that are there."""
    there = [name for bench in ASKED_BY for name in (bench, bench + PAPER_FILE)
             if (folder / f"{name}.json").is_file()]  # fmt: skip
    for name in files:
        if name not in there:
            raise ParameterError(f"There is no file {name!r} of runs. Choose one of {', '.join(there)}.")
    rows = {name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in files or there}
    runs = [run for name, of_file in rows.items() for run in runs_of(name, of_file)]
    found = [run for run in runs if not models or run.model in models]
    if not found:
        raise ParameterError(f"No file has runs of {', '.join(models) or 'any row'}.")
    return found


def _checked(run: Run, data: str | None) -> Check:
    click.echo(command_of(run), err=True)
    return run_again(run, data)


def _asked(run: Run) -> str:
    return " ".join((run.dataset, run.model, f"seed {run.seed}", *run.asked[1::2]))


def _said(check: Check) -> str:
    if check.apart is None:
        return "**nothing to compare**"
    return "none" if check.apart == 0 else f"{check.apart:.1e}" + ("" if check.is_alike else " **differs**")
