"""Subtopics held against true lower categories: a cell is an upper category, asked of a row in a run.

In: corpora with categories on two levels. Out: `SubtopicsResult`: how the split of the documents about a
category agrees with their lower categories, beside other ways to split the same documents (`rivals`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.bench.rivals import Rival, SplitDocuments, make_rival, make_rivals, split_with_rivals
from experiments.bench.subtopics_report import (
    OURS_ENCODED,
    SubtopicsMean,
    SubtopicsRow,
    report_subtopics,
    summarise_subtopics,
)
from experiments.datasets.files import DownloadProgress
from experiments.datasets.two_level import (
    TWO_LEVEL,
    GivenCorpus,
    TwoLevelDataset,
    load_two_level,
    read_category_queries,
    read_two_level,
)
from experiments.harness.cells import Bench, Cell, choose_queries, seeds
from experiments.harness.command import (
    datasets_option,
    models_option,
    queries_option,
    run_bench,
    running_options,
)
from experiments.harness.workbench import Workbench
from experiments.metrics.labels import Agreement, agreement, n_categories
from experiments.systems.answers import OURS
from experiments.systems.registry import make_available
from qdtm.cli.options import together
from qdtm.embeddings.encoder import load_encoder
from qdtm.embeddings.onnx_encoder import MINILM
from qdtm.errors import ParameterError, QueryError
from qdtm.results.result import Result
from qdtm.results.topic_distances import FOUND, Parts, match

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel

__all__ = ["score_subtopics", "share_found_again", "split_with_rivals", "subtopics"]

N_WORDS = 5
"""Words of a subtopic that are kept, for people."""


# --- what a split is worth -------------------------------------------------------------------------------


@dataclass(frozen=True)
class SubtopicScore:
    """How a split of the documents about a query agrees with their lower categories.

    Attributes
    ----------
    query : str
    n_found : int
        Parts: the subtopics that are shown, or a rival's topics that are the main one of any document.
    n_about, n_right : int
        The documents that are about the query by the model; those of them whose upper category it is.
    right : Agreement or None
        Of the right documents; None if there are none.
    everything : Agreement or None
        Of all of them: one of another upper category should be apart, in a part of its own lower category.
    words : tuple of str
        The first words of each subtopic, one text each.
    """

    query: str
    n_found: int
    n_about: int
    n_right: int
    right: Agreement | None
    everything: Agreement | None
    words: tuple[str, ...] = ()


def score_subtopics(
    model: QueryDrivenTopicModel | Result,
    query: str | int,
    upper: Sequence[str],
    lower: Sequence[str],
    *,
    category: str | None = None,
) -> SubtopicScore:
    """Compare the main subtopic shown for each document about a query with its lower category.

    Parameters
    ----------
    model : QueryDrivenTopicModel or Result
    query : str or int
        Its name, or its position.
    upper, lower : sequence of str, length D
        The categories of each document of the corpus.
    category : str, optional
        The upper category that is asked for; by default it has the query's name.
    """
    result = result_of(model)
    q = result.query_index(query)
    scores, topic = result.scores(q), result.topics[q]
    rows = np.flatnonzero(scores.about)
    right = np.asarray(upper, dtype=str)[rows] == (topic.name if category is None else category)
    return score_split(
        topic.name,
        scores.main[rows],
        right,
        np.asarray(lower, dtype=str)[rows],
        n_found=len(topic.subtopics),
        words=[" ".join(word for word, _ in each.top_words(N_WORDS)) for each in topic.subtopics],
    )


def score_split(
    query: str,
    main: ArrayLike,
    right: NDArray[np.bool_],
    lower: NDArray[np.str_],
    *,
    n_found: int | None = None,
    words: Sequence[str] = (),
) -> SubtopicScore:
    """Compare a split of the documents about a query with their lower categories.

    Parameters
    ----------
    query : str
    main : array-like of int, shape (n,)
        The part of each document; -1 for none.
    right : ndarray of bool, shape (n,)
        Whether it is of the upper category that was asked for.
    lower : ndarray of str, shape (n,)
    n_found : int, optional
        By default the parts that have a document.
    words : sequence of str
    """
    parts = np.asarray(main)
    if n_found is None:
        n_found = len(np.unique(parts[parts >= 0]))
    return SubtopicScore(
        query,
        n_found,
        len(parts),
        int(right.sum()),
        agreement(parts[right], lower[right]),
        agreement(parts, lower),
        tuple(words),
    )


def share_found_again(
    first: QueryDrivenTopicModel | Result, other: QueryDrivenTopicModel | Result, query: str | int = 0
) -> float | None:
    """Return the share of subtopics that another fit of the same corpus finds too; None without any.

    They are paired one to one, and are the same from a likeness of 0.3 (`results.matching`).
    """
    one, two = result_of(first), result_of(other)
    counts = [each.fit.subtopic_counts[each.query_index(query)] for each in (one, two)]  # (V, S) each
    n_shown = int(counts[0].shape[1])
    if not n_shown:
        return None
    return len(match(Parts(counts[0]).likeness(Parts(counts[1])), FOUND)) / n_shown


def result_of(model: QueryDrivenTopicModel | Result) -> Result:
    """Return the result of a fitted model, or the result itself."""
    return model if isinstance(model, Result) else model.result_


# --- measuring -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SubtopicsResult:
    """What a model made of the documents about the query.

    Attributes
    ----------
    cell : Cell
    category : str
        The upper category that is asked for.
    score : SubtopicScore or None
        None if the query was refused: there is nothing to split.
    seconds : float
        Of our row the whole answer; of the others the split alone, once the documents are encoded.
    found_again : float or None
        The share of our subtopics that another seed finds again; None of other rows, or without any.
    """

    cell: Cell
    category: str
    score: SubtopicScore | None
    seconds: float
    found_again: float | None = None


@dataclass(frozen=True)
class OurRow:
    """The query-driven model as it comes, or with a sentence encoder."""

    max_sweeps: int | None = None
    encoder: str | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps and the encoder."""
        return {"max_sweeps": self.max_sweeps} | ({"encoder": self.encoder} if self.encoder else {})


SplittingRow = OurRow | Rival


def make_splitting_rows(names: Sequence[str], max_sweeps: int | None = None) -> dict[str, SplittingRow]:
    """Make the rows that are named; ours and all rivals that can be run here if none is."""
    if not names:
        ours = make_available(partial(make_splitting_row, max_sweeps=max_sweeps), (), (OURS, OURS_ENCODED))
        return {**ours, **make_rivals((), max_sweeps)}
    return {name: make_splitting_row(name, max_sweeps) for name in names}


def make_splitting_row(name: str, max_sweeps: int | None = None) -> SplittingRow:
    """Make a row.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingExtraError, EmbeddingError
        If it needs a package or an encoder that is not there.
    """
    if name == OURS_ENCODED:
        load_encoder(MINILM)  # is it there?
        return OurRow(max_sweeps, MINILM)
    return OurRow(max_sweeps) if name == OURS else make_rival(name, max_sweeps)


def load_asked(
    name: str, data: str | Path | None, progress: DownloadProgress | None, *, given: GivenCorpus | None = None
) -> TwoLevelDataset:
    """Load a corpus with categories on two levels, or a user's file, known by its name."""
    if given is not None and name == given.name:
        return read_two_level(given)
    return load_two_level(name, data, progress)


def two_level(workbench: Workbench, name: str) -> TwoLevelDataset:
    """Return a data set of a workbench that has such, loaded once."""
    dataset = workbench.dataset(name)
    assert isinstance(dataset, TwoLevelDataset)
    return dataset


def measure_subtopics(
    cells: tuple[Cell, ...], row: SplittingRow, workbench: Workbench
) -> list[SubtopicsResult]:
    """Split the documents about a query."""
    [cell] = cells
    dataset = two_level(workbench, cell.dataset)
    encoder = row.encoder if isinstance(row, OurRow) else None  # rivals split what the plain row lists
    model, seconds = fit_query(dataset, cell.place, cell.seed, row.max_sweeps, encoder)
    if model is None:
        return [SubtopicsResult(cell, dataset.concepts[cell.place].category, None, seconds)]
    if isinstance(row, OurRow):
        return [_our_result(cell, dataset, model, seconds, row)]
    return [_rival_result(cell, dataset, model, row)]


@lru_cache(maxsize=2)
def fit_query(
    dataset: TwoLevelDataset,
    q: int,
    seed: int,
    max_sweeps: int | None = None,
    encoder: str | None = None,
) -> tuple[QueryDrivenTopicModel | None, float]:
    """Ask for an upper category alone; None if that is refused. Also return the seconds it took.

    The last answers are remembered: all rows of a query need the documents that are about it.
    """
    from qdtm.model import QueryDrivenTopicModel

    start = time.perf_counter()
    model = QueryDrivenTopicModel(
        dataset.concepts[q].query, random_state=seed, max_sweeps=max_sweeps, encoder=encoder
    )
    try:
        model.fit(dataset.corpus)
    except QueryError:  # documents only mention it, or lack its words
        return None, time.perf_counter() - start
    return model, time.perf_counter() - start


def _our_result(
    cell: Cell, dataset: TwoLevelDataset, model: QueryDrivenTopicModel, seconds: float, row: OurRow
) -> SubtopicsResult:
    concepts = [*dataset.concepts, None]  # the last for documents of no category: -1
    upper = ["" if (c := concepts[label]) is None else c.category for label in dataset.labels]
    category = dataset.concepts[cell.place].category
    score = score_subtopics(model, 0, upper, dataset.lower, category=category)
    other, _ = fit_query(dataset, cell.place, cell.seed + 1, row.max_sweeps, row.encoder)
    again = None if other is None else share_found_again(model, other)
    return SubtopicsResult(cell, category, score, seconds, again)


def _rival_result(
    cell: Cell, dataset: TwoLevelDataset, model: QueryDrivenTopicModel, rival: Rival
) -> SubtopicsResult:
    rows = np.flatnonzero(model.relevance(0).about)
    right = dataset.labels[rows] == cell.place
    lower = np.asarray(dataset.lower, dtype=str)[rows]
    part = SplitDocuments(dataset.corpus, rows, len(model.topics_[0].subtopics), n_categories(lower[right]))
    rival.prepare(part)
    start = time.perf_counter()
    main = rival.split(part, cell.seed)
    seconds = time.perf_counter() - start
    category = dataset.concepts[cell.place].category
    return SubtopicsResult(cell, category, score_split(cell.text, main, right, lower), seconds)


# --- command ---------------------------------------------------------------------------------------------


def describe(result: SubtopicsResult) -> str:
    """Say the query and how its split agrees."""
    score = result.score
    said = "refused" if score is None or score.right is None else f"AMI {score.right.ami:.3f}"
    return f", {result.cell.text!r} {said}"


def _row_type(row: Mapping[str, Any]) -> type[SubtopicsMean | SubtopicsRow]:
    return SubtopicsRow if "query" in row else SubtopicsMean


SUBTOPICS = Bench(
    "subtopics", "Subtopics beside true lower categories", SubtopicsResult, _row_type, measure_subtopics,
    summarise_subtopics, report_subtopics, describe,
)  # fmt: skip


@click.command()
@together(
    datasets_option(TWO_LEVEL),
    click.option("--corpus", metavar="FILE", type=click.Path(exists=True, path_type=Path),
                 help="A file of yours in their place, with --upper and --lower."),
    click.option("--upper", metavar="COLUMN", help="Its column of upper categories."),
    click.option("--lower", metavar="COLUMN", help="Its column of lower categories."),
    click.option("--text", "text_column", metavar="COLUMN", help="Its column of texts.  [found out]"),
    click.option("--queries", "queries_file", metavar="FILE.json",
                 type=click.Path(exists=True, dir_okay=False, path_type=Path),
                 help="What is asked for each upper category of it.  [its name]"),
    queries_option,
    models_option(),
    running_options(1),
)  # fmt: skip
def subtopics(**options: Any) -> None:
    """Hold subtopics against true lower categories.

    Each upper category of a corpus with two levels is asked for, and the main subtopic of the documents about
    it is compared with their lower category: adjusted mutual information (AMI), homogeneity, completeness,
    the number of subtopics, and the share that another seed finds again. Beside it stand other ways to split
    the same documents: LDA with the same number of topics and with the true one, an HDP, KeyNMF, BERTopic,
    and k-means on document vectors with the true number; and what we find with MiniLM.
    """
    given = _given(options)
    workbench = Workbench(options["data"], partial(load_asked, given=given))
    texts = _texts(workbench, given, options)

    def plan(models: Sequence[str]) -> list[Cell]:
        """List the cells; rows of one query stand together, since all need the documents about it."""
        return [
            Cell("subtopics", dataset, model, seed, query, text)
            for dataset, asked in texts.items()
            for seed in seeds(options["seed"], options["runs"])
            for query, text in asked.items()
            for model in models
        ]

    run_bench(
        SUBTOPICS,
        options,
        lambda: make_splitting_rows(options["models"], options["max_sweeps"]),
        plan,
        workbench,
    )


def _given(options: Mapping[str, Any]) -> GivenCorpus | None:
    """Return the user's file, if one is named."""
    columns = [options["upper"], options["lower"]]
    if options["corpus"] is None:
        if any((*columns, options["text_column"], options["queries_file"])):
            raise ParameterError("--upper, --lower, --text and --queries are for a file of yours (--corpus).")
        return None
    if None in columns:
        raise ParameterError("A file of yours needs --upper and --lower, the columns of its categories.")
    queries = None if options["queries_file"] is None else read_category_queries(options["queries_file"])
    return GivenCorpus(options["corpus"], options["upper"], options["lower"], queries, options["text_column"])


def _texts(
    workbench: Workbench, given: GivenCorpus | None, options: Mapping[str, Any]
) -> dict[str, dict[int, str]]:
    """Choose what is asked of each corpus, by number."""
    named = options["datasets"] or (() if given else TWO_LEVEL)
    names = [*named, *([given.name] if given else [])]
    concepts = {name: two_level(workbench, name).concepts for name in names}
    chosen = choose_queries(concepts, options["queries"])
    return {name: {q: concepts[name][q].query for q in numbers} for name, numbers in chosen.items()}
