"""Subtopics beside true categories, for people: `SubtopicsResult` in, rows, tables and targets out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.harness.report import Part, Table, best_bold, form, target_table
from experiments.harness.summary import Verdict, grouped, unique
from experiments.metrics.labels import Agreement
from experiments.systems.answers import OURS

if TYPE_CHECKING:
    from experiments.bench.subtopics import SubtopicsResult

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

OURS_ENCODED = f"{OURS}-encoder"
"""Ours with the same encoder, whose agreement should be above it."""


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
    ami_sd : float or None
        Sample standard deviation over the runs of the mean of each; None of one run.
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
    ami_sd: float | None = None


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
            _spread(good),
        )


def _spread(rows: Sequence[SubtopicsRow]) -> float | None:
    runs = [_mean(row.ami for row in run) for run in grouped(rows, lambda row: row.seed)]
    known = [run for run in runs if run is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


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
        encoded = means.get(OURS_ENCODED)
        if encoded is not None and encoded.ami is not None:
            target = f"{OURS_ENCODED}: agreement above {ENCODED}, {bertopic.ami:.3f}"
            found.append(Verdict(target, encoded.ami, encoded.ami > bertopic.ami))
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
        means, own = means_of(rows, dataset), splits_of(rows, dataset, OURS)
        runs = unique(row.seed for row in splits_of(rows, dataset))
        yield f"### {dataset}"
        yield f"{means[0].n_counted} of {means[0].n_asked} queries count." + (
            f" They were asked in {len(runs)} runs, and each run counts." if len(runs) > 1 else ""
        )
        yield Table.of(MEAN_HEADS, map(mean_cells, means))
        yield target_table(judge_subtopics(rows, dataset))
        yield agreement_table(rows, dataset)
        yield "Our subtopics in the first run:" if len(runs) > 1 else ""
        first = (row for row in own if row.seed == runs[0])
        yield Table.of(
            (*SPLIT_HEADS, "subtopics"), ((*split_cells(row), "; ".join(row.words)) for row in first)
        )


def agreement_table(rows: Rows, dataset: str) -> Table:
    """Return AMI of the queries that count, a line a query, the mean of its runs, the best of each bold."""
    models = [mean.model for mean in means_of(rows, dataset)]
    counted = [row for row in splits_of(rows, dataset) if row.counted]
    found = {
        (runs[0].query, runs[0].model): _mean(row.ami for row in runs)
        for runs in grouped(counted, lambda row: (row.query, row.model))
    }
    lines = [
        [query, *best_bold([found.get((query, model)) for model in models])]
        for query in unique(row.query for row in counted)
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
        form(row.ami, "{:.3f}") + form(row.ami_sd, " ± {:.3f}"),
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
