"""`qdtm bench subtopics`: subtopics held against true lower categories, beside other ways to split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.bench_options import (
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
    from qdtm.evaluation.bench import CellResult
    from qdtm.evaluation.bench.subtopics import SubtopicsResult, TwoLevelWorkbench
    from qdtm.evaluation.datasets.two_level import GivenCorpus

TWO_LEVEL = ("clinc150", "clinc150-words", "20news")

subtopics_options = together(
    datasets_option(TWO_LEVEL),
    click.option("--corpus", metavar="FILE", type=click.Path(exists=True, path_type=Path),
                 help="A file of yours in their place, with --upper and --lower."),
    click.option("--upper", metavar="COLUMN", help="Its column of upper categories."),
    click.option("--lower", metavar="COLUMN", help="Its column of lower categories."),
    click.option("--text", "text_column", metavar="COLUMN", help="Its column of texts.  [found out]"),
    click.option("--queries", "queries_file", metavar="FILE.json",
                 type=click.Path(exists=True, dir_okay=False, path_type=Path),
                 help="What is asked for each upper category of it.  [its name]"),
    queries_option,
    click.option("--model", "models", multiple=True, metavar="NAME",
                 help="A row; may be repeated.  [all that can be run here]"),
    runs_option(1),
    seed_option,
    sweeps_option,
    running_options,
)  # fmt: skip


@click.command()
@subtopics_options
def subtopics(**options: Any) -> None:
    """Hold subtopics against true lower categories.

    Each upper category of a corpus with two levels is asked for, and the main subtopic of the documents about
    it is compared with their lower category: adjusted mutual information (AMI), homogeneity, completeness,
    the number of subtopics, and the share that another seed finds again. Beside it stand other ways to split
    the same documents: LDA with the same number of topics and with the true one, an HDP, KeyNMF, BERTopic,
    and k-means on document vectors with the true number.
    """
    from qdtm.cli.bench_subtopics_views import subtopics_pages
    from qdtm.evaluation.bench.subtopics import summarise_subtopics
    from qdtm.evaluation.bench.summary import check_writable

    if options["out"] is not None:
        check_writable(options["out"])
    give(summarise_subtopics(_run(options)), subtopics_pages, options)


def _run(options: dict[str, Any]) -> list[SubtopicsResult]:
    """Run the cells that were asked for, with progress on stderr."""
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.evaluation.bench.subtopics import (
        SubtopicsStore,
        TwoLevelWorkbench,
        make_subtopics_rows,
        plan_subtopics,
        run_subtopics,
    )

    given = _given(options)
    workbench = TwoLevelWorkbench(options["data"], given=given)
    texts = _texts(workbench, options)
    with warnings_as_notes(notes_console()):
        rows = make_subtopics_rows(options["models"], options["max_sweeps"])
    cells = plan_subtopics(texts, rows, runs=options["runs"], seed=options["seed"])
    return run_asked(run_subtopics, cells, rows, lambda *_: workbench, SubtopicsStore(), _shown, options)


def _given(options: dict[str, Any]) -> GivenCorpus | None:
    """Return the user's file, if one is named."""
    from qdtm.errors import ParameterError
    from qdtm.evaluation.datasets.two_level import GivenCorpus, read_category_queries

    columns = [options["upper"], options["lower"]]
    if options["corpus"] is None:
        if any((*columns, options["text_column"], options["queries_file"])):
            raise ParameterError("--upper, --lower, --text and --queries are for a file of yours (--corpus).")
        return None
    if None in columns:
        raise ParameterError("A file of yours needs --upper and --lower, the columns of its categories.")
    queries = None if options["queries_file"] is None else read_category_queries(options["queries_file"])
    return GivenCorpus(options["corpus"], options["upper"], options["lower"], queries, options["text_column"])


def _texts(workbench: TwoLevelWorkbench, options: dict[str, Any]) -> dict[str, dict[int, str]]:
    """Choose what is asked of each corpus, by number."""
    from qdtm.evaluation.bench.alone import choose_queries
    from qdtm.evaluation.bench.subtopics import two_level

    named = options["datasets"] or (() if workbench.given else TWO_LEVEL)
    names = [*named, *([workbench.given.name] if workbench.given else [])]
    concepts = {name: two_level(workbench, name).concepts for name in names}
    chosen = choose_queries(concepts, options["queries"])
    return {name: {q: concepts[name][q].query for q in numbers} for name, numbers in chosen.items()}


def _shown(result: SubtopicsResult) -> CellResult:
    """Return a result as the progress display knows them."""
    from qdtm.evaluation.bench import Cell, CellResult

    cell, score = result.cell, result.score
    said = "refused" if score is None or score.right is None else f"AMI {score.right.ami:.3f}"
    asked = Cell(cell.table, f"{cell.dataset} {cell.text!r} {said},", cell.model, cell.seed)  # type: ignore[arg-type]
    return CellResult(asked, (), (), result.seconds)
