"""`qdtm add`: ask one more query of a saved result, without fitting anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import (
    all_documents_option,
    asking_options,
    force_option,
    index_option,
    jobs_option,
    output_options,
    quiet_option,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@asking_options
@click.option(
    "--rule", type=click.Choice(["and", "or"]), help="Must a document have all words of a query, or any?"
)
@click.option("-o", "--output", type=click.Path(), metavar="DIR2", help="Where to save the result.  [DIR]")
@all_documents_option
@force_option
@index_option
@jobs_option
@quiet_option
@output_options
def add(
    directory: str,
    rule: Any,
    output: str | None,
    all_documents: bool,
    force: bool,
    index: str | None,
    n_jobs: int | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask more queries of the result in DIR, going on from what was found there.

    Several times faster than fitting all queries at once, and close to it. The other queries keep their
    concept words, topics and subtopics, but for what the new ones take.
    """
    from qdtm.cli.console import notes_console, print_json, print_page, warnings_as_notes
    from qdtm.cli.json_forms import result_json
    from qdtm.cli.opening import claim_goal, open_model, save_again
    from qdtm.cli.query_options import parse_queries
    from qdtm.cli.run_fit import end_if_interrupted, note_doubts, showing_progress

    claim_goal(directory, output, force=force)
    queries = parse_queries(options)
    model = open_model(directory, index)
    model.n_jobs = n_jobs
    notes = notes_console(quiet=quiet)
    with warnings_as_notes(notes), showing_progress(model, notes):
        for query in queries:
            model.add_query(query if rule is None else replace(query, rule=rule))
    note_doubts(model, notes)
    save_again(model, directory, output, force=force, all_documents=all_documents)
    if as_json:
        print_json({"path": output or directory} | result_json(model.result_, 10))
    elif not quiet:
        print_page(_page(model.result_, len(queries)))
    end_if_interrupted(model, output or directory)


def _page(result: Result, n_added: int) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import N_DOCUMENTS, topic_section

    for q in range(result.fit.n_queries - n_added, result.fit.n_queries):
        yield topic_section(result, q, n_documents=N_DOCUMENTS)
        yield Text()
