"""Figures as a Markdown table, as docs/reproduction.md has them: `Summary` rows in, text out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from qdtm.evaluation.bench.summary import Summary
from qdtm.evaluation.paper import Metric

_OF_READINGS: tuple[Metric, ...] = (
    "accuracy_own", "accuracy_mixed", "precision_at_k_own", "precision_at_k_mixed"
)  # fmt: skip


def read_summaries(path: Path) -> tuple[Summary, ...]:
    """Read what `qdtm bench table1 --out FILE.json` wrote."""
    return tuple(Summary(**row) for row in json.loads(path.read_text(encoding="utf-8")))


def figure_table(summaries: Sequence[Summary], dataset: str) -> str:
    """Return the figures of a data set: a row a model, for each metric the paper's, ours, the difference.

    The better of the two, as printed, is bold where they can be compared.
    """
    rows = [row for row in summaries if row.dataset == dataset and row.metric not in _OF_READINGS]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    head = ["row", *(f"{metric}: {side}" for metric in metrics for side in ("paper", "ours", "+/-"))]
    lines = [head, ["---"] * len(head)]
    for model in dict.fromkeys(row.model for row in rows):
        by_metric = {row.metric: row for row in rows if row.model == model}
        cells = [_cells(by_metric[metric]) if metric in by_metric else ("",) * 3 for metric in metrics]
        lines.append([f"`{model}`", *(cell for three in cells for cell in three)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def reading_table(summaries: Sequence[Summary], dataset: str) -> str:
    """Return the two readings of each count model of a data set side by side, the better bold."""
    rows = [row for row in summaries if row.dataset == dataset and row.metric in _OF_READINGS]
    head = ["row", *(metric.replace("_", " ") for metric in _OF_READINGS)]
    lines = [head, ["---"] * len(head)]
    for model in dict.fromkeys(row.model for row in rows):
        means = {row.metric: round(row.mean, 3) for row in rows if row.model == model}
        lines.append([f"`{model}`", *(_marked(metric, means) for metric in _OF_READINGS)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _marked(metric: Metric, means: Mapping[Metric, float]) -> str:
    rivals = [mean for other, mean in means.items() if other.startswith(metric.rpartition("_")[0])]
    return f"**{means[metric]:.3f}**" if means[metric] == max(rivals) else f"{means[metric]:.3f}"


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
