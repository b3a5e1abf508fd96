"""`qdtm compare`: what stays when a question is asked otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import (
    force_option,
    index_option,
    jobs_option,
    output_options,
    quiet_option,
    read_options,
    seed_option,
    text_options,
)
from qdtm.errors import ParameterError, StorageError

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.model import QueryDrivenTopicModel
    from qdtm.results.comparison import Sensitivity
    from qdtm.results.result import Result

_NOTHING = "There is nothing to compare with; give another result, --also, --extractors, --rules or --seeds."


@click.command()
@click.argument("paths", metavar="DIR...|CORPUS", nargs=-1, required=True, type=click.Path())
@click.option(
    "-q", "--query", metavar="QUERY", help="The query to ask of CORPUS, or which one of DIR.  [first]"
)
@click.option("--also", multiple=True, metavar="QUERY", help="Other words for it; may be repeated.")
@click.option("--extractors", metavar="NAME,...", help="Other extractors: kld, fre, rel, none.")
@click.option("--rules", metavar="NAME,...", help="Other rules: and, or.")
@click.option("--seeds", type=int, default=0, metavar="N", help="How many other seeds.")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write a page about it, .html.")
@force_option
@index_option
@read_options
@text_options
@click.option("--embeddings", default="auto", show_default=True, metavar="NAME", help="As in `qdtm fit`.")
@click.option("--max-sweeps", type=int, metavar="N", help="Sweeps of a phase at most.")
@jobs_option
@seed_option
@quiet_option
@output_options
def compare(
    paths: tuple[str, ...], output: str | None, force: bool, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Say what becomes of a topic's subtopics when it is asked for otherwise.

    Give several results, of which the first is the reference; or one result, or a corpus with -q, and other
    ways to ask: `qdtm compare news.csv -q "middle east" --also israel --seeds 2`. One thing is changed at a
    time.
    """
    from qdtm.cli.compare_sections import sensitivity_page
    from qdtm.cli.console import notes_console, print_json, print_page, warnings_as_notes

    if output is not None and Path(output).exists() and not force:
        raise StorageError(f"{output!r} exists already; use --force to replace it.")
    ways = _ways(options)
    if len(paths) == 1 and not ways.any:
        raise ParameterError(_NOTHING)
    notes = notes_console(quiet=quiet)
    with warnings_as_notes(notes):
        sensitivity = _compare(paths, ways, options, notes)
    if output is not None:
        from qdtm.present.report import write_comparison

        write_comparison(sensitivity, output)
    if as_json:
        print_json(sensitivity.to_json())
    elif not quiet:
        print_page(sensitivity_page(sensitivity, output))


def _ways(options: Mapping[str, Any]) -> Any:
    from qdtm.queries import as_queries
    from qdtm.variants import Ways

    if options["also"]:
        as_queries(list(options["also"]))  # refuses what is no query
    given = {name: tuple(_listed(options[name])) for name in ("extractors", "rules")}
    return Ways(also=options["also"], n_seeds=options["seeds"], **given)


def _listed(value: str | None) -> list[str]:
    return [part.strip() for part in (value or "").split(",") if part.strip()]


def _compare(paths: Sequence[str], ways: Any, options: Mapping[str, Any], notes: Console) -> Sensitivity:
    """Open or fit the reference, fit the other ways, and compare."""
    from qdtm.cli.console import print_note
    from qdtm.cli.opening import open_result
    from qdtm.cli.run_fit import fit_with_progress
    from qdtm.results.comparison import compare_results
    from qdtm.variants import changed_model, changes, way_of

    saved = [path for path in paths if _is_model(path)]
    if len(saved) < len(paths) and len(paths) > 1:
        wrong = next(path for path in paths if path not in saved)
        raise ParameterError(f"{wrong!r} is no saved result; give results only, or one corpus.")
    model = None if saved else _fit_reference(paths[0], options, notes)
    index = options["index"]
    result = open_result(paths[0], index) if model is None else model.result_
    q = result.query_index(options["query"] if saved and options["query"] else 0)
    others = [(Path(path).name or path, open_result(path, index)) for path in paths[1:]]
    for change in changes(result, q, ways):
        notes.print(f"{change.label}:")
        model = model or _model_of(result)
        other = changed_model(model, q, change)
        fit_with_progress(other, result.corpus, notes)
        if other.fit_.interrupted:
            print_note(notes, "note", "interrupted; what is complete is compared.")
            break
        others.append((change.label, other.result_))
    if not others:
        raise ParameterError(_NOTHING)
    label = Path(paths[0]).name if len(paths) > 1 else way_of(result, q)
    return compare_results(result, others, q, label=label)


def _model_of(result: Result) -> QueryDrivenTopicModel:
    from qdtm.model import QueryDrivenTopicModel  # takes long to load, and saved results need none

    return QueryDrivenTopicModel.of(result)


def _fit_reference(path: str, options: Mapping[str, Any], notes: Console) -> QueryDrivenTopicModel:
    from qdtm.cli.opening import open_corpus
    from qdtm.cli.run_fit import fit_with_progress, make_model

    if not options["query"]:
        raise ParameterError(f"{path!r} is no saved result; give a query (-q) to ask of it.")
    embeddings = None if options["embeddings"].lower() == "none" else options["embeddings"]
    parameters = {"max_sweeps": options["max_sweeps"], "n_jobs": options["n_jobs"]}
    model = make_model([options["query"]], embeddings=embeddings, random_state=options["seed"], **parameters)
    fit_with_progress(model, open_corpus([path], options, notes), notes)
    return model


def _is_model(path: str) -> bool:
    from qdtm.storage.folders import MANIFEST, load_json

    manifest = Path(path) / MANIFEST
    return manifest.is_file() and load_json(manifest).get("kind") == "model"
