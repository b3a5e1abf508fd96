"""Figures as a Markdown table, as docs/reproduction.md has them: `Summary` rows in, text out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from qdtm.evaluation.bench.summary import Summary
from qdtm.evaluation.paper import PRINTED_NAMES, Metric, published
from qdtm.evaluation.systems.registry import ROWS

_OF_READINGS: tuple[Metric, ...] = (
    "accuracy_own", "accuracy_mixed", "precision_at_k_own", "precision_at_k_mixed"
)  # fmt: skip
_OF_FEATURES: tuple[Metric, ...] = ("accuracy_all_features", "n_features")
_APART = frozenset({*_OF_READINGS, *_OF_FEATURES})
"""Metrics that have tables of their own."""


def read_summaries(path: Path) -> tuple[Summary, ...]:
    """Read what `qdtm bench table1 --out FILE.json` wrote."""
    return tuple(Summary(**row) for row in json.loads(path.read_text(encoding="utf-8")))


def figure_table(summaries: Sequence[Summary], dataset: str) -> str:
    """Return the figures of a data set: a row a model, for each metric the paper's, ours, the difference.

    The better of the two, as printed, is bold where they can be compared. A row with fewer runs than others
    says how many; a row of the paper that was not run says so.
    """
    rows = [row for row in summaries if row.dataset == dataset and row.metric not in _APART]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    head = ["row", *(f"{metric}: {side}" for metric in metrics for side in ("paper", "ours", "+/-"))]
    lines = [head, ["---"] * len(head)]
    most_runs = max(row.runs for row in summaries)
    for model in _models(rows, dataset, metrics):
        by_metric = {row.metric: row for row in rows if row.model == model}
        cells = [_cells(by_metric.get(metric), published(model, dataset, metric)) for metric in metrics]
        if not by_metric:
            cells = [(paper, "not run" if paper else "", "") for paper, _, _ in cells]
        lines.append([_name(model, by_metric, most_runs), *(cell for three in cells for cell in three)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _models(rows: Sequence[Summary], dataset: str, metrics: Sequence[Metric]) -> list[str]:
    """Name the models that were run and those that the paper has, in the order of the tables."""
    printed = [
        model
        for model in PRINTED_NAMES
        if any(published(model, dataset, metric) is not None for metric in metrics)
    ]
    return sorted({*printed, *(row.model for row in rows)}, key=list(ROWS).index)


def _name(model: str, by_metric: Mapping[Metric, Summary], most_runs: int) -> str:
    runs = max((row.runs for row in by_metric.values()), default=most_runs)
    return f"`{model}`" if runs == most_runs else f"`{model}` ({runs} run{'s' * (runs > 1)})"


def reading_table(summaries: Sequence[Summary], dataset: str) -> str:
    """Return the two readings of each model of a data set that has two side by side, the better bold."""
    rows = [row for row in summaries if row.dataset == dataset and row.metric in _OF_READINGS]
    head = ["row", *(metric.replace("_", " ") for metric in _OF_READINGS)]
    lines = [head, ["---"] * len(head)]
    for model in dict.fromkeys(row.model for row in rows):
        means = {row.metric: round(row.mean, 3) for row in rows if row.model == model}
        lines.append([f"`{model}`", *(_marked(metric, means) for metric in _OF_READINGS)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def feature_table(summaries: Sequence[Summary]) -> str:
    """Return, of each row that says more than Q + 1 numbers about a document, the accuracy by all of them."""
    found = {(row.dataset, row.model, row.metric): row.mean for row in summaries}
    lines = [["corpus", "row", "accuracy", "with all features", "features"], ["---"] * 5]
    for (dataset, model, metric), every in found.items():
        if metric == "accuracy_all_features":
            few, n_features = found[dataset, model, "accuracy"], found[dataset, model, "n_features"]
            lines.append([dataset, f"`{model}`", f"{few:.3f}", f"{every:.3f}", f"{n_features:.0f}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _marked(metric: Metric, means: Mapping[Metric, float]) -> str:
    if metric not in means:
        return ""
    rivals = [mean for other, mean in means.items() if other.startswith(metric.rpartition("_")[0])]
    return f"**{means[metric]:.3f}**" if means[metric] == max(rivals) else f"{means[metric]:.3f}"


def _cells(row: Summary | None, printed: float | None) -> tuple[str, str, str]:
    """Return the paper's figure, ours and the difference; empty where there is none."""
    paper = "" if printed is None else f"{printed:.3f}"
    if row is None:
        return paper, "", ""
    ours = f"{row.mean:.3f} ± {row.sd:.3f}"
    if row.winner == "ours":
        ours = f"**{ours}**"
    elif row.winner == "paper":
        paper = f"**{paper}**"
    return paper, ours, "" if row.difference is None else f"{row.difference:+.3f}"
