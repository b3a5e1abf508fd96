"""`qdtm bench rare`: queries whose category was thinned, beside what else they can be answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.bench_options import (
    DATASETS,
    dataset_option,
    give,
    queries_option,
    run_asked,
    running_options,
    runs_option,
    seed_option,
    sweeps_option,
)
from qdtm.cli.options import together

if TYPE_CHECKING:
    from qdtm.evaluation.bench import CellResult
    from qdtm.evaluation.bench.rare import RareResult

rare_options = together(
    dataset_option,
    queries_option,
    click.option("--level", "levels", multiple=True, metavar="SHARE",
                 type=click.FloatRange(0, 1, min_open=True, max_open=True),
                 help="A share of the documents; may be repeated.  [0.001, 0.0025, 0.005, 0.01 and 0.02]"),
    click.option("--model", "models", multiple=True, metavar="NAME",
                 help="A row; may be repeated.  [all that can be run here]"),
    runs_option(3),
    seed_option,
    sweeps_option,
    running_options,
)  # fmt: skip


@click.command()
@rare_options
def rare(**options: Any) -> None:
    """Make each query's category rare, and ask for it (an appendix).

    Documents of the category are dropped at random until it has a share of the corpus. Measured are P@K (K
    is what is left of the category), the share of it that is among the first 2 K documents, and whether the
    ten top words of the topic are the category's.
    """
    from qdtm.cli.bench_rare_views import rare_pages
    from qdtm.evaluation.bench.rare import summarise_rare
    from qdtm.evaluation.bench.summary import check_writable

    if options["out"] is not None:
        check_writable(options["out"])
    give(summarise_rare(_run(options)), rare_pages, options)


def _run(options: dict[str, Any]) -> list[RareResult]:
    """Run the cells that were asked for, with progress on stderr."""
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.evaluation.bench import Workbench
    from qdtm.evaluation.bench.alone import choose_queries
    from qdtm.evaluation.bench.alone.registry import make_rows
    from qdtm.evaluation.bench.rare import LEVELS, RareStore, plan_rare, run_rare
    from qdtm.evaluation.bench.rare.rows import usual_rows
    from qdtm.evaluation.datasets import concepts_of

    datasets = options["datasets"] or DATASETS
    queries = choose_queries({name: concepts_of(name) for name in datasets}, options["queries"])
    with warnings_as_notes(notes_console()):
        rows = make_rows(options["models"], options["max_sweeps"], default=usual_rows())
    levels = sorted(options["levels"]) or LEVELS
    cells = plan_rare(queries, rows, runs=options["runs"], seed=options["seed"], levels=levels)
    return run_asked(run_rare, cells, rows, Workbench, RareStore(), _shown, options)


def _shown(result: RareResult) -> CellResult:
    """Return a result as the progress display knows them."""
    from qdtm.evaluation.bench import Cell, CellResult, Figure

    cell = result.cell
    place = f"{cell.dataset} {result.phrase!r} at {cell.level * 100:g} %"
    asked = Cell(cell.table, place, cell.model, cell.seed)  # type: ignore[arg-type]
    return CellResult(asked, (Figure("precision_at_k", result.precision_at_k),), (), result.seconds)
