"""`qdtm show`: the topics, subtopics, words and convergence of a saved result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from qdtm.cli.options import background_option, index_option, output_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option(
    "-n", "--words", "n_words", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Words of each topic.",
)  # fmt: skip
@background_option
@index_option
@output_options
def show(directory: str, n_words: int, background: bool, index: str | None, as_json: bool) -> None:
    """Show the topics in DIR, which `qdtm fit` made."""
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.json_forms import result_json
    from qdtm.cli.opening import open_result

    result = open_result(directory, index)
    if as_json:
        print_json(result_json(result, n_words))
        return
    print_page(_page(result, directory, n_words, background=background))


def _page(result: Result, directory: str, n_words: int, *, background: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import convergence_section, corrections_page, heading, result_page, stability_page

    n_words_known = len(result.fit.vocabulary)
    size = (
        f"{result.corpus.n_documents:,} documents, {n_words_known:,} words, {result.corpus.n_tokens:,} tokens"
    )
    yield heading(directory, size)
    yield Text()
    yield from result_page(result, n_words=n_words, background=background)
    yield from corrections_page(result)
    yield from stability_page(result.stability)
    yield convergence_section(result.fit)
