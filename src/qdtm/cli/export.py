"""`qdtm export`: a saved result as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qdtm.cli.failure import debug_option
from qdtm.cli.options import force_option

_ENDINGS = {"csv": "-csv", "xlsx": ".xlsx", "json": ".json"}


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option(
    "--format", "format", type=click.Choice(list(_ENDINGS)), default="csv", show_default=True,
    help="A folder of .csv files, a workbook with a sheet each, or one JSON object.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(), metavar="PATH", help="Where to.  [DIR-csv, DIR.xlsx, DIR.json]"
)
@force_option
@debug_option
def export(directory: str, format: Any, output: str | None, force: bool) -> None:
    """Write the topics, subtopics, concept words and documents of the result in DIR as tables.

    Documents come with all of your own columns, their relevance to each query, whether they are about it, and
    their main subtopic. In .csv, a text that a spreadsheet would run as a formula gets an apostrophe before.
    """
    from qdtm.export import export_result
    from qdtm.results.result import Result

    folder = Path(directory)
    path = folder.with_name(folder.name + _ENDINGS[format]) if output is None else Path(output)
    click.echo(export_result(Result.load(directory), path, format, force=force))
