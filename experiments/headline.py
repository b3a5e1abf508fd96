"""What it comes to, on one page: docs/results/*.json in, a Markdown page with three drawings out.

A drawing has a line a corpus and a dot a system: who is ahead of whom is seen before a figure is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from experiments.bench.alone_report import mean_precision
from experiments.datasets.natural import NATURAL
from experiments.harness.durations import Duration
from experiments.harness.report import Part, Table, best_bold, form, markdown
from experiments.harness.summary import Summary, find, mean_of, unique
from experiments.paper import published
from experiments.systems.answers import EVIDENCE, OURS, REFERENCE, RETRIEVAL
from qdtm.present.theme import LIGHT, series

Rows = Mapping[str, Sequence[Any]]
"""The rows of each bench that has a file, by its name."""

PAGE = "headline.md"

_WIDTH, _LEFT, _RIGHT, _TOP, _STEP = 640, 130, 24, 76, 30

_TOGETHER = {
    "qdtm": "qdtm-relevance",
    "qdtm with MiniLM": "qdtm-encoder",
    "BERTopic with MiniLM": "bertopic",
    "keyATM": "keyatm",
    "seeded LDA": "seeded-lda",
    "LDA": "lda",
    "BM25, expert's words": "bm25-expert",
}
_NATURAL = {
    "qdtm": OURS,
    "qdtm with MiniLM": f"{OURS}-encoder",
    "BERTopic with MiniLM": "bertopic",
    "KeyNMF with MiniLM": "keynmf",
    "keyATM": "keyatm",
    "seeded LDA": "seeded-lda",
    "CorEx": "corex",
    "LDA": "lda",
    "HDP": "hdp",
}
_ALONE = {
    "qdtm": OURS,
    "evidence alone": EVIDENCE,
    "qdtm with MiniLM": f"{OURS}-encoder",
    "evidence with MiniLM": f"{EVIDENCE}-encoder",
    "BERTopic with MiniLM": "bertopic",
    "KeyNMF with MiniLM": "keynmf",
    "keyATM": "keyatm",
    "CorEx": "corex",
}
_PARTS = {
    "qdtm": "qdtm",
    "qdtm with MiniLM": "qdtm-encoder",
    "BERTopic with MiniLM": "bertopic",
    "LDA, told the number": "lda-true",
    "HDP": "hdp",
    "k-means, told the number": "kmeans-svd",
}
PAPER_ROWS = ("qdtm-fre", "qdtm-rel", "qdtm-kld", "qdtm-expert", "qdtm-no-filtering", "qdtm-no-promotion")


@dataclass(frozen=True)
class Comparison:
    """One figure of several systems on several corpora.

    Attributes
    ----------
    name, title, about : str
        Of the file; of the drawing; and what is compared, in a sentence.
    values : mapping of str to mapping of str to float
        By system, ours first, then by corpus; what was not measured is not there.
    """

    name: str
    title: str
    about: str
    values: Mapping[str, Mapping[str, float]]

    @property
    def corpora(self) -> list[str]:
        """In the order in which they come."""
        return unique(corpus for figures in self.values.values() for corpus in figures)


def make_headline(rows: Rows, durations: Sequence[Duration] = ()) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the page and its drawings, of whatever was measured."""
    makers: dict[str, Callable[[Sequence[Any]], Comparison]] = {
        "table1": together, "together": natural, "alone": alone, "subtopics": subtopics
    }  # fmt: skip
    found = [make(rows[name]) for name, make in makers.items() if name in rows]
    for comparison in found:
        yield f"headline-{comparison.name}.svg", dot_plot(comparison)
    sections = (part for each in found for part in _section(each))
    yield PAGE, markdown([*_begin(rows), *sections, *_end(durations)]) + "\n"


def _begin(rows: Rows) -> Iterator[Part]:
    yield "# Results at a glance"
    yield "Written by `python -m experiments pages` from what `python -m experiments all` measured."
    whole = next((row for row in rows.get("staying", ()) if (row.dataset, row.kind) == ("all", "all")), None)
    if whole is not None:
        yield (
            f"**Answers stay with the query**: {whole.n_acceptable} of {whole.n_asked} questions as people "
            "ask them are answered acceptably ([how that is judged](../staying.md))."
        )


def _end(durations: Sequence[Duration]) -> Iterator[Part]:
    if durations:
        yield "## How long it takes"
        yield (
            "Minutes of each step of `python -m experiments all`, when it was last run whole, on two cores "
            "and with other steps beside it: by the clock, and of CPU."
        )
        lines = ([f"`{d.step}`", f"{d.minutes:.0f}", form(d.cpu_minutes, "{:.0f}")] for d in durations)
        yield Table.of(["step", "minutes", "of CPU"], lines)


def _section(comparison: Comparison) -> Iterator[Part]:
    yield f"## {comparison.title}"
    yield comparison.about
    yield f"![{comparison.title}](headline-{comparison.name}.svg)"
    corpora, systems = comparison.corpora, list(comparison.values)
    figures = [[comparison.values[s].get(c) for s in systems] for c in corpora]
    lines = ([corpus, *best_bold(line)] for corpus, line in zip(corpora, figures, strict=True))
    yield Table.of(["", *systems], lines)


# --- what is compared ------------------------------------------------------------------------------------


def together(rows: Sequence[Summary]) -> Comparison:
    """All queries of a corpus at once, beside what others do with them."""
    corpora = unique(row.dataset for row in rows)
    values = {
        name: {c: v for c in corpora if (v := _mean(rows, c, model, "precision_at_k")) is not None}
        for name, model in _TOGETHER.items()
    }
    best = {c: max(published(model, c, "precision_at_k") or 0.0 for model in PAPER_ROWS) for c in corpora}
    return Comparison(
        "together", "Queries that cover the corpus: precision at K",
        "All queries of the paper at once; K is the size of each category. keyATM, seeded LDA and the BM25 "
        "row have ten keywords of an expert for each, the others a query of one to three words.",
        {"qdtm": values.pop("qdtm"), "the paper's best row": best, **{k: v for k, v in values.items() if v}},
    )  # fmt: skip


def natural(rows: Sequence[Summary]) -> Comparison:
    """All natural categories of a corpus at once, which nobody wrote keywords for, beside what others do."""
    corpora = [corpus for corpus in unique(row.dataset for row in rows) if corpus in NATURAL]
    values = {name: _precisions(rows, corpora, model) for name, model in _NATURAL.items()}
    return Comparison(
        "natural", "Natural categories, all at once: precision at K",
        "All categories of a corpus at once, each by its name. Models that take keywords have those that the "
        "paper's KLD proposes ([all rows](together.md)).",
        {name: figures for name, figures in values.items() if figures},
    )  # fmt: skip


def alone(rows: Sequence[Summary]) -> Comparison:
    """Each query by itself, beside retrieval."""
    corpora = unique(row.dataset for row in rows)
    values = {name: _precisions(rows, corpora, model) for name, model in _ALONE.items()}
    retrieval = [_precisions(rows, corpora, model) for model in RETRIEVAL if model != REFERENCE]
    values["best of BM25, QL, RM3"] = {
        corpus: max(known)
        for corpus in corpora
        if (known := [figures[corpus] for figures in retrieval if corpus in figures])
    }
    return Comparison(
        "alone", "One query by itself: precision at K",
        "Each category of seven corpora asked alone by its name. The retrieval row is the best of six, "
        "chosen for each corpus with the labels in sight ([all rows](alone.md)).",
        {name: figures for name, figures in values.items() if figures},
    )  # fmt: skip


def _precisions(rows: Sequence[Summary], corpora: Sequence[str], model: str) -> dict[str, float]:
    """Return a row's mean P@K on each corpus, over the queries that all rows answer."""
    found = {
        corpus: mean_precision([row for row in rows if row.dataset == corpus], model) for corpus in corpora
    }
    return {corpus: value for corpus, value in found.items() if value is not None}


def subtopics(rows: Sequence[Any]) -> Comparison:
    """Subtopics beside the true parts of a category."""
    means = {(row.dataset, row.model): row.ami for row in rows if hasattr(row, "n_counted")}
    corpora = unique(corpus for corpus, _ in means)
    values = {
        name: {c: means[c, model] for c in corpora if means.get((c, model)) is not None}
        for name, model in _PARTS.items()
    }
    return Comparison(
        "subtopics", "Subtopics beside true ones: adjusted mutual information",
        "How far the subtopics of a query agree with the lower categories of its documents "
        "([all rows](subtopics.md)).",
        {name: figures for name, figures in values.items() if figures},
    )  # fmt: skip


def _mean(rows: Sequence[Summary], corpus: str, model: str, metric: str) -> float | None:
    of_corpus = [row for row in rows if row.dataset == corpus]
    return None if find(of_corpus, model, metric) is None else mean_of(of_corpus, model, metric)


# --- drawing ---------------------------------------------------------------------------------------------


def dot_plot(comparison: Comparison) -> str:
    """Draw a line a corpus and a dot a system; ours is larger, and drawn last."""
    height = _TOP + _STEP * len(comparison.corpora) + 28
    values = [value for figures in comparison.values.values() for value in figures.values()]
    top = min(1.0, (int(max(values) * 10) + 1) / 10)
    parts = [*_frame(comparison, height, top), *_dots(comparison, top), *_legend(comparison)]
    style = f'font-family="sans-serif" font-size="12" fill="{LIGHT["ink"]}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {style}>'
    return "\n".join([head, f"<title>{escape(comparison.title)}</title>", *parts, "</svg>"]) + "\n"


def _x(value: float, top: float) -> float:
    return round(_LEFT + value / top * (_WIDTH - _LEFT - _RIGHT), 1)


def _frame(comparison: Comparison, height: int, top: float) -> Iterator[str]:
    yield f'<rect width="{_WIDTH}" height="{height}" fill="{LIGHT["panel"]}"/>'
    yield f'<text x="12" y="20" font-weight="bold">{escape(comparison.title)}</text>'
    for tick in range(round(top * 10) + 1):
        value = tick / 10
        x, bottom = _x(value, top), height - 24
        name = f'x="{x}" y="{height - 8}" text-anchor="middle" fill="{LIGHT["muted"]}"'
        yield f'<line x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{bottom}" stroke="{LIGHT["line"]}"/>'
        yield f"<text {name}>{value:.1f}</text>"
    for i, corpus in enumerate(comparison.corpora):
        y = _TOP + _STEP * i + _STEP // 2
        yield f'<line x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}" stroke="{LIGHT["line"]}"/>'
        yield f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(corpus)}</text>'


def _dots(comparison: Comparison, top: float) -> Iterator[str]:
    places = {corpus: _TOP + _STEP * i + _STEP // 2 for i, corpus in enumerate(comparison.corpora)}
    for s, (system, figures) in reversed(list(enumerate(comparison.values.items()))):
        for corpus, value in figures.items():
            said = f"<title>{escape(system)}, {escape(corpus)}: {value:.3f}</title>"
            place = f'cx="{_x(value, top)}" cy="{places[corpus]}" r="{7 if s == 0 else 5}"'
            yield f'<circle {place} fill="{series(s)}">{said}</circle>'


def _legend(comparison: Comparison) -> Iterator[str]:
    x, y = 16.0, 38
    for s, system in enumerate(comparison.values):
        if x + 5.9 * len(system) > _WIDTH - 20:
            x, y = 16.0, y + 16
        yield f'<circle cx="{x}" cy="{y}" r="{6 if s == 0 else 4}" fill="{series(s)}"/>'
        yield f'<text x="{x + 9}" y="{y + 4}" font-size="11">{escape(system)}</text>'
        x += 26 + 5.9 * len(system)
