"""Every query asked alone: what is run, by whom, what it comes to, and whether that is enough."""

from qdtm.evaluation.bench.alone.cells import AloneCell, AloneResult, choose_queries, plan_alone
from qdtm.evaluation.bench.alone.running import run_alone
from qdtm.evaluation.bench.alone.store import AloneStore
from qdtm.evaluation.bench.alone.summary import AloneSummary, QuerySummary, summarise_alone
from qdtm.evaluation.bench.alone.targets import Verdict, judge

__all__ = [
    "AloneCell",
    "AloneResult",
    "AloneStore",
    "AloneSummary",
    "QuerySummary",
    "Verdict",
    "choose_queries",
    "judge",
    "plan_alone",
    "run_alone",
    "summarise_alone",
]
