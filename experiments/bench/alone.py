"""Every query asked alone: a cell is a query asked of a row in a run, beside what else could answer it.

In: the concepts of labelled data sets. Out: `AloneResult`: P@K, the size and the words of the topic, the
count of documents and its interval; and of all of them a `Summary` a query, row and metric, and one for the
means.

Every figure is first one of a query in a run. A query that one of the rows refuses has no ranking there, so
it counts for no row: all are measured by the same queries.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from experiments.bench.alone_report import report_alone
from experiments.datasets.concepts import DATASETS, ExperimentConcept, concepts_of
from experiments.datasets.natural import NATURAL, available, natural_concepts
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.cells import Bench, Cell, choose_queries, seeds
from experiments.harness.command import (
    datasets_option,
    models_option,
    queries_option,
    run_bench,
    running_options,
)
from experiments.harness.summary import Aggregates, Measured, Summary, grouped, means
from experiments.harness.workbench import Workbench
from experiments.metrics.labels import calibration_error, precision_at_k
from experiments.metrics.topics import category_words, share_of, top_word_ids, topic_cohesion
from experiments.systems.answers import (
    EVIDENCE,
    OURS,
    REFERENCE,
    RETRIEVAL,
    TOGETHER,
    Answer,
    AnsweringSystem,
    Judgement,
)
from experiments.systems.baselines import break_ties
from experiments.systems.topic_answers import make_rows
from qdtm.cli.console import notes_console, print_note
from qdtm.cli.options import together

USUAL = (OURS, EVIDENCE, "paper", *RETRIEVAL, "lda", "seeded-lda")
"""The rows, if none is named."""

MOST_QUERIES = 30
"""Of a data set with more categories so many are asked, chosen once and for all."""

ASKED_WITH_OR = frozenset({"Politics Society"})
"""Five snippets have both words. The paper's tables keep the paper's rule."""

N_TOP_WORDS = 20
"""Words of a topic that are kept and compared."""

N_SHOWN_WORDS = 10
"""Those that are shown, and held against the category's."""

COMPARED = (OURS, TOGETHER)
"""Rows whose documents are compared with each other."""


@dataclass(frozen=True)
class AloneResult:
    """What a model answered.

    Attributes
    ----------
    cell : Cell
    phrase : str
        The query as the paper prints it.
    n_relevant : int
        K: the documents of the query's category.
    true_share : float
        Their share of the documents.
    precision_at_k : float or None
        None if the query was refused: there is no ranking then.
    seconds : float
        That the model took; a fit that answers all queries at once counts whole for each.
    prevalence : float or None
        The share of the corpus' tokens that the query's topic has; None if the model has no topics.
    n_background : int or None
        The other topics.
    cohesion : float or None
        Of the subtopics with the topic; None if there are none.
    words : tuple of str
        The topic's most probable words, first to last.
    own_words : float or None
        The share of the topic's ten most probable words that are the category's.
    precision_by_share : float or None
        P@K if documents are ranked by p(z|d).
    count, interval : float or None, tuple of two floats or None
        How many documents the model takes to be about the query, and where it says that number lies.
    calibration_error : float or None
        Of the probabilities that documents are about the query.
    documents : tuple of int
        The K documents that rank first, if they are to be compared with another fit's.
    """

    cell: Cell
    phrase: str
    n_relevant: int
    true_share: float
    precision_at_k: float | None
    seconds: float
    prevalence: float | None = None
    n_background: int | None = None
    cohesion: float | None = None
    words: tuple[str, ...] = ()
    own_words: float | None = None
    precision_by_share: float | None = None
    count: float | None = None
    interval: tuple[float, float] | None = None
    calibration_error: float | None = None
    documents: tuple[int, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the query was not refused."""
        return self.precision_at_k is not None

    @property
    def count_ratio(self) -> float | None:
        """The documents that the model takes to be about the query over those that are."""
        return None if self.count is None else self.count / self.n_relevant

    @property
    def is_inside(self) -> bool | None:
        """Whether the interval has the true number of documents."""
        return None if self.interval is None else self.interval[0] <= self.n_relevant <= self.interval[1]

    @property
    def width(self) -> float | None:
        """The interval's upper end over its lower one, neither below one document."""
        return None if self.interval is None else max(self.interval[1], 1.0) / max(self.interval[0], 1.0)

    @property
    def size_ratio(self) -> float | None:
        """The topic's share of the tokens over the category's share of the documents."""
        return None if self.prevalence is None else self.prevalence / self.true_share


# --- what is asked ---------------------------------------------------------------------------------------


def concepts_alone(name: str, data: str | Path | None = None) -> tuple[ExperimentConcept, ...]:
    """Return the concepts of a data set as they are asked alone."""
    return _asked(natural_concepts(name, data) if name in NATURAL else concepts_of(name))


@lru_cache(maxsize=8)
def asked_alone(dataset: Dataset) -> Dataset:
    """Return a data set with its concepts as they are asked alone; the same object for the same data set."""
    return replace(dataset, concepts=_asked(dataset.concepts))


def _asked(concepts: Sequence[ExperimentConcept]) -> tuple[ExperimentConcept, ...]:
    return tuple(replace(concept, rule="or") if concept.phrase in ASKED_WITH_OR else concept
                 for concept in concepts)  # fmt: skip


def sample_queries(queries: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """Choose at most 30 queries of each data set at random, always the same ones, in order."""
    return {dataset: _sample(numbers) for dataset, numbers in queries.items()}


def _sample(numbers: Sequence[int]) -> tuple[int, ...]:
    if len(numbers) <= MOST_QUERIES:
        return tuple(numbers)
    chosen = np.random.default_rng(0).choice(len(numbers), MOST_QUERIES, replace=False)
    return tuple(numbers[place] for place in sorted(chosen.tolist()))


# --- measuring -------------------------------------------------------------------------------------------


def batch_alone(cell: Cell, row: AnsweringSystem) -> Hashable:
    """Put cells together that one fit answers."""
    return (cell.dataset, cell.model, cell.seed, None if row.at_once else cell.query)


def measure_alone(cells: tuple[Cell, ...], row: AnsweringSystem, workbench: Workbench) -> list[AloneResult]:
    """Ask the queries of cells that one fit answers."""
    first = cells[0]
    dataset = asked_alone(workbench.dataset(first.dataset))
    answers = row.answer(dataset, [cell.place for cell in cells], first.seed, subtopics=first.subtopics)
    vectors = workbench.vectors(first.dataset) if first.subtopics else None
    return [measure_answer(cell, answer, dataset, vectors)
            for cell, answer in zip(cells, answers, strict=True)]  # fmt: skip


def measure_answer(
    cell: Cell, answer: Answer, dataset: Dataset, vectors: NDArray[np.float32] | None = None
) -> AloneResult:
    """Measure the answer to a query; equally good documents are in random order.

    Parameters
    ----------
    cell : Cell
    answer : Answer
    dataset : Dataset
        The one that was asked.
    vectors : ndarray of shape (V, d), optional
        Word vectors, for cohesion.
    """
    relevant = dataset.labels == cell.place
    n_relevant, true_share = int(relevant.sum()), float(relevant.mean())
    phrase = dataset.concepts[cell.place].phrase
    if not answer.answered:
        return AloneResult(cell, phrase, n_relevant, true_share, None, answer.seconds)
    best = best_ranks(answer, relevant, cell.seed)
    first = np.argsort(-best, kind="stable")[:n_relevant]
    words = words_of_topic(answer, dataset, N_TOP_WORDS)
    result = AloneResult(
        cell=cell,
        phrase=phrase,
        n_relevant=n_relevant,
        true_share=true_share,
        precision_at_k=precision_at_k(best, relevant),
        seconds=answer.seconds,
        prevalence=answer.prevalence,
        n_background=answer.n_background,
        cohesion=_cohesion(answer, vectors),
        words=words,
        own_words=share_of(words[:N_SHOWN_WORDS], category_words(dataset, cell.place)),
        documents=tuple(first.tolist()) if cell.model in COMPARED else (),
    )
    return result if answer.judgement is None else _with_judgement(result, answer.judgement, relevant)


def best_ranks(answer: Answer, relevant: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    """Return the ranks of documents by the better of an answer's readings, ties in random order, (D,)."""
    ranks = break_ties(np.stack(answer.scores, axis=1), seed).T  # (readings, D)
    return np.asarray(max(ranks, key=lambda scores: precision_at_k(scores, relevant)))


def words_of_topic(answer: Answer, dataset: Dataset, n: int) -> tuple[str, ...]:
    """Return the most probable words of an answer's topic; none without a topic."""
    if answer.topic is None:
        return ()
    [top] = top_word_ids(answer.topic, n)
    return tuple(dataset.corpus.vocabulary[w] for w in top)


def _with_judgement(result: AloneResult, judgement: Judgement, relevant: NDArray[np.bool_]) -> AloneResult:
    """Add what the probabilities are worth, and what p(z|d) is."""
    share = judgement.topic_share
    if share is not None:
        share = break_ties(share[:, None], result.cell.seed)[:, 0]
    return replace(
        result,
        precision_by_share=None if share is None else precision_at_k(share, relevant),
        count=judgement.count,
        interval=judgement.interval,
        calibration_error=calibration_error(judgement.probability, relevant),
    )


def _cohesion(answer: Answer, vectors: NDArray[np.float32] | None) -> float | None:
    if vectors is None or answer.topic is None or not answer.subtopics:
        return None
    return topic_cohesion(answer.topic, np.stack(answer.subtopics), vectors)


# --- summing up ------------------------------------------------------------------------------------------


METRICS = (
    "answered",
    "precision_at_k",
    "precision_by_share",
    "margin",
    "below_share",
    "true_share",
    "prevalence",
    "size_ratio",
    "size_ok",
    "count_ratio",
    "inside",
    "width",
    "calibration_error",
    "own_words",
    "n_background",
    "cohesion",
    "same_words",
    "same_documents",
)
"""In the order of the rows. `answered` is the number of queries that the row does not refuse,
`precision_by_share` P@K by p(z|d), `margin` that of P@K over ranking by the share of concept words,
`below_share` whether it is negative, `size_ok` whether the size ratio is from 0.5 to 2. `count_ratio` is the
number of documents that are said to be about the query over the true one, `inside` whether the interval has
that, and `width` the interval's upper end over its lower one (of all queries: the median). `own_words` is the
share of the topic's ten words that are among the category's fifty. `same_words` and `same_documents` are what
the answer has in common with that to the same query asked together with all others: of the 20 most probable
words, and of the K first documents."""

SIZE_BOUNDS = (0.5, 2.0)

_AGGREGATES: Aggregates = {"answered": sum, "width": np.median}
"""What is not averaged over the queries."""

Key = tuple[str, int, int, str]


def summarise_alone(results: Sequence[AloneResult]) -> tuple[Summary, ...]:
    """Put runs together: for each data set and model the means, then the queries, in the order they come."""
    answers = {_key(result.cell, result.cell.model): result for result in results}
    refused = {_key(result.cell, "") for result in results if not result.answered}
    measured = [Measured(result, _figures(result, answers, refused)) for result in results]
    summaries: list[Summary] = []
    for group in grouped(measured, lambda each: (each.cell.dataset, each.cell.model)):
        summaries += means(group, METRICS, _AGGREGATES)
        for of_query in grouped(group, lambda each: each.cell.query):
            first = of_query[0].result
            said = {"query": first.phrase, "words": first.words[:N_SHOWN_WORDS]}
            summaries += (replace(row, **said) for row in means(of_query, METRICS))  # type: ignore[arg-type]
    return tuple(summaries)


def _figures(
    result: AloneResult, answers: Mapping[Key, AloneResult], refused: Collection[Key]
) -> dict[str, float]:
    """Work out the figures of a query in a run; those that the model does not have are left out."""
    if result.precision_at_k is None or _key(result.cell, "") in refused:
        return {"answered": float(result.answered)}
    known: dict[str, float | None] = {
        "answered": result.answered,
        "precision_at_k": result.precision_at_k,
        "precision_by_share": result.precision_by_share,
        "count_ratio": result.count_ratio,
        "inside": result.is_inside,
        "width": result.width,
        "calibration_error": result.calibration_error,
        "own_words": result.own_words,
        "n_background": result.n_background,
        "cohesion": result.cohesion,
    }
    share = answers.get(_key(result.cell, REFERENCE))
    if share is not None and share is not result and share.precision_at_k is not None:
        margin = result.precision_at_k - share.precision_at_k
        known |= {"margin": margin, "below_share": margin < 0}
    if result.size_ratio is not None:
        low, high = SIZE_BOUNDS
        known |= {
            "true_share": result.true_share,
            "prevalence": result.prevalence,
            "size_ratio": result.size_ratio,
            "size_ok": low <= result.size_ratio <= high,
        }
    together = answers.get(_key(result.cell, TOGETHER))
    if together is not None and result.documents and together is not result:
        known |= {
            "same_words": _overlap(result.words, together.words),
            "same_documents": _overlap(result.documents, together.documents),
        }
    return {metric: float(value) for metric, value in known.items() if value is not None}


def _key(cell: Cell, model: str) -> Key:
    """What names the answer of a model to a cell's query in its run."""
    return cell.dataset, cell.place, cell.seed, model


def _overlap(ours: Sequence[object], theirs: Sequence[object]) -> float:
    """The share of ours that is among theirs."""
    return len(set(ours) & set(theirs)) / max(len(ours), 1)


# --- command ---------------------------------------------------------------------------------------------


def describe(result: AloneResult) -> str:
    """Say the query and its P@K."""
    precision = result.precision_at_k
    return f", {result.phrase!r} " + ("refused" if precision is None else f"precision_at_k {precision:.3f}")


ALONE = Bench(
    "alone", "Queries asked alone", AloneResult, lambda _: Summary, measure_alone, summarise_alone,
    report_alone, describe, batch_alone,
)  # fmt: skip


@click.command()
@together(
    datasets_option((*DATASETS, *NATURAL), "all that are there; natural ones need --data"),
    queries_option,
    click.option("--every-query", is_flag=True,
                 help="Ask all 150 intents of clinc150, not a sample of 30."),
    models_option("all that can be run here; 'share' always comes along"),
    click.option("--together", "with_together", is_flag=True,
                 help="Ask all queries together too, and compare the answers."),
    click.option("--subtopics", is_flag=True,
                 help="Split the parent topics of qdtm, and measure their cohesion."),
    running_options(3),
)  # fmt: skip
def alone(**options: Any) -> None:
    """Ask every query alone.

    P@K of the query-driven model (qdtm), of its evidence alone (evidence), of the paper's setting (paper; not
    with 2,000 sweeps but with as many as qdtm has at most), of ranking by the share of qdtm's concept words
    (share), by query likelihood, BM25 and relevance feedback with the concept words (ql, bm25, rm3) or the
    query's own (ql-query, bm25-query, rm3-query), of LDA, and of LDA seeded with the concept words. Beside
    the paper's corpora stand those with natural categories, each asked for by its name.
    """
    queries = _queries(options)
    always = (REFERENCE, TOGETHER) if options["with_together"] else (REFERENCE,)

    def rows() -> dict[str, AnsweringSystem]:
        made = make_rows(options["models"], options["max_sweeps"], usual=USUAL, always=always)
        if not options["datasets"] and not set(queries) & set(NATURAL) and not options["queries"]:
            said = "Natural categories are left out: no data folder has them (--data)."
            print_note(notes_console(), "note", said)
        return made

    run_bench(
        ALONE,
        options,
        rows,
        lambda models: plan_alone(queries, models, options),
        Workbench(options["data"]),
    )


def plan_alone(
    queries: Mapping[str, Sequence[int]], models: Sequence[str], options: Mapping[str, Any]
) -> list[Cell]:
    """List the cells; subtopics are for our own row: no other is measured by them."""
    return [
        Cell("alone", dataset, model, seed, query, subtopics=options["subtopics"] and model == OURS)
        for dataset, numbers in queries.items()
        for model in models
        for seed in seeds(options["seed"], options["runs"])
        for query in numbers
    ]


def _queries(options: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
    """Choose what is asked of each corpus: by default of all that are there."""
    data = options["data"]
    names = options["datasets"] or (*DATASETS, *available(data))
    found = choose_queries({name: concepts_alone(name, data) for name in names}, options["queries"])
    return found if options["queries"] or options["every_query"] else sample_queries(found)
