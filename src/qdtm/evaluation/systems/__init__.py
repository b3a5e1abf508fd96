"""Every system that gets a row in the tables, behind one protocol."""

from qdtm.evaluation.systems.outcome import Outcome, Reading, SubtopicGroup, System
from qdtm.evaluation.systems.registry import ROWS, Row, SystemOptions, make_system, register, rows_of

__all__ = [
    "ROWS",
    "Outcome",
    "Reading",
    "Row",
    "SubtopicGroup",
    "System",
    "SystemOptions",
    "make_system",
    "register",
    "rows_of",
]
