"""`python -m experiments`: every experiment of the documentation as a command, from a clone.

A command's module is imported when the command is asked for, so that the list of them is there at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

import click

from qdtm.cli.main import CommandGroup


class Entry(NamedTuple):
    """Where a command is: a click command, or a function of the arguments; and what it does."""

    module: str
    name: str
    about: str


COMMANDS = {
    "all": Entry("everything", "everything", "Every figure of the documentation, then the pages."),
    "table1": Entry("bench.paper_tables", "table1", "Parent topics beside the paper's Table 1."),
    "table3": Entry("bench.paper_tables", "table3", "Subtopics beside the paper's Table 3."),
    "topics": Entry("bench.topic_words", "topics", "Words of topics beside Tables 2, 4, B1 and B2."),
    "alone": Entry("bench.alone", "alone", "Every query asked alone."),
    "together": Entry("bench.together", "together", "All queries of a corpus at once."),
    "rare": Entry("bench.rare", "rare", "Queries whose category was made rare."),
    "staying": Entry("bench.staying", "staying", "Whether answers stay with what people ask."),
    "subtopics": Entry("bench.subtopics", "subtopics", "Subtopics beside true lower categories."),
    "spot-check": Entry("spot_check", "spot_check", "Runs of docs/results drawn at random, run again."),
    "pages": Entry("pages", "pages", "The result tables as pages, from docs/results/*.json."),
    "speed": Entry("measurements.speed", "speed", "Sweeps beside tomotopy, topica and gensim."),
    "adding": Entry("measurements.adding", "measure_adding", "A query added later, or fitted with all."),
    "answering": Entry("measurements.answering", "measure_answering", "A corpus learned once, then asked."),
    "app-load": Entry("measurements.app_load", "measure_app_load", "The app under load and abuse."),
    "cluster-model": Entry("measurements.cluster", "measure_cluster_model", "A cluster on paper."),
    "corpus": Entry("measurements.corpus", "measure_corpus", "Reading, indexing, asking and scoring."),
    "engines": Entry("measurements.cluster", "measure_engines", "A sweep by Ray beside threads."),
    "firmness": Entry("measurements.firmness", "measure_firmness", "Subtopics looked for with other seeds."),
    "memory": Entry("measurements.memory", "measure_memory", "The memory of a fit beside its bound."),
    "million": Entry("measurements.million", "measure_million", "A million documents, command by command."),
    "own-labels": Entry("measurements.own_labels", "measure_own_labels", "Relevance on labels of your own."),
    "planted": Entry("measurements.planted", "measure_planted", "Rare concepts that were planted."),
    "review": Entry("measurements.review", "measure_review", "Simulated readers of hand-checks."),
    "result-size": Entry("measurements.corpus", "measure_result_size", "The size of a saved result."),
    "scaling": Entry("measurements.scaling", "measure_scaling", "The cost of a sweep by tokens and topics."),
    "shards": Entry("measurements.shards", "measure_shards", "What shards cost in quality."),
}


class ExperimentGroup(CommandGroup):
    """Commands in the order of `COMMANDS`, each imported when it is run; their errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the commands in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        entry = COMMANDS[cmd_name]
        found = getattr(import_module(f"experiments.{entry.module}"), entry.name)
        return found if isinstance(found, click.Command) else _of_function(cmd_name, found)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.about) for name, entry in COMMANDS.items()])


def _of_function(name: str, measure: Callable[[Sequence[str]], None]) -> click.Command:
    """Make a command of a function that reads its arguments itself, `--help` too."""

    @click.command(name, add_help_option=False, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: Sequence[str]) -> None:
        measure(arguments)

    return command


@click.group(cls=ExperimentGroup, context_settings={"help_option_names": ["-h", "--help"]})
def experiments() -> None:
    """Run the experiments of the documentation, and compare.

    Each run of a model on a corpus is kept when it is finished, and not repeated unless the code it depends
    on, the corpus or an option changes: Ctrl-C and the same command again go on where it was. What only some
    rows need is in the extra `experiments`.
    """


if __name__ == "__main__":
    experiments(prog_name="python -m experiments")
