"""Queries asked alone, for people: summaries in, tables out, and whether that is enough on each corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from experiments.harness.report import Part, Table, best_bold, form, target_table
from experiments.harness.summary import Summary, Verdict, mean_of, unique
from experiments.systems.answers import OURS, REFERENCE, RETRIEVAL, TOGETHER

# --- looking them up -------------------------------------------------------------------------------------


def queries_of(rows: Iterable[Summary]) -> list[str]:
    """Return the queries that rows are measured by, in order."""
    return _asked(row for row in rows if row.metric != "answered")


def left_out(rows: Sequence[Summary]) -> list[str]:
    """Return the queries that were asked, and that a row refused in every run."""
    measured = queries_of(rows)
    return [query for query in _asked(rows) if query not in measured]


def _asked(rows: Iterable[Summary]) -> list[str]:
    return unique(row.query for row in rows if row.query is not None)


def answered_of(rows: Sequence[Summary], model: str) -> tuple[float, int] | None:
    """Return how many queries a row answered (a mean over runs), and how many it was asked."""
    own = [row for row in rows if (row.model, row.metric) == (model, "answered")]
    number = mean_of(own, model, "answered")
    return None if number is None else (number, len(_asked(own)))


def best_retrieval(rows: Sequence[Summary]) -> tuple[str, float] | None:
    """Return which of BM25, query likelihood and RM3 has the highest P@K, and that; None without them."""
    models = [model for model in RETRIEVAL if model != REFERENCE]
    found = [(model, mean_of(rows, model, "precision_at_k")) for model in models]
    known = [(model, mean) for model, mean in found if mean is not None]
    return max(known, key=lambda pair: pair[1]) if known else None


def common_queries(rows: Sequence[Summary]) -> list[str]:
    """Return the queries that every row has answered, in order: rows that were run apart refuse others."""
    answered = {(row.model, row.query) for row in rows if row.metric == "precision_at_k"}
    models = unique(row.model for row in rows)
    return [query for query in queries_of(rows) if all((model, query) in answered for model in models)]


def mean_precision(rows: Sequence[Summary], model: str) -> float | None:
    """Return a row's mean P@K over the queries of a corpus that every row has answered; None without any."""
    found = [mean_of(rows, model, "precision_at_k", query) for query in common_queries(rows)]
    known = [value for value in found if value is not None]
    return float(np.mean(known)) if known else None


def words_of(rows: Iterable[Summary], model: str, query: str) -> tuple[str, ...]:
    """Return the words of a query's topic."""
    return next((row.words for row in rows if (row.model, row.query) == (model, query)), ())


# --- targets ---------------------------------------------------------------------------------------------


ALONE: Mapping[str, float] = {"20news": 0.65, "tagmynews": 0.68, "searchsnippets": 0.78}
"""Least mean P@K of queries asked alone."""

ASKED_TOGETHER: Mapping[str, float] = {"20news": 0.71, "tagmynews": 0.785, "searchsnippets": 0.855}
"""Least mean P@K of the same queries, asked together in the same setting."""

OWN_WORDS: Mapping[str, float] = {"uscongress": 0.6, "clinc150-domains": 0.6, "clinc150-intents": 0.6,
                                  "ohsumed23": 0.3}  # fmt: skip
"""Least share of a topic's ten words that are the category's."""

USUAL_OWN_WORDS = 0.7
LEAST_MARGIN, MOST_BELOW, LEAST_SIZE_OK, LEAST_COHESION = 0.10, 0.10, 0.80, 0.75
LEAST_INSIDE, MOST_WIDTH, MOST_ERROR, MOST_APART = 0.85, 3.0, 0.05, 0.05
LEAST_LEAD = 0.05
"""How far P@K should be above the best retrieval row, on average over the corpora."""


def judge(summaries: Sequence[Summary], dataset: str) -> tuple[Verdict, ...]:
    """Compare the means of a corpus with the targets; what was not run is not judged."""
    return tuple(_verdicts([row for row in summaries if row.dataset == dataset and row.query is None]))


def judge_lead(summaries: Sequence[Summary]) -> Verdict | None:
    """Compare P@K with that of the best retrieval row of each corpus, on average over the corpora."""
    corpora = unique(row.dataset for row in summaries)
    found = (_lead([row for row in summaries if row.dataset == dataset]) for dataset in corpora)
    leads = [lead for lead in found if lead is not None]
    if not leads:
        return None
    mean = float(np.mean(leads))
    return Verdict(f"P@K above the best retrieval row, mean over corpora >= {LEAST_LEAD:g}", mean,
                   round(mean, 3) >= LEAST_LEAD)  # fmt: skip


def _lead(rows: Sequence[Summary]) -> float | None:
    ours, best = mean_of(rows, OURS, "precision_at_k"), best_retrieval(rows)
    return None if ours is None or best is None else ours - best[1]


def _verdicts(rows: Sequence[Summary]) -> Iterator[Verdict]:
    if not rows:
        return
    dataset = rows[0].dataset
    if dataset in ALONE:
        yield from _at_least("alone, P@K", rows, "precision_at_k", ALONE[dataset])
        wanted = ASKED_TOGETHER[dataset]
        yield from _at_least("together, P@K", rows, "precision_at_k", wanted, TOGETHER)
    yield from _beside_retrieval(rows)
    yield from _apart(rows)
    yield from _at_least("margin over the share of concept words", rows, "margin", LEAST_MARGIN)
    yield from _at_most("queries below the share of concept words", rows, "below_share", MOST_BELOW)
    own = OWN_WORDS.get(dataset, USUAL_OWN_WORDS)
    yield from _at_least("topic's words that are the category's", rows, "own_words", own)
    yield from _at_least("queries with a size ratio of 0.5 to 2", rows, "size_ok", LEAST_SIZE_OK)
    yield from _at_least("intervals of the count that have the truth", rows, "inside", LEAST_INSIDE)
    yield from _at_most("width of the interval, median", rows, "width", MOST_WIDTH)
    yield from _at_most("calibration error", rows, "calibration_error", MOST_ERROR)
    yield from _at_least("cohesion of the subtopics", rows, "cohesion", LEAST_COHESION)


def _beside_retrieval(rows: Sequence[Summary]) -> Iterator[Verdict]:
    """Yield whether P@K is at least that of the best retrieval row."""
    ours, best = mean_of(rows, OURS, "precision_at_k"), best_retrieval(rows)
    if ours is not None and best is not None:
        target = f"P@K >= {best[1]:.3f}, the best retrieval ({best[0]})"
        yield Verdict(target, ours, round(ours, 3) >= round(best[1], 3))


def _apart(rows: Sequence[Summary]) -> Iterator[Verdict]:
    """Yield whether the topic ranks documents as relevance does."""
    judged, shared = mean_of(rows, OURS, "precision_at_k"), mean_of(rows, OURS, "precision_by_share")
    if judged is not None and shared is not None:
        apart = abs(judged - shared)
        yield Verdict(f"P@K by p(z given d) within {MOST_APART:g}", apart, round(apart, 3) <= MOST_APART)


def _at_least(
    name: str, rows: Sequence[Summary], metric: str, least: float, model: str = OURS
) -> Iterator[Verdict]:
    """Yield the verdict on a mean that should not be below a bound, both as printed."""
    if (mean := mean_of(rows, model, metric)) is not None:
        yield Verdict(f"{name} >= {_bound(metric, least)}", mean, round(mean, 3) >= least)


def _at_most(name: str, rows: Sequence[Summary], metric: str, most: float) -> Iterator[Verdict]:
    """Yield the verdict on a mean of ours that should not be above a bound, both as printed."""
    if (mean := mean_of(rows, OURS, metric)) is not None:
        yield Verdict(f"{name} <= {_bound(metric, most)}", mean, round(mean, 3) <= most)


def _bound(metric: str, bound: float) -> str:
    return f"{bound:.0%}" if metric in ("size_ok", "inside", "below_share") else f"{bound:g}"


# --- tables ----------------------------------------------------------------------------------------------


_OVERVIEW = (
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

_DETAILS = (
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
"""Figures of our topics, with their form."""


def report_alone(summaries: Sequence[Summary]) -> Iterator[Part]:
    """Yield all corpora side by side, then a section a corpus: P@K of every row, targets, and our topics."""
    yield overview_table(summaries)
    lead = judge_lead(summaries)
    if lead is not None:
        yield f"{lead.target}: {lead.value:.3f}, {'met' if lead.met else '**missed**'}."
    for dataset in unique(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        without = left_out(rows)
        yield f"### {dataset}"
        yield f"Measured without what a row refuses: {', '.join(without)}." if without else ""
        yield precision_table(rows)
        n_common, n_asked = len(common_queries(rows)), len(queries_of(rows))
        yield f"Means are over the {n_common} queries that every row answers." if n_common < n_asked else ""
        yield target_table(judge(rows, dataset))
        seconds = next((row.seconds for row in rows if row.model == OURS), None)
        yield form(seconds, "`qdtm` takes {:.1f} s a query.")
        yield detail_table(rows)


def overview_table(summaries: Sequence[Summary]) -> Table:
    """Return the means of our row: a row a corpus, the best retrieval row's P@K beside ours."""
    lines = []
    for dataset in unique(row.dataset for row in summaries):
        rows = [row for row in summaries if row.dataset == dataset]
        best, answered = best_retrieval(rows), answered_of(rows, OURS)
        lines.append([
            dataset,
            "" if answered is None else f"{answered[0]:g} of {answered[1]}",
            "" if best is None else f"{best[1]:.3f} (`{best[0]}`)",
            *(form(mean_of(rows, OURS, metric), how) for metric, _, how in _OVERVIEW),
        ])  # fmt: skip
    return Table.of(["corpus", "answered", "best retrieval", *(head for _, head, _ in _OVERVIEW)], lines)


def precision_table(rows: Sequence[Summary]) -> Table:
    """Return P@K: a row a query, a column a model, the best of each row bold; means of what all answered."""
    models = unique(row.model for row in rows)
    lines = [
        [query, *best_bold([mean_of(rows, model, "precision_at_k", query) for model in models])]
        for query in queries_of(rows)
    ]
    lines.append(["**mean**", *best_bold([mean_precision(rows, model) for model in models])])
    return Table.of(["query", *(f"`{model}`" for model in models)], lines)


def detail_table(rows: Sequence[Summary]) -> Table:
    """Return what the parent topics of our row are like, and their words."""
    known = [(metric, how) for metric, how in _DETAILS if mean_of(rows, OURS, metric) is not None]
    lines = [
        [
            query,
            *(form(mean_of(rows, OURS, metric, query), how) for metric, how in known),
            ", ".join(words_of(rows, OURS, query)),
        ]
        for query in queries_of(rows)
        if known
    ]
    return Table.of(["query", *(metric.replace("_", " ") for metric, _ in known), "words"], lines)
