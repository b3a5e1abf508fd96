"""`qdtm demo`: the whole job on news articles that are already installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qdtm.cli.options import (
    HeadedCommand,
    all_documents_option,
    force_option,
    output_options,
    quiet_option,
    seed_option,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.model import QueryDrivenTopicModel

QUERIES = ("israel palestinian", "afghanistan", "cricket", "asylum seekers")


@click.command(cls=HeadedCommand, first=("texts", "output", "force"))
@click.option(
    "-q", "--query", "texts", multiple=True, metavar="QUERY", help="Ask your own queries; may be repeated."
)
@click.option("-o", "--output", type=click.Path(), metavar="DIR", help="Save the result.")
@all_documents_option
@force_option
@seed_option
@quiet_option
@output_options
def demo(
    texts: tuple[str, ...],
    output: str | None,
    all_documents: bool,
    force: bool,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the topics of four queries in 350 news articles.

    The articles are Australian news of 2001 and 2002 (the Lee collection, which comes with gensim).
    """
    from qdtm.cli.console import notes_console, print_json, print_page, print_start, warnings_as_notes

    print_start(
        notes := notes_console(quiet=quiet), "reading 350 news articles"
    )  # the rest takes a while to load

    from qdtm.cli.json_forms import result_json, tables_json
    from qdtm.cli.report import REPORT
    from qdtm.cli.run_fit import end_if_interrupted, fit_with_progress, make_model, note_doubts
    from qdtm.corpus import load_demo_corpus
    from qdtm.results.tables import listed_table
    from qdtm.storage.folders import claim

    if output:
        click.get_current_context().with_resource(claim(output, force=force))
    model = make_model(texts or QUERIES, random_state=seed, n_jobs=-1)
    with warnings_as_notes(notes):
        fit_with_progress(model, load_demo_corpus(), notes)
    note_doubts(model, notes)
    if output:
        model.save(output, force=force, all_documents=all_documents)
        model.report(Path(output) / REPORT)
    if as_json:
        tables = [model.documents(q, 5) for q in range(len(model.topics_))]
        print_json(result_json(model.result_, 10) | tables_json(listed_table(tables)))
    elif not quiet:
        print_page(_page(model, output))
    end_if_interrupted(model, output)


def _page(model: QueryDrivenTopicModel, output: str | None) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.report import REPORT
    from qdtm.cli.sections import N_DOCUMENTS, heading, result_page

    yield heading("350 news articles", "Australia, 2001 and 2002 (Lee, Pincombe and Welsh, 2005)")
    yield Text()
    yield from result_page(model.result_, n_subtopics=5, n_documents=N_DOCUMENTS)
    if output:
        yield Text(
            f"Saved, with {output}/{REPORT} to read. Look closer: qdtm docs {output}, qdtm show {output}"
        )
    yield Text("Your own texts: qdtm fit TEXTS.csv -q 'your query' -o RESULT")
