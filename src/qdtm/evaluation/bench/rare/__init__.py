"""Queries whose category was made rare: what is run, by whom, what it comes to, and if that is enough."""

from qdtm.evaluation.bench.rare.cells import LEVELS, RareCell, RareResult, plan_rare
from qdtm.evaluation.bench.rare.running import RareStore, run_rare
from qdtm.evaluation.bench.rare.summary import RareQuerySummary, RareSummary, summarise_rare
from qdtm.evaluation.bench.rare.targets import judge_rare

__all__ = [
    "LEVELS",
    "RareCell",
    "RareQuerySummary",
    "RareResult",
    "RareStore",
    "RareSummary",
    "judge_rare",
    "plan_rare",
    "run_rare",
    "summarise_rare",
]
