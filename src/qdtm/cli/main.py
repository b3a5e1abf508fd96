"""`qdtm`: the group of all commands, and what becomes of their errors.

Every error that a user can cause is one line on stderr and exit code 2. Anything else is our bug: one line,
exit code 1, and a traceback with `--debug`.
"""

from __future__ import annotations

from typing import Any

import click

from qdtm import __version__
from qdtm.cli.add import add
from qdtm.cli.app import app
from qdtm.cli.check import check
from qdtm.cli.codes import codes
from qdtm.cli.compare import compare
from qdtm.cli.concepts import concepts
from qdtm.cli.contrast import contrast
from qdtm.cli.correct import correct
from qdtm.cli.demo import demo
from qdtm.cli.docs import docs
from qdtm.cli.drill import drill
from qdtm.cli.explain import explain
from qdtm.cli.export import export
from qdtm.cli.failure import one_line_failures
from qdtm.cli.fit import fit
from qdtm.cli.index import index
from qdtm.cli.kwic import kwic
from qdtm.cli.name import name
from qdtm.cli.report import report
from qdtm.cli.show import show
from qdtm.cli.transform import transform


class CommandGroup(click.Group):
    """Commands in the order of a person's work; their errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the commands in the order in which they were added."""
        return list(self.commands)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options before a command's name."""
        with one_line_failures():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        from qdtm.memory import require_address_space

        with one_line_failures(ctx):
            require_address_space()
            return super().invoke(ctx)


@click.group(
    cls=CommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="qdtm")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find what a corpus says about your queries: topics, subtopics and the documents behind them.

    Start with `qdtm demo`. Then check a query in your own texts with `qdtm concepts`, and find its topics
    with `qdtm fit`.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


_COMMANDS = (
    demo, index, concepts, kwic, fit, show, docs, explain, check, correct, codes, drill, add, contrast,
    compare, name, report, export, transform, app,
)  # fmt: skip

for command in _COMMANDS:
    cli.add_command(command)


def main() -> None:
    """Run `qdtm`."""
    cli(prog_name="qdtm")
