"""The paper's Tables 1 and 3, run anew: a cell is a run of a row on a data set.

In: rows and data sets. Out, beside the paper's: accuracy, coherence and precision@K of parent topics;
diversity, cohesion and their product of subtopics.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import click
import numpy as np
from numpy.typing import NDArray

from experiments.datasets.concepts import DATASETS
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.cells import Bench, Cell, seeds
from experiments.harness.command import datasets_option, models_option, run_bench, running_options
from experiments.harness.report import Part, Table, best_bold
from experiments.harness.summary import Measured, Summary, grouped, means, unique
from experiments.harness.workbench import Workbench
from experiments.metrics.coherence import WindowCounts, c_v
from experiments.metrics.labels import classification_accuracy, mean_precision_at_k
from experiments.metrics.topics import top_word_ids, topic_cohesion, topic_diversity
from experiments.paper import PRINTED_NAMES, Metric, published
from experiments.systems.registry import (
    ROWS,
    FloatArray,
    Outcome,
    SubtopicGroup,
    System,
    SystemOptions,
    make_systems,
)
from experiments.systems.registry import Table as PaperTable
from qdtm.cli.options import together

N_TOP_WORDS = 10
MIN_PREVALENCE = 0.005
"""Subtopics with a smaller share of the corpus do not count, as in the paper."""
MIN_SIBLINGS = 2
"""Parents with fewer subtopics do not count: a lone subtopic has nobody to differ from."""


@dataclass(frozen=True)
class Figure:
    """A number that a run got."""

    metric: Metric
    value: float


@dataclass(frozen=True)
class TableResult:
    """What a run found.

    Attributes
    ----------
    cell : Cell
    figures : tuple of Figure
        A metric that does not exist for the model is not among them.
    seconds : float
        That the model took, without its metrics.
    """

    cell: Cell
    figures: tuple[Figure, ...]
    seconds: float


# --- measuring -------------------------------------------------------------------------------------------


def measure_table(cells: tuple[Cell, ...], system: System, workbench: Workbench) -> list[TableResult]:
    """Fit the system of a cell, and measure what its table reports."""
    [cell] = cells
    dataset, is_third = workbench.dataset(cell.dataset), cell.bench == "table3"
    start = time.perf_counter()
    outcome = system.fit(dataset, cell.seed, subtopics=is_third)
    seconds = time.perf_counter() - start
    if is_third:
        figures = subtopic_figures(outcome, workbench.vectors(cell.dataset))
    else:
        figures = parent_figures(outcome, dataset, workbench.windows(cell.dataset))
    return [TableResult(cell, figures, seconds)]


def parent_figures(outcome: Outcome, dataset: Dataset, windows: WindowCounts) -> tuple[Figure, ...]:
    """Measure what Table 1 reports: classification, coherence and retrieval.

    Parameters
    ----------
    outcome : Outcome
    dataset : Dataset
    windows : WindowCounts
        Of the reference corpus, for the data set's vocabulary.

    Returns
    -------
    tuple of Figure
        Of a model with two readings those of both; `summarise_table` finds the better. Of one that says more
        than Q + 1 numbers about a document the accuracy of both.
    """
    labels, own = dataset.labels, outcome.own
    figures = []
    if own is not None and own.shares is not None:
        assert outcome.shares is not None
        figures.append(Figure("accuracy_own", classification_accuracy(own.shares, labels)))
        figures.append(Figure("accuracy_mixed", classification_accuracy(outcome.shares, labels)))
    elif outcome.shares is not None:
        figures.append(Figure("accuracy", classification_accuracy(outcome.shares, labels)))
    if outcome.all_features is not None:
        every = outcome.all_features
        figures.append(Figure("accuracy_all_features", classification_accuracy(every, labels)))
        figures.append(Figure("n_features", float(every.shape[1])))
    if outcome.topics is not None:
        words = top_words(outcome.topics, dataset.corpus.vocabulary)
        figures.append(Figure("coherence", float(np.mean([c_v(topic, windows) for topic in words]))))
    if own is None:
        figures.append(Figure("precision_at_k", mean_precision_at_k(outcome.scores, labels)))
    else:
        figures.append(Figure("precision_at_k_own", mean_precision_at_k(own.scores, labels)))
        figures.append(Figure("precision_at_k_mixed", mean_precision_at_k(outcome.scores, labels)))
    return tuple(figures)


def subtopic_figures(outcome: Outcome, vectors: NDArray[np.float32]) -> tuple[Figure, ...]:
    """Measure what Table 3 reports, averaged over the parents with two subtopics or more.

    Parameters
    ----------
    outcome : Outcome
    vectors : ndarray of shape (V, d)
        Word vectors of the vocabulary.

    Returns
    -------
    tuple of Figure
        Diversity, cohesion and the mean of their products; empty if no parent has two subtopics.
    """
    if outcome.topics is None or outcome.subtopics is None:
        return ()
    pairs = []
    for parent, group in zip(outcome.topics, outcome.subtopics, strict=True):
        subtopics = prevalent(group)
        if len(subtopics) >= MIN_SIBLINGS:
            pairs.append((topic_diversity(subtopics), topic_cohesion(parent, subtopics, vectors)))
    if not pairs:
        return ()
    diversity, cohesion = np.array(pairs).T  # (n_parents,) each
    return (
        Figure("diversity", float(diversity.mean())),
        Figure("cohesion", float(cohesion.mean())),
        Figure("overall", float((diversity * cohesion).mean())),
    )


def prevalent(group: SubtopicGroup) -> FloatArray:
    """Return the subtopics that are not too rare, (S, V)."""
    return group.probabilities[group.prevalence >= MIN_PREVALENCE]


def top_words(topics: FloatArray, vocabulary: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the ten most probable words of each topic, (K, V) to K tuples."""
    return [tuple(vocabulary[w] for w in ids) for ids in top_word_ids(topics, N_TOP_WORDS)]


# --- summing up ------------------------------------------------------------------------------------------


_READINGS: Mapping[Metric, tuple[Metric, Metric]] = {
    "accuracy": ("accuracy_own", "accuracy_mixed"),
    "precision_at_k": ("precision_at_k_own", "precision_at_k_mixed"),
}
"""A metric, and the same by each of two readings."""

OTHER_SCALE = frozenset({"coherence"})
"""Metrics whose figures here and in the paper are counted on different corpora: no side wins."""


def summarise_table(results: Sequence[TableResult]) -> tuple[Summary, ...]:
    """Put runs together, in the order in which rows first come; metrics in the order of `Metric`.

    Of a model with two readings both are there, and the better one once more under the metric's plain name:
    the one with the higher mean over the runs.
    """
    measured = [
        Measured(result, {figure.metric: figure.value for figure in result.figures}) for result in results
    ]
    groups = grouped(measured, lambda each: (each.cell.bench, each.cell.dataset, each.cell.model))
    return tuple(summary for group in groups for summary in _of_row(group))


def _of_row(group: Sequence[Measured[TableResult]]) -> Iterator[Summary]:
    found = {summary.metric: summary for summary in means(group, get_args(Metric))}
    for metric, readings in _READINGS.items():
        both = [found[reading] for reading in reversed(readings) if reading in found]
        if both:
            found[metric] = replace(max(both, key=lambda each: each.mean), metric=metric)
    for metric in get_args(Metric):
        if metric in found:
            row = found[metric]
            yield replace(row, paper=published(row.model, row.dataset, metric))


def difference(row: Summary) -> float | None:
    """Ours minus the paper's, both as printed: to three places."""
    return None if row.paper is None else round(round(row.mean, 3) - row.paper, 3)


def winner(row: Summary) -> Literal["ours", "paper", "tie"] | None:
    """Who has the higher figure as printed; None if the two cannot be compared."""
    apart = difference(row)
    if apart is None or row.metric in OTHER_SCALE:
        return None
    return "tie" if apart == 0 else "ours" if apart > 0 else "paper"


# --- showing ---------------------------------------------------------------------------------------------


_OF_READINGS: tuple[Metric, ...] = (
    "accuracy_own", "accuracy_mixed", "precision_at_k_own", "precision_at_k_mixed"
)  # fmt: skip
_APART = frozenset({*_OF_READINGS, "accuracy_all_features", "n_features"})
"""Metrics that have tables of their own."""

_NOTES = {
    "table1": "Mean ± standard deviation over the runs; the better side is bold. Coherence is C_V on a "
    "sample of Wikipedia; the paper used another index, so compare rows, not sides.",
    "table3": "Mean ± standard deviation over the runs; the better side is bold. Diversity: the share of "
    "unique words among the top 25 of a parent's subtopics, over parents with two or more.",
}


def report_table(summaries: Sequence[Summary]) -> Iterator[Part]:
    """Yield a section a data set: paper and ours, the readings; then features and the seconds of a run."""
    datasets = unique(row.dataset for row in summaries)
    yield from (_NOTES[table] for table in unique(row.table for row in summaries))
    for dataset in datasets:
        yield f"### {dataset}"
        yield figure_table(summaries, dataset)
        yield reading_table(summaries, dataset)
    features = feature_table(summaries)
    if features.rows:
        yield "### With all that a model says of a document"
        yield features
    yield "### Seconds of a run"
    seconds = {(row.model, row.dataset): f"{row.seconds:.1f}" for row in summaries}
    models = unique(row.model for row in summaries)
    yield Table.of(
        ("row", *datasets), ([f"`{m}`", *(seconds.get((m, d), "") for d in datasets)] for m in models)
    )


def figure_table(summaries: Sequence[Summary], dataset: str) -> Table:
    """Return the figures of a data set: a row a model, for each metric the paper's, ours, the difference.

    The better of the two, as printed, is bold where they can be compared. A row with fewer runs than others
    says how many; a row of the paper that was not run says so.
    """
    rows = [row for row in summaries if row.dataset == dataset and row.metric not in _APART]
    metrics = unique(row.metric for row in rows)
    heads = ["row", *(f"{metric}: {side}" for metric in metrics for side in ("paper", "ours", "+/-"))]
    most_runs = max(row.runs for row in summaries)
    lines = []
    for model in _models(rows, dataset, metrics):
        of_model = {row.metric: row for row in rows if row.model == model}
        cells = [_cells(of_model.get(metric), _published(model, dataset, metric)) for metric in metrics]
        if not of_model:
            cells = [(paper, "not run" if paper else "", "") for paper, _, _ in cells]
        lines.append([_name(model, of_model, most_runs), *(cell for three in cells for cell in three)])
    return Table.of(heads, lines)


def _published(model: str, dataset: str, metric: str) -> float | None:
    return published(model, dataset, metric)  # type: ignore[arg-type]


def _models(rows: Sequence[Summary], dataset: str, metrics: Sequence[str]) -> list[str]:
    """Name the models that were run and those that the paper has, in the order of the tables."""
    printed = [
        model
        for model in PRINTED_NAMES
        if any(_published(model, dataset, metric) is not None for metric in metrics)
    ]
    return sorted({*printed, *(row.model for row in rows)}, key=list(ROWS).index)


def _name(model: str, by_metric: Mapping[str, Summary], most_runs: int) -> str:
    runs = max((row.runs for row in by_metric.values()), default=most_runs)
    return f"`{model}`" if runs == most_runs else f"`{model}` ({runs} run{'s' * (runs > 1)})"


def _cells(row: Summary | None, printed: float | None) -> tuple[str, str, str]:
    """Return the paper's figure, ours and the difference; empty where there is none."""
    paper = "" if printed is None else f"{printed:.3f}"
    if row is None:
        return paper, "", ""
    ours, apart = f"{row.mean:.3f} ± {row.sd:.3f}", difference(row)
    if winner(row) == "ours":
        ours = f"**{ours}**"
    elif winner(row) == "paper":
        paper = f"**{paper}**"
    return paper, ours, "" if apart is None else f"{apart:+.3f}"


def reading_table(summaries: Sequence[Summary], dataset: str) -> Table:
    """Return the two readings of each model of a data set that has two side by side, the better bold."""
    rows = [row for row in summaries if row.dataset == dataset and row.metric in _OF_READINGS]
    lines = []
    for model in unique(row.model for row in rows):
        of_model = {row.metric: round(row.mean, 3) for row in rows if row.model == model}
        pairs = (best_bold([of_model.get(metric) for metric in pair]) for pair in _READINGS.values())
        lines.append([f"`{model}`", *(cell for pair in pairs for cell in pair)])
    return Table.of(["row", *(metric.replace("_", " ") for metric in _OF_READINGS)], lines)


def feature_table(summaries: Sequence[Summary]) -> Table:
    """Return, of each row that says more than Q + 1 numbers about a document, the accuracy by all of them."""
    found = {(row.dataset, row.model, row.metric): row.mean for row in summaries}
    lines = []
    for (dataset, model, metric), every in found.items():
        if metric == "accuracy_all_features":
            few, n_features = found[dataset, model, "accuracy"], found[dataset, model, "n_features"]
            lines.append([dataset, f"`{model}`", f"{few:.3f}", f"{every:.3f}", f"{n_features:.0f}"])
    return Table.of(["corpus", "row", "accuracy", "with all features", "features"], lines)


# --- commands --------------------------------------------------------------------------------------------


def describe(result: TableResult) -> str:
    """Say the figures of a result."""
    return "".join(f", {figure.metric} {figure.value:.3f}" for figure in result.figures)


def _bench(name: str, title: str) -> Bench[TableResult, Summary]:
    return Bench(
        name, title, TableResult, lambda _: Summary, measure_table, summarise_table, report_table, describe,
    )  # fmt: skip


TABLE_1 = _bench("table1", "Table 1: parent topics")
TABLE_3 = _bench("table3", "Table 3: subtopics")

table_options = together(
    datasets_option(DATASETS),
    models_option("the rows of the paper that can be run here"),
    click.option("--every-row", is_flag=True, help="The rows that the paper does not have, too."),
    click.option("--preset", type=click.Choice(["default", "paper"]), default="default", show_default=True,
                 help="'paper' starts and runs as the paper does: 2,000 sweeps a phase."),
    click.option("--encoder", metavar="NAME|DIR",
                 help="The Transformer of rows that need one.  [BERT for bert, MiniLM for others]"),
    running_options(5),
)  # fmt: skip


@click.command()
@table_options
def table1(**options: Any) -> None:
    """Compare parent topics: accuracy, coherence and precision@K (Table 1)."""
    run_table(TABLE_1, "table1", options)


@click.command()
@table_options
def table3(**options: Any) -> None:
    """Compare subtopics: diversity, cohesion and their product (Table 3)."""
    run_table(TABLE_3, "table3", options)


def run_table(bench: Bench[Any, Any], table: PaperTable, options: Mapping[str, Any]) -> None:
    """Run the cells of a table that were asked for; run r has the seed `seed + r`."""
    chosen = SystemOptions(options["preset"], options["max_sweeps"], options["encoder"])

    def plan(models: Sequence[str]) -> list[Cell]:
        return [
            Cell(table, dataset, model, seed)
            for dataset in dict.fromkeys(options["datasets"] or DATASETS)
            for model in models
            for seed in seeds(options["seed"], options["runs"])
        ]

    workbench = Workbench(options["data"])
    run_bench(
        bench,
        options,
        lambda: make_systems(options["models"], table, chosen, every=options["every_row"]),
        plan,
        workbench,
    )
