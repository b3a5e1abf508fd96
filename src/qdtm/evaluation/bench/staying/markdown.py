"""Results as Markdown, as docs/staying.md has them: the JSON of `qdtm bench staying` in, tables out.

python -m qdtm.evaluation.bench.staying.markdown docs/staying.md docs/results/staying.json ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from qdtm.evaluation.bench.alone.markdown import fill, table
from qdtm.evaluation.bench.staying.summary import (
    ALL,
    HEADS,
    StayingRow,
    StayingShare,
    answers_of,
    cells_of,
    shares_of,
)

Rows = Sequence[StayingShare | StayingRow]


def read_staying(path: Path) -> tuple[StayingShare | StayingRow, ...]:
    """Read what `qdtm bench staying --out FILE.json` wrote."""
    return tuple(_row(row) for row in json.loads(path.read_text(encoding="utf-8")))


def _row(row: dict[str, Any]) -> StayingShare | StayingRow:
    if "query" not in row:
        return StayingShare(**row)
    return StayingRow(**{**row, "failures": tuple(row["failures"])})


def results_text(rows: Rows) -> str:
    """Return the shares of acceptable answers, then a table of answers for each model and corpus."""
    return "\n\n".join([share_table(rows), *_answer_tables(rows)])


def share_table(rows: Rows) -> str:
    """Return how many answers are acceptable: a row a corpus and model."""
    lines = [["corpus", "row", "acceptable", "of all", "specific", "passing"], ["---"] * 6]
    datasets = dict.fromkeys(row.dataset for row in rows if isinstance(row, StayingShare))
    for dataset in sorted(datasets, key=lambda name: name == ALL):
        shares = {(row.model, row.kind): row for row in shares_of(rows, dataset)}
        for model in dict.fromkeys(model for model, _ in shares):
            whole = shares[model, "all"]
            kinds = [shares.get((model, kind)) for kind in ("specific", "passing")]
            lines.append([
                dataset,
                f"`{model}`",
                f"{whole.n_acceptable} of {whole.n_asked}",
                f"{whole.acceptable:.0%}",
                *("" if share is None else f"{share.n_acceptable} of {share.n_asked}" for share in kinds),
            ])  # fmt: skip
    return table(lines)


def _answer_tables(rows: Rows) -> Iterator[str]:
    answers = answers_of(rows)
    for model, dataset in dict.fromkeys((row.model, row.dataset) for row in answers):
        own = [row for row in answers if (row.model, row.dataset) == (model, dataset)]
        lines = [["kind", *HEADS], ["---"] * (1 + len(HEADS))]
        yield f"### {dataset}, `{model}`\n\n" + table([*lines, *([row.kind, *cells_of(row)] for row in own)])


def main(page: str, *files: str) -> None:
    """Write the results of some files into a page."""
    path, rows = Path(page), [row for file in files for row in read_staying(Path(file))]
    path.write_text(fill(path.read_text(encoding="utf-8"), results_text(rows)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
