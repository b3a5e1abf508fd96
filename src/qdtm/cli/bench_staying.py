"""`qdtm bench staying`: what people ask, and whether the answer stays with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.bench_options import give, run_asked, running_options, runs_option, seed_option, sweeps_option
from qdtm.cli.options import together

if TYPE_CHECKING:
    from qdtm.evaluation.bench import CellResult
    from qdtm.evaluation.bench.staying import StayingResult

MODELS = ("qdtm", "evidence")
"""Rows that say how likely a document is to be about a query."""

staying_options = together(
    click.option("--queries", "queries_file", metavar="FILE.json",
                 type=click.Path(dir_okay=False, path_type=Path),
                 help="What is asked.  [queries/staying.json beside the data folder]"),
    click.option("--dataset", "datasets", multiple=True, metavar="NAME",
                 help="A corpus of that file; may be repeated.  [all]"),
    click.option("--query", "queries", multiple=True, metavar="TEXT",
                 help="A query of that file; may be repeated.  [all]"),
    click.option("--model", "models", multiple=True, type=click.Choice(MODELS),
                 help="A row; may be repeated.  [qdtm]"),
    runs_option(1),
    seed_option,
    sweeps_option,
    running_options,
)  # fmt: skip


@click.command()
@staying_options
def staying(**options: Any) -> None:
    """Ask what people ask, and judge each answer by the texts.

    A specific query is answered acceptably if 80 % of the documents from the cut-off up have a word of it, 6
    of the first ten have all, 70 % of those that name it three times or more are from the cut-off up, and at
    most 4 times as many are about it as name it. One in passing is if it is refused, or at most 1.5 times as
    many are about it as name it and none above 0.5 does not.
    """
    from qdtm.cli.bench_staying_views import staying_pages
    from qdtm.evaluation.bench.staying import summarise_staying
    from qdtm.evaluation.bench.summary import check_writable

    if options["out"] is not None:
        check_writable(options["out"])
    give(summarise_staying(_run(options)), staying_pages, options)


def _run(options: dict[str, Any]) -> list[StayingResult]:
    """Run the cells that were asked for, with progress on stderr."""
    from functools import partial

    from qdtm.evaluation.bench.alone.registry import make_rows
    from qdtm.evaluation.bench.staying import (
        StayingStore,
        StayingWorkbench,
        choose_staying,
        plan_staying,
        read_queries,
        run_staying,
    )

    queries = read_queries(options["queries_file"], options["data"])
    chosen = choose_staying(queries, options["datasets"], options["queries"])
    rows = make_rows(options["models"] or MODELS[:1], options["max_sweeps"])
    cells = plan_staying(queries, chosen, rows, runs=options["runs"], seed=options["seed"])
    make_workbench = partial(StayingWorkbench, queries=queries)
    return run_asked(run_staying, cells, rows, make_workbench, StayingStore(), _shown, options)


def _shown(result: StayingResult) -> CellResult:
    """Return a result as the progress display knows them."""
    from qdtm.evaluation.bench import Cell, CellResult

    cell, fails = result.cell, ", ".join(result.failures)
    place = f"{cell.dataset} {cell.text!r} {f'fails ({fails})' if fails else 'is acceptable'},"
    asked = Cell(cell.table, place, cell.model, cell.seed)  # type: ignore[arg-type]
    return CellResult(asked, (), (), result.seconds)
