"""The commands of `qdtm` in, a page about all of them out: what `--help` says, as a page to search in."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from qdtm.cli.main import cli

PAGE = "reference/commands.md"
_WIDE = 10_000  # no line of a usage is broken


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page."""
    files.append(File.generated(config, PAGE, content=command_reference()))
    return files


def command_reference() -> str:
    """Return the page: a chapter for each command, in the order of `qdtm --help`."""
    intro = "# Commands\n\nWhat each command says with `--help`. [How they go together](../commands.md)."
    return "\n\n".join([intro, *_chapters(cli, click.Context(cli, info_name="qdtm"))]) + "\n"


def _chapters(group: click.Group, above: click.Context) -> Iterator[str]:
    for name in group.list_commands(above):
        command = group.commands[name]
        context = click.Context(command, info_name=name, parent=above, terminal_width=_WIDE)
        yield _chapter(command, context)
        if isinstance(command, click.Group):
            yield from _chapters(command, context)


def _chapter(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    records = filter(None, (option.get_help_record(context) for option in options))
    rows = [f"| `{_cell(written)}` | {_plain(_cell(meaning))} |" for written, meaning in records]
    parts = [f"## {context.command_path}", f"    {usage}", _plain(inspect.cleandoc(command.help or ""))]
    return "\n\n".join([*parts, "\n".join(["| option | meaning |", "|---|---|", *rows])])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _plain(text: str) -> str:
    """Escape what Markdown would take for markup, outside of `code`."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if i % 2 else re.sub(r"([*_<>\[\]#])", r"\\\1", piece) for i, piece in enumerate(pieces)
    )
