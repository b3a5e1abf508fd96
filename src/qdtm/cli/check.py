"""`qdtm check`: look at a sample of documents, and learn how good the relevance is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.failure import InterruptedFailure
from qdtm.cli.options import index_option, output_options
from qdtm.cli.report import REPORT

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.results.hand_check import HandCheck
    from qdtm.results.result import Result

_ANSWERS = {"y": True, "n": False, "s": None}
_KEYS = "[y]es  [n]o  [s]kip  [b]ack  [q]uit"
_LAST_KEYS = "That was the last one: [b]ack, or any other key for what the answers say"


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("-q", "--query", metavar="QUERY", help="The query.  [the first]")
@click.option("-n", "n_documents", type=click.IntRange(10), default=50, show_default=True, metavar="N",
              help="Documents of a new sample.")  # fmt: skip
@click.option("--labels", type=click.Path(exists=True, dir_okay=False), metavar="FILE.csv",
              help="Take answers from a table.")  # fmt: skip
@click.option("--export", type=click.Path(), metavar="FILE.csv", help="Write the sample as a table.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Of a new sample.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Draw a new sample; the answers to the old one are dropped.")
@index_option
@output_options
def check(directory: str, as_json: bool, **options: Any) -> None:
    """Say of some documents of DIR whether they are about a query, and learn how good its relevance is.

    Documents are drawn from above and below the cut-off, and shown in random order without their relevance.
    Answers are kept in DIR/check.json as they are given: quit, or press Ctrl-C, and the same command goes on.
    They give precision and recall at the cut-off and the number of documents about the query, with intervals;
    and the relevance in DIR agrees with them from then on, in the tables and report.html too.
    """
    from qdtm.cli.check_sections import estimate_page
    from qdtm.cli.console import notes_console, print_json, print_page
    from qdtm.cli.json_forms import hand_check_json
    from qdtm.cli.opening import open_result
    from qdtm.results.hand_check.files import begin_check

    result = open_result(directory, options["index"])
    query = 0 if options["query"] is None else options["query"]
    begun = begin_check(result, query, options["n_documents"], seed=options["seed"], fresh=options["fresh"])
    notes = notes_console()
    if options["labels"] is not None or options["export"] is not None:
        said = _exchange(result, begun, options["labels"], options["export"], notes)
        _keep(directory, result, said)
    else:
        said = _answered(directory, result, begun, notes)
    _renew(directory, result, said)
    if as_json:
        print_json(hand_check_json(said))
    else:
        print_page(estimate_page(said, result.corpus.n_documents))


# --- tables ------------------------------------------------------------------------------------------------


def _exchange(
    result: Result, check: HandCheck, labels: str | None, export: str | None, notes: Console
) -> HandCheck:
    """Take answers from a table, and write the sample as one."""
    from qdtm.results.hand_check.files import read_answers, write_sample

    documents = result.corpus.documents
    if labels is not None:
        check = read_answers(labels, check, documents)
    if export is not None:
        write_sample(export, check, documents)
        hint = f"fill in the column 'about' (yes or no), and give it back with --labels {export}"
        notes.print(f"{export}: {len(check.sample)} documents; {hint}", soft_wrap=True)
    return check


# --- at the keyboard ---------------------------------------------------------------------------------------


def _answered(directory: str, result: Result, check: HandCheck, console: Console) -> HandCheck:
    """Ask until all is answered or the person has had enough; each answer is kept when it is given."""
    n_done = len(check.sample) - len(check.open)
    if n_done:
        of = f"{n_done} of {len(check.sample)} documents are done"
        console.print(f"Going on: {of}; --fresh draws a new sample.", soft_wrap=True)
    _keep(directory, result, check)
    try:
        for answered in _ask(result, check, console):
            _keep(directory, result, answered)
            check = answered
    except KeyboardInterrupt:
        pass
    if check.open:
        console.print(
            f"\n{len(check.open)} documents are open; the same command goes on with them.", soft_wrap=True
        )
    return check


def _ask(result: Result, check: HandCheck, console: Console) -> Iterator[HandCheck]:
    """Show the documents that have no answer, and yield the check after each key."""
    from qdtm.cli.check_sections import document_page

    q = result.query_index(check.query)
    was_open = bool(check.open)
    while was_open:
        if check.open:
            for section in document_page(result, q, check):
                console.print(section)
        key = _key(console, _KEYS if check.open else _LAST_KEYS)
        if key == "b":
            check = check.without_last()
        elif key == "q" or not check.open:
            return
        else:
            check = check.answer(check.open[0], _ANSWERS[key])
        yield check


def _key(console: Console, keys: str) -> str:
    """Return the next key of those offered; "q" at the end of what is typed."""
    while True:
        console.print(keys, style="dim")
        typed = _typed()
        letter = typed.strip()[:1].casefold()
        if letter and f"[{letter}]" in keys:
            return letter
        if not typed or keys == _LAST_KEYS:
            return "q"


def _typed() -> str:
    """Return a key, or a line if nobody is at the keyboard; nothing at the end."""
    try:
        return str(click.getchar()) if sys.stdin.isatty() else sys.stdin.readline()
    except EOFError:  # Ctrl-D
        return ""


# --- what is kept ------------------------------------------------------------------------------------------


def _keep(directory: str, result: Result, check: HandCheck) -> None:
    """Write the answers beside the result."""
    from qdtm.results.hand_check.files import keep_check

    keep_check(Path(directory), check, result.corpus.n_documents)


def _renew(directory: str, result: Result, check: HandCheck) -> None:
    """Write the tables and the report, if there is one, anew: they show what the answers say."""
    from qdtm.present.report import write_report
    from qdtm.results.storage import renew_tables

    before, checked = result.fit.check_of(result.query_index(check.query)), result.with_check(check)
    if not check.said and (before is None or not before.said):
        return
    report = Path(directory) / REPORT
    try:
        renew_tables(directory, checked.fit, checked.corpus)
        if report.is_file():
            write_report(checked, report)
    except KeyboardInterrupt:
        raise InterruptedFailure("interrupted; the answers are kept, and the same command goes on.") from None
