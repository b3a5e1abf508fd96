"""Subtopics held against true lower categories: a cell is an upper category, asked of a row in a run.

In: corpora with categories on two levels. Out: `SubtopicsResult`: how the split of the documents about a
category agrees with their lower categories, beside other ways to split the same documents (`rivals`); and of
all of them a row a query and the means of each model, with the targets.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.bench.rivals import Part as Documents
from experiments.bench.rivals import Rival, make_rival, make_rivals, split_with_rivals
from experiments.datasets.files import DownloadProgress
from experiments.datasets.two_level import (
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
from experiments.harness.report import Part, Table, best_bold, form, target_table
from experiments.harness.summary import Verdict, grouped, unique
from experiments.harness.workbench import Workbench
from experiments.metrics.labels import Agreement, agreement, n_categories
from experiments.systems.answers import OURS
from qdtm.cli.options import together
from qdtm.errors import ParameterError, QueryError
from qdtm.results.result import Result
from qdtm.results.topic_distances import FOUND, Parts, match

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel

__all__ = ["score_subtopics", "share_found_again", "split_with_rivals", "subtopics"]

TWO_LEVEL = ("clinc150", "clinc150-words", "20news")

N_WORDS = 5
"""Words of a subtopic that are kept, for people."""

FEWEST_RIGHT = 20
"""Right documents below which a query is not counted: with fewer, hardly two fall to a lower category."""

FEWEST_LOWER, MOST_LOWER, FACTOR = 3, 15, 2.0
"""Of queries with so many lower categories the number found is held against the number there: it should be
within this factor."""

LEAST_IN_FACTOR, LEAST_AGAIN = 0.8, 0.8

BEATEN = ("lda-true", "hdp", "keynmf", "bertopic-glove")
"""Rows that our agreement should be above."""

ENCODED, FROM_ENCODED = "bertopic", 0.05
"""The row with a sentence encoder, and how far below it our agreement may be."""


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
    """The query-driven model as it comes."""

    max_sweeps: int | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps."""
        return {"max_sweeps": self.max_sweeps}


SplittingRow = OurRow | Rival


def make_splitting_rows(names: Sequence[str], max_sweeps: int | None = None) -> dict[str, SplittingRow]:
    """Make the rows that are named; ours and all rivals that can be run here if none is."""
    if not names:
        return {OURS: OurRow(max_sweeps), **make_rivals((), max_sweeps)}
    return {name: OurRow(max_sweeps) if name == OURS else make_rival(name, max_sweeps) for name in names}


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
    model, seconds = fit_query(dataset, cell.place, cell.seed, row.max_sweeps)
    if model is None:
        return [SubtopicsResult(cell, dataset.concepts[cell.place].category, None, seconds)]
    if isinstance(row, OurRow):
        return [_our_result(cell, dataset, model, seconds, row)]
    return [_rival_result(cell, dataset, model, row)]


@lru_cache(maxsize=2)
def fit_query(
    dataset: TwoLevelDataset, q: int, seed: int, max_sweeps: int | None = None
) -> tuple[QueryDrivenTopicModel | None, float]:
    """Ask for an upper category alone; None if that is refused. Also return the seconds it took.

    The last answers are remembered: all rows of a query need the documents that are about it.
    """
    from qdtm.model import QueryDrivenTopicModel

    start = time.perf_counter()
    model = QueryDrivenTopicModel(dataset.concepts[q].query, random_state=seed, max_sweeps=max_sweeps)
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
    other, _ = fit_query(dataset, cell.place, cell.seed + 1, row.max_sweeps)
    again = None if other is None else share_found_again(model, other)
    return SubtopicsResult(cell, category, score, seconds, again)


def _rival_result(
    cell: Cell, dataset: TwoLevelDataset, model: QueryDrivenTopicModel, rival: Rival
) -> SubtopicsResult:
    rows = np.flatnonzero(model.relevance(0).about)
    right = dataset.labels[rows] == cell.place
    lower = np.asarray(dataset.lower, dtype=str)[rows]
    part = Documents(dataset.corpus, rows, len(model.topics_[0].subtopics), n_categories(lower[right]))
    rival.prepare(part)
    start = time.perf_counter()
    main = rival.split(part, cell.seed)
    seconds = time.perf_counter() - start
    category = dataset.concepts[cell.place].category
    return SubtopicsResult(cell, category, score_split(cell.text, main, right, lower), seconds)


# --- summing up ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SubtopicsRow:
    """What a model made of the documents about a query; see `SubtopicScore` and `Agreement`.

    Attributes
    ----------
    counted : bool
        Whether it counts for the means: there are enough right documents, of two lower categories or more.
    """

    table: str
    dataset: str
    model: str
    query: str
    category: str
    seed: int
    counted: bool
    n_about: int
    n_right: int
    n_lower: int | None
    n_found: int | None
    ami: float | None
    homogeneity: float | None
    completeness: float | None
    without: float | None
    ami_everything: float | None
    found_again: float | None
    seconds: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class SubtopicsMean:
    """The means of a model over the queries of a corpus that count.

    Attributes
    ----------
    n_asked, n_counted : int
        Over all runs.
    in_factor : float or None
        The share of queries with 3 to 15 lower categories whose number is within a factor of two.
    """

    table: str
    dataset: str
    model: str
    n_asked: int
    n_counted: int
    ami: float | None
    homogeneity: float | None
    completeness: float | None
    without: float | None
    ami_everything: float | None
    in_factor: float | None
    found_again: float | None
    seconds: float | None


Rows = Sequence[SubtopicsMean | SubtopicsRow]


def summarise_subtopics(results: Sequence[SubtopicsResult]) -> tuple[SubtopicsMean | SubtopicsRow, ...]:
    """Return the means of each corpus and model, then a row a split in the order they come."""
    rows = [_row(result) for result in results]
    return (*_means(rows), *rows)


def _row(result: SubtopicsResult) -> SubtopicsRow:
    cell, score = result.cell, result.score
    right = None if score is None else score.right
    everything = None if score is None else score.everything
    return SubtopicsRow(
        table="subtopics",
        dataset=cell.dataset,
        model=cell.model,
        query=cell.text,
        category=result.category,
        seed=cell.seed,
        counted=right is not None and counts(right),
        n_about=0 if score is None else score.n_about,
        n_right=0 if score is None else score.n_right,
        n_lower=None if right is None else right.n_lower,
        n_found=None if score is None else score.n_found,
        ami=None if right is None else right.ami,
        homogeneity=None if right is None else right.homogeneity,
        completeness=None if right is None else right.completeness,
        without=None if right is None else right.without,
        ami_everything=None if everything is None else everything.ami,
        found_again=result.found_again,
        seconds=result.seconds,
        words=() if score is None else score.words,
    )


def counts(right: Agreement) -> bool:
    """Return whether there is enough to compare with."""
    return right.n_documents >= FEWEST_RIGHT and right.n_lower >= 2


def _means(rows: Sequence[SubtopicsRow]) -> Iterator[SubtopicsMean]:
    for own in grouped(rows, lambda row: (row.dataset, row.model)):
        good = [row for row in own if row.counted]
        yield SubtopicsMean(
            "subtopics",
            own[0].dataset,
            own[0].model,
            len(own),
            len(good),
            _mean(row.ami for row in good),
            _mean(row.homogeneity for row in good),
            _mean(row.completeness for row in good),
            _mean(row.without for row in good),
            _mean(row.ami_everything for row in good),
            _mean(in_factor(row) for row in good),
            _mean(row.found_again for row in good),
            _mean(row.seconds for row in good),
        )


def in_factor(row: SubtopicsRow) -> bool | None:
    """Return whether the number of parts is within a factor of two; None of too few or many categories."""
    if row.n_lower is None or row.n_found is None or not FEWEST_LOWER <= row.n_lower <= MOST_LOWER:
        return None
    return row.n_lower / FACTOR <= row.n_found <= row.n_lower * FACTOR


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


# --- showing ---------------------------------------------------------------------------------------------


def means_of(rows: Rows, dataset: str) -> list[SubtopicsMean]:
    """Return the means of a corpus, a model each."""
    return [row for row in rows if isinstance(row, SubtopicsMean) and row.dataset == dataset]


def splits_of(rows: Rows, dataset: str, model: str | None = None) -> list[SubtopicsRow]:
    """Return the splits of a corpus, of one model or of all."""
    return [row for row in rows if isinstance(row, SubtopicsRow) and row.dataset == dataset
            and model in (None, row.model)]  # fmt: skip


def judge_subtopics(rows: Rows, dataset: str) -> list[Verdict]:
    """Compare the means of a corpus with the targets; what was not run is not judged."""
    means = {row.model: row for row in means_of(rows, dataset)}
    ours = means.get(OURS)
    if ours is None or ours.ami is None:
        return []
    found = [
        Verdict(f"agreement above {model}, {mean.ami:.3f}", ours.ami, ours.ami > mean.ami)
        for model in BEATEN
        if (mean := means.get(model)) is not None and mean.ami is not None
    ]
    bertopic = means.get(ENCODED)
    if bertopic is not None and bertopic.ami is not None:
        target = f"agreement within {FROM_ENCODED:g} of {ENCODED}, {bertopic.ami:.3f}"
        found.append(Verdict(target, ours.ami, ours.ami >= bertopic.ami - FROM_ENCODED))
    if ours.in_factor is not None:
        target = f"number within a factor of {FACTOR:g} >= {LEAST_IN_FACTOR:.0%}"
        found.append(Verdict(target, ours.in_factor, ours.in_factor >= LEAST_IN_FACTOR))
    if ours.found_again is not None:
        target = f"subtopics found again >= {LEAST_AGAIN:.0%}"
        found.append(Verdict(target, ours.found_again, ours.found_again >= LEAST_AGAIN))
    return found


def report_subtopics(rows: Rows) -> Iterator[Part]:
    """Yield a section a corpus: the means of each row, targets, AMI of every split, and our subtopics."""
    for dataset in unique(row.dataset for row in rows):
        means = means_of(rows, dataset)
        yield f"### {dataset}"
        yield f"{means[0].n_counted} of {means[0].n_asked} queries count."
        yield Table.of(MEAN_HEADS, map(mean_cells, means))
        yield target_table(judge_subtopics(rows, dataset))
        yield agreement_table(rows, dataset)
        own = splits_of(rows, dataset, OURS)
        yield Table.of(
            (*SPLIT_HEADS, "subtopics"), ((*split_cells(row), "; ".join(row.words)) for row in own)
        )


def agreement_table(rows: Rows, dataset: str) -> Table:
    """Return AMI of the queries that count, a line a query and run, the best of each bold."""
    models = [mean.model for mean in means_of(rows, dataset)]
    found = {(row.query, row.seed, row.model): row.ami for row in splits_of(rows, dataset) if row.counted}
    lines = [
        [query, *best_bold([found.get((query, seed, model)) for model in models])]
        for query, seed in unique((query, seed) for query, seed, _ in found)
    ]
    return Table.of(["query", *(f"`{model}`" for model in models)], lines)


MEAN_HEADS = (
    "row",
    "AMI",
    "homogeneity",
    "completeness",
    "without",
    "AMI, all",
    "in factor",
    "again",
    "s",
)


def mean_cells(row: SubtopicsMean) -> tuple[str, ...]:
    """Return the means of a model as the texts below `MEAN_HEADS`."""
    return (
        f"`{row.model}`",
        form(row.ami, "{:.3f}"),
        form(row.homogeneity, "{:.3f}"),
        form(row.completeness, "{:.3f}"),
        form(row.without, "{:.0%}"),
        form(row.ami_everything, "{:.3f}"),
        form(row.in_factor, "{:.0%}"),
        form(row.found_again, "{:.0%}"),
        form(row.seconds, "{:.1f}"),
    )


SPLIT_HEADS = ("query", "about", "right", "there", "found", "AMI", "without", "AMI, all", "again")


def split_cells(row: SubtopicsRow) -> tuple[str, ...]:
    """Return a split as the texts below `SPLIT_HEADS`; in brackets what does not count."""
    if row.n_found is None:
        return (row.query, "refused", *[""] * (len(SPLIT_HEADS) - 2))
    return (
        row.query if row.counted else f"({row.query})",
        f"{row.n_about:,}",
        f"{row.n_right:,}",
        form(row.n_lower, "{}"),
        f"{row.n_found}",
        form(row.ami, "{:.3f}"),
        form(row.without, "{:.0%}"),
        form(row.ami_everything, "{:.3f}"),
        form(row.found_again, "{:.0%}"),
    )


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
    and k-means on document vectors with the true number.
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
