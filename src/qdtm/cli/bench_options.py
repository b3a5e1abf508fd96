"""What `qdtm bench` commands on the experiments have in common: options, and what is done with rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import output_options, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rich.console import RenderableType

    from qdtm.evaluation.bench import CellResult

DATASETS = ("20news", "tagmynews", "searchsnippets")
NATURAL = ("ohsumed23", "clinc150-domains", "clinc150-intents", "uscongress")


def datasets_option(names: Sequence[str], usual: str = "all") -> Any:
    """Make the option of which corpora are asked."""
    return click.option(
        "--dataset", "datasets", multiple=True, type=click.Choice(names),
        help=f"A corpus; may be repeated.  [{usual}]",
    )  # fmt: skip


dataset_option = datasets_option(DATASETS)

queries_option = click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="N|TEXT",
    help="A query, by its number from 0 or its name; may be repeated.  [all]",
)

seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Of the first run."
)

sweeps_option = click.option(
    "--max-sweeps", type=click.IntRange(1), metavar="N", help="Sweeps of a phase at most."
)

running_options = together(
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
                 help="Worker processes; the result is the same with any."),
    click.option("--data", type=click.Path(), metavar="DIR",
                 help="The experiments' data.  [$QDTM_DATA, else downloaded]"),
    click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.json",
                 help="Write the figures here too."),
    click.option("--fresh", is_flag=True, help="Run finished cells too."),
    output_options,
)  # fmt: skip


def runs_option(default: int) -> Any:
    """Make the option of how often each model is run."""
    return click.option(
        "--runs", type=click.IntRange(1), default=default, show_default=True, metavar="N",
        help="Runs of each model, with one seed after the other.",
    )  # fmt: skip


def run_asked(
    run: Callable[..., list[Any]],
    cells: Sequence[Any],
    rows: Mapping[str, Any],
    make_workbench: Callable[..., Any],
    store: Any,
    shown: Callable[[Any], CellResult],
    options: dict[str, Any],
) -> list[Any]:
    """Ask queries, with progress on stderr; what is finished is kept.

    Parameters
    ----------
    run : callable
        Asks the cells, such as `run_alone`.
    cells, rows, store
        What it is called with.
    make_workbench : callable
        Makes its workbench of a data folder and what is told of downloads.
    shown : callable
        Turns a result into one that the progress display knows.
    options : dict
        Those of the command.
    """
    from qdtm.cli.bench_progress import BenchDisplay, kept_when_interrupted
    from qdtm.cli.console import notes_console, warnings_as_notes

    notes = notes_console()
    with warnings_as_notes(notes), BenchDisplay(notes, len(cells)) as display, kept_when_interrupted(display):
        return run(
            cells,
            rows,
            make_workbench(options["data"], display.downloading),
            store,
            n_jobs=options["jobs"],
            fresh=options["fresh"],
            on_result=lambda result, is_new: display.finished(shown(result), is_new),
        )


def give(
    rows: Sequence[object], pages: Callable[[Any], Iterable[RenderableType]], options: dict[str, Any]
) -> None:
    """Print rows, and write them if a file was named."""
    from qdtm.cli.console import print_json, print_page
    from qdtm.evaluation.bench.summary import as_json, write_json

    if options["out"] is not None:
        write_json(options["out"], rows)
    if options["as_json"]:
        print_json(as_json(rows))
    else:
        print_page(pages(rows))
