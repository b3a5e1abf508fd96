"""`qdtm bench alone`: every query asked alone, beside what else a lone query can be answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.bench_options import (
    DATASETS,
    NATURAL,
    datasets_option,
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
    from collections.abc import Iterable, Mapping, Sequence

    from qdtm.evaluation.bench import CellResult
    from qdtm.evaluation.bench.alone import AloneCell, AloneResult

alone_options = together(
    datasets_option((*DATASETS, *NATURAL), "all that are there; natural ones need --data"),
    queries_option,
    click.option("--every-query", is_flag=True,
                 help="Ask all 150 intents of clinc150, not a sample of 30."),
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

    P@K of the query-driven model (qdtm), of its evidence alone (evidence), of the paper's setting (paper; not
    with 2,000 sweeps but with as many as qdtm has at most), of ranking by the share of qdtm's concept words
    (share), by query likelihood, BM25 and relevance feedback with the concept words (ql, bm25, rm3) or the
    query's own (ql-query, bm25-query, rm3-query), of LDA, and of LDA seeded with the concept words. Beside
    the paper's corpora stand those with natural categories, each asked for by its name.
    """
    from qdtm.cli.bench_alone_views import alone_pages
    from qdtm.evaluation.bench.alone import summarise_alone
    from qdtm.evaluation.bench.summary import check_writable

    if options["out"] is not None:
        check_writable(options["out"])
    give(summarise_alone(_run(options)), alone_pages, options)


def _run(options: dict[str, Any]) -> list[AloneResult]:
    """Run the cells that were asked for, with progress on stderr."""
    from qdtm.cli.console import notes_console, print_note, warnings_as_notes
    from qdtm.evaluation.bench import Workbench
    from qdtm.evaluation.bench.alone import AloneStore, run_alone
    from qdtm.evaluation.bench.alone.registry import USUAL, make_rows
    from qdtm.evaluation.bench.alone.rows import REFERENCE, TOGETHER

    queries = _queries(options)
    always = (REFERENCE, TOGETHER) if options["with_together"] else (REFERENCE,)
    notes = notes_console()
    with warnings_as_notes(notes):
        rows = make_rows(options["models"], options["max_sweeps"], default=USUAL, always=always)
    if not options["datasets"] and not set(queries) & set(NATURAL) and not options["queries"]:
        print_note(notes, "note", "Natural categories are left out: no data folder has them (--data).")
    cells = _plan(queries, rows, options)
    return run_asked(run_alone, cells, rows, Workbench, AloneStore(), _shown, options)


def _queries(options: dict[str, Any]) -> Mapping[str, Sequence[int]]:
    """Choose what is asked of each corpus."""
    from qdtm.evaluation.bench.alone import choose_queries
    from qdtm.evaluation.bench.alone.queries import concepts_alone, sample_queries, usual_datasets

    data = options["data"]
    asked = {name: concepts_alone(name, data) for name in options["datasets"] or usual_datasets(data)}
    found = choose_queries(asked, options["queries"])
    return found if options["queries"] or options["every_query"] else sample_queries(found)


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
    precision = result.precision_at_k
    figures = () if precision is None else (Figure("precision_at_k", precision),)
    return CellResult(asked, figures, (), result.seconds)
