"""`qdtm bench`: the paper's tables, run anew and set beside what it printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.bench_alone import alone
from qdtm.cli.bench_options import (
    DATASETS,
    dataset_option,
    give,
    running_options,
    runs_option,
    seed_option,
    sweeps_option,
)
from qdtm.cli.bench_rare import rare
from qdtm.cli.bench_speed import speed
from qdtm.cli.bench_staying import staying
from qdtm.cli.bench_subtopics import subtopics
from qdtm.cli.options import together

if TYPE_CHECKING:
    from qdtm.evaluation.bench import CellResult
    from qdtm.evaluation.systems.registry import Table

bench_options = together(
    dataset_option,
    click.option("--model", "models", multiple=True, metavar="NAME",
                 help="A row; may be repeated.  [the rows of the paper that can be run here]"),
    runs_option(5),
    seed_option,
    sweeps_option,
    click.option("--preset", type=click.Choice(["default", "paper"]), default="default", show_default=True,
                 help="'paper' starts and runs as the paper does: 2,000 sweeps a phase."),
    click.option("--encoder", metavar="NAME|DIR",
                 help="The Transformer of rows that need one.  [BERT for bert, MiniLM for others]"),
    running_options,
)  # fmt: skip


@click.group()
def bench() -> None:
    """Run the paper's experiments and compare.

    Each run of a model on a corpus is kept when it is finished, and not repeated unless the code, the corpus
    or an option changes: Ctrl-C and the same command again go on where it was.
    """


bench.add_command(speed)
bench.add_command(alone)
bench.add_command(staying)
bench.add_command(rare)
bench.add_command(subtopics)


@bench.command()
@bench_options
def table1(**options: Any) -> None:
    """Compare parent topics: accuracy, coherence and precision@K (Table 1)."""
    _figures("table1", options)


@bench.command()
@bench_options
def table3(**options: Any) -> None:
    """Compare subtopics: diversity, cohesion and their product (Table 3)."""
    _figures("table3", options)


@bench.command()
@bench_options
def topics(**options: Any) -> None:
    """Show the words of the topics beside the paper's (Tables 2, 4, B1 and B2).

    With 20 Newsgroups comes the query "business", which that corpus seldom has, asked alone.
    """
    from qdtm.cli.bench_views import word_pages
    from qdtm.evaluation.bench import compare_words

    give(compare_words(_run("topics", options)), word_pages, options)


def _figures(table: Table, options: dict[str, Any]) -> None:
    from qdtm.cli.bench_views import figure_pages
    from qdtm.evaluation.bench import summarise

    give(summarise(_run(table, options)), figure_pages, options)


def _run(table: Table, options: dict[str, Any]) -> list[CellResult]:
    """Run the cells that were asked for, with progress on stderr."""
    from qdtm.cli.bench_progress import BenchDisplay, kept_when_interrupted
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.evaluation.bench import CellStore, Workbench, plan_cells, run_cells
    from qdtm.evaluation.bench.summary import check_writable
    from qdtm.evaluation.systems.registry import SystemOptions, make_systems

    if options["out"] is not None:
        check_writable(options["out"])
    chosen = SystemOptions(options["preset"], options["max_sweeps"], options["encoder"])
    notes = notes_console()
    with warnings_as_notes(notes):
        systems = make_systems(options["models"], table, chosen)
    datasets = options["datasets"] or DATASETS
    cells = plan_cells(table, dict.fromkeys(datasets), systems, runs=options["runs"], seed=options["seed"])
    with warnings_as_notes(notes), BenchDisplay(notes, len(cells)) as display, kept_when_interrupted(display):
        return run_cells(
            cells,
            systems,
            Workbench(options["data"], display.downloading),
            CellStore(),
            n_jobs=options["jobs"],
            fresh=options["fresh"],
            on_result=display.finished,
        )
