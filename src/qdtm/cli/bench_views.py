"""Figures and words of the experiments in, tables for the terminal out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qdtm.cli.views import Columns, facts, heading, table

if TYPE_CHECKING:
    from qdtm.evaluation.bench import Summary, WordComparison

_RIGHT = {"justify": "right", "no_wrap": True}
_NO_WRAP = {"no_wrap": True}
_NOTES = {
    "coherence": "C_V on a sample of Wikipedia; the paper used another index, so compare rows, not sides.",
    "accuracy_all_features": "Of rows with more numbers a document than one a concept and one for the rest.",
    "diversity": "Unique among the top 25 words of a parent's subtopics; parents with two or more.",
}


# --- figures -----------------------------------------------------------------------------------------------


def figure_pages(summaries: Sequence[Summary]) -> Iterator[RenderableType]:
    """Yield a section for each data set and metric: paper, ours, difference, and who wins."""
    for dataset, metric in dict.fromkeys((row.dataset, row.metric) for row in summaries):
        rows = [row for row in summaries if (row.dataset, row.metric) == (dataset, metric)]
        yield heading(f"{dataset}: {metric}", f"{rows[0].table}, {_runs(rows[0].runs)}")
        yield table(_figure_columns(), [_figure_row(row, rows) for row in rows])
        if metric in _NOTES:
            yield facts([("note", _NOTES[metric])])
        yield Text()
    if summaries:
        yield facts([("*", "best row of its column"), ("ours", "mean ± standard deviation over the runs")])


def _figure_columns() -> Columns:
    return [("model", _NO_WRAP), ("paper", _RIGHT), ("ours", _RIGHT), ("difference", _RIGHT),
            ("wins", _NO_WRAP), ("seconds", _RIGHT)]  # fmt: skip


def _figure_row(row: Summary, rows: Sequence[Summary]) -> tuple[str | Text, ...]:
    best_paper = max((other.paper for other in rows if other.paper is not None), default=None)
    best_ours = max(round(other.mean, 3) for other in rows)
    paper = "-" if row.paper is None else f"{row.paper:.3f}" + _star(row.paper == best_paper)
    return (
        row.model,
        paper,
        f"{row.mean:.3f} ± {row.sd:.3f}" + _star(round(row.mean, 3) == best_ours),
        "-" if row.difference is None else f"{row.difference:+.3f}",
        Text(row.winner or "-", style="bold green" if row.winner == "ours" else ""),
        f"{row.seconds:.1f}",
    )


def _star(is_best: bool) -> str:
    return "*" if is_best else " "


def _runs(n: int) -> str:
    return "1 run" if n == 1 else f"{n} runs"


# --- words -------------------------------------------------------------------------------------------------


def word_pages(comparisons: Sequence[WordComparison]) -> Iterator[RenderableType]:
    """Yield a section for each word table, a part for each topic."""
    for key in dict.fromkeys((row.table, row.dataset, row.model) for row in comparisons):
        rows = [row for row in comparisons if (row.table, row.dataset, row.model) == key]
        mean = sum(row.overlap for row in rows) / len(rows)
        yield heading(f"{key[1]}: {key[0]}", f"{key[2]}, {_runs(rows[0].runs)}, mean overlap {mean:.0%}")
        for row in rows:
            yield from _topic(row)
        yield Text()


def _topic(row: WordComparison) -> Iterator[RenderableType]:
    yield Text(f"  {row.phrase}  {row.overlap:.0%}", style="bold")
    lines = [("paper", _marked(row.paper, row.ours)), ("ours", _marked(row.ours, row.paper))]
    lines += [("paper's subtopic", _marked(words, ())) for words in row.paper_subtopics]
    lines += [("our subtopic", _marked(words, ())) for words in row.our_subtopics]
    if row.subtopic_overlap is not None:
        lines.append(("overlap", Text(f"{row.subtopic_overlap:.0%} of a paper's subtopic is in one of ours")))
    yield _lines(lines)


def _lines(lines: Iterable[tuple[str, Text]]) -> RenderableType:
    """Return names and words, side by side, without a head."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(ratio=1)
    for name, words in lines:
        grid.add_row(Text(name), words)
    return Padding(grid, (0, 0, 0, 4), expand=False)


def _marked(words: Sequence[str], others: Sequence[str]) -> Text:
    """Return words in a line, those of the other side in bold."""
    text = Text()
    for word in words:
        text.append(" " if text else "").append(word, style="bold" if word in others else "")
    return text
