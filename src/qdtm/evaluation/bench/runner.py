"""Run the cells of a table that were not run before, here or in worker processes.

In: cells, systems, a workbench and a store. Out: a `CellResult` a cell, in order. Every result is kept the
moment it is there; whoever stops the run and starts it again goes on where it was.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess

from qdtm.errors import QdtmError
from qdtm.evaluation.bench.cells import Cell, CellResult
from qdtm.evaluation.bench.running import run_cell
from qdtm.evaluation.bench.store import CellStore
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.systems import System

MOST_LOOKS = 20

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
    for result in _run(todo, systems, workbench, min(n_jobs, len(todo))):
        store.keep(result, systems[result.cell.model], _fingerprint(workbench, result.cell))
        done[result.cell] = result
        tell(result, True)
    return [done[cell] for cell in cells]


def _fingerprint(workbench: Workbench, cell: Cell) -> str:
    return workbench.dataset(cell.dataset).corpus.fingerprint


def _run(
    cells: Sequence[Cell], systems: Mapping[str, System], workbench: Workbench, n_jobs: int
) -> Iterator[CellResult]:
    """Yield results as they come: in order, or from workers in any."""
    if n_jobs <= 1:
        yield from (run_cell(cell, systems[cell.model], workbench) for cell in cells)
        return
    with _workers(n_jobs, workbench) as pool:
        futures: list[Future[CellResult]] = [
            pool.submit(_run_in_worker, cell, systems[cell.model]) for cell in cells
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise QdtmError(
                "A worker process died, perhaps for lack of memory. Finished runs are kept; "
                "go on with fewer --jobs."
            ) from None


@contextmanager
def _workers(n_jobs: int, workbench: Workbench) -> Iterator[ProcessPoolExecutor]:
    """Give a pool whose processes are gone afterwards, even if they are in the midst of a cell."""
    before = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")  # a forked child would inherit the threads' locks
    pool = ProcessPoolExecutor(n_jobs, mp_context=spawn, initializer=_start_worker, initargs=(workbench,))
    try:
        yield pool
        pool.shutdown()
    except BaseException:
        _end_processes(before)
        pool.shutdown(cancel_futures=True)  # its thread reaps them; wait until it has
        raise


def _end_processes(spared: set[BaseProcess]) -> None:
    """End every child process but some; one may be about to start, so look more than once."""
    for _ in range(MOST_LOOKS):
        children = set(multiprocessing.active_children()) - spared
        if not children:
            return
        for process in children:
            process.kill()  # a worker owns nothing: results are kept by this process
            process.join(timeout=1.0)


_worker_bench: Workbench | None = None


def _start_worker(workbench: Workbench) -> None:
    """Give a worker process the workbench that its cells share."""
    global _worker_bench
    _worker_bench = workbench


def _run_in_worker(cell: Cell, system: System) -> CellResult:
    assert _worker_bench is not None
    return run_cell(cell, system, _worker_bench)
