"""Splits of upper categories in, tables for the terminal out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from qdtm.cli.views import Columns, facts, heading, table
from qdtm.evaluation.bench.subtopics.summary import (
    MEAN_HEADS,
    SPLIT_HEADS,
    datasets_of,
    judge_subtopics,
    mean_cells,
    means_of,
    split_cells,
    splits_of,
)

if TYPE_CHECKING:
    from qdtm.evaluation.bench.subtopics.summary import Rows

_RIGHT = {"justify": "right", "no_wrap": True}


def subtopics_pages(rows: Rows) -> Iterator[RenderableType]:
    """Yield a section a corpus: the means of each model, then each model's splits, a line a query."""
    for dataset in datasets_of(rows):
        means = means_of(rows, dataset)
        yield heading(f"{dataset}: means", f"{means[0].n_counted} of {means[0].n_asked} splits count")
        yield table(_columns(MEAN_HEADS, no_wrap=True), map(mean_cells, means))
        yield Text()
        for mean in means:
            yield heading(f"{dataset}: {mean.model}", "")
            yield table(_columns(SPLIT_HEADS), map(split_cells, splits_of(rows, dataset, mean.model)))
            yield Text()
        yield facts(("met" if each.met else "missed", f"{each.target}: {each.value:.3f}")
                    for each in judge_subtopics(rows, dataset))  # fmt: skip


def _columns(heads: Sequence[str], no_wrap: bool = False) -> Columns:
    first, *figures = (head.replace(" ", "\n") for head in heads)
    return [(first, {"overflow": "fold", "no_wrap": no_wrap}), *((head, _RIGHT) for head in figures)]
