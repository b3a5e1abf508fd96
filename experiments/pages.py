"""The result tables as pages: docs/results/*.json in, a Markdown page a bench and its drawings out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from experiments.harness.cells import Bench
from experiments.harness.durations import read_durations
from experiments.harness.records import read_rows
from experiments.harness.report import markdown
from experiments.harness.summary import unique

REMARKS = {
    "table1": "Rows with fewer runs say so. Rows without `qdtm` were run on other days than those with it.",
    "table1-paper": "One run.",
    "table3-paper": "One run of `qdtm-kld`; `htm` has no such setting.",
    "table3": "Rows with fewer runs say so: in the others no parent has two subtopics.",
    "subtopics": "Of `20news` three runs.",
}
"""What the command alone does not say of how the files in docs/results were measured."""

RESULTS = Path(__file__).parents[1] / "docs" / "results"

PAPER_FILE = "-paper"
"""Ends the name of a file that was measured with the paper's preset."""


def benches() -> list[Bench[Any, Any]]:
    """Return all benches that have a page, in the order of the documentation."""
    from experiments.bench.alone import ALONE
    from experiments.bench.paper_tables import TABLE_1, TABLE_3
    from experiments.bench.rare import RARE
    from experiments.bench.staying import STAYING
    from experiments.bench.subtopics import SUBTOPICS
    from experiments.bench.together import TOGETHER
    from experiments.bench.topic_words import TOPICS

    return [TABLE_1, TABLE_3, TOPICS, ALONE, TOGETHER, RARE, STAYING, SUBTOPICS]


def page_of(bench: Bench[Any, Any], rows: list[Any], name: str) -> str:
    """Return the page of a file of a bench: which commands measured it, which wrote it, and the tables."""
    commands = " and ".join(f"`{command}`" for command in commands_of(bench, rows, name))
    made = f"Measured by {commands}, written by `python -m experiments pages`."
    title = bench.title if name == bench.name else f"{bench.title}, with the paper's sweeps"
    return markdown([f"# {title}", made, REMARKS.get(name, ""), *bench.report(rows)]) + "\n"


def commands_of(bench: Bench[Any, Any], rows: list[Any], name: str) -> Iterator[str]:
    """Yield the commands that measure what a file has: one for all models with as many runs."""
    seeds = {row.seed for row in rows if hasattr(row, "seed")}
    of_model: dict[str, int] = defaultdict(int)  # of a run without subtopics there is no row
    for row in rows:
        of_model[row.model] = max(of_model[row.model], getattr(row, "runs", len(seeds)))
    by_runs: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        by_runs[of_model[row.model]].append(row)
    for runs, same in sorted(by_runs.items(), reverse=True):
        options = [
            f"--dataset {each}" for each in unique(row.dataset for row in same if row.dataset != "all")
        ]
        options += [f"--model {each}" for each in unique(row.model for row in same)]
        options += ["--preset paper"] if name != bench.name else []
        options += [f"--runs {runs}"] + ["--update"] * (len(by_runs) > 1)
        yield " ".join(["python -m experiments", bench.name, *options, f"--out docs/results/{name}.json"])


def make_pages(folder: Path = RESULTS) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page and drawing that a folder's JSON files give."""
    from experiments.bench.rare import RARE, charts
    from experiments.headline import make_headline
    from experiments.measurements.review import read_reviews, tables

    found: dict[str, list[Any]] = {}
    if (folder / "review.json").is_file():
        reviews = read_reviews(folder / "review.json")
        options = f"--dataset {' '.join(unique(each.dataset for each in reviews))} --reads 1"
        command = f"`python -m experiments review {options} --out docs/results/review.json`"
        made = f"Measured by {command}, written by `python -m experiments pages`."
        lines = ["# Simulated reviews", "", made, "", *tables(reviews)]
        yield "review.md", "\n".join(lines) + "\n"
    for bench in benches():
        for name in (bench.name, bench.name + PAPER_FILE):
            path = folder / f"{name}.json"
            if path.is_file():
                found[name] = read_rows(path, bench.row)
                yield f"{name}.md", page_of(bench, found[name], name)
        if bench is RARE and bench.name in found:
            yield from charts(found[bench.name]).items()
    yield from make_headline(found, read_durations(folder))


@click.command()
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=RESULTS,
              metavar="DIR", help="Where the JSON files are, and the pages go.  [docs/results]")  # fmt: skip
def pages(folder: Path) -> None:
    """Write the result tables as Markdown pages, from the JSON files of the benches."""
    for name, text in make_pages(folder):
        (folder / name).write_text(text, encoding="utf-8")
        click.echo(folder / name)
