"""Whether the answer stays with the query: what people ask, what comes of it, and if that is acceptable."""

from qdtm.evaluation.bench.staying.cells import StayingCell, StayingResult, plan_staying
from qdtm.evaluation.bench.staying.queries import StayingQuery, choose_staying, read_queries
from qdtm.evaluation.bench.staying.running import StayingStore, StayingWorkbench, run_staying
from qdtm.evaluation.bench.staying.summary import StayingRow, StayingShare, summarise_staying

__all__ = [
    "StayingCell",
    "StayingQuery",
    "StayingResult",
    "StayingRow",
    "StayingShare",
    "StayingStore",
    "StayingWorkbench",
    "choose_staying",
    "plan_staying",
    "read_queries",
    "run_staying",
    "summarise_staying",
]
