"""Run the cells of a table that were not run before, here or in worker processes.

In: cells, systems, a workbench and a store. Out: a `CellResult` a cell, in order. Every result is kept the
moment it is there; whoever stops the run and starts it again goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qdtm.evaluation.bench.cells import Cell, CellResult
from qdtm.evaluation.bench.running import run_cell
from qdtm.evaluation.bench.store import CellStore
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.bench.workers import run_tasks
from qdtm.evaluation.systems import System

#: Called with each result, and whether it was run now (else it was kept from before).
OnResult = Callable[[CellResult, bool], object]


def run_cells(
    cells: Sequence[Cell],
    systems: Mapping[str, System],
    workbench: Workbench,
    store: CellStore,
    *,
    n_jobs: int = 1,
    fresh: bool = False,
    on_result: OnResult | None = None,
) -> list[CellResult]:
    """Run cells, each at most once.

    Parameters
    ----------
    cells : sequence of Cell
    systems : mapping of str to System
        The systems that the cells name.
    workbench : Workbench
    store : CellStore
    n_jobs : int
        Worker processes; the results do not depend on it.
    fresh : bool
        Run finished cells too.
    on_result : callable, optional
        Told of each result as it comes.

    Returns
    -------
    list of CellResult
        One a cell, in the order of `cells`.
    """
    tell = on_result or (lambda *_: None)
    done: dict[Cell, CellResult] = {}
    for cell in cells:
        kept = None if fresh else store.find(cell, systems[cell.model], _fingerprint(workbench, cell))
        if kept is not None:
            done[cell] = kept
            tell(kept, False)
    todo = [cell for cell in cells if cell not in done]
    for table, dataset in dict.fromkeys((cell.table, cell.dataset) for cell in todo):
        workbench.prepare(table, dataset)
    tasks = [(cell, systems[cell.model]) for cell in todo]
    for result in run_tasks(run_cell, tasks, workbench, n_jobs):
        store.keep(result, systems[result.cell.model], _fingerprint(workbench, result.cell))
        done[result.cell] = result
        tell(result, True)
    return [done[cell] for cell in cells]


def _fingerprint(workbench: Workbench, cell: Cell) -> str:
    return workbench.dataset(cell.dataset).corpus.fingerprint
