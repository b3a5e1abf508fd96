"""Subtopics held against true lower categories, beside other ways to split the same documents."""

from qdtm.evaluation.bench.subtopics.cells import SubtopicsCell, SubtopicsResult, plan_subtopics
from qdtm.evaluation.bench.subtopics.rivals import split_with_rivals
from qdtm.evaluation.bench.subtopics.running import (
    SubtopicsStore,
    TwoLevelWorkbench,
    make_subtopics_rows,
    run_subtopics,
    two_level,
)
from qdtm.evaluation.bench.subtopics.scoring import (
    SubtopicScore,
    score_split,
    score_subtopics,
    share_found_again,
)
from qdtm.evaluation.bench.subtopics.summary import SubtopicsMean, SubtopicsRow, summarise_subtopics

__all__ = [
    "SubtopicScore",
    "SubtopicsCell",
    "SubtopicsMean",
    "SubtopicsResult",
    "SubtopicsRow",
    "SubtopicsStore",
    "TwoLevelWorkbench",
    "make_subtopics_rows",
    "plan_subtopics",
    "run_subtopics",
    "score_split",
    "score_subtopics",
    "share_found_again",
    "split_with_rivals",
    "summarise_subtopics",
    "two_level",
]
