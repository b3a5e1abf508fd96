"""`qdtm contrast`: two queries of a saved result, held against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import index_option, output_options
from qdtm.errors import QueryError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.contrast import Contrast, ContrastDocument, ContrastWord, NearSubtopic


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@click.option(
    "-n", "--words", "n_words", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Words of each side.",
)  # fmt: skip
@click.option(
    "--documents", "n_documents", type=click.IntRange(0), default=2, show_default=True, metavar="N",
    help="Documents of each side, and of both.",
)  # fmt: skip
@index_option
@output_options
def contrast(
    directory: str,
    left: str,
    right: str,
    n_words: int,
    n_documents: int,
    index: str | None,
    as_json: bool,
) -> None:
    """Say what query A of the result in DIR has and query B has not, and the other way round.

    A and B are names of queries, or their numbers from 0. Words are those that one topic has more than the
    other with 95 in 100, with their log-odds; documents are those that are about a query, by its recommended
    cut-off, with their relevance to A and to B.
    """
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.opening import open_result
    from qdtm.results.contrast import contrast_queries

    if left == right:
        raise QueryError(f"Query {left!r} cannot be contrasted with itself; give another one.")
    asked = [int(name) if name.isdecimal() else name for name in (left, right)]
    result = open_result(directory, index)
    found = contrast_queries(result, *asked, n_words=n_words, n_documents=n_documents)
    if as_json:
        print_json(_json(found))
    else:
        print_page(_page(found))


def _json(found: Contrast) -> dict[str, Any]:
    from dataclasses import asdict

    described = asdict(found)
    for side in ("left_documents", "right_documents", "both_documents"):
        described[side] = [
            {name: value for name, value in asdict(each).items() if name != "marked"}
            | {"passage": each.passage}
            for each in getattr(found, side)
        ]
    return described


def _page(found: Contrast) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import heading

    sides = (
        (found.left, found.n_left, found.left_words, found.left_documents, found.left_subtopics),
        (found.right, found.n_right, found.right_words, found.right_documents, found.right_subtopics),
    )
    for name, n, words, documents, subtopics in sides:
        other = found.right if name == found.left else found.left
        yield heading(name, f"and not '{other}': {n:,} documents")
        yield _words(words)
        yield from _documents(documents, found.left, found.right)
        yield from _subtopics(subtopics)
        yield Text()
    counted = "1 document" if found.n_both == 1 else f"{found.n_both:,} documents"
    yield heading("both", f"{counted}; their words overlap by {found.overlap:.2f}")
    yield from _documents(found.both_documents, found.left, found.right)


def _words(words: Sequence[ContrastWord]) -> RenderableType:
    from qdtm.cli.sections import facts

    by_size = sorted(words, key=lambda word: -abs(word.log_odds))
    shown = ", ".join(f"{word.word} {abs(word.log_odds):.1f}±{1.96 * word.error:.1f}" for word in by_size)
    return facts([("log-odds of words", shown or "none is certain")])


def _documents(documents: Sequence[ContrastDocument], left: str, right: str) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.console import one_line
    from qdtm.cli.sections import Columns, document_text, table

    if documents:
        number = {"justify": "right", "no_wrap": True}
        columns: Columns = [(one_line(left, 20), number), (one_line(right, 20), number), ("document", {})]
        rows = [
            (f"{each.left:.3f}", f"{each.right:.3f}", document_text(each.title, each.id, each.marked))
            for each in documents
        ]
        yield from (Text(), table(columns, rows))


def _subtopics(subtopics: Sequence[NearSubtopic]) -> Iterator[RenderableType]:
    from qdtm.cli.sections import facts

    near = [
        ("nearest", f"{each.id} {each.name} to {each.nearest} {each.nearest_name}, {each.overlap:.2f}")
        for each in subtopics[:1]
    ]
    if near:
        yield facts(near)
