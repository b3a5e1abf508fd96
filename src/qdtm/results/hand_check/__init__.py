"""People's look at documents: which to show, what the answers say, when to stop, relevance that learns."""

from qdtm.results.hand_check.answers import Agreement, Answer, Verdict
from qdtm.results.hand_check.estimate import (
    CheckEstimate,
    Interval,
    Recalibration,
    StratumOutcome,
    estimate_check,
    recalibrate,
)
from qdtm.results.hand_check.hand_check import HandCheck, judge
from qdtm.results.hand_check.sample import CheckSample, Stratum, draw_sample
from qdtm.results.hand_check.stopping import Certificate

__all__ = [
    "Agreement",
    "Answer",
    "Certificate",
    "CheckEstimate",
    "CheckSample",
    "HandCheck",
    "Interval",
    "Recalibration",
    "Stratum",
    "StratumOutcome",
    "Verdict",
    "draw_sample",
    "estimate_check",
    "judge",
    "recalibrate",
]
