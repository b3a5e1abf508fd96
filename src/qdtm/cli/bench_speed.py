"""`qdtm bench speed`: sweeps of ours and of other samplers, timed side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qdtm.cli.options import output_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from qdtm.evaluation.speed import Speed


@click.command()
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=7,
    show_default=True,
    metavar="N",
    help="How often each is timed; the best time counts.",
)
@click.option(
    "--topics",
    type=click.IntRange(2),
    metavar="K",
    help="Topics of the LDA samplers.  [one more than there are concepts]",
)
@click.option("--data", type=click.Path(), metavar="DIR", help="The experiments' data.  [$QDTM_DATA]")
@output_options
def speed(repeats: int, topics: int | None, data: str | None, as_json: bool) -> None:
    """Time sweeps beside tomotopy, topica and gensim.

    On the 20 Newsgroups of the paper's authors, in tokens per second. First the query-driven model and other
    samplers of the Hierarchical Dirichlet Process (hdp), with 1 and 2 threads; promotion comes with word
    filtering. Then the LDA samplers of the baselines (lda), with 1. Peers that are not installed are left
    out.
    """
    from dataclasses import asdict

    from qdtm.cli.console import notes_console, print_json, print_note, print_page
    from qdtm.evaluation.baselines.speed import lda_contestants
    from qdtm.evaluation.datasets.authors import load_authors_bags
    from qdtm.evaluation.speed import DATASET, contestants, missing_peers, race

    bags = load_authors_bags(DATASET, data)
    for package in missing_peers():
        print_note(notes_console(), "note", f"{package} is not installed and left out: pip install {package}")
    rows = race([*contestants(bags), *lda_contestants(bags, topics)], repeats=repeats)
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        print_page([speed_table(rows)])


def speed_table(rows: Sequence[Speed]) -> Table:
    """Lay the rows out, each with its ratio to tomotopy's model of its kind at the same number of threads."""
    from rich.table import Table

    peer = {(row.kind, row.threads): row.tokens_per_second for row in rows
            if row.name == f"tomotopy-{row.kind}"}  # fmt: skip
    table = Table("name", "threads", "promotion", "tokens a second", "ns a token", "times tomotopy", box=None)
    for row in rows:
        rate = row.tokens_per_second
        rival = peer.get((row.kind, row.threads))
        ratio = f"{rate / rival:.2f}" if rival else ""
        promotion = "on" if row.promotion else "off"
        table.add_row(row.name, str(row.threads), promotion, f"{rate:,.0f}", f"{1e9 / rate:.1f}", ratio)
    return table
