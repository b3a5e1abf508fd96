"""Answers to lone queries in, tables for the terminal out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qdtm.cli.plain_text import one_line
from qdtm.cli.views import Columns, facts, heading, table
from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.summary import AloneMetric, mean_of, queries_of, words_of
from qdtm.evaluation.bench.alone.targets import judge

if TYPE_CHECKING:
    from qdtm.evaluation.bench.alone import AloneSummary

_RIGHT = {"justify": "right", "no_wrap": True}
_DETAILS: tuple[tuple[AloneMetric, str, str], ...] = (
    ("true_share", "true share", "{:.1%}"),
    ("prevalence", "parent", "{:.1%}"),
    ("n_background", "background", "{:.0f}"),
    ("cohesion", "cohesion", "{:.2f}"),
    ("same_words", "same words", "{:.0%}"),
    ("same_documents", "same documents", "{:.0%}"),
)
"""Figures of our own topics, with their head and form."""


def alone_pages(summaries: Sequence[AloneSummary]) -> Iterator[RenderableType]:
    """Yield a section for each corpus: P@K, targets, sizes, words."""
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        yield heading(f"{dataset}: precision@K of queries asked alone", _note(rows))
        yield precision_grid(rows)
        yield Text()
        yield facts(_verdicts(rows, dataset))
        yield Text()
        if mean_of(rows, OURS, "prevalence") is not None:
            yield _detail_table(rows)
            yield Text()
            yield facts((query, " ".join(words_of(rows, OURS, query))) for query in queries_of(rows))
            yield Text()


def _note(rows: Sequence[AloneSummary]) -> str:
    n_runs = rows[0].runs
    return "1 run" if n_runs == 1 else f"{n_runs} runs"


def precision_grid(rows: Sequence[AloneSummary]) -> RenderableType:
    """Lay P@K out: a row a query, a column a model, the best of each row bold; then our size ratio."""
    models = list(dict.fromkeys(row.model for row in rows))
    grid = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", pad_edge=False)
    grid.add_column("query", overflow="fold")
    for name in (*models, "size"):
        grid.add_column(Text(name.replace("-", "\n")), justify="right", no_wrap=True)
    for query in (*queries_of(rows), None):
        style = "bold" if query is None else ""
        grid.add_row(one_line(query or "mean"), *_cells(rows, models, query), style=style)
    return Padding(grid, (0, 0, 0, 2), expand=False)


def _cells(rows: Sequence[AloneSummary], models: Sequence[str], query: str | None) -> Iterator[Text]:
    means = [mean_of(rows, model, "precision_at_k", query) for model in models]
    best = max(round(mean, 3) for mean in means if mean is not None)
    for mean in means:
        is_best = mean is not None and round(mean, 3) == best
        yield Text("-" if mean is None else f"{mean:.3f}", style="bold green" if is_best else "")
    size = mean_of(rows, OURS, "size_ratio", query)
    yield Text("-" if size is None else f"x{size:.2f}")


def _verdicts(rows: Sequence[AloneSummary], dataset: str) -> Iterator[tuple[str, str]]:
    for verdict in judge(rows, dataset):
        yield "met" if verdict.met else "missed", f"{verdict.target}: {verdict.value:.3f}"
    ours = next((row for row in rows if row.model == OURS), None)
    if ours is not None:
        yield "time", f"{ours.seconds:.1f} s a query"


def _detail_table(rows: Sequence[AloneSummary]) -> RenderableType:
    shown = [detail for detail in _DETAILS if mean_of(rows, OURS, detail[0]) is not None]
    columns: Columns = [("query", {}), *((head, _RIGHT) for _, head, _ in shown)]
    lines = [[query or "mean", *_detail_cells(rows, shown, query)] for query in (*queries_of(rows), None)]
    return table(columns, lines)


def _detail_cells(
    rows: Sequence[AloneSummary], shown: Sequence[tuple[AloneMetric, str, str]], query: str | None
) -> Iterator[str]:
    for metric, _, form in shown:
        mean = mean_of(rows, OURS, metric, query)
        yield "-" if mean is None else form.format(mean)
