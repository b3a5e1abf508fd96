"""`qdtm check`: look at a sample of documents, and learn how good the relevance is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from qdtm.cli.options import output_options

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.results.checks import HandCheck
    from qdtm.results.result import Result

_ANSWERS = {"y": True, "n": False, "s": None}
_KEYS = "[y]es  [n]o  [s]kip  [b]ack  [q]uit"


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("-q", "--query", metavar="QUERY", help="The query.  [the first]")
@click.option("-n", "n_documents", type=click.IntRange(10), default=50, show_default=True, metavar="N",
              help="Documents of a new sample.")  # fmt: skip
@click.option("--labels", type=click.Path(), metavar="FILE.csv", help="Take answers from a table.")
@click.option("--export", type=click.Path(), metavar="FILE.csv", help="Write the sample as a table.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Of a new sample.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Draw a new sample; the answers to the old one are dropped.")
@output_options
def check(directory: str, as_json: bool, **options: Any) -> None:
    """Say of some documents of DIR whether they are about a query, and learn how good its relevance is.

    Documents are drawn from above and below the cut-off, and shown in random order without their relevance.
    Answers are kept in DIR/check.json as they are given: quit, and the same command goes on. They give
    precision and recall at the cut-off and the number of documents about the query, with intervals; and the
    relevance in DIR agrees with them from then on.
    """
    from qdtm.cli.check_views import estimate_json, estimate_page
    from qdtm.cli.console import notes_console, print_json, print_page
    from qdtm.results.checks.drawing import begin_check
    from qdtm.results.checks.files import read_labels, write_sample
    from qdtm.results.result import Result

    result = Result.load(directory)
    query = _query(result, options["query"])
    begun = begin_check(result, query, options["n_documents"], seed=options["seed"], fresh=options["fresh"])
    if options["labels"] is not None:
        begun = read_labels(options["labels"], begun, result.corpus.documents)
    _keep(directory, result, begun)
    if options["export"] is not None:
        write_sample(options["export"], begun, result.corpus.documents)
    elif options["labels"] is None:
        for answered in _ask(result, begun, notes_console()):
            _keep(directory, result, answered)
            begun = answered
    if as_json:
        print_json(estimate_json(begun))
    else:
        print_page(estimate_page(begun, result.corpus.n_documents))


def _query(result: Result, query: str | None) -> str | int:
    """Return the query that is meant; the case of its letters does not matter."""
    if query is None:
        return 0
    names = [topic.name.casefold() for topic in result.topics]
    wanted = " ".join(query.split()).casefold()
    return names.index(wanted) if wanted in names else query  # the result says which queries there are


def _keep(directory: str, result: Result, check: HandCheck) -> None:
    """Write the answers beside the result."""
    from qdtm.results.checks.files import write_checks
    from qdtm.storage import CHECK

    write_checks(Path(directory) / CHECK, result.with_check(check).fit.checks)


def _ask(result: Result, check: HandCheck, console: Console) -> Iterator[HandCheck]:
    """Show the documents that have no answer, and yield the check after each key."""
    from qdtm.cli.check_views import document_page

    q, stream = result.query_index(check.query), sys.stdin
    while check.open:
        for section in document_page(result, q, check):
            console.print(section)
        key = _key(console, stream)
        if key == "q":
            return
        if key == "b":
            check = check.without_last()
        elif key in _ANSWERS:
            check = check.answer(check.open[0], _ANSWERS[key])
        yield check


def _key(console: Console, stream: TextIO) -> str:
    """Return the next key, or the first letter of the next line if nobody is at the keyboard."""
    while True:
        console.print(_KEYS, style="dim")
        key = str(click.getchar()) if stream.isatty() else stream.readline()
        if not key or key in ("\x03", "\x04"):  # the end, Ctrl-C, Ctrl-D
            return "q"
        if (letter := key.strip()[:1].casefold()) in (*_ANSWERS, "b", "q"):
            return letter
