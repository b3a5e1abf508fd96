"""`qdtm fit`: from a corpus and queries to a saved result, also if it is killed on the way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import (
    HeadedCommand,
    all_documents_option,
    background_option,
    column_options,
    engine_options,
    force_option,
    model_options,
    output_options,
    query_options,
    quiet_option,
    read_options,
    refuse_both,
    seed_option,
    text_options,
)
from qdtm.errors import StorageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from qdtm.model import QueryDrivenTopicModel


# --- the command --------------------------------------------------------------------------------------------

_AS_THEY_ARE = ("preset", "n_background_topics", "similarity_threshold", "min_prevalence", "alpha", "beta",
                "gamma", "min_sweeps", "max_sweeps", "n_chains", "n_jobs", "engine", "address",
                "worker_dir")  # fmt: skip
_FIRST = ("texts", "output", "force", "text_column", "title_column", "language", "time_column",
          "group_column", "exclude", "rule")  # fmt: skip
_EXCLUSIVE = (("no_promotion", "promotion_weight"), ("no_promotion", "similarity_threshold"),
              ("no_promotion", "no_filtering"), ("no_subtopics", "min_prevalence"))  # fmt: skip
_RUNNING = {"n_jobs", "engine", "address", "worker_dir"}


@click.command(cls=HeadedCommand, first=_FIRST)
@click.argument("corpus", metavar="CORPUS...", nargs=-1, type=click.Path())
@query_options
@click.option("-o", "--output", type=click.Path(), metavar="DIR", help="Where to save the result.")
@click.option("--resume", type=click.Path(), metavar="DIR", help="Go on with a fit into DIR that was killed.")
@force_option
@read_options
@text_options
@model_options
@engine_options
@column_options
@click.option("--no-report", is_flag=True, help="Write no report.html.")
@all_documents_option
@click.option("--standalone", is_flag=True, help="Copy the index into DIR, which then needs it no more.")
@seed_option
@background_option
@quiet_option
@output_options
def fit(resume: str | None, background: bool, quiet: bool, as_json: bool, **options: Any) -> None:
    """Find the topics of queries in CORPUS and save them to DIR.

    CORPUS is a file, a folder, or several of these: tables (.csv, .jsonl, .xlsx, ...), documents (.pdf,
    .docx, .txt, ...), bibliographies (.ris, .bib, ...); or a pattern in quotes ('papers/*.pdf') or URL; or a
    saved corpus.

    DIR gets report.html (open it in a browser), the model, topics.csv (all topics with their words) and
    documents.csv (the documents about a query, or all: your own columns, whether the document is about it,
    its relevance, whether it names it, and its main subtopic). If CORPUS is an index (`qdtm index`), DIR
    refers to it and needs it again; of anything else it has a copy.
    Ctrl-C ends early, and saves what was found until then.

    A fit that takes long is kept in DIR.unfinished while it runs. If it is killed, `qdtm fit --resume DIR`
    goes on where it was, and ends in the same result.
    """
    from qdtm.cli.console import notes_console, print_json, print_page, print_reading, warnings_as_notes

    notes = notes_console(quiet=quiet)
    options = _begun(options) if resume is None else _resumed(options, resume)
    print_reading(notes, options["corpus"])  # the rest takes a while to load

    from qdtm.cli.json_forms import result_json
    from qdtm.cli.report import REPORT
    from qdtm.cli.run_fit import end_if_interrupted, note_doubts
    from qdtm.storage.folders import claim

    output, force = options["output"], options["force"]
    click.get_current_context().with_resource(claim(output, force=force))
    if resume is None:
        check_begun(output, force=force)
    with warnings_as_notes(notes):
        model = _fitted(options, notes)
    note_doubts(model, notes)
    model.save(output, force=force, standalone=options["standalone"], all_documents=options["all_documents"])
    with_report = not options["no_report"]
    if with_report:
        model.report(Path(output) / REPORT)
    if as_json:
        print_json({"path": output} | result_json(model.result_, 10))
    elif not quiet:
        print_page(_page(model, output, options, with_report=with_report, background=background))
    end_if_interrupted(model, output)


def _begun(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a fit that begins; refuse what cannot be, before anything is read."""
    if not options["corpus"]:
        raise click.UsageError("Missing argument 'CORPUS...'.")
    if options["output"] is None:
        raise click.UsageError("Missing option '-o' / '--output'.")
    if options["date_format"] is not None and options["time_column"] is None:
        raise click.UsageError("--date-format is there without --time-column; name the column of dates.")
    refuse_both(*_EXCLUSIVE)
    options["corpus"] = [each if "://" in each else str(Path(each).absolute()) for each in options["corpus"]]
    if options["stop_words"] is not None and options["stop_words"].lower() != "none":
        options["stop_words"] = str(Path(options["stop_words"]).absolute())
    return options


def _resumed(options: dict[str, Any], output: str) -> dict[str, Any]:
    """Return the options of a fit that goes on: as it began, but run as the user says now."""
    from click.core import ParameterSource

    source = click.get_current_context().get_parameter_source
    given = {name for name in options if source(name) is ParameterSource.COMMANDLINE}
    if given - _RUNNING:
        raise click.UsageError(f"--resume goes on as it began; leave out {sorted(given - _RUNNING)[0]!r}.")
    command = read_command(output)
    return options | command | {name: options[name] for name in given} | {"output": output}


def _fitted(options: Mapping[str, Any], notes: Console) -> QueryDrivenTopicModel:
    """Fit, or go on fitting."""
    from qdtm.cli.opening import check_columns, open_corpus, print_columns_note
    from qdtm.cli.query_options import parse_queries, query_parameters
    from qdtm.cli.run_fit import fit_with_progress, make_model, mentions_shown, resume_with_progress
    from qdtm.resume import is_unfinished

    queries = parse_queries(options)
    model = make_model(queries, **query_parameters(options, len(queries)), **_model_parameters(options))
    documents = open_corpus(options["corpus"], options, notes)
    columns = check_columns(documents, options)
    print_columns_note(documents, notes)
    with mentions_shown(documents), kept_command(options["output"], options) as folder:
        if is_unfinished(folder):
            model = resume_with_progress(model, folder, documents, notes)
        else:
            fit_with_progress(model, documents, notes, checkpoint=folder)
    model.set_columns(**columns)
    return model


def _model_parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a model that are not about its queries."""
    return {name: options[name] for name in _AS_THEY_ARE} | {
        "encoder": options["encoder"],
        "promotion_weight": 0.0 if options["no_promotion"] else options["promotion_weight"],
        "word_filtering": not options["no_filtering"],
        "subtopics": not options["no_subtopics"],
        "random_state": options["seed"],
    }


def _page(
    model: QueryDrivenTopicModel,
    output: str,
    options: Mapping[str, Any],
    *,
    with_report: bool,
    background: bool,
) -> Iterator[RenderableType]:
    from qdtm.cli.sections import N_DOCUMENTS, facts, heading, result_page, stability_page

    report = [("report.html", "all of this to read and to hand on; open it in a browser")]
    listed = "all documents" if options["all_documents"] else "the documents about a query"
    index = [] if (Path(output) / "corpus").exists() else [("index", f"needed again: {options['corpus'][0]}")]
    yield from result_page(model.result_, n_documents=N_DOCUMENTS, background=background)
    yield from stability_page(model.stability_)
    yield heading("saved", output)
    yield facts(
        [
            *(report if with_report else []),
            ("topics.csv", "all topics with their words"),
            ("documents.csv", f"{listed}: relevance, main subtopic, your own columns"),
            *index,
            ("look closer", f"qdtm docs {output}, qdtm show {output}, qdtm explain {output} --doc ID"),
        ]
    )


# --- a fit that may be killed -------------------------------------------------------------------------------
#
# A `qdtm fit` that may be killed: its command in, kept beside its DIR while it runs, and out again.

_COMMAND = "command.json"


def unfinished_folder(output: str) -> Path:
    """Where the fit of an output folder is kept while it is not done."""
    place = Path(os.path.abspath(output))  # noqa: PTH100 - resolve() would follow a link
    return place.with_name(f"{place.name}.unfinished")


def check_begun(output: str, *, force: bool) -> None:
    """Refuse to begin where an unfinished fit could go on; with `force`, forget it."""
    from qdtm.resume import is_unfinished

    folder = unfinished_folder(output)
    if is_unfinished(folder) and not force:
        raise StorageError(
            f"{output!r} has an unfinished fit; go on with qdtm fit --resume {output}, "
            "or use --force to begin again."
        )
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def kept_command(output: str, command: Mapping[str, Any]) -> Iterator[Path]:
    """Keep a command until the block ends; give the folder for the fit's checkpoint.

    It stays if the block fails and there is something to go on from.
    """
    from qdtm.resume import is_unfinished
    from qdtm.storage.atomic import write_errors
    from qdtm.storage.folders import save_json

    folder = unfinished_folder(output)
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        save_json(folder / _COMMAND, dict(command))
        yield folder
    finally:
        if not is_unfinished(folder):
            shutil.rmtree(folder, ignore_errors=True)


def read_command(output: str) -> dict[str, Any]:
    """Read the command of an unfinished fit.

    Raises
    ------
    StorageError
        If there is none, or it makes no sense.
    """
    from qdtm.storage.folders import load_json

    path = unfinished_folder(output) / _COMMAND
    if not path.is_file():
        raise StorageError(
            f"There is no unfinished fit of {output!r}; qdtm fit CORPUS -q QUERY -o DIR begins one."
        )
    command = load_json(path)
    corpus = command.get("corpus") if isinstance(command, dict) else None
    if (
        not isinstance(command, dict)
        or not isinstance(corpus, list)
        or not all(isinstance(each, str) for each in corpus)
    ):
        raise StorageError(f"{str(path)!r} is damaged: it is not the command of a fit.")
    return command
