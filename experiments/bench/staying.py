"""Whether the answer stays with the query: a cell is what a person asks of a whole corpus, asked of a row.

In: the queries of each corpus. Out: `StayingResult`, judged by the documents' texts alone: what the package
makes of the words plays no part; and of all of them a row a query, and what share is acceptable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
from numpy.typing import NDArray

from experiments.datasets.authors import UNLABELLED
from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.files import DownloadProgress
from experiments.datasets.natural import Kind, Queries, choose_staying, load_whole, read_queries
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.cells import Bench, Cell, seeds
from experiments.harness.command import run_bench, running_options
from experiments.harness.report import Part, Table, form, target_table
from experiments.harness.summary import Verdict, grouped, unique
from experiments.harness.workbench import Workbench
from experiments.systems.answers import EVIDENCE, OURS, Answer, AnsweringSystem
from experiments.systems.baselines import break_ties
from experiments.systems.topic_answers import ENCODED, make_rows
from qdtm.cli.options import together
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

MODELS = (OURS, EVIDENCE, *ENCODED)
"""Rows that say how likely a document is to be about a query."""

LEAST_WITH_WORD, LEAST_OF_TEN, LEAST_FOUND, MOST_TIMES = 0.8, 6, 0.7, 4.0
"""Of a specific query: the share of listed documents that have a word of it; how many of the first ten have
all, where so many documents do; the share of those that name it often that is listed; and how many times as
many as name it are about it."""

MOST_TIMES_IN_PASSING = 1.5
"""Of a query in passing: how many times as many as name it are about it."""

LEAST_ACCEPTABLE = 0.9
"""The share of answers that should be acceptable."""

N_FIRST = 10
OFTEN = 3
"""A document that names a query so many times is about it."""
LIKELIER_THAN_NOT = 0.5

Failure = Literal["refused", "word", "first ten", "found", "count", "unnamed"]
"""What is wrong with an answer. `unnamed`: a document that does not name the query is likelier than not."""


@dataclass(frozen=True)
class StayingResult:
    """What a model answered; all but the first three are None or 0 if it refused to.

    Attributes
    ----------
    cell : Cell
    n_named : int
        Documents that have all words of the query.
    seconds : float
    count : float or None
        Documents that are about the query, as the model says; None if it refused.
    n_listed : int
        Documents from the cut-off up.
    with_word : float or None
        The share of these that have a word of the query; None if there are none.
    first_ten : int
        Of the ten documents that rank first, those that have all its words.
    found : float or None
        Of the documents that name it three times or more the share that is listed; None if none does.
    n_unnamed : int
        Documents that do not name it, and whose relevance is above 0.5.
    """

    cell: Cell
    n_named: int
    seconds: float
    count: float | None = None
    n_listed: int = 0
    with_word: float | None = None
    first_ten: int = 0
    found: float | None = None
    n_unnamed: int = 0

    @property
    def times_named(self) -> float | None:
        """The documents that are about it over those that name it; None without either."""
        return None if self.count is None or not self.n_named else self.count / self.n_named

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What is wrong with the answer; nothing if it is acceptable."""
        return tuple(_of_specific(self) if self.cell.kind == "specific" else _of_passing(self))


def _of_specific(result: StayingResult) -> Iterator[Failure]:
    if result.count is None:
        yield "refused"
        return
    if result.with_word is None or result.with_word < LEAST_WITH_WORD:
        yield "word"
    if result.first_ten < min(LEAST_OF_TEN, result.n_named):
        yield "first ten"
    if result.found is not None and result.found < LEAST_FOUND:
        yield "found"
    if result.count > MOST_TIMES * result.n_named:
        yield "count"


def _of_passing(result: StayingResult) -> Iterator[Failure]:
    if result.count is None:
        return
    if result.count > MOST_TIMES_IN_PASSING * result.n_named:
        yield "count"
    if result.n_unnamed:
        yield "unnamed"


# --- measuring -------------------------------------------------------------------------------------------


def load_asked(
    name: str, data: str | Path | None, progress: DownloadProgress | None, *, queries: Queries
) -> Dataset:
    """Load a whole corpus with the package's own text pipeline, and what people ask of it."""
    corpus = Corpus.from_texts(load_whole(name, data, progress))
    concepts = (ExperimentConcept(each.text, "and", "", (), each.text) for each in queries[name])
    return Dataset(name, corpus, np.full(corpus.n_documents, UNLABELLED), tuple(concepts))


def measure_staying(
    cells: tuple[Cell, ...], row: AnsweringSystem, workbench: Workbench
) -> list[StayingResult]:
    """Ask a query."""
    [cell] = cells
    dataset = workbench.dataset(cell.dataset)
    [answer] = row.answer(dataset, [cell.place], cell.seed)
    return [measure_answer(cell, answer, dataset.corpus)]


def measure_answer(cell: Cell, answer: Answer, corpus: Corpus) -> StayingResult:
    """Hold an answer against the documents' texts; equally good documents are in random order."""
    counts = word_counts((document.text for document in corpus.documents), cell.text)  # (D, n)
    named = np.all(counts > 0, axis=1)  # (D,)
    has_word = np.any(counts > 0, axis=1)  # (D,)
    n_named = int(named.sum())
    judged = answer.judgement
    if not answer.answered or judged is None:
        return StayingResult(cell, n_named, answer.seconds)
    p = judged.probability  # (D,)
    listed = np.asarray((p >= judged.cutoff) & (p > 0))  # (D,)
    often = counts.min(axis=1) >= OFTEN  # (D,)
    first = np.argsort(-break_ties(p[:, None], cell.seed)[:, 0], kind="stable")[:N_FIRST]
    return StayingResult(
        cell,
        n_named,
        answer.seconds,
        count=judged.count,
        n_listed=int(listed.sum()),
        with_word=float(has_word[listed].mean()) if listed.any() else None,
        first_ten=int(named[first].sum()),
        found=float(listed[often].mean()) if often.any() else None,
        n_unnamed=int(((p > LIKELIER_THAN_NOT) & ~named).sum()),
    )


FUNCTION_WORDS = frozenset({"in", "of", "the"})
"""Words of a query that a document need not have."""


def query_words(query: str) -> tuple[str, ...]:
    """Return the words of a query that a document has to have, in lower case, each once."""
    words = re.findall(r"\w+(?:['’-]\w+)*", query.lower())
    return tuple(dict.fromkeys(word for word in words if word not in FUNCTION_WORDS))


def word_counts(texts: Iterable[str], query: str) -> NDArray[np.int64]:
    """Count the query's words in each text, whole words with or without a plural s, shape (D, n).

    Raises
    ------
    ParameterError
        If the query has no word to look for.
    """
    words = query_words(query)
    if not words:
        raise ParameterError(f"The query {query!r} has no word that documents could be judged by.")
    shapes = [re.compile(rf"\b{re.escape(word.removesuffix('s'))}s?\b", re.IGNORECASE) for word in words]
    counts = [[len(shape.findall(text)) for shape in shapes] for text in texts]
    return np.array(counts, np.int64).reshape(-1, len(words))


# --- summing up ------------------------------------------------------------------------------------------


ALL = "all"
"""Every corpus, or both kinds of queries."""


@dataclass(frozen=True)
class StayingShare:
    """What share of a model's answers is acceptable.

    Attributes
    ----------
    table, dataset, model
        Of the answers; `dataset` may be "all".
    kind : {"specific", "passing", "all"}
    acceptable : float
    n_acceptable, n_asked : int
        Over all runs.
    """

    table: str
    dataset: str
    model: str
    kind: Kind | Literal["all"]
    acceptable: float
    n_acceptable: int
    n_asked: int


@dataclass(frozen=True)
class StayingRow:
    """An answer; see `StayingResult`.

    Attributes
    ----------
    times_named : float or None
        `count` over `n_named`.
    failures : tuple of str
        What is wrong with it.
    """

    table: str
    dataset: str
    model: str
    kind: Kind
    query: str
    seed: int
    n_named: int
    count: float | None
    n_listed: int
    with_word: float | None
    first_ten: int
    found: float | None
    times_named: float | None
    n_unnamed: int
    seconds: float
    acceptable: bool
    failures: tuple[Failure, ...]


Rows = Sequence[StayingShare | StayingRow]


def summarise_staying(results: Sequence[StayingResult]) -> tuple[StayingShare | StayingRow, ...]:
    """Return the shares, first of everything, then a row an answer in the order they come."""
    return (*_shares(results), *map(_row, results))


def _shares(results: Sequence[StayingResult]) -> Iterator[StayingShare]:
    for own in grouped(results, lambda result: result.cell.model):
        for dataset in (ALL, *unique(result.cell.dataset for result in own)):
            of_corpus = [result for result in own if dataset in (ALL, result.cell.dataset)]
            for kind in (ALL, *unique(result.cell.kind for result in of_corpus)):
                group = [result for result in of_corpus if kind in (ALL, result.cell.kind)]
                good = sum(not result.failures for result in group)
                model = own[0].cell.model
                yield StayingShare("staying", dataset, model, kind, good / len(group), good, len(group))  # type: ignore[arg-type]


def _row(result: StayingResult) -> StayingRow:
    cell = result.cell
    return StayingRow(
        table="staying",
        dataset=cell.dataset,
        model=cell.model,
        kind=cell.kind,  # type: ignore[arg-type]
        query=cell.text,
        seed=cell.seed,
        n_named=result.n_named,
        count=result.count,
        n_listed=result.n_listed,
        with_word=result.with_word,
        first_ten=result.first_ten,
        found=result.found,
        times_named=result.times_named,
        n_unnamed=result.n_unnamed,
        seconds=result.seconds,
        acceptable=not result.failures,
        failures=result.failures,
    )


# --- showing ---------------------------------------------------------------------------------------------


HEADS = ("kind", "query", "names it", "count", "a word", "first ten", "found", "times", "unnamed", "fails")


def report_staying(rows: Rows) -> Iterator[Part]:
    """Yield the shares of acceptable answers, targets, then a table of answers for each model and corpus."""
    yield share_table(rows)
    yield target_table(judge_staying(rows))
    answers = [row for row in rows if isinstance(row, StayingRow)]
    for own in grouped(answers, lambda row: (row.model, row.dataset)):
        yield f"### {own[0].dataset}, `{own[0].model}`"
        yield Table.of(HEADS, map(_cells, own))


def share_table(rows: Rows) -> Table:
    """Return how many answers are acceptable: a row a corpus and model."""
    lines = []
    shares = [row for row in rows if isinstance(row, StayingShare)]
    for dataset in sorted(unique(row.dataset for row in shares), key=lambda name: name == ALL):
        for own in grouped((row for row in shares if row.dataset == dataset), lambda row: row.model):
            of_kind = {share.kind: share for share in own}
            lines.append([
                dataset,
                f"`{own[0].model}`",
                _number(of_kind["all"]),
                f"{of_kind['all'].acceptable:.0%}",
                _number(of_kind.get("specific")),
                _number(of_kind.get("passing")),
            ])  # fmt: skip
    return Table.of(["corpus", "row", "acceptable", "of all", "specific", "passing"], lines)


def _number(share: StayingShare | None) -> str:
    return "" if share is None else f"{share.n_acceptable} of {share.n_asked}"


def judge_staying(rows: Rows) -> list[Verdict]:
    """Return whether enough of each model's answers is acceptable."""
    whole = [row for row in rows if isinstance(row, StayingShare) and row.dataset == row.kind == ALL]
    return [
        Verdict(
            f"acceptable answers of {row.model} >= {LEAST_ACCEPTABLE:.0%}",
            row.acceptable,
            round(row.acceptable, 3) >= LEAST_ACCEPTABLE,
        )
        for row in whole
    ]


def _cells(row: StayingRow) -> tuple[str, ...]:
    """Return an answer as the texts below `HEADS`."""
    fails = ", ".join(row.failures)
    if row.count is None:
        return (row.kind, row.query, f"{row.n_named:,}", "refused", "", "", "", "", "", fails)
    return (
        row.kind,
        row.query,
        f"{row.n_named:,}",
        f"{row.count:,.0f}",
        form(row.with_word, "{:.0%}") or "-",
        f"{row.first_ten}",
        form(row.found, "{:.0%}") or "-",
        form(row.times_named, "{:.1f}") or "-",
        f"{row.n_unnamed:,}",
        fails,
    )


# --- command ---------------------------------------------------------------------------------------------


def describe(result: StayingResult) -> str:
    """Say the query, and whether its answer is acceptable."""
    fails = ", ".join(result.failures)
    return f", {result.cell.text!r} {f'fails ({fails})' if fails else 'is acceptable'}"


def _row_type(row: Mapping[str, Any]) -> type[StayingShare | StayingRow]:
    return StayingRow if "query" in row else StayingShare


STAYING = Bench(
    "staying", "Whether the answer stays with the query", StayingResult, _row_type, measure_staying,
    summarise_staying, report_staying, describe,
)  # fmt: skip


@click.command()
@together(
    click.option("--queries", "queries_file", metavar="FILE.json",
                 type=click.Path(dir_okay=False, path_type=Path),
                 help="What is asked.  [queries/staying.json beside the data folder]"),
    click.option("--dataset", "datasets", multiple=True, metavar="NAME",
                 help="A corpus of that file; may be repeated.  [all]"),
    click.option("--query", "queries", multiple=True, metavar="TEXT",
                 help="A query of that file; may be repeated.  [all]"),
    click.option("--model", "models", multiple=True, type=click.Choice(MODELS),
                 help="A row; may be repeated.  [qdtm]"),
    running_options(1),
)  # fmt: skip
def staying(**options: Any) -> None:
    """Ask what people ask, and judge each answer by the texts.

    A specific query is answered acceptably if 80 % of the documents from the cut-off up have a word of it, 6
    of the first ten have all, 70 % of those that name it three times or more are from the cut-off up, and at
    most 4 times as many are about it as name it. One in passing is if it is refused, or at most 1.5 times as
    many are about it as name it and none above 0.5 does not.
    """
    queries = read_queries(options["queries_file"], options["data"])
    chosen = choose_staying(queries, options["datasets"], options["queries"])

    def plan(models: Sequence[str]) -> list[Cell]:
        return [
            Cell("staying", corpus, model, seed, q, queries[corpus][q].text, kind=queries[corpus][q].kind)
            for corpus, places in chosen.items()
            for model in models
            for seed in seeds(options["seed"], options["runs"])
            for q in places
        ]

    run_bench(
        STAYING,
        options,
        lambda: make_rows(options["models"] or MODELS[:1], options["max_sweeps"]),
        plan,
        Workbench(options["data"], partial(load_asked, queries=queries)),
    )
