"""Answers as rows: `StayingResult` in, a row a query out, and what share of them is acceptable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from qdtm.evaluation.bench.alone.targets import Verdict
from qdtm.evaluation.bench.staying.cells import Failure, StayingResult
from qdtm.evaluation.bench.staying.queries import Kind

ALL = "all"
"""Every corpus, or both kinds of queries."""

LEAST_ACCEPTABLE = 0.9


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

    table: Literal["staying"]
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

    table: Literal["staying"]
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


def summarise_staying(results: Sequence[StayingResult]) -> tuple[StayingShare | StayingRow, ...]:
    """Return the shares, first of everything, then a row an answer in the order they come."""
    return (*_shares(results), *map(_row, results))


def _shares(results: Sequence[StayingResult]) -> Iterable[StayingShare]:
    for model in dict.fromkeys(result.cell.model for result in results):
        own = [result for result in results if result.cell.model == model]
        for dataset in (ALL, *dict.fromkeys(result.cell.dataset for result in own)):
            of_corpus = [result for result in own if dataset in (ALL, result.cell.dataset)]
            for kind in (ALL, *dict.fromkeys(result.cell.kind for result in of_corpus)):
                group = [result for result in of_corpus if kind in (ALL, result.cell.kind)]
                good = sum(not result.failures for result in group)
                yield StayingShare("staying", dataset, model, kind, good / len(group), good, len(group))  # type: ignore[arg-type]


def _row(result: StayingResult) -> StayingRow:
    cell = result.cell
    return StayingRow(
        table="staying",
        dataset=cell.dataset,
        model=cell.model,
        kind=cell.kind,
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


# --- showing them ----------------------------------------------------------------------------------------


def answers_of(rows: Iterable[StayingShare | StayingRow]) -> list[StayingRow]:
    """Return the rows of single answers."""
    return [row for row in rows if isinstance(row, StayingRow)]


def shares_of(rows: Iterable[StayingShare | StayingRow], dataset: str = ALL) -> list[StayingShare]:
    """Return the shares of a corpus, or of everything."""
    return [row for row in rows if isinstance(row, StayingShare) and row.dataset == dataset]


def judge_staying(rows: Iterable[StayingShare | StayingRow]) -> list[tuple[str, Verdict]]:
    """Return whether enough of each model's answers is acceptable."""
    target = f"acceptable answers >= {LEAST_ACCEPTABLE:.0%}"
    return [(row.model, Verdict(target, row.acceptable, round(row.acceptable, 3) >= LEAST_ACCEPTABLE))
            for row in shares_of(rows) if row.kind == ALL]  # fmt: skip


HEADS = ("query", "names it", "count", "a word", "first ten", "found", "times", "unnamed", "fails")


def cells_of(row: StayingRow) -> tuple[str, ...]:
    """Return an answer as the texts below `HEADS`."""
    fails = ", ".join(row.failures)
    if row.count is None:
        return (row.query, f"{row.n_named:,}", "refused", "", "", "", "", "", fails)
    return (
        row.query,
        f"{row.n_named:,}",
        f"{row.count:,.0f}",
        "-" if row.with_word is None else f"{row.with_word:.0%}",
        f"{row.first_ten}",
        "-" if row.found is None else f"{row.found:.0%}",
        "-" if row.times_named is None else f"{row.times_named:.1f}",
        f"{row.n_unnamed:,}",
        fails,
    )


def said_of(shares: Sequence[StayingShare]) -> str:
    """Say shares in words: all, then each kind."""
    return ", ".join(f"{'' if share.kind == ALL else share.kind + ' '}{share.n_acceptable} of {share.n_asked}"
                     f"{f' ({share.acceptable:.0%})' if share.kind == ALL else ''}"
                     for share in shares)  # fmt: skip
