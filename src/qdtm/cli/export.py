"""`qdtm export`: a saved result as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qdtm.cli.failure import debug_option
from qdtm.cli.options import all_documents_option, force_option, index_option

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
@all_documents_option
@force_option
@index_option
@debug_option
def export(
    directory: str, format: Any, output: str | None, all_documents: bool, force: bool, index: str | None
) -> None:
    """Write the topics, words, concept words and documents of the result in DIR as tables.

    The documents are those about a query, or all of them, a row for each query. They come with all of your
    own columns, whether they are about it, their relevance, whether they name it, and their main subtopic. In
    .csv, a text that a spreadsheet would run as a formula gets an apostrophe before.
    """
    from qdtm.cli.opening import open_result
    from qdtm.present.export import check_target, export_result

    folder = Path(directory)
    path = folder.with_name(folder.name + _ENDINGS[format]) if output is None else Path(output)
    check_target(path, format, force=force)
    result = open_result(directory, index)
    click.echo(export_result(result, path, format, force=force, all_documents=all_documents))
