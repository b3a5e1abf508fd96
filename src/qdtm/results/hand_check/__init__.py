"""A person's look at a sample of documents: which to show, what the answers say, relevance that agrees."""

from qdtm.results.hand_check.estimate import (
    CheckEstimate,
    Interval,
    Recalibration,
    StratumOutcome,
    estimate_check,
    recalibrate,
)
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.sample import CheckSample, Stratum, draw_sample

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
