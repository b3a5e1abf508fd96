"""Results as Markdown and drawings, as docs/rare.md has them: the JSON of `qdtm bench rare` in.

python -m qdtm.evaluation.bench.rare.markdown docs/rare.md docs/results/rare.json ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qdtm.evaluation.bench.alone.markdown import bold, fill, table
from qdtm.evaluation.bench.rare.chart import precision_chart
from qdtm.evaluation.bench.rare.summary import RareQuerySummary, RareSummary, find, levels_of, models_of


def read_rare(path: Path) -> tuple[RareSummary, ...]:
    """Read what `qdtm bench rare --out FILE.json` wrote."""
    return tuple(_summary(row) for row in json.loads(path.read_text(encoding="utf-8")))


def _summary(row: dict[str, Any]) -> RareSummary:
    if "query" not in row:
        return RareSummary(**row)
    return RareQuerySummary(**{**row, "words": tuple(row["words"])})


def results_text(summaries: Sequence[RareSummary]) -> str:
    """Return a section a corpus: the drawing, and P@K of every row at every level."""
    parts = []
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        parts += [f"### {dataset}", f"![P@K at each level](results/{chart_name(dataset)})"]
        parts += [precision_table(rows)]
    return "\n\n".join(parts)


def chart_name(dataset: str) -> str:
    """Return the name of a corpus' drawing."""
    return f"rare-{dataset}.svg"


def precision_table(rows: Sequence[RareSummary]) -> str:
    """Return P@K: a row a model, a column a level, the best of each column bold; how often each was run."""
    levels = levels_of(rows)
    lines = [["row", *(f"{level * 100:g} %" for level in levels), "queries x runs"]]
    lines.append(["---"] * len(lines[0]))
    best = [_best(rows, level) for level in levels]
    for model in models_of(rows):
        found = [find(rows, model, level, "precision_at_k") for level in levels]
        runs = next(f"{row.n_queries} x {row.runs}" for row in found if row is not None)
        lines.append([f"`{model}`", *map(_cell, found, best), runs])
    return table(lines)


def _best(rows: Sequence[RareSummary], level: float) -> float:
    found = (find(rows, model, level, "precision_at_k") for model in models_of(rows))
    return max((round(row.mean, 3) for row in found if row is not None), default=0.0)


def _cell(row: RareSummary | None, best: float) -> str:
    if row is None:
        return ""
    spread = f" ± {row.sd:.3f}" if row.runs > 1 else ""
    return bold(f"{row.mean:.3f}", round(row.mean, 3) == best) + spread


def main(page: str, *files: str) -> None:
    """Write the results of some files, into a page, and draw them."""
    path, rows = Path(page), [row for file in files for row in read_rare(Path(file))]
    path.write_text(fill(path.read_text(encoding="utf-8"), results_text(rows)), encoding="utf-8")
    for dataset in dict.fromkeys(row.dataset for row in rows):
        drawn = precision_chart([row for row in rows if row.dataset == dataset], f"{dataset}: precision@K")
        (path.parent / "results" / chart_name(dataset)).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
