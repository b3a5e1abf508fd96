"""Queries whose category was made rare: a cell is a query asked of a row, at a level, in a run.

In: the concepts of labelled data sets, and levels. Out: `RareResult`: P@K, recall and the words of the topic;
and of all of them a `Summary` a level, row and metric, and one a query; tables and a drawing of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import click

from experiments.bench.alone import N_SHOWN_WORDS, best_ranks, words_of_topic
from experiments.datasets.concepts import DATASETS, concepts_of
from experiments.datasets.paper_corpora import Dataset
from experiments.datasets.thinning import thin
from experiments.harness.cells import Bench, Cell, choose_queries, seeds
from experiments.harness.command import (
    datasets_option,
    models_option,
    queries_option,
    run_bench,
    running_options,
)
from experiments.harness.report import Part, Table, bold, target_table
from experiments.harness.summary import Measured, Summary, Verdict, find, grouped, means, unique
from experiments.harness.workbench import Workbench
from experiments.metrics.labels import precision_at_k, recall_at
from experiments.metrics.topics import characteristic_words, share_of
from experiments.systems.answers import OURS, RETRIEVAL, Answer, AnsweringSystem
from experiments.systems.topic_answers import make_rows
from qdtm.cli.options import together
from qdtm.present.theme import LIGHT, SERIES_LIGHT

LEVELS = (0.001, 0.0025, 0.005, 0.01, 0.02)
"""The shares of the documents to which a category is thinned."""

USUAL = (OURS, "ql-query", "bm25-query", "ql", "bm25", "lda", "hdp", "seeded-lda")
"""The rows, if none is named; those of peers fit a model for each query and level."""


@dataclass(frozen=True)
class RareResult:
    """What a model answered.

    Attributes
    ----------
    cell : Cell
        Its seed chooses the documents that stay, and is that of the model.
    phrase : str
        The query as the paper prints it.
    n_documents, n_relevant : int
        The documents that are left, and K, those of the query's category among them.
    precision_at_k : float
        The share of the category's documents among the K that rank first.
    recall_at_2k : float
        The share of the category's documents that are among the 2 K that rank first.
    seconds : float
    answered : bool
        Whether the thinned corpus still has the query's words; else documents rank by chance.
    words_share : float or None
        The share of the topic's ten most probable words that are the category's; None without a topic.
    prevalence : float or None
        The topic's share of the tokens.
    words : tuple of str
        The topic's ten most probable words.
    """

    cell: Cell
    phrase: str
    n_documents: int
    n_relevant: int
    precision_at_k: float
    recall_at_2k: float
    seconds: float
    answered: bool = True
    words_share: float | None = None
    prevalence: float | None = None
    words: tuple[str, ...] = ()

    @property
    def size_ratio(self) -> float | None:
        """The topic's share of the tokens over the category's share of the documents."""
        return None if self.prevalence is None else self.prevalence * self.n_documents / self.n_relevant


# --- measuring -------------------------------------------------------------------------------------------


def measure_rare(cells: tuple[Cell, ...], row: AnsweringSystem, workbench: Workbench) -> list[RareResult]:
    """Thin a category and ask for it."""
    [cell] = cells
    assert cell.level is not None
    whole = workbench.dataset(cell.dataset)
    thinned = thin(whole, cell.place, cell.level, cell.seed)
    [answer] = row.answer(thinned, [cell.place], cell.seed)
    return [measure_answer(cell, answer, thinned, whole)]


def measure_answer(cell: Cell, answer: Answer, thinned: Dataset, whole: Dataset) -> RareResult:
    """Measure the answer to a rare query; equally good documents are in random order.

    Parameters
    ----------
    cell : Cell
    answer : Answer
    thinned, whole : Dataset
        The one that was asked, and the one that knows which words are the category's.
    """
    relevant = thinned.labels == cell.place
    n_relevant = int(relevant.sum())
    best = best_ranks(answer, relevant, cell.seed)
    words = words_of_topic(answer, thinned, N_SHOWN_WORDS)
    return RareResult(
        cell=cell,
        phrase=whole.concepts[cell.place].phrase,
        n_documents=len(relevant),
        n_relevant=n_relevant,
        precision_at_k=precision_at_k(best, relevant),
        recall_at_2k=recall_at(best, relevant, 2 * n_relevant),
        seconds=answer.seconds,
        answered=answer.answered,
        words_share=share_of(words, characteristic_words(whole, cell.place)),
        prevalence=answer.prevalence,
        words=words,
    )


# --- summing up ------------------------------------------------------------------------------------------


METRICS = ("precision_at_k", "recall_at_2k", "words_share", "size_ratio", "answered")
"""In the order of the rows; `answered` is the share of queries whose words the thinned corpus still has."""


def summarise_rare(results: Sequence[RareResult]) -> tuple[Summary, ...]:
    """Put runs together: for each data set, level and model the means, then the queries."""
    measured = [Measured(result, _figures(result)) for result in results]
    summaries: list[Summary] = []
    for group in grouped(measured, lambda each: (each.cell.dataset, each.cell.level, each.cell.model)):
        of_queries = grouped(group, lambda each: each.cell.query)
        summaries += (replace(row, n_queries=len(of_queries)) for row in means(group, METRICS))
        for of_query in of_queries:
            first = of_query[0].result
            said = {
                "query": first.phrase,
                "n_relevant": first.n_relevant,
                "words": first.words,
                "n_queries": 1,
            }
            summaries += (replace(row, **said) for row in means(of_query, METRICS))  # type: ignore[arg-type]
    return tuple(summaries)


def _figures(result: RareResult) -> dict[str, float]:
    known = {metric: getattr(result, metric) for metric in METRICS}
    return {metric: float(value) for metric, value in known.items() if value is not None}


def levels_of(rows: Sequence[Summary]) -> list[float]:
    """Return the levels that rows are about, rising."""
    return sorted({row.level for row in rows if row.level is not None})


# --- targets ---------------------------------------------------------------------------------------------


RETRIEVAL_FROM = 0.005
"""Below this level, words in a handful of documents may be all there is."""


def judge_rare(rows: Sequence[Summary], dataset: str) -> tuple[Verdict, ...]:
    """Compare the model with every other row at every level; what was not run is not judged.

    At every level it should be ahead of the other topic models, and from 0.5 % up of plain retrieval too.
    """
    own = [row for row in rows if row.dataset == dataset]
    return tuple(verdict for level in levels_of(own) for verdict in _at_level(own, level))


def _at_level(rows: Sequence[Summary], level: float) -> Iterator[Verdict]:
    ours = find(rows, OURS, "precision_at_k", level=level)
    for rival in unique(row.model for row in rows):
        theirs = find(rows, rival, "precision_at_k", level=level)
        if ours is not None and theirs is not None and is_wanted(rival, level):
            target = f"at {level * 100:g} %, P@K > {theirs.mean:.3f} ({rival})"
            yield Verdict(target, ours.mean, round(ours.mean, 3) > round(theirs.mean, 3))


def is_wanted(rival: str, level: float) -> bool:
    """Whether the model should be ahead of a row at a level."""
    return rival != OURS and (rival not in RETRIEVAL or level >= RETRIEVAL_FROM)


# --- showing ---------------------------------------------------------------------------------------------


_SHOWN = (
    ("recall_at_2k", "Recall in the first 2 K documents"),
    ("words_share", "Share of the topic's ten top words that are the category's"),
    ("answered", "Share of queries whose words are still there"),
)
"""What is shown beside P@K."""


def report_rare(summaries: Sequence[Summary]) -> Iterator[Part]:
    """Yield a section a corpus: the drawing, P@K of every row at every level, what else there is, targets."""
    for dataset in unique(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        yield f"### {dataset}"
        yield f"![P@K at each level]({chart_name(dataset)})"
        yield level_table(rows, "precision_at_k")
        for metric, title in _SHOWN:
            yield f"{title}:"
            yield level_table(rows, metric)
        yield target_table(judge_rare(rows, dataset))


def level_table(rows: Sequence[Summary], metric: str) -> Table:
    """Return a metric: a row a model, a column a level, the best of each bold; how often it was run."""
    levels, lines = levels_of(rows), []
    found = {model: [find(rows, model, metric, level=level) for level in levels]
             for model in unique(row.model for row in rows)}  # fmt: skip
    best = [max((round(row.mean, 3) for row in column if row), default=0.0)
            for column in zip(*found.values(), strict=True)]  # fmt: skip
    for model, of_model in found.items():
        first = next((row for row in of_model if row is not None), None)
        if first is not None:
            lines.append([f"`{model}`", *map(_cell, of_model, best), f"{first.n_queries} x {first.runs}"])
    return Table.of(["row", *(f"{level * 100:g} %" for level in levels), "queries x runs"], lines)


def _cell(row: Summary | None, best: float) -> str:
    if row is None:
        return ""
    spread = f" ± {row.sd:.3f}" if row.runs > 1 else ""
    return bold(f"{row.mean:.3f}", round(row.mean, 3) == best) + spread


# --- drawing ---------------------------------------------------------------------------------------------


WIDTH, HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 150, 30, 44
_NAME_GAP = 15.0  # between the names at the ends of lines

Point = tuple[float, float]


def chart_name(dataset: str) -> str:
    """Return the name of a corpus' drawing."""
    return f"rare-{dataset}.svg"


def charts(summaries: Sequence[Summary]) -> dict[str, str]:
    """Return the drawing of each corpus by its name: P@K against the level as SVG."""
    return {
        chart_name(dataset): precision_chart(
            [row for row in summaries if row.dataset == dataset], f"{dataset}: precision@K"
        )
        for dataset in unique(row.dataset for row in summaries)
    }


def precision_chart(rows: Sequence[Summary], title: str) -> str:
    """Draw a line a model: P@K at each level, the levels on a log scale; ours is thicker."""
    levels = levels_of(rows)
    lines = {model: _line(rows, model, levels) for model in unique(row.model for row in rows)}
    top = _round_up(max((y for points in lines.values() for _, y in points), default=1.0))
    places = {model: [_place(point, levels, top) for point in line] for model, line in lines.items() if line}
    parts = [*_frame(title, levels, top), *_drawn(places)]
    style = f'font-family="sans-serif" font-size="12" fill="{LIGHT["ink"]}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>'
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>"]) + "\n"


def _line(rows: Sequence[Summary], model: str, levels: Sequence[float]) -> list[Point]:
    found = [(level, find(rows, model, "precision_at_k", level=level)) for level in levels]
    return [(level, row.mean) for level, row in found if row is not None]


def _round_up(value: float) -> float:
    """Return the next tenth."""
    return max(0.1, math.ceil(value * 10 - 1e-9) / 10)


def _place(point: Point, levels: Sequence[float], top: float) -> Point:
    level, value = point
    span = math.log(levels[-1] / levels[0]) or 1.0
    across = math.log(level / levels[0]) / span
    x = _LEFT + across * (WIDTH - _LEFT - _RIGHT)
    return round(x, 1), round(_TOP + (1 - value / top) * (HEIGHT - _TOP - _BOTTOM), 1)


def _frame(title: str, levels: Sequence[float], top: float) -> Iterator[str]:
    """Yield the title, lines at every tenth, and the names of the levels."""
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{LIGHT["panel"]}"/>'
    yield f'<text x="{_LEFT}" y="18" font-weight="bold">{escape(title)}</text>'
    step = 0.1 if top <= 0.6 else 0.2
    for tick in range(round(top / step + 1e-9) + 1):
        _, y = _place((levels[0], tick * step), levels, top)
        yield f'<line x1="{_LEFT}" y1="{y}" x2="{WIDTH - _RIGHT}" y2="{y}" stroke="{LIGHT["line"]}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{tick * step:.1f}</text>'
    for level in levels:
        x, _ = _place((level, 0.0), levels, top)
        yield f'<text x="{x}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{level * 100:g} %</text>'
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    note = "share of the category in the corpus"
    yield f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle" fill="{LIGHT["muted"]}">{note}</text>'


def _drawn(places: dict[str, list[Point]]) -> Iterator[str]:
    """Yield the lines, and their names beside their ends, none upon another."""
    names = _spread({model: points[-1][1] for model, points in places.items()})
    for s, (model, points) in enumerate(places.items()):
        color = SERIES_LIGHT[s % len(SERIES_LIGHT)]
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        width = 3.5 if model == OURS else 1.5
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>'
        for x, y in points:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="2.5" fill="{color}"/>'
        weight = ' font-weight="bold"' if model == OURS else ""
        name = f'x="{WIDTH - _RIGHT + 10}" y="{names[model] + 4:g}" fill="{color}"{weight}'
        yield f"<text {name}>{escape(model)}</text>"


def _spread(heights: dict[str, float]) -> dict[str, float]:
    """Push names apart that would overlap: from the bottom up, then back down from the top if need be."""
    order = sorted(heights, key=lambda model: -heights[model])
    placed: dict[str, float] = {}
    limit = HEIGHT - _BOTTOM + 4.0
    for model in order:
        placed[model] = min(heights[model], limit)
        limit = placed[model] - _NAME_GAP
    limit = float(_TOP)
    for model in reversed(order):
        placed[model] = max(placed[model], limit)
        limit = placed[model] + _NAME_GAP
    return placed


# --- command ---------------------------------------------------------------------------------------------


def describe(result: RareResult) -> str:
    """Say the query, the level and P@K."""
    level = result.cell.level or 0.0
    return f", {result.phrase!r} at {level * 100:g} % precision_at_k {result.precision_at_k:.3f}"


RARE = Bench(
    "rare", "Queries whose category is rare", RareResult, lambda _: Summary, measure_rare, summarise_rare,
    report_rare, describe,
)  # fmt: skip


@click.command()
@together(
    datasets_option(DATASETS),
    queries_option,
    click.option("--level", "levels", multiple=True, metavar="SHARE",
                 type=click.FloatRange(0, 1, min_open=True, max_open=True),
                 help="A share of the documents; may be repeated.  [0.001, 0.0025, 0.005, 0.01 and 0.02]"),
    models_option(),
    running_options(3),
)  # fmt: skip
def rare(**options: Any) -> None:
    """Make each query's category rare, and ask for it.

    Documents of the category are dropped at random until it has a share of the corpus. Measured are P@K (K
    is what is left of the category), the share of it that is among the first 2 K documents, and whether the
    ten top words of the topic are the category's.
    """
    concepts = {name: concepts_of(name) for name in options["datasets"] or DATASETS}
    queries = choose_queries(concepts, options["queries"])
    run_bench(
        RARE,
        options,
        lambda: make_rows(options["models"], options["max_sweeps"], usual=USUAL),
        lambda models: plan_rare(queries, models, options),
        Workbench(options["data"]),
    )


def plan_rare(
    queries: Mapping[str, Sequence[int]], models: Sequence[str], options: Mapping[str, Any]
) -> list[Cell]:
    """List the cells, run by run; all models are asked of a thinned corpus before it is thinned anew."""
    return [
        Cell("rare", dataset, model, seed, query, level=level)
        for seed in seeds(options["seed"], options["runs"])
        for dataset, numbers in queries.items()
        for level in sorted(options["levels"]) or LEVELS
        for query in numbers
        for model in models
    ]
