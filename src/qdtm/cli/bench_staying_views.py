"""Answers to what people ask in, tables for the terminal out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from qdtm.cli.views import Columns, facts, heading, table
from qdtm.evaluation.bench.staying.summary import (
    HEADS,
    answers_of,
    cells_of,
    judge_staying,
    said_of,
    shares_of,
)

if TYPE_CHECKING:
    from qdtm.evaluation.bench.staying import StayingRow, StayingShare

_RIGHT = {"justify": "right", "no_wrap": True}


def staying_pages(rows: Sequence[StayingShare | StayingRow]) -> Iterator[RenderableType]:
    """Yield a section for each model, corpus and kind, a line a query; then the share of acceptable ones."""
    answers = answers_of(rows)
    for model, dataset, kind in dict.fromkeys((row.model, row.dataset, row.kind) for row in answers):
        own = [row for row in answers if (row.model, row.dataset, row.kind) == (model, dataset, kind)]
        shares = [row for row in shares_of(rows, dataset) if (row.model, row.kind) == (model, kind)]
        yield heading(f"{dataset}: {kind} queries", f"{model}, acceptable: {said_of(shares)}")
        yield table(_columns(), map(cells_of, own))
        yield Text()
    yield facts(_verdicts(rows))


def _verdicts(rows: Sequence[StayingShare | StayingRow]) -> Iterator[tuple[str, str]]:
    """Yield what share of each model's answers is acceptable, and whether that is enough."""
    for model, verdict in judge_staying(rows):
        shares = [row for row in shares_of(rows) if row.model == model]
        yield "acceptable", f"{model}: {said_of(shares)}"
        yield "met" if verdict.met else "missed", f"{verdict.target}: {verdict.value:.3f}"


def _columns() -> Columns:
    first, *figures, last = (head.replace(" ", "\n") for head in HEADS)
    return [(first, {"overflow": "fold"}), *((head, _RIGHT) for head in figures), (last, {})]
