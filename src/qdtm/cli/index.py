"""`qdtm index`: read a corpus and learn what it is about once, so that every later command starts from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import (
    HeadedCommand,
    corpus_argument,
    engine_options,
    force_option,
    output_options,
    quiet_option,
    read_options,
    text_options,
)
from qdtm.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.corpus import Corpus


@click.command(
    cls=HeadedCommand,
    first=("output", "force", "text_column", "id_column", "title_column", "language", "stop_words"),
)
@corpus_argument
@click.option(
    "-o", "--output", type=click.Path(), required=True, metavar="DIR", help="Where to save the index."
)
@force_option
@read_options
@text_options
@engine_options
@quiet_option
@output_options
def index(
    corpus: tuple[str, ...], output: str, force: bool, engine: str, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Read CORPUS once, learn what it is about, and save it to DIR, ready for queries.

    CORPUS is a file, a folder, or several of these: tables (.csv, .jsonl, .xlsx, ...), documents (.pdf,
    .docx, .txt, ...), bibliographies (.ris, .bib, ...); or a pattern in quotes ('papers/*.pdf') or URL.
    Wherever a command takes a CORPUS it takes DIR too, and then reads, counts and learns nothing again.

    With --engine ray files are read on a cluster, and the index is written in parts: DIR is a folder that all
    its machines share, or a URL. No machine holds the texts, or all numbers in memory.

    Work that is interrupted or killed goes on where it was when the same command is given again.
    """
    from qdtm.cli.console import notes_console, print_json, print_page, print_reading, warnings_as_notes

    print_reading(notes := notes_console(quiet=quiet), corpus)  # the rest takes a while to load

    from qdtm.cli.json_forms import corpus_json
    from qdtm.cli.opening import open_corpus, print_columns_note, print_parts_note
    from qdtm.cli.run_fit import index_on_cluster, learn_with_progress

    if "://" in output and engine != "ray":
        raise ParameterError(f"--output is {output!r}, and only --engine ray writes to a URL.")
    claim_place(output, force=force)
    with warnings_as_notes(notes):
        if engine == "ray":
            read, n_topics = index_on_cluster(corpus, output, options, notes)
            print_parts_note(read, notes)
        else:
            read = open_corpus(corpus, options, notes)
            print_columns_note(read, notes)
            n_topics = learn_with_progress(read, notes, n_jobs=options["n_jobs"])
            read.save(output, force=force)
    if as_json:
        print_json({"path": output, "corpus": corpus_json(read), "topics": n_topics})
    elif not quiet:
        print_page(_page(read, n_topics, output))


def claim_place(output: str, *, force: bool) -> None:
    """Keep a folder until the command ends; refuse it, or a URL, if it is taken."""
    from qdtm.errors import StorageError
    from qdtm.storage.folders import MANIFEST, claim

    if "://" not in output:
        click.get_current_context().with_resource(claim(output, force=force))
        return
    from qdtm.storage.array_store import ArrayStore

    if ArrayStore(output).exists(MANIFEST) and not force:
        raise StorageError(f"{output!r} already holds a saved result; use force (--force) to replace it.")


def _page(corpus: Corpus, n_topics: int, output: str) -> Iterator[RenderableType]:
    from qdtm.cli.sections import facts, heading

    yield heading("index", output)
    passages = [] if corpus.passages is None else [("passages", f"{len(corpus.passages):,}")]
    yield facts(
        [
            ("documents", f"{corpus.n_documents:,}"),
            *passages,
            ("words", f"{corpus.n_words:,}"),
            ("tokens", f"{corpus.n_tokens:,}"),
            ("topics", f"{n_topics:,} in the background, learned once"),
            ("ask it", f"qdtm concepts {output} -q QUERY, qdtm fit {output} -q QUERY -o RESULT"),
        ]
    )
