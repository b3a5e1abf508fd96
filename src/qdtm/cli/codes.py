"""`qdtm codes`: your tags and notes on the documents of a saved result, and the codebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import index_option, output_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--tag", metavar="TAG", help="Where one tag is: its documents and passages.")
@click.option("--add", metavar="DOC TAG", help="Tag a document, given by its id.", nargs=2)
@click.option("--note", metavar="DOC TEXT", help='Note something on a document; "" takes it away.', nargs=2)
@click.option(
    "--rename", metavar="TAG NAME", help="Rename a tag; if there is one of that name, both become one.",
    nargs=2,
)  # fmt: skip
@click.option("--remove", metavar="TAG", help="Remove a tag everywhere.")
@click.option("--undo", is_flag=True, help="Undo what was done last to tags or notes.")
@index_option
@output_options
def codes(
    directory: str,
    tag: str | None,
    add: tuple[str, str] | None,
    note: tuple[str, str] | None,
    rename: tuple[str, str] | None,
    remove: str | None,
    undo: bool,
    index: str | None,
    as_json: bool,
) -> None:
    """List your tags on documents and passages of the result in DIR, with counts; or change them.

    A tag has at most 100 characters, a note 10,000. `qdtm docs DIR --tag TAG` lists the documents of a tag
    with the passages that make them relevant, and every export has tags and notes. In the app passages are
    tagged too.
    """
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.opening import open_result
    from qdtm.results.journal import Journal

    acts = [each for each in (add, note, rename, remove) if each is not None]
    if len(acts) + undo > 1:
        raise click.UsageError("Give one of --add, --note, --rename, --remove and --undo at a time.")
    result = open_result(directory, index)
    if acts or undo:
        changed = _undone(result) if undo else _changed(result, add, note, rename, remove)
        last = changed.history.lines[-1]
        Journal(directory).append(last.kind, last.values)
        result = changed
    name = None if tag is None else result.codes.tag(tag)
    if as_json:
        print_json(_json(result, name))
    else:
        print_page(_page(result, name))


def _changed(
    result: Result,
    add: tuple[str, str] | None,
    note: tuple[str, str] | None,
    rename: tuple[str, str] | None,
    remove: str | None,
) -> Result:
    if add is not None:
        return result.tagged(*add)
    if note is not None:
        return result.noted(*note)
    if rename is not None:
        if not rename[1].strip():
            raise click.UsageError("A tag needs a name; --remove TAG removes it.")
        return result.recoded(*rename)
    return result.recoded(remove or "")


def _undone(result: Result) -> Result:
    from qdtm.errors import ParameterError
    from qdtm.results.codes import KINDS

    acts = [act for act in result.history.acts if act.kind in KINDS]
    if not acts:
        raise ParameterError("There are no tags or notes to undo.")
    return result.with_history(result.history.undo(acts[-1].number))


def _json(result: Result, tag: str | None) -> dict[str, Any]:
    from dataclasses import asdict

    from qdtm.results.tables import codes_table

    rows = codes_table(result.codes, result.corpus).records()
    return {
        "tags": [asdict(count) for count in result.codes.book if tag in (None, count.tag)],
        "codes": [row for row in rows if tag in (None, row["tag"])],
    }


def _page(result: Result, tag: str | None) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import codebook_section, coded_section

    if not result.codes:
        yield Text("There are no tags or notes yet; `qdtm codes DIR --add DOC TAG` makes one.")
        return
    if tag is None:
        yield codebook_section(result.codes)
        yield Text()
    yield coded_section(result, tag)
