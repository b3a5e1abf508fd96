"""Figures as a Markdown table, as docs/reproduction.md has them: `Summary` rows in, text out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from qdtm.evaluation.bench.summary import Summary


def read_summaries(path: Path) -> tuple[Summary, ...]:
    """Read what `qdtm bench table1 --out FILE.json` wrote."""
    return tuple(Summary(**row) for row in json.loads(path.read_text(encoding="utf-8")))


def figure_table(summaries: Sequence[Summary], dataset: str) -> str:
    """Return the figures of a data set: a row a model, for each metric the paper's, ours, the difference.

    The better of the two, as printed, is bold where they can be compared.
    """
    rows = [row for row in summaries if row.dataset == dataset]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    head = ["row", *(f"{metric}: {side}" for metric in metrics for side in ("paper", "ours", "+/-"))]
    lines = [head, ["---"] * len(head)]
    for model in dict.fromkeys(row.model for row in rows):
        by_metric = {row.metric: row for row in rows if row.model == model}
        cells = [_cells(by_metric[metric]) if metric in by_metric else ("",) * 3 for metric in metrics]
        lines.append([f"`{model}`", *(cell for three in cells for cell in three)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cells(row: Summary) -> tuple[str, str, str]:
    ours = f"{row.mean:.3f} ± {row.sd:.3f}"
    if row.paper is None or row.difference is None:
        return "", ours, ""
    paper = f"{row.paper:.3f}"
    if row.winner == "ours":
        ours = f"**{ours}**"
    elif row.winner == "paper":
        paper = f"**{paper}**"
    return paper, ours, f"{row.difference:+.3f}"
