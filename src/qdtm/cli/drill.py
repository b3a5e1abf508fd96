"""`qdtm drill`: open subtopics of a saved result into their own subtopics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from qdtm.cli.options import (
    all_documents_option,
    check_subtopics,
    force_option,
    index_option,
    jobs_option,
    output_options,
    quiet_option,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.model import QueryDrivenTopicModel


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.argument("subtopics", metavar="SUBTOPIC...", nargs=-1, required=True, callback=check_subtopics)
@click.option("-o", "--output", type=click.Path(), metavar="DIR2", help="Where to save the result.  [DIR]")
@all_documents_option
@force_option
@index_option
@jobs_option
@quiet_option
@output_options
def drill(
    directory: str,
    subtopics: Sequence[str],
    output: str | None,
    all_documents: bool,
    force: bool,
    index: str | None,
    n_jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Open subtopics of the result in DIR, such as 0.1, into their own: 0.1.1, 0.1.2, ...

    Several are opened in the order given, so `qdtm drill DIR 0.1 0.1.2` goes two levels down. What was there
    stays as it is.
    """
    from qdtm.cli.console import notes_console, print_json, print_page
    from qdtm.cli.json_forms import tables_json
    from qdtm.cli.opening import claim_goal, open_model, save_again
    from qdtm.cli.run_fit import showing_progress
    from qdtm.results.tables import topics_table

    claim_goal(directory, output, force=force)
    model = open_model(directory, index)
    model.n_jobs = n_jobs
    with showing_progress(model, notes_console(quiet=quiet)):
        for subtopic in subtopics:
            model.drill_down(subtopic)
    save_again(model, directory, output, force=force, all_documents=all_documents)
    if as_json:
        table = topics_table(model.fit_, model.corpus_, 10)
        print_json({"path": output or directory, "opened": subtopics} | tables_json(table))
    elif not quiet:
        print_page(_page(model, subtopics))


def _page(model: QueryDrivenTopicModel, subtopics: Sequence[str]) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import heading, tree_table

    shown = [id for id in subtopics if not any(id.startswith(f"{other}.") for other in subtopics)]
    for number, id in enumerate(shown):
        topic = model.result_.topic(id)
        yield from [Text()] if number else []
        yield heading(topic.name, f"subtopic {id}")
        yield tree_table(model.result_, topic, n_words=10)
