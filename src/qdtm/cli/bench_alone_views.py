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
from qdtm.evaluation.bench.alone.summary import (
    AloneMetric,
    answered_of,
    best_retrieval,
    left_out,
    mean_of,
    queries_of,
    words_of,
)
from qdtm.evaluation.bench.alone.targets import judge, judge_lead

if TYPE_CHECKING:
    from qdtm.evaluation.bench.alone import AloneSummary

_RIGHT = {"justify": "right", "no_wrap": True}
_DETAILS: tuple[tuple[AloneMetric, str, str], ...] = (
    ("precision_by_share", "p(z|d)", "{:.3f}"),
    ("true_share", "true", "{:.1%}"),
    ("prevalence", "topic", "{:.1%}"),
    ("count_ratio", "count", "x{:.2f}"),
    ("inside", "in", "{:.0%}"),
    ("width", "wide", "{:.1f}"),
    ("calibration_error", "error", "{:.3f}"),
    ("own_words", "words", "{:.1f}"),
)
"""Figures of our own topics, with their head and form."""

_COMPARED: tuple[tuple[AloneMetric, str, str], ...] = (
    ("cohesion", "cohesion", "{:.2f}"),
    ("same_words", "same words", "{:.0%}"),
    ("same_documents", "same documents", "{:.0%}"),
)
"""The same, of subtopics and beside all queries asked together."""

_MODELS_ABREAST = 8
"""Columns of models that a terminal of 80 characters has room for."""


def alone_pages(summaries: Sequence[AloneSummary]) -> Iterator[RenderableType]:
    """Yield a section for each corpus: P@K, means and targets, the topics, and their words."""
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        yield heading(f"{dataset}: precision@K of queries asked alone", _note(rows))
        models = list(dict.fromkeys(row.model for row in rows))
        for start in range(0, len(models), _MODELS_ABREAST):
            yield precision_grid(rows, models[start : start + _MODELS_ABREAST])
            yield Text()
        yield facts([*_means(rows), *_verdicts(rows, dataset)])
        yield Text()
        for details in (_DETAILS, _COMPARED):
            yield from _detail_table(rows, details)
        if mean_of(rows, OURS, "prevalence") is not None:
            yield facts((query, " ".join(words_of(rows, OURS, query))) for query in queries_of(rows))
            yield Text()
    lead = judge_lead(summaries)
    if lead is not None:
        yield facts([("met" if lead.met else "missed", f"{lead.target}: {lead.value:.3f}")])


def _means(rows: Sequence[AloneSummary]) -> Iterator[tuple[str, str]]:
    """Yield what our row comes to on a corpus, in words."""

    def said(*parts: tuple[AloneMetric, str]) -> str:
        known = ((form, mean_of(rows, OURS, metric)) for metric, form in parts)
        return ", ".join(form.format(mean) for form, mean in known if mean is not None)

    best, answered, without = best_retrieval(rows), answered_of(rows, OURS), left_out(rows)
    if answered is not None:
        yield "answered", f"{answered[0]:g} of {answered[1]} queries"
    if without:
        yield "left out", f"refused by a row: {', '.join(without)}"
    if best is not None:
        yield "retrieval", f"{best[1]:.3f} at best ({best[0]})"
    ranked = said(("precision_at_k", "{:.3f} by relevance"), ("precision_by_share", "{:.3f} by p(z|d)"))
    size = said(("size_ratio", "x{:.2f} the true size"), ("size_ok", "x0.5 to 2 for {:.0%} of queries"),
                ("own_words", "{:.2f} of ten words the category's"))  # fmt: skip
    count = said(("count_ratio", "x{:.2f} the truth"), ("inside", "which is inside for {:.0%}"),
                 ("width", "intervals x{:.1f} wide (median)"),
                 ("calibration_error", "calibration error {:.3f}"))  # fmt: skip
    yield from ((name, text) for name, text in (("P@K", ranked), ("topic", size), ("count", count)) if text)


def _note(rows: Sequence[AloneSummary]) -> str:
    n_runs = rows[0].runs
    return "1 run" if n_runs == 1 else f"{n_runs} runs"


def precision_grid(rows: Sequence[AloneSummary], models: Sequence[str]) -> RenderableType:
    """Lay P@K out: a row a query, a column a model, the best of each row bold; then our size ratio."""
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
    best = max((round(mean, 3) for mean in means if mean is not None), default=0.0)
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


def _detail_table(
    rows: Sequence[AloneSummary], details: Sequence[tuple[AloneMetric, str, str]]
) -> Iterator[RenderableType]:
    """Yield a row a query, a column a figure; nothing if there are no figures."""
    shown = [detail for detail in details if mean_of(rows, OURS, detail[0]) is not None]
    if not shown:
        return
    columns: Columns = [("query", {}), *((head, _RIGHT) for _, head, _ in shown)]
    lines = [[query or "mean", *_detail_cells(rows, shown, query)] for query in (*queries_of(rows), None)]
    yield table(columns, lines)
    yield Text()


def _detail_cells(
    rows: Sequence[AloneSummary], shown: Sequence[tuple[AloneMetric, str, str]], query: str | None
) -> Iterator[str]:
    for metric, _, form in shown:
        mean = mean_of(rows, OURS, metric, query)
        yield "-" if mean is None else form.format(mean)
