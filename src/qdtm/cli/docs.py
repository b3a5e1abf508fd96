"""`qdtm docs`: the documents behind the topics of a saved result."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from qdtm.cli.options import check_subtopics, index_option, output_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.documents import DocumentTable, View
    from qdtm.results.result import Result

_N_DOCUMENTS = 10
_SAID = {
    "about": "about it",
    "below": "just below the cut-off",
    "named-out": "that name it and are left out",
    "unnamed-in": "about it without naming it",
    "near": "near it",
    "all": "all of the corpus",
}


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("-q", "--query", metavar="QUERY", help="Of this query only.")
@click.option(
    "-n", "n_documents", type=click.IntRange(1), metavar="N",
    help="Documents of each query.  [default: 10; all of a --view]",
)  # fmt: skip
@click.option(
    "--view", type=click.Choice(["about", "below", "named-out", "unnamed-in", "near", "all"]),
    help="Documents about it; just below the cut-off; that name it and are left out; about it without naming "
    "it; near it; or all.",
)  # fmt: skip
@click.option(
    "--subtopic", metavar="ID", callback=check_subtopics,
    help="Documents of one subtopic, such as 0.2, by their share in it.",
)  # fmt: skip
@click.option("--tag", metavar="TAG", help="Documents with one of your tags, most relevant first.")
@click.option("--like", metavar="ID", help="The documents most like one, by their words, whatever the query.")
@click.option("--full", is_flag=True, help="The whole text, not only the passage that makes it relevant.")
@index_option
@output_options
def docs(
    directory: str,
    query: str | None,
    n_documents: int | None,
    view: View | None,
    subtopic: str | None,
    tag: str | None,
    like: str | None,
    full: bool,
    index: str | None,
    as_json: bool,
) -> None:
    """List the documents behind the topics in DIR, which `qdtm fit` made.

    Each comes with its title and the passage that makes it relevant: where the words of the query stand, or
    else those of its topic. `qdtm explain` says why it is relevant, word by word.
    """
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.json_forms import tables_json
    from qdtm.cli.opening import open_result
    from qdtm.cli.sections import shown_subtopics, worth_reading
    from qdtm.results.tables import listed_table

    if like is not None and (query, tag, subtopic, view, full) != (None, None, None, None, False):
        raise click.UsageError("--like goes with -n, --index and --json alone.")
    result = open_result(directory, index)
    if like is not None:
        _print_similar(result, like, n_documents or _N_DOCUMENTS, as_json)
        return
    tables = []
    for q in _queries_asked(result, query, subtopic):
        if view or subtopic or tag:
            n = n_documents if view else n_documents or _N_DOCUMENTS
            found = result.documents(q, n, subtopic=subtopic, tag=tag, view=view or "all")
        else:
            found = worth_reading(result, q, n_documents or _N_DOCUMENTS)
        tables.append(_whole(result, q, found) if full else found)
    if as_json:
        print_json(tables_json(listed_table(tables)))
        return
    shown = tables if subtopic else [shown_subtopics(table, result) for table in tables]
    print_page(_page(shown, subtopic, view))


def _print_similar(result: Result, document: str, n: int, as_json: bool) -> None:
    from dataclasses import asdict

    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.sections import similar_section

    found = result.similar(document, n)
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        print_page([similar_section(found)])


def _page(
    tables: Sequence[DocumentTable], subtopic: str | None, view: View | None
) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import documents_section, heading

    for number, table in enumerate(tables):
        if number:
            yield Text()
        notes = [f"subtopic {subtopic}" if subtopic else "", _SAID[view] if view else ""]
        yield heading(table.query, ", ".join(filter(None, notes)))
        yield documents_section(table, by_subtopic=subtopic is not None)


def _whole(result: Result, query: int | str, documents: DocumentTable) -> DocumentTable:
    """Return the same documents with all of their text in place of a passage."""
    reasons = result.reasons(result.query_index(query))
    rows = [
        replace(row, marked=reasons.passage(result.corpus.documents[row.index], limit=sys.maxsize))
        for row in documents
    ]
    return replace(documents, rows=tuple(rows))


def _queries_asked(result: Result, query: str | None, subtopic: str | None) -> list[int | str]:
    """Return which queries to list: the one named, that of the subtopic, or all."""
    if query is not None:
        return [query]
    if subtopic is None:
        return list(range(result.fit.n_queries))
    return [result.query_of(subtopic)]
