"""The paper's tables, run anew: cells, what measures them, and what keeps them."""

from qdtm.evaluation.bench.cells import Cell, CellResult, Figure, TopicWords, plan_cells
from qdtm.evaluation.bench.runner import run_cells
from qdtm.evaluation.bench.store import CellStore
from qdtm.evaluation.bench.summary import Summary, summarise
from qdtm.evaluation.bench.word_tables import WordComparison, compare_words
from qdtm.evaluation.bench.workbench import Workbench

__all__ = [
    "Cell",
    "CellResult",
    "CellStore",
    "Figure",
    "Summary",
    "TopicWords",
    "WordComparison",
    "Workbench",
    "compare_words",
    "plan_cells",
    "run_cells",
    "summarise",
]
