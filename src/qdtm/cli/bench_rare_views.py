"""Answers to rare queries in, tables for the terminal out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qdtm.cli.views import facts, heading
from qdtm.evaluation.bench.rare.summary import RareMetric, find, levels_of, models_of
from qdtm.evaluation.bench.rare.targets import judge_rare

if TYPE_CHECKING:
    from qdtm.evaluation.bench.rare import RareSummary

_METRICS: tuple[tuple[RareMetric, str], ...] = (
    ("precision_at_k", "precision@K"),
    ("recall_at_2k", "recall in the first 2 K documents"),
    ("words_share", "share of the topic's ten top words that are the category's"),
    ("answered", "share of queries whose words are still there"),
)


def rare_pages(summaries: Sequence[RareSummary]) -> Iterator[RenderableType]:
    """Yield a section for each corpus: a table a metric, and the targets."""
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        for metric, title in _METRICS:
            yield heading(f"{dataset}: {title}", _note(rows))
            yield level_grid(rows, metric)
            yield Text()
        yield facts(
            ("met" if verdict.met else "missed", f"{verdict.target}: {verdict.value:.3f}")
            for verdict in judge_rare(rows, dataset)
        )
        yield Text()


def _note(rows: Sequence[RareSummary]) -> str:
    n_queries, n_runs = rows[0].n_queries, rows[0].runs
    runs = "1 run" if n_runs == 1 else f"{n_runs} runs"
    return f"1 query, {runs}" if n_queries == 1 else f"{n_queries} queries, {runs}"


def level_grid(rows: Sequence[RareSummary], metric: RareMetric) -> RenderableType:
    """Lay a metric out: a row a model, a column a level, the best of each column bold."""
    levels = levels_of(rows)
    grid = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", pad_edge=False)
    grid.add_column("row")
    for level in levels:
        grid.add_column(f"{level * 100:g} %", justify="right", no_wrap=True)
    found = {model: [find(rows, model, level, metric) for level in levels] for model in models_of(rows)}
    best = [max((round(row.mean, 3) for row in column if row), default=0.0)
            for column in zip(*found.values(), strict=True)]  # fmt: skip
    for model, of_model in found.items():
        if any(of_model):
            grid.add_row(model, *map(_cell, of_model, best))
    return Padding(grid, (0, 0, 0, 2), expand=False)


def _cell(row: RareSummary | None, best: float) -> Text:
    if row is None:
        return Text("-")
    return Text(f"{row.mean:.3f}", style="bold green" if round(row.mean, 3) == best else "")
