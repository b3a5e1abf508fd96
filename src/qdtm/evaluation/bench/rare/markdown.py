"""Results as Markdown and drawings, as docs/rare.md has them: the JSON of `qdtm bench rare` in.

python -m qdtm.evaluation.bench.rare.markdown docs/rare.md docs/results/rare.json ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.markdown import bold, fill, table
from qdtm.evaluation.bench.rare.chart import precision_chart
from qdtm.evaluation.bench.rare.summary import (
    RareMetric,
    RareQuerySummary,
    RareSummary,
    find,
    levels_of,
    models_of,
)
from qdtm.evaluation.bench.rare.targets import is_ahead, is_wanted

_COLUMNS: tuple[tuple[RareMetric, str], ...] = (
    ("precision_at_k", "P@K"),
    ("recall_at_2k", "recall in 2K"),
    ("words_share", "topic's words"),
)


def read_rare(path: Path) -> tuple[RareSummary, ...]:
    """Read what `qdtm bench rare --out FILE.json` wrote."""
    return tuple(_summary(row) for row in json.loads(path.read_text(encoding="utf-8")))


def _summary(row: dict[str, Any]) -> RareSummary:
    if "query" not in row:
        return RareSummary(**row)
    return RareQuerySummary(**{**row, "words": tuple(row["words"])})


def results_text(summaries: Sequence[RareSummary]) -> str:
    """Return a section a corpus: the drawing, a table a level, the targets, and our queries one by one."""
    parts = []
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        parts += [f"### {dataset}", f"![P@K at each level](results/{chart_name(dataset)})"]
        for level in levels_of(rows):
            parts += [f"**{level * 100:g} % of the documents**", level_table(rows, level)]
        parts += ["**Ahead?**", target_table(rows), f"**P@K of `{OURS}`, query by query**", query_table(rows)]
    return "\n\n".join(part for part in parts if part)


def chart_name(dataset: str) -> str:
    """Return the name of a corpus' drawing."""
    return f"rare-{dataset}.svg"


def level_table(rows: Sequence[RareSummary], level: float) -> str:
    """Return a level's figures: a row a model, the best of each column bold."""
    models = [model for model in models_of(rows) if find(rows, model, level, "precision_at_k")]
    best = {metric: _best(rows, models, level, metric) for metric, _ in _COLUMNS}
    lines = [["row", *(head for _, head in _COLUMNS), "answered", "queries x runs", "seconds"], ["---"] * 7]
    for model in models:
        first = find(rows, model, level, "precision_at_k")
        answered = find(rows, model, level, "answered")
        assert first is not None
        assert answered is not None
        cells = [_cell(find(rows, model, level, metric), best[metric]) for metric, _ in _COLUMNS]
        runs = f"{first.n_queries} x {first.runs}"
        lines.append([f"`{model}`", *cells, f"{answered.mean:.0%}", runs, f"{first.seconds:.1f}"])
    return table(lines)


def _best(rows: Sequence[RareSummary], models: Sequence[str], level: float, metric: RareMetric) -> float:
    found = (find(rows, model, level, metric) for model in models)
    return max((round(row.mean, 3) for row in found if row is not None), default=0.0)


def _cell(row: RareSummary | None, best: float) -> str:
    if row is None:
        return ""
    spread = f" ± {row.sd:.3f}" if row.runs > 1 else ""
    return bold(f"{row.mean:.3f}", round(row.mean, 3) == best) + spread


def target_table(rows: Sequence[RareSummary]) -> str:
    """Return against whom the model is ahead: a row a rival, a column a level, our P@K minus theirs."""
    rivals = [model for model in models_of(rows) if model != OURS]
    levels = levels_of(rows)
    lines = [["against", *(f"{level * 100:g} %" for level in levels)], ["---"] * (len(levels) + 1)]
    lines += [[f"`{rival}`", *(_lead(rows, rival, level) for level in levels)] for rival in rivals]
    return table(lines) if rivals else ""


def _lead(rows: Sequence[RareSummary], rival: str, level: float) -> str:
    ours, theirs = (find(rows, model, level, "precision_at_k") for model in (OURS, rival))
    if ours is None or theirs is None:
        return ""
    is_missed = is_wanted(rival, level) and not is_ahead(ours, theirs)
    return f"{ours.mean - theirs.mean:+.3f}" + (" **missed**" if is_missed else "")


def query_table(rows: Sequence[RareSummary]) -> str:
    """Return our P@K, a row a query and a column a level, and the topic's words at 1 % or the last level."""
    own = [row for row in rows if isinstance(row, RareQuerySummary) and row.model == OURS]
    if not own:
        return ""
    levels = levels_of(own)
    shown = 0.01 if 0.01 in levels else levels[-1]
    head = ["query", *(f"{level * 100:g} %" for level in levels), f"words at {shown * 100:g} %"]
    lines = [head, ["---"] * len(head)]
    for query in dict.fromkeys(row.query for row in own):
        found = [find(own, OURS, level, "precision_at_k", query) for level in levels]
        words = next((row.words for row in own if (row.query, row.level) == (query, shown)), ())
        cells = ["" if row is None else f"{row.mean:.3f}" for row in found]
        lines.append([query, *cells, ", ".join(words)])
    return table(lines)


def main(page: str, *files: str) -> None:
    """Write the results of some files, into a page, and draw them."""
    path, rows = Path(page), [row for file in files for row in read_rare(Path(file))]
    path.write_text(fill(path.read_text(encoding="utf-8"), results_text(rows)), encoding="utf-8")
    for dataset in dict.fromkeys(row.dataset for row in rows):
        drawn = precision_chart([row for row in rows if row.dataset == dataset], f"{dataset}: precision@K")
        (path.parent / "results" / chart_name(dataset)).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
