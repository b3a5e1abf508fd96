"""`qdtm kwic`: search in a whole corpus, keyword in context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

import click

from qdtm.cli.options import (
    HeadedCommand,
    corpus_argument,
    force_option,
    index_option,
    output_options,
    read_options,
    text_options,
)
from qdtm.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from qdtm.queries.concordance import Concordance

_SORTS = ("document", "left", "right", "relevance", "date")
_WIDTH = 40  # characters on either side where there is no terminal to fill
_LEAST_WIDTH = 12
_WIDEST_KEYWORD, _WIDEST_ID = 30, 16
_BETWEEN = 2  # blanks between two columns


@click.command(
    cls=HeadedCommand,
    first=("width", "sort", "of", "limit", "output", "force", "text_column", "language", "as_json"),
)
@corpus_argument
@click.argument("query", metavar="QUERY")
@click.option(
    "--width", type=click.IntRange(1, 1_000), metavar="N",
    help="Characters on either side.  [what the terminal has, else 40]",
)  # fmt: skip
@click.option(
    "--sort", type=click.Choice(_SORTS), default="document", show_default=True,
    help="By the words to the left or right; of a result also by relevance or date.",
)  # fmt: skip
@click.option("--of", metavar="QUERY", help="Relevance to this query of the result.  [the first]")
@click.option(
    "--limit", type=click.IntRange(1), default=1_000, show_default=True, metavar="N",
    help="Lines at most; all are counted.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(), metavar="FILE", help="Write them to a .csv or .json file instead."
)
@force_option
@index_option
@read_options
@text_options
@output_options
def kwic(
    corpus: tuple[str, ...],
    query: str,
    width: int | None,
    sort: str,
    of: str | None,
    limit: int,
    output: str | None,
    force: bool,
    index: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Search in all texts of CORPUS, and show each place with the text around it.

    CORPUS is a file, a folder, several of them, a saved corpus, or a result of `qdtm fit`. QUERY has the
    language of queries: words that a document must all have, "a phrase", OR, econom*, -word; singular and
    plural, capitals and punctuation do not matter.
    """
    from qdtm.cli.console import (
        check_free,
        notes_console,
        opened,
        print_json,
        results_console,
        warnings_as_notes,
    )
    from qdtm.cli.opening import is_result, open_corpus, open_result
    from qdtm.queries.query import Query

    if output is not None:
        check_free(output, force=force)
    _check_sort(sort, of, of_result=is_result(corpus))
    Query(query)  # refuses what cannot be read, before a file is
    console = results_console()
    on_screen = output is None and not as_json
    room = console.width if on_screen and console.is_terminal else _WIDTH
    with warnings_as_notes(notes := notes_console()):
        if is_result(corpus):
            result = open_result(corpus[0], index)
            found = result.concordance(query, width=width or room, sort=sort, limit=limit, of=of or 0)
        else:
            read = open_corpus(corpus, options, notes)
            found = read.concordance(query, width=width or room, sort=sort, limit=limit)
    if on_screen:
        for line in _page(found, console, width):
            console.print(line, soft_wrap=True)
    elif output is None:
        print_json(_json(found))
    else:
        with opened(output) as file:
            _write(found, file, as_json=as_json or output.lower().endswith(".json"))
        click.echo(f"{output}: {found.summary}")


def _check_sort(sort: str, of: str | None, *, of_result: bool) -> None:
    if of is not None and sort != "relevance":
        raise ParameterError(f"--of is for --sort relevance; the lines are sorted by {sort}.")
    if sort in ("relevance", "date") and not of_result:
        raise ParameterError(f"--sort {sort} needs a result of `qdtm fit`; sort a corpus by left or right.")


def _json(found: Concordance) -> dict[str, Any]:
    from qdtm.cli.json_forms import tables_json
    from qdtm.results.tables import concordance_table

    counts = {"query": found.query, "n_lines": found.n_lines, "n_documents": found.n_documents}
    return counts | tables_json(concordance_table(found))


def _write(found: Concordance, file: TextIO, *, as_json: bool) -> None:
    from qdtm.results.table_formats import write_csv
    from qdtm.results.tables import concordance_table

    if as_json:
        file.write(json.dumps(_json(found), ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    else:
        write_csv(concordance_table(found), file)


# --- aligned lines ------------------------------------------------------------------------------------------


def _page(found: Concordance, console: Console, width: int | None) -> Iterator[Text]:
    """Yield what was found, the keywords below each other, as wide as the terminal allows."""
    from rich.cells import cell_len
    from rich.text import Text

    from qdtm.cli.console import one_line
    from qdtm.cli.sections import heading

    yield heading(found.query, found.summary)
    cells = [tuple(map(one_line, (x.left, x.keyword, x.right, x.id))) for x in found]
    widest = [max((cell_len(row[c]) for row in cells), default=0) for c in range(4)]
    keyword, document = min(widest[1], _WIDEST_KEYWORD), min(widest[3], _WIDEST_ID)
    side = width or _WIDTH
    if console.is_terminal:
        room = (console.width - keyword - document - 3 * _BETWEEN - 1) // 2
        side = max(_LEAST_WIDTH, min(side if width else room, room))
    before, after = min(side, widest[0]), min(side, widest[2])
    isolate = _isolated if console.is_terminal else str
    gap = " " * _BETWEEN
    for left, middle, right, id in cells:
        yield Text.assemble(
            isolate(_fitted(left, before, at_end=True)),
            gap,
            (isolate(_fitted(middle, keyword)), "bold"),
            gap,
            isolate(_fitted(right, after)),
            gap,
            (_fitted(id, document).rstrip(), "dim"),
        )


def _fitted(text: str, width: int, *, at_end: bool = False) -> str:
    """Return what fits of a text, its beginning or its end, filled up with blanks; some letters are wide."""
    from rich.cells import cell_len

    whole = text
    while (excess := cell_len(text) - width) > 0:
        n = max(1, excess // 2)
        text = text[n:] if at_end else text[:-n]
    if len(text) < len(whole):
        text = _without_part(text, whole[-len(text) - 1] if at_end else whole[len(text)], at_end=at_end)
    blanks = " " * (width - cell_len(text))
    return blanks + text if at_end else text + blanks


def _without_part(text: str, next_letter: str, *, at_end: bool) -> str:
    """Leave out what is left of a word that was cut, unless little would be left besides."""
    at = text.find(" ") if at_end else text.rfind(" ")
    if next_letter == " " or at < 0 or (at > len(text) // 2) == at_end:
        return text
    return text[at + 1 :] if at_end else text[:at]


def _isolated(text: str) -> str:
    """Return a column so that words written from right to left stay inside it."""
    from qdtm.corpus.tokenizer import is_right_to_left

    return f"\u2068{text}\u2069" if is_right_to_left(text) else text
