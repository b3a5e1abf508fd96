"""`qdtm transform`: score new documents with a saved result."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from qdtm.cli.options import force_option, index_option, output_options, read_options
from qdtm.errors import StorageError

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.corpus import Corpus
    from qdtm.results import DocumentScores
    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.argument("corpus", type=click.Path())
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write to a file, not to the screen.")
@force_option
@index_option
@read_options
@output_options
def transform(
    directory: str,
    corpus: str,
    output: str | None,
    force: bool,
    index: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Score new documents in CORPUS with the model in DIR.

    The outcome is a .csv table: your own columns, then for each query the relevance, whether the document is
    about it (by the cut-off of DIR) and its main subtopic; with --json one JSON object a line. Words that the
    model does not know are ignored.
    """
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.cli.opening import open_corpus, open_result
    from qdtm.results.new_documents import score_new_documents

    if output is not None:
        _check_free(Path(output), force)
    result = open_result(directory, index)
    with warnings_as_notes(notes := notes_console()):
        new = open_corpus(corpus, options, notes, like=result.corpus)
    scores = score_new_documents(result, new)
    _note_strangers(scores, notes)
    with _opened(output) as file:
        write = _write_json_lines if as_json else _write_csv
        write(file, result, new, scores)


def _write_csv(file: TextIO, result: Result, new: Corpus, scores: DocumentScores) -> None:
    from qdtm.results.tables import write_documents

    write_documents(file, new.documents, scores, result.topics, with_text=False)


def _write_json_lines(file: TextIO, result: Result, new: Corpus, scores: DocumentScores) -> None:
    below = [topic.below() for topic in result.topics]
    for j, document in enumerate(new.documents):
        queries = []
        for q, topic in enumerate(result.topics):
            s = int(scores.subtopic[j, q])
            subtopic = below[q][s].id if s >= 0 else None
            queries.append(
                {
                    "query": topic.name,
                    "relevance": float(scores.relevance[j, q]),
                    "about": bool(scores.about[j, q]),
                    "subtopic": subtopic,
                    "subtopic_share": float(scores.subtopic_share[j, q]),
                }
            )
        line = {"index": j, "id": document.id, "fields": dict(document.fields), "queries": queries}
        file.write(json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n")


def _note_strangers(scores: DocumentScores, console: Console) -> None:
    """Say how many documents have no word that the model knows."""
    from qdtm.cli.console import print_note

    n_strangers = int(((scores.n_tokens == 0) & ~(scores.relevance > 0).any(axis=1)).sum())
    if n_strangers:
        of = f"{n_strangers:,} of {len(scores):,} documents"
        print_note(console, "note", f"{of} have no word that the model knows; their relevance is 0.")


def _check_free(path: Path, force: bool) -> None:
    if path.is_dir():
        raise StorageError(f"{str(path)!r} is a folder; give the name of a file.")
    if path.exists() and not force:
        raise StorageError(f"{str(path)!r} exists already; use --force to replace it.")


@contextmanager
def _opened(output: str | None) -> Iterator[TextIO]:
    """Give a file to write, which gets its name when it is whole; or the screen."""
    from qdtm.cli.console import lenient
    from qdtm.placing import placed_file, write_errors

    if output is None:
        yield lenient(sys.stdout)
        return
    with (
        placed_file(output) as path,
        write_errors(output),
        path.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        yield file
