"""A model and a corpus in, a fitted model out, with progress, and a summary: shared by `fit` and `demo`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.console import print_note
from qdtm.cli.failure import InterruptedFailure
from qdtm.errors import PassingQueryError

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.cluster.engine import RayEngine
    from qdtm.corpus import Corpus
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.queries import Query


def make_model(queries: Sequence[Query | str], **parameters: Any) -> QueryDrivenTopicModel:
    """Make a model, and refuse parameters that make no sense before any work is done."""
    from qdtm.embeddings.encoder import check_encoder
    from qdtm.embeddings.loading import check_vectors
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.queries import as_queries
    from qdtm.settings import check_settings

    model = QueryDrivenTopicModel(list(queries), **parameters)
    check_settings(model.get_params(deep=False))
    as_queries(model.queries)
    check_vectors(model.embeddings)
    check_encoder(model.encoder)
    return model


def fit_with_progress(
    model: QueryDrivenTopicModel,
    corpus: Corpus,
    console: Console,
    *,
    checkpoint: Path | None = None,
) -> None:
    """Fit a model, showing on `console` how far it is."""
    with showing_progress(model, console):
        model.fit(corpus, checkpoint=checkpoint)


def learn_with_progress(corpus: Corpus, console: Console, *, n_jobs: int = -1) -> int:
    """Learn the background of a corpus, unless it is known, showing on `console` how far it is.

    Returns
    -------
    int
        The number of its topics.
    """
    from qdtm.cli.progress_display import FitDisplay
    from qdtm.sampler.background import background_of, known_background
    from qdtm.sampler.engines import Threads
    from qdtm.settings import n_threads

    if known := known_background(corpus):
        return known.n_topics
    try:
        with FitDisplay(console) as display, Threads(n_threads(n_jobs)) as engine:
            return background_of(corpus, engine, progress=display).n_topics
    except KeyboardInterrupt:
        raise InterruptedFailure(
            "interrupted while learning; give the same command again, and it goes on where it was."
        ) from None


def cluster_of(options: Mapping[str, Any]) -> RayEngine:
    """Connect to the cluster that options ask for, or start it."""
    from qdtm.cluster.engine import RayEngine

    n_workers = None if options["n_jobs"] == -1 else options["n_jobs"]
    return RayEngine(options["address"], n_workers=n_workers, worker_dir=options["worker_dir"])


def index_on_cluster(
    paths: Sequence[str], output: str, options: Mapping[str, Any], console: Console
) -> tuple[Corpus, int]:
    """Write the index of files by a cluster, showing on `console` how far it is; return it and its topics."""
    from qdtm.cli.opening import make_pipeline, read_parameters
    from qdtm.cli.progress_display import FitDisplay, StepsDisplay
    from qdtm.cluster.indexing import write_index
    from qdtm.corpus.building import read_options
    from qdtm.sampler.background import background_of

    columns, pipeline = read_options(**read_parameters(options)), make_pipeline(options)
    place = output if "://" in output else str(Path(output).absolute())
    try:
        with cluster_of(options) as engine, FitDisplay(console) as display:
            steps = StepsDisplay(console)
            corpus = write_index(paths, columns, pipeline, place, engine, steps=steps, progress=display)
            return corpus, background_of(corpus).n_topics
    except KeyboardInterrupt:
        raise InterruptedFailure(
            "interrupted while indexing; give the same command again, and it goes on where it was."
        ) from None


def resume_with_progress(
    model: QueryDrivenTopicModel, checkpoint: Path, corpus: Corpus, console: Console
) -> QueryDrivenTopicModel:
    """Go on with an unfinished fit, run as `model` would be, showing on `console` how far it is."""
    from qdtm.model import RUNNING

    with showing_progress(model, console):
        resumed = model.resume(checkpoint, corpus, **{name: getattr(model, name) for name in RUNNING})
    resumed.progress = None
    return resumed


@contextmanager
def showing_progress(model: QueryDrivenTopicModel, console: Console) -> Iterator[None]:
    """Show on `console` how far a model is while the block runs."""
    from qdtm.cli.progress_display import FitDisplay

    with FitDisplay(console) as display:
        model.progress = display
        try:
            yield
        finally:
            model.progress = None


@contextmanager
def mentions_shown(corpus: Corpus) -> Iterator[None]:
    """Print the documents that mention a query, if that is all that the corpus has to say to it."""
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.json_forms import check_json, mentions_json
    from qdtm.cli.sections import check_section, mentions_section

    options = click.get_current_context().params
    try:
        yield
    except PassingQueryError as error:
        if options.get("as_json"):
            print_json({"check": check_json(error.check), "mentions": mentions_json(error.check, corpus)})
        elif not options.get("quiet"):
            print_page([check_section(error.check), "", mentions_section(error.check, corpus)])
        raise


def note_doubts(model: QueryDrivenTopicModel, console: Console) -> None:
    """Say which queries stand on little ground, and what to do."""
    for concept in model.concepts_:
        check = concept.check
        doubts = [check.reason, check.advice] if check.verdict != "fine" or check.advice else []
        if said := " ".join(filter(None, [*doubts, concept.without_own])):
            print_note(console, "note", f"query '{concept.name}': {said}")


def end_if_interrupted(model: QueryDrivenTopicModel, saved_to: str | None) -> None:
    """End with the exit code of an interrupted command, if it was."""
    if model.fit_.interrupted:
        kept = f"saved to {saved_to!r}" if saved_to else "shown"
        raise InterruptedFailure(f"interrupted; what was found until then is {kept}, marked as interrupted.")
