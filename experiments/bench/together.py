"""All queries of a corpus at once: a cell is one query of one fit, beside what people use today.

In: the concepts of labelled data sets. Out: results and summaries as of queries asked alone (`AloneResult`,
`Summary`): P@K, the count of documents and its interval, the calibration error.

The paper's corpora have the paper's rows in Table 1, where rivals are given an expert's keywords. Nobody
wrote any for the natural ones, so there each gets the words that the paper's KLD proposes. A query that no
document names is left out, for all rows alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import click
import numpy as np

from experiments.bench.alone import (
    AloneResult,
    batch_alone,
    best_ranks,
    describe,
    measure_answer,
    summarise_alone,
)
from experiments.bench.alone_report import overview_table, precision_table
from experiments.datasets.concepts import DATASETS, concepts_of
from experiments.datasets.natural import NATURAL, available, natural_concepts
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.cells import Bench, Cell, seeds
from experiments.harness.command import datasets_option, models_option, run_bench, running_options
from experiments.harness.report import Part
from experiments.harness.summary import Summary, unique
from experiments.harness.workbench import Workbench
from experiments.metrics.labels import precision_at_k
from experiments.systems.answers import OURS, Answer, AnsweringSystem, no_answer
from experiments.systems.topic_answers import make_rows_at_once
from qdtm.cli.options import together as all_of
from qdtm.corpus import Corpus
from qdtm.errors import QueryError
from qdtm.queries import Query, build_concepts
from qdtm.queries.resolve import resolve_text

ASKED = (*DATASETS, *(name for name in NATURAL if name != "clinc150-intents"))
"""Nobody asks for 150 intents at once, some of which have names of the same words."""

OF_OURS = (OURS, f"{OURS}-encoder")
"""The rows that are run on the paper's corpora too, if none is named."""


def measure_together(
    cells: tuple[Cell, ...], row: AnsweringSystem, workbench: Workbench
) -> list[AloneResult]:
    """Measure the answers of one fit to all queries of a data set that it can be asked."""
    first = cells[0]
    dataset = workbench.dataset(first.dataset)
    places, asked = askable(dataset)
    answers = dict(zip(places, row.answer(asked, range(len(places)), first.seed), strict=True))
    answers = by_the_better_reading(answers, dataset, first.seed)
    return [measure_answer(cell, answers.get(cell.place, no_answer(dataset)), dataset) for cell in cells]


def by_the_better_reading(answers: Mapping[int, Answer], dataset: Dataset, seed: int) -> dict[int, Answer]:
    """Keep of the readings of a fit that which has the higher mean P@K over its queries, as Table 1 does."""
    kept = [
        {q: replace(answer, scores=(answer.scores[reading],)) for q, answer in answers.items()}
        for reading in range(min((len(answer.scores) for answer in answers.values()), default=0))
    ]

    def mean_precision(of_reading: Mapping[int, Answer]) -> float:
        truth = {q: dataset.labels == q for q in of_reading}
        ranks = {q: best_ranks(answer, truth[q], seed) for q, answer in of_reading.items()}
        return float(np.mean([precision_at_k(ranks[q], truth[q]) for q in of_reading]))

    return max(kept, key=mean_precision, default={})


@lru_cache(maxsize=8)
def askable(dataset: Dataset) -> tuple[tuple[int, ...], Dataset]:
    """Return the places of the concepts that documents name, and the data set with no others.

    Where nobody wrote keywords, they are the words that the paper's KLD proposes for all queries together.
    """
    corpus = dataset.corpus
    queries = [Query(concept.query, rule=concept.rule) for concept in dataset.concepts]
    places = tuple(q for q, query in enumerate(queries) if _is_named(query, corpus))
    found = build_concepts(corpus, [queries[q] for q in places], refuse=False)
    proposed = [tuple(corpus.vocabulary[w] for w in concept.word_indices) for concept in found]
    concepts = tuple(
        replace(dataset.concepts[q], keywords=dataset.concepts[q].keywords or words)
        for q, words in zip(places, proposed, strict=True)
    )
    return places, replace(dataset, concepts=concepts)


def _is_named(query: Query, corpus: Corpus) -> bool:
    """Whether the corpus has every word of a query, and documents as its rule wants them."""
    if any(word.status == "unknown" for word in resolve_text(query.text, corpus)):
        return False
    try:
        return bool(build_concepts(corpus, [query], refuse=False))
    except QueryError:
        return False


def report_together(summaries: Sequence[Summary]) -> Iterator[Part]:
    """Yield our row on all corpora side by side, then P@K of every row, a section a corpus."""
    yield overview_table(summaries)
    for dataset in unique(row.dataset for row in summaries):
        yield f"### {dataset}"
        yield precision_table([row for row in summaries if row.dataset == dataset])


TOGETHER = Bench(
    "together", "All queries of a corpus at once", AloneResult, lambda _: Summary, measure_together,
    summarise_alone, report_together, describe, batch_alone,
)  # fmt: skip


@click.command()
@all_of(
    datasets_option(ASKED, "all that are there; natural ones need --data"),
    models_option("all that can be run here; on the paper's corpora, where Table 1 has the others, ours"),
    running_options(5),
)
def together(**options: Any) -> None:
    """Ask all queries of a corpus at once.

    P@K, calibration and counts of the query-driven model without and with MiniLM (qdtm, qdtm-encoder), and
    P@K of what people use today: models that take keywords get the concept words that the package chooses,
    others the query.
    """
    data = options["data"]
    there = (*DATASETS, *available(data))
    names = options["datasets"] or [name for name in ASKED if name in there]
    run_bench(
        TOGETHER,
        options,
        lambda: make_rows_at_once(options["models"], options["max_sweeps"]),
        lambda models: list(plan_together(names, models, options)),
        Workbench(data),
    )


def plan_together(names: Sequence[str], models: Sequence[str], options: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield the cells: of each corpus, row and run all queries."""
    for dataset in dict.fromkeys(names):
        asked = natural_concepts(dataset, options["data"]) if dataset in NATURAL else concepts_of(dataset)
        rows = models if options["models"] or dataset in NATURAL else [m for m in models if m in OF_OURS]
        for model in rows:
            for seed in seeds(options["seed"], options["runs"]):
                yield from (Cell("together", dataset, model, seed, q) for q in range(len(asked)))
