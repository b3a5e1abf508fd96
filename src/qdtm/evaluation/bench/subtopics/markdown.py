"""Results as Markdown, as docs/subtopics.md has them: the JSON of `qdtm bench subtopics` in, tables out.

python -m qdtm.evaluation.bench.subtopics.markdown docs/subtopics.md docs/results/subtopics.json ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.markdown import bold, fill, table
from qdtm.evaluation.bench.subtopics.summary import (
    MEAN_HEADS,
    SPLIT_HEADS,
    Rows,
    SubtopicsMean,
    SubtopicsRow,
    datasets_of,
    judge_subtopics,
    mean_cells,
    means_of,
    split_cells,
    splits_of,
)


def read_subtopics(path: Path) -> tuple[SubtopicsMean | SubtopicsRow, ...]:
    """Read what `qdtm bench subtopics --out FILE.json` wrote."""
    return tuple(_row(row) for row in json.loads(path.read_text(encoding="utf-8")))


def _row(row: dict[str, Any]) -> SubtopicsMean | SubtopicsRow:
    if "query" not in row:
        return SubtopicsMean(**row)
    return SubtopicsRow(**{**row, "words": tuple(row["words"])})


def results_text(rows: Rows) -> str:
    """Return a section a corpus: the means of each row, targets, AMI of every split, and our subtopics."""
    return "\n\n".join(part for dataset in datasets_of(rows) for part in _section(rows, dataset) if part)


def _section(rows: Rows, dataset: str) -> Iterator[str]:
    means = means_of(rows, dataset)
    yield f"### {dataset}"
    yield f"{means[0].n_counted} of {means[0].n_asked} queries count."
    yield mean_table(rows, dataset)
    yield target_table(rows, dataset)
    yield agreement_table(rows, dataset)
    yield split_table(rows, dataset)


def mean_table(rows: Rows, dataset: str) -> str:
    """Return the means: a line a row."""
    heads = [head.replace("- ", "") for head in MEAN_HEADS]
    lines = [heads, ["---"] * len(heads)]
    for name, *figures in map(mean_cells, means_of(rows, dataset)):
        lines.append([f"`{name}`", *figures])
    return table(lines)


def target_table(rows: Rows, dataset: str) -> str:
    """Return the targets and whether they are met."""
    verdicts = judge_subtopics(rows, dataset)
    lines = [["target", "here", ""], ["---"] * 3]
    lines += [[v.target, f"{v.value:.3f}", "met" if v.met else "**missed**"] for v in verdicts]
    return table(lines) if verdicts else ""


def agreement_table(rows: Rows, dataset: str) -> str:
    """Return AMI of the queries that count, a line a query and run, the best of each bold."""
    models = [mean.model for mean in means_of(rows, dataset)]
    found = {(row.query, row.seed, row.model): row.ami for row in splits_of(rows, dataset) if row.counted}
    lines = [["query", *(f"`{model}`" for model in models)], ["---"] * (1 + len(models))]
    for query, seed in dict.fromkeys((query, seed) for query, seed, _ in found):
        values = [found.get((query, seed, model)) for model in models]
        best = max(round(value, 3) for value in values if value is not None)
        lines.append([
            query, *("" if v is None else bold(f"{v:.3f}", round(v, 3) == best) for v in values)
        ])  # fmt: skip
    return table(lines) if found else ""


def split_table(rows: Rows, dataset: str) -> str:
    """Return what our row makes of each query, with the first words of its subtopics."""
    own = splits_of(rows, dataset, OURS)
    lines = [[*SPLIT_HEADS, "subtopics"], ["---"] * (1 + len(SPLIT_HEADS))]
    lines += [[*split_cells(row), "; ".join(row.words)] for row in own]
    return table(lines) if own else ""


def main(page: str, *files: str) -> None:
    """Write the results of some files into a page."""
    path, rows = Path(page), [row for file in files for row in read_subtopics(Path(file))]
    path.write_text(fill(path.read_text(encoding="utf-8"), results_text(rows)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
