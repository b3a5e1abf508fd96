"""What a lone query should come to on each corpus, and whether it does: summaries in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.rows import TOGETHER
from qdtm.evaluation.bench.alone.summary import AloneMetric, AloneSummary, QuerySummary

ALONE: Mapping[str, float] = {"20news": 0.65, "tagmynews": 0.68, "searchsnippets": 0.77}
"""Least mean P@K of queries asked alone."""

ASKED_TOGETHER: Mapping[str, float] = {"20news": 0.682, "tagmynews": 0.762, "searchsnippets": 0.830}
"""Least mean P@K of the same queries, asked together in the same setting."""

LEAST_MARGIN, MOST_BELOW, LEAST_SIZE_OK, LEAST_COHESION = 0.10, 0.10, 0.80, 0.75


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
    means = {
        (row.model, row.metric): row.mean
        for row in summaries
        if row.dataset == dataset and not isinstance(row, QuerySummary)
    }
    return tuple(_verdicts(means, dataset))


Means = Mapping[tuple[str, AloneMetric], float]


def _verdicts(means: Means, dataset: str) -> Iterator[Verdict]:
    if dataset in ALONE:
        yield from _at_least("alone, P@K", means, (OURS, "precision_at_k"), ALONE[dataset])
        bound = ASKED_TOGETHER[dataset]
        yield from _at_least("together, P@K", means, (TOGETHER, "precision_at_k"), bound)
    yield from _at_least("margin over the share of concept words", means, (OURS, "margin"), LEAST_MARGIN)
    below = means.get((OURS, "below_share"))
    if below is not None:
        target = f"queries below the share of concept words <= {MOST_BELOW:.0%}"
        yield Verdict(target, below, round(below, 3) <= MOST_BELOW)
    yield from _at_least("queries with a size ratio of 0.5 to 2", means, (OURS, "size_ok"), LEAST_SIZE_OK)
    yield from _at_least("cohesion of the subtopics", means, (OURS, "cohesion"), LEAST_COHESION)


def _at_least(name: str, means: Means, key: tuple[str, AloneMetric], least: float) -> Iterator[Verdict]:
    """Yield the verdict on a mean that should not be below a bound, both as printed."""
    if key in means:
        bound = f"{least:.0%}" if key[1] == "size_ok" else f"{least:g}"
        yield Verdict(f"{name} >= {bound}", means[key], round(means[key], 3) >= least)
