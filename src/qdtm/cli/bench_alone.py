"""`qdtm bench alone`: every query asked alone, beside what else a lone query can be answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.bench_options import (
    DATASETS,
    dataset_option,
    give,
    queries_option,
    running_options,
    runs_option,
    seed_option,
    sweeps_option,
)
from qdtm.cli.options import together

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qdtm.evaluation.bench import CellResult
    from qdtm.evaluation.bench.alone import AloneCell, AloneResult

alone_options = together(
    dataset_option,
    queries_option,
    click.option("--model", "models", multiple=True, metavar="NAME",
                 help="A row; may be repeated ('share' always comes along).  [all that can be run here]"),
    runs_option(3),
    seed_option,
    click.option("--together", "with_together", is_flag=True,
                 help="Ask all queries together too, and compare the answers."),
    click.option("--subtopics", is_flag=True,
                 help="Split the parent topics of qdtm, and measure their cohesion."),
    sweeps_option,
    running_options,
)  # fmt: skip


@click.command()
@alone_options
def alone(**options: Any) -> None:
    """Ask every query alone.

    P@K of the query-driven model (qdtm), of the paper's setting (paper; not with 2,000 sweeps but with as
    many as qdtm has at most), of ranking by the share of qdtm's concept words (share), by query likelihood
    and BM25 with the concept words (ql, bm25) or the query's own (ql-query, bm25-query), of LDA, and of LDA
    seeded with the concept words.
    """
    from qdtm.cli.bench_alone_views import alone_pages
    from qdtm.evaluation.bench.alone import summarise_alone
    from qdtm.evaluation.bench.summary import check_writable

    if options["out"] is not None:
        check_writable(options["out"])
    give(summarise_alone(_run(options)), alone_pages, options)


def _run(options: dict[str, Any]) -> list[AloneResult]:
    """Run the cells that were asked for, with progress on stderr."""
    from qdtm.cli.bench_progress import BenchDisplay, kept_when_interrupted
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.evaluation.bench import Workbench
    from qdtm.evaluation.bench.alone import AloneStore, choose_queries, run_alone
    from qdtm.evaluation.bench.alone.registry import USUAL, make_rows
    from qdtm.evaluation.bench.alone.rows import REFERENCE, TOGETHER
    from qdtm.evaluation.datasets import concepts_of

    datasets = options["datasets"] or DATASETS
    queries = choose_queries({name: concepts_of(name) for name in datasets}, options["queries"])
    always = (REFERENCE, TOGETHER) if options["with_together"] else (REFERENCE,)
    notes = notes_console()
    with warnings_as_notes(notes):
        rows = make_rows(options["models"], options["max_sweeps"], default=USUAL, always=always)
    cells = _plan(queries, rows, options)
    with warnings_as_notes(notes), BenchDisplay(notes, len(cells)) as display, kept_when_interrupted(display):
        return run_alone(
            cells,
            rows,
            Workbench(options["data"], display.downloading),
            AloneStore(),
            n_jobs=options["jobs"],
            fresh=options["fresh"],
            on_result=lambda result, is_new: display.finished(_shown(result), is_new),
        )


def _plan(
    queries: Mapping[str, Sequence[int]], models: Iterable[str], options: dict[str, Any]
) -> tuple[AloneCell, ...]:
    """List what is to be run."""
    from qdtm.evaluation.bench.alone import plan_alone

    return plan_alone(
        queries,
        models,
        runs=options["runs"],
        seed=options["seed"],
        subtopics=options["subtopics"],
    )


def _shown(result: AloneResult) -> CellResult:
    """Return a result as the progress display knows them."""
    from qdtm.evaluation.bench import Cell, CellResult, Figure

    cell = result.cell
    asked = Cell(cell.table, f"{cell.dataset} {result.phrase!r}", cell.model, cell.seed)  # type: ignore[arg-type]
    return CellResult(asked, (Figure("precision_at_k", result.precision_at_k),), (), result.seconds)
