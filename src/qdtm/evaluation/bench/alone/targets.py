"""What a lone query should come to on each corpus, and whether it does: summaries in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.rows import TOGETHER
from qdtm.evaluation.bench.alone.summary import (
    AloneMetric,
    AloneSummary,
    QuerySummary,
    best_retrieval,
    mean_of,
)

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


@dataclass(frozen=True)
class Verdict:
    """Whether a target is met.

    Attributes
    ----------
    target : str
        In words.
    value : float
        What there is.
    met : bool
    """

    target: str
    value: float
    met: bool


def judge(summaries: Sequence[AloneSummary], dataset: str) -> tuple[Verdict, ...]:
    """Compare the means of a corpus with the targets; what was not run is not judged."""
    rows = [row for row in summaries if row.dataset == dataset and not isinstance(row, QuerySummary)]
    return tuple(_verdicts(rows, dataset))


def judge_lead(summaries: Sequence[AloneSummary]) -> Verdict | None:
    """Compare P@K with that of the best retrieval row of each corpus, on average over the corpora."""
    corpora = dict.fromkeys(row.dataset for row in summaries)
    found = (_lead([row for row in summaries if row.dataset == dataset]) for dataset in corpora)
    leads = [lead for lead in found if lead is not None]
    if not leads:
        return None
    mean = float(np.mean(leads))
    return Verdict(f"P@K above the best retrieval row, mean over corpora >= {LEAST_LEAD:g}", mean,
                   round(mean, 3) >= LEAST_LEAD)  # fmt: skip


def _lead(rows: Sequence[AloneSummary]) -> float | None:
    ours, best = mean_of(rows, OURS, "precision_at_k"), best_retrieval(rows)
    return None if ours is None or best is None else ours - best[1]


def _verdicts(rows: Sequence[AloneSummary], dataset: str) -> Iterator[Verdict]:
    if dataset in ALONE:
        yield from _at_least("alone, P@K", rows, (OURS, "precision_at_k"), ALONE[dataset])
        yield from _at_least("together, P@K", rows, (TOGETHER, "precision_at_k"), ASKED_TOGETHER[dataset])
    yield from _beside_retrieval(rows)
    yield from _apart(rows)
    yield from _at_least("margin over the share of concept words", rows, (OURS, "margin"), LEAST_MARGIN)
    shown = "queries below the share of concept words"
    yield from _at_most(shown, rows, (OURS, "below_share"), MOST_BELOW)
    own = OWN_WORDS.get(dataset, USUAL_OWN_WORDS)
    yield from _at_least("topic's words that are the category's", rows, (OURS, "own_words"), own)
    yield from _at_least("queries with a size ratio of 0.5 to 2", rows, (OURS, "size_ok"), LEAST_SIZE_OK)
    yield from _at_least("intervals of the count that have the truth", rows, (OURS, "inside"), LEAST_INSIDE)
    yield from _at_most("width of the interval, median", rows, (OURS, "width"), MOST_WIDTH)
    yield from _at_most("calibration error", rows, (OURS, "calibration_error"), MOST_ERROR)
    yield from _at_least("cohesion of the subtopics", rows, (OURS, "cohesion"), LEAST_COHESION)


def _beside_retrieval(rows: Sequence[AloneSummary]) -> Iterator[Verdict]:
    """Yield whether P@K is at least that of the best retrieval row."""
    ours, best = mean_of(rows, OURS, "precision_at_k"), best_retrieval(rows)
    if ours is not None and best is not None:
        target = f"P@K >= {best[1]:.3f}, the best retrieval ({best[0]})"
        yield Verdict(target, ours, round(ours, 3) >= round(best[1], 3))


def _apart(rows: Sequence[AloneSummary]) -> Iterator[Verdict]:
    """Yield whether the topic ranks documents as relevance does."""
    judged, shared = mean_of(rows, OURS, "precision_at_k"), mean_of(rows, OURS, "precision_by_share")
    if judged is not None and shared is not None:
        apart = abs(judged - shared)
        yield Verdict(f"P@K by p(z given d) within {MOST_APART:g}", apart, round(apart, 3) <= MOST_APART)


Key = tuple[str, AloneMetric]
_SHARES = ("size_ok", "inside", "below_share")
"""Metrics whose bounds are printed in percent."""


def _at_least(name: str, rows: Sequence[AloneSummary], key: Key, least: float) -> Iterator[Verdict]:
    """Yield the verdict on a mean that should not be below a bound, both as printed."""
    if (mean := mean_of(rows, *key)) is not None:
        yield Verdict(f"{name} >= {_bound(key, least)}", mean, round(mean, 3) >= least)


def _at_most(name: str, rows: Sequence[AloneSummary], key: Key, most: float) -> Iterator[Verdict]:
    """Yield the verdict on a mean that should not be above a bound, both as printed."""
    if (mean := mean_of(rows, *key)) is not None:
        yield Verdict(f"{name} <= {_bound(key, most)}", mean, round(mean, 3) <= most)


def _bound(key: Key, bound: float) -> str:
    return f"{bound:.0%}" if key[1] in _SHARES else f"{bound:g}"
