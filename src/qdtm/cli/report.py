"""`qdtm report`: a saved result as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qdtm.cli.failure import debug_option
from qdtm.cli.options import column_options, force_option, index_option
from qdtm.errors import StorageError

REPORT = "report.html"


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Where to.  [DIR/report.html]")
@force_option
@index_option
@column_options
@debug_option
def report(directory: str, output: str | None, force: bool, index: str | None, **options: Any) -> None:
    """Write the report of the result in DIR: one file, which opens in any browser and asks for nothing."""
    from qdtm.cli.opening import check_columns, open_result
    from qdtm.present.report import write_report

    path = Path(directory) / REPORT if output is None else Path(output)
    if output is not None and path.is_dir():
        raise StorageError(f"{str(path)!r} is a folder; give the name of a file.")
    if output is not None and path.exists() and not path.is_dir() and not force:
        raise StorageError(f"{str(path)!r} exists already; use --force to replace it.")
    result = open_result(directory, index)
    columns = check_columns(result.corpus, options)
    click.echo(write_report(result.with_columns(**columns), path))
