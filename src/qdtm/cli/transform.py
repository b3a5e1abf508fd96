"""`qdtm transform`: score new documents with a saved result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import (
    corpus_argument,
    engine_options,
    force_option,
    index_option,
    output_options,
    read_options,
)

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.corpus import Corpus
    from qdtm.results.relevance import Relevance
    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@corpus_argument
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write to a file, not to the screen.")
@force_option
@index_option
@read_options
@engine_options
@output_options
def transform(
    directory: str,
    corpus: tuple[str, ...],
    output: str | None,
    force: bool,
    index: str | None,
    engine: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Score new documents in CORPUS with the model in DIR.

    The outcome is a .csv table with a row for each document and query: your own columns, the query, whether
    the document is about it, its relevance, whether it names it, its main subtopic, and the cut-off of DIR,
    from which up it is about it; with --json the same, one JSON object a line. A document of the corpus that
    DIR is from keeps its relevance. Words that the model does not know are ignored.

    With --engine ray the files of CORPUS are scored on a cluster, and FILE is a folder or URL that gets a
    table a file.
    """
    from qdtm.cli.console import check_free, notes_console, opened, warnings_as_notes
    from qdtm.cli.opening import open_corpus, open_result
    from qdtm.results.table_formats import write_csv
    from qdtm.results.tables import new_documents_table

    if engine == "ray":
        _transform_on_cluster(directory, corpus, output, index, options, force=force, as_json=as_json)
        return
    if output is not None:
        check_free(output, force=force)
    result = open_result(directory, index)
    with warnings_as_notes(notes := notes_console()):
        new = open_corpus(corpus, options, notes, like=result.corpus)
    found = [result.relevance(q, new) for q in range(result.fit.n_queries)]
    table = new_documents_table(result.fit, new, found)
    _note_strangers(new, found, notes)
    _note_encoder(result, notes)
    with opened(output) as file:
        if as_json:
            file.writelines(f"{json.dumps(each, allow_nan=False)}\n" for each in table.records())
        else:
            write_csv(table, file)


def _transform_on_cluster(
    directory: str,
    corpus: Sequence[str],
    output: str | None,
    index: str | None,
    options: Mapping[str, Any],
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Score the documents of many files by a cluster."""
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.cli.index import claim_place
    from qdtm.cli.opening import read_parameters
    from qdtm.cli.progress_display import StepsDisplay
    from qdtm.cli.run_fit import cluster_of
    from qdtm.cluster.tasks import RayTasks
    from qdtm.cluster.transforming import transform_in_parts
    from qdtm.corpus.building import read_options

    if output is None:
        raise click.UsageError("Missing option '-o' / '--output': where --engine ray writes its tables.")
    claim_place(output, force=force)
    place = output if "://" in output else str(Path(output).absolute())
    with warnings_as_notes(notes := notes_console()), cluster_of(options) as engine:
        n_documents = transform_in_parts(
            str(Path(directory).absolute()),
            corpus,
            read_options(**read_parameters(options)),
            place,
            RayTasks(engine),
            index=index,
            as_json=as_json,
            steps=StepsDisplay(notes),
        )
    click.echo(f"{output}: {n_documents:,} documents")


def _note_strangers(new: Corpus, found: Sequence[Relevance], console: Console) -> None:
    """Say how many documents have no word that the model knows."""
    from qdtm.cli.console import print_note

    is_unknown = new.document_lengths == 0
    n_strangers = sum(not any(each.scores[j] > 0 for each in found) for j in is_unknown.nonzero()[0])
    if n_strangers:
        of = f"{n_strangers:,} of {new.n_documents:,} documents"
        print_note(console, "note", f"{of} have no word that the model knows; their relevance is 0.")


def _note_encoder(result: Result, console: Console) -> None:
    """Say that new documents are judged by their words alone, where others were not."""
    from qdtm.cli.console import print_note

    if result.fit.parameters.get("encoder") is not None:
        text = "the model was fitted with an encoder; new documents are judged by their words alone."
        print_note(console, "note", text)
