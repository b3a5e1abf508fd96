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

    from qdtm.results.documents import DocumentTable
    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("-q", "--query", metavar="QUERY", help="Of this query only.")
@click.option(
    "-n", "n_documents", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Documents of each query.",
)  # fmt: skip
@click.option("--about", is_flag=True, help="All documents from the recommended cut-off up, instead of N.")
@click.option(
    "--subtopic", metavar="ID", callback=check_subtopics,
    help="Documents of one subtopic, such as 0.2, by their share in it.",
)  # fmt: skip
@click.option("--full", is_flag=True, help="The whole text, not only the passage that makes it relevant.")
@index_option
@output_options
def docs(
    directory: str,
    query: str | None,
    n_documents: int,
    about: bool,
    subtopic: str | None,
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
    from qdtm.results.tables import listed_table

    result = open_result(directory, index)
    tables = []
    for q in _queries_asked(result, query, subtopic):
        n = result.relevance(q).n_listed if about else n_documents
        found = result.documents(q, max(1, n), subtopic=subtopic)[:n]
        tables.append(_whole(result, q, found) if full else found)
    if as_json:
        print_json(tables_json(listed_table(tables)))
        return
    print_page(_page(tables, subtopic))


def _page(tables: Sequence[DocumentTable], subtopic: str | None) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import documents_section, heading

    for number, table in enumerate(tables):
        if number:
            yield Text()
        yield heading(table.query, f"subtopic {subtopic}" if subtopic else "")
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
