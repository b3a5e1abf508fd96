"""Results as Markdown, as docs/one-query.md has them: the JSON of `qdtm bench alone` in, tables out.

python -m qdtm.evaluation.bench.alone.markdown docs/one-query.md docs/results/alone.json ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qdtm.errors import ParameterError
from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.summary import (
    AloneMetric,
    AloneSummary,
    QuerySummary,
    answered_of,
    best_retrieval,
    left_out,
    mean_of,
    queries_of,
    words_of,
)
from qdtm.evaluation.bench.alone.targets import judge, judge_lead

START, END = "<!-- results: start -->", "<!-- results: end -->"
"""What is between these in the page is written by `fill`."""

_OVERVIEW: tuple[tuple[AloneMetric, str, str], ...] = (
    ("precision_at_k", "P@K", "{:.3f}"),
    ("precision_by_share", "by p(z given d)", "{:.3f}"),
    ("size_ratio", "topic's size", "{:.2f}"),
    ("size_ok", "0.5 to 2", "{:.0%}"),
    ("count_ratio", "count", "{:.2f}"),
    ("inside", "inside", "{:.0%}"),
    ("width", "width", "{:.1f}"),
    ("calibration_error", "error", "{:.3f}"),
    ("own_words", "own words", "{:.2f}"),
)
"""Means of our row, with their head and form."""

_DETAILS: tuple[tuple[AloneMetric, str], ...] = (
    ("precision_by_share", "{:.3f}"),
    ("true_share", "{:.1%}"),
    ("prevalence", "{:.1%}"),
    ("size_ratio", "{:.2f}"),
    ("count_ratio", "{:.2f}"),
    ("inside", "{:.0%}"),
    ("width", "{:.1f}"),
    ("calibration_error", "{:.3f}"),
    ("own_words", "{:.1f}"),
    ("n_background", "{:.0f}"),
    ("cohesion", "{:.2f}"),
    ("same_words", "{:.0%}"),
    ("same_documents", "{:.0%}"),
)


def read_alone(path: Path) -> tuple[AloneSummary, ...]:
    """Read what `qdtm bench alone --out FILE.json` wrote."""
    return tuple(_summary(row) for row in json.loads(path.read_text(encoding="utf-8")))


def _summary(row: dict[str, Any]) -> AloneSummary:
    if "query" not in row:
        return AloneSummary(**row)
    return QuerySummary(**{**row, "words": tuple(row["words"])})


def results_text(summaries: Sequence[AloneSummary]) -> str:
    """Return all corpora side by side, then a section a corpus.

    A section has P@K of every model, the targets, and what the topics are like.
    """
    parts = [overview_table(summaries)]
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        parts += [f"### {dataset}", answered_text(rows), precision_table(rows)]
        parts += [target_table(rows), detail_table(rows)]
    return "\n\n".join(part for part in parts if part)


def overview_table(summaries: Sequence[AloneSummary]) -> str:
    """Return the means of our row: a row a corpus, the best retrieval row's P@K beside ours."""
    lines = [["corpus", "answered", "best retrieval", *(head for _, head, _ in _OVERVIEW)]]
    lines.append(["---"] * len(lines[0]))
    for dataset in dict.fromkeys(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        best, answered = best_retrieval(rows), answered_of(rows, OURS)
        means = [(form, mean_of(rows, OURS, metric)) for metric, _, form in _OVERVIEW]
        lines.append([
            dataset,
            "" if answered is None else f"{answered[0]:g} of {answered[1]}",
            "" if best is None else f"{best[1]:.3f} (`{best[0]}`)",
            *("" if mean is None else form.format(mean) for form, mean in means),
        ])  # fmt: skip
    lead = judge_lead(summaries)
    said = (
        "" if lead is None else f"\n\n{lead.target}: {lead.value:.3f}, {'met' if lead.met else '**missed**'}."
    )
    return table(lines) + said


def answered_text(rows: Sequence[AloneSummary]) -> str:
    """Say which queries count for no row, since one of them refuses it."""
    without = left_out(rows)
    return f"Measured without what a row refuses: {', '.join(without)}." if without else ""


def precision_table(rows: Sequence[AloneSummary]) -> str:
    """Return P@K: a row a query, a column a model, the best of each row bold."""
    models = list(dict.fromkeys(row.model for row in rows))
    lines = [["query", *(f"`{model}`" for model in models)], ["---"] * (len(models) + 1)]
    for query in (*queries_of(rows), None):
        means = [mean_of(rows, model, "precision_at_k", query) for model in models]
        best = max((round(mean, 3) for mean in means if mean is not None), default=0.0)
        cells = ["" if mean is None else bold(f"{mean:.3f}", round(mean, 3) == best) for mean in means]
        lines.append([query or "**mean**", *cells])
    return table(lines)


def target_table(rows: Sequence[AloneSummary]) -> str:
    """Return the targets and whether they are met."""
    verdicts = judge(rows, rows[0].dataset)
    lines = [["target", "here", ""], ["---"] * 3]
    lines += [
        [v.target.replace("|", "/"), f"{v.value:.3f}", "met" if v.met else "**missed**"] for v in verdicts
    ]
    return table(lines) if verdicts else ""


def detail_table(rows: Sequence[AloneSummary]) -> str:
    """Return what the parent topics of our row are like, and their words."""
    known = [(metric, form) for metric, form in _DETAILS if mean_of(rows, OURS, metric, None) is not None]
    if not known:
        return ""
    lines = [
        ["query", *(metric.replace("_", " ") for metric, _ in known), "words"],
        ["---"] * (len(known) + 2),
    ]
    for query in queries_of(rows):
        means = [(form, mean_of(rows, OURS, metric, query)) for metric, form in known]
        cells = ["" if mean is None else form.format(mean) for form, mean in means]
        lines.append([query, *cells, ", ".join(words_of(rows, OURS, query))])
    return table(lines)


def fill(page: str, text: str) -> str:
    """Return a page with its results replaced.

    Raises
    ------
    ParameterError
        If the page has no place for them.
    """
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise ParameterError(f"The page has no lines {START!r} and {END!r}; put them where the results go.")
    return f"{before}{START}\n\n{text}\n\n{END}{after}"


def bold(text: str, is_bold: bool) -> str:
    """Return a text as it is, or bold."""
    return f"**{text}**" if is_bold else text


def table(lines: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as a table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(page: str, *files: str) -> None:
    """Write the results of some files into a page."""
    text = "\n\n".join(results_text(read_alone(Path(file))) for file in files)
    path = Path(page)
    path.write_text(fill(path.read_text(encoding="utf-8"), text), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
