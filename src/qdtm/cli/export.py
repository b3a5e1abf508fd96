"""`qdtm export`: a saved result as files that other programs read."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from qdtm.cli.failure import debug_option
from qdtm.cli.options import all_documents_option, force_option, index_option
from qdtm.present.formats import FORMATS, NAMES, format_of


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option(
    "--format", "format", type=click.Choice(list(NAMES)), default="csv", show_default=True,
    help="What to write; see above.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(), metavar="PATH",
    help="Where to; a folder with a name that ends in .zip becomes one file.  [DIR-csv, DIR.xlsx, ...]",
)  # fmt: skip
@all_documents_option
@force_option
@index_option
@debug_option
def export(
    directory: str, format: Any, output: str | None, all_documents: bool, force: bool, index: str | None
) -> None:
    """Write the result in DIR as files that other programs read.

    The documents are those about a query, or all of them, with all of your own columns, their relevance and
    their main subtopic. In .csv, a text that a spreadsheet would run as a formula gets an apostrophe before.
    """
    from qdtm.cli.opening import open_result
    from qdtm.present.export import check_target, export_result

    folder, wanted = Path(directory), format_of(format)
    ending = "" if wanted is None else wanted.ending
    path = folder.with_name(folder.name + ending) if output is None else Path(output)
    check_target(path, format, force=force)
    result = open_result(directory, index)
    click.echo(export_result(result, path, format, force=force, all_documents=all_documents))


export.help = f"{cleandoc(export.help or '')}\n\nFormats:\n\n\b\n" + "\n".join(
    f"{each.name:<13} {each.about}" for each in FORMATS
)
