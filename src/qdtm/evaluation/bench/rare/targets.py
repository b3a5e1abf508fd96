"""What a rare query should come to, and whether it does: summaries in, verdicts out.

At every level the model should be ahead of the other topic models, and from 0.5 % up of plain retrieval too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.rows import RETRIEVAL
from qdtm.evaluation.bench.alone.targets import Verdict
from qdtm.evaluation.bench.rare.summary import RareSummary, find, levels_of, models_of

RETRIEVAL_FROM = 0.005
"""Below this level, words in a handful of documents may be all there is."""


def judge_rare(rows: Sequence[RareSummary], dataset: str) -> tuple[Verdict, ...]:
    """Compare the model with every other row at every level; what was not run is not judged."""
    own = [row for row in rows if row.dataset == dataset]
    return tuple(verdict for level in levels_of(own) for verdict in _at_level(own, level))


def _at_level(rows: Sequence[RareSummary], level: float) -> Iterator[Verdict]:
    ours = find(rows, OURS, level, "precision_at_k")
    for rival in models_of(rows):
        theirs = find(rows, rival, level, "precision_at_k")
        if ours is not None and theirs is not None and is_wanted(rival, level):
            target = f"at {level * 100:g} %, P@K > {theirs.mean:.3f} ({rival})"
            yield Verdict(target, ours.mean, is_ahead(ours, theirs))


def is_wanted(rival: str, level: float) -> bool:
    """Whether the model should be ahead of a row at a level."""
    return rival != OURS and (rival not in RETRIEVAL or level >= RETRIEVAL_FROM)


def is_ahead(ours: RareSummary, theirs: RareSummary) -> bool:
    """Whether a figure is above another, both as printed."""
    return round(ours.mean, 3) > round(theirs.mean, 3)
