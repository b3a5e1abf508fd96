"""Every figure of the documentation, one command: benches and measurements in turn, then the pages.

A bench goes on where it was (its cells are kept); a measurement of time or memory is run whole. What needs a
package that is not installed is left out, and the file keeps what another machine measured. How long each
step took is written beside the figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from experiments.harness.durations import Duration, keep_duration, read_durations
from experiments.pages import RESULTS


@dataclass(frozen=True)
class Step:
    """A command of `python -m experiments`, and what it is for.

    Attributes
    ----------
    name, about : str
    arguments : tuple of str
        Its command and options; "{folder}" stands for where the figures go.
    file : str
        What it writes into docs/results, with `--out`; nothing if it prints what it finds.
    """

    name: str
    about: str
    arguments: tuple[str, ...]
    file: str = ""


PEERS = ("hdp", "keyatm", "topica-seeded-lda", "corex", "keynmf", "bertopic")
"""Rows of queries asked alone that take hours, for each query has a fit of its own."""

STEPS = (
    Step("table1", "Table 1, all rows, five runs", ("table1", "--every-row"), "table1.json"),
    Step("table3", "Table 3, five runs", ("table3",), "table3.json"),
    Step("topics", "the words of Tables 2, 4, B1 and B2", ("topics",), "topics.json"),
    Step("table1-paper", "Table 1 with the paper's 2,000 sweeps, once",
         ("table1", "--preset", "paper", "--runs", "1"), "table1-paper.json"),
    Step("table3-paper", "Table 3 with the paper's 2,000 sweeps, once",
         ("table3", "--preset", "paper", "--runs", "1"), "table3-paper.json"),
    Step("alone", "each query by itself", ("alone",), "alone.json"),
    Step("alone-encoder", "the same with MiniLM, once",
         ("alone", "--model", "qdtm-encoder", "--model", "evidence-encoder", "--runs", "1"), "alone.json"),
    Step("alone-peers", "the same by what people use today, once",
         ("alone", *(option for name in PEERS for option in ("--model", name)), "--runs", "1"), "alone.json"),
    Step("together", "all queries of a corpus at once, five runs", ("together",), "together.json"),
    Step("rare", "categories made rare, once", ("rare", "--runs", "1"), "rare.json"),
    Step("staying", "queries as people ask them", ("staying",), "staying.json"),
    Step("subtopics", "subtopics beside true ones, five runs",
         ("subtopics", "--runs", "5"), "subtopics.json"),
    Step("planted", "rare concepts that were planted", ("planted", "--out", "{folder}/planted.json")),
    Step("review", "simulated readers of hand-checks",
         ("review", "--reads", "1", "--out", "{folder}/review.json")),
    Step("speed", "a sweep beside tomotopy, topica and gensim", ("speed",)),
    Step("scaling", "the cost of a sweep by tokens and topics", ("scaling", "--write")),
    Step("shards", "what shards cost in quality", ("shards",)),
    Step("memory", "the memory of a fit beside its bound", ("memory",)),
    Step("corpus", "a million made-up documents, read, indexed and scored", ("corpus",)),
    Step("million", "a million documents, indexed and asked", ("million",)),
    Step("answering", "a corpus learned once, then asked", ("answering", "--peers")),
    Step("adding", "a query added later, or fitted with all", ("adding",)),
    Step("firmness", "subtopics looked for with other seeds", ("firmness",)),
)  # fmt: skip


@click.command("all")
@click.option(
    "--step",
    "names",
    multiple=True,
    type=click.Choice([step.name for step in STEPS]),
    help="Only this step; may be repeated.  [all]",
)
@click.option("--list", "only_list", is_flag=True, help="Say what would be run, and how long it took last.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Worker processes of benches.",
)
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=RESULTS, metavar="DIR",
              help="Where figures and pages go.  [docs/results]")  # fmt: skip
def everything(names: Sequence[str], only_list: bool, jobs: int, folder: Path) -> None:
    """Measure every figure of the documentation, and write the pages.

    Ctrl-C ends it; the same command goes on with the first step, whose finished runs are kept. A step that
    fails is said at the end, and does not stop the others. What prints its figures leaves them in
    DIR/NAME.log.
    """
    chosen = [step for step in STEPS if not names or step.name in names]
    took = {each.step: each for each in read_durations(folder)}
    if only_list:
        for step in chosen:
            click.echo(f"{step.name:14}{_said(took.get(step.name)):>22}  {step.about}")
        return
    failed = [step.name for step in chosen if not _run(step, jobs, folder)]
    subprocess.run([sys.executable, "-m", "experiments", "pages", "--folder", folder], check=True)
    if failed:
        raise click.ClickException(f"these steps failed: {', '.join(failed)}; their logs are in {folder}")


def _run(step: Step, jobs: int, folder: Path) -> bool:
    """Run a step in a process of its own; return whether it went well, and keep how long it took."""
    click.echo(f"{step.name}: {step.about}")
    given = (each.replace("{folder}", str(folder)) for each in step.arguments)
    arguments = [sys.executable, "-m", "experiments", *given]
    if step.file:
        arguments += ["--jobs", str(jobs), "--update", "--out", str(folder / step.file)]
    start, cpu = time.monotonic(), _cpu_of_children()
    with (folder / f"{step.name}.log").open("w", encoding="utf-8") as log:
        went_well = subprocess.run(arguments, stdout=log).returncode == 0
    took = [round((each - before) / 60, 1)
            for each, before in ((time.monotonic(), start), (_cpu_of_children(), cpu))]  # fmt: skip
    if went_well:
        keep_duration(folder, Duration(step.name, *took))
    return went_well


def _cpu_of_children() -> float:
    """Seconds of CPU of all processes that were started from here and have ended."""
    used = os.times()
    return used.children_user + used.children_system


def _said(took: Duration | None) -> str:
    if took is None:
        return ""
    cpu = "" if took.cpu_minutes is None else f" ({took.cpu_minutes:.0f} of CPU)"
    return f"{took.minutes:.0f} min{cpu}"
