"""`qdtm correct`: rename, merge, hide and split subtopics of a saved result by hand, and undo it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qdtm.cli.options import index_option, output_options, quiet_option
from qdtm.cli.report import REPORT

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.result import Result

_KINDS = ("rename", "merge", "hide", "split", "drop-word", "undo", "redo", "list")


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.argument("kind", metavar="WHAT", type=click.Choice(_KINDS))
@click.argument("values", metavar="[...]", nargs=-1)
@index_option
@quiet_option
@output_options
def correct(
    directory: str, kind: str, values: Sequence[str], index: str | None, quiet: bool, as_json: bool
) -> None:
    """Correct the result in DIR by hand.

    WHAT is one of:

    \b
    rename 0.1 "the Ashes"   name a topic or subtopic; "" takes the name away
    merge 0.1 0.3            merge subtopics into the first of them
    hide 0.2                 its documents stay about the query
    split 0.1                into its own subtopics, as `qdtm drill` does
    drop-word 0.1 line       from what is shown of a topic
    undo [NUMBER]            the last correction, or that of a number
    redo [NUMBER]            what was undone
    list                     all corrections, with their numbers

    What was fitted stays as it is. Tables and report are written anew.
    """  # noqa: D301 - it is the character that click looks for
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.json_forms import corrections_json
    from qdtm.cli.opening import open_result
    from qdtm.results.corrections import correct_result
    from qdtm.storage.atomic import reserve

    if kind == "list":
        result = open_result(directory, index)
    else:
        with reserve(directory):
            before = open_result(directory, index)
            result = correct_result(before, kind, values)
            _keep(directory, before, result)
    if as_json:
        print_json({"path": directory, "corrections": corrections_json(result)})
    elif not quiet:
        print_page(_page(result))


def _keep(directory: str, before: Result, after: Result) -> None:
    """Write the act into the journal, and all tables and the report, if there is one, anew."""
    from qdtm.cli.opening import save_again
    from qdtm.errors import StorageError
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.present.report import write_report
    from qdtm.results.journal import Journal
    from qdtm.results.storage import renew_tables

    if len(after.as_found.splits) > len(before.as_found.splits):  # found once, and kept with the arrays
        save_again(QueryDrivenTopicModel.of(after), directory, None, force=False, all_documents=False)
        return
    if not Journal(directory).follow(before.history, after.history):
        raise StorageError(f"Somebody else is correcting {directory!r}; do it again.")
    renew_tables(directory, after.fit, after.corpus)
    report = Path(directory) / REPORT
    if report.is_file():
        write_report(after, report)


def _page(result: Result) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import corrections_page, topic_section

    found = list(corrections_page(result))
    yield from found or [Text("Nothing was corrected by hand."), Text()]
    for q in range(result.fit.n_queries):
        yield topic_section(result, q)
        yield Text()
