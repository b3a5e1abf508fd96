"""A person's look at a sample of documents: which to show, what the answers say, relevance that agrees."""

from qdtm.results.checks.estimate import CheckEstimate, Interval, StratumOutcome, estimate_check
from qdtm.results.checks.handcheck import HandCheck
from qdtm.results.checks.recalibration import Recalibration, recalibrate
from qdtm.results.checks.sample import CheckSample, Stratum, draw_sample

__all__ = [
    "CheckEstimate",
    "CheckSample",
    "HandCheck",
    "Interval",
    "Recalibration",
    "Stratum",
    "StratumOutcome",
    "draw_sample",
    "estimate_check",
    "recalibrate",
]
