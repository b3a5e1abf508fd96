"""Run the cells that were not run before, here or in worker processes that are gone afterwards.

In: a bench, cells, models, a workbench and a store. Out: a result a cell, in order. Every result is kept the
moment it is there; whoever stops the run and starts it again goes on where it was.
"""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

from threadpoolctl import threadpool_limits

from experiments.harness.cells import Bench, Cell, Model, ResultT
from experiments.harness.store import CellStore
from experiments.harness.workbench import Workbench
from qdtm.errors import QdtmError

MOST_LOOKS = 20

Measure = Callable[[tuple[Cell, ...], Any, Workbench], list[ResultT]]
Task = tuple[tuple[Cell, ...], Model]


def run_cells(
    bench: Bench[ResultT, Any],
    cells: Sequence[Cell],
    models: Mapping[str, Model],
    workbench: Workbench,
    store: CellStore,
    *,
    n_jobs: int = 1,
    fresh: bool = False,
    on_result: Callable[[ResultT, bool], object] = lambda *_: None,
) -> list[ResultT]:
    """Run cells, each at most once.

    Parameters
    ----------
    bench : Bench
    cells : sequence of Cell
    models : mapping of str to Model
        The models that the cells name.
    workbench : Workbench
    store : CellStore
    n_jobs : int
        Worker processes; the results do not depend on it.
    fresh : bool
        Run finished cells too.
    on_result : callable
        Told of each result as it comes, and whether it was run now (else it was kept from before).

    Returns
    -------
    list of results
        One a cell, in the order of `cells`.
    """

    def known_by(cell: Cell) -> tuple[Model, str]:
        return models[cell.model], workbench.dataset(cell.dataset).corpus.fingerprint

    done: dict[Cell, ResultT] = {}
    for cell in cells:
        kept = None if fresh else store.find(cell, *known_by(cell))
        if kept is not None:
            done[cell] = kept
            on_result(kept, False)
    todo = [cell for cell in cells if cell not in done]
    for name, dataset in dict.fromkeys((cell.bench, cell.dataset) for cell in todo):
        workbench.prepare(name, dataset)
    tasks = [(batch, models[batch[0].model]) for batch in _batches(bench, todo, models)]
    for results in _run_tasks(bench.measure, tasks, workbench, n_jobs):
        for result in results:
            store.keep(result, *known_by(result.cell))
            done[result.cell] = result
            on_result(result, True)
    return [done[cell] for cell in cells]


def _batches(
    bench: Bench[ResultT, Any], cells: Sequence[Cell], models: Mapping[str, Model]
) -> list[tuple[Cell, ...]]:
    """Put cells together that one fit answers."""
    found: dict[Hashable, list[Cell]] = defaultdict(list)
    for cell in cells:
        found[bench.batch(cell, models[cell.model])].append(cell)
    return [tuple(batch) for batch in found.values()]


# --- tasks -----------------------------------------------------------------------------------------------


def _run_tasks(
    measure: Measure[ResultT], tasks: Sequence[Task], workbench: Workbench, n_jobs: int
) -> Iterator[list[ResultT]]:
    """Yield what each task comes to: in order, or from workers in any."""
    n_jobs = min(n_jobs, len(tasks))
    if n_jobs <= 1:
        yield from (_run_task(measure, task, workbench) for task in tasks)
        return
    with _worker_pool(n_jobs, workbench) as pool:
        futures: list[Future[list[ResultT]]] = [pool.submit(_run_in_worker, measure, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise QdtmError(
                "A worker process died, perhaps for lack of memory. Finished runs are kept; "
                "go on with fewer --jobs."
            ) from None


def _run_task(measure: Measure[ResultT], task: Task, workbench: Workbench) -> list[ResultT]:
    """Run a task; linear algebra keeps to one thread, so that figures do not depend on the machine."""
    with threadpool_limits(1):
        return measure(*task, workbench)


_worker_bench: Workbench | None = None


def _start_worker(workbench: Workbench) -> None:
    """Give a worker process the workbench that its tasks share."""
    global _worker_bench
    _worker_bench = workbench


def _run_in_worker(measure: Measure[ResultT], task: Task) -> list[ResultT]:
    assert _worker_bench is not None
    return _run_task(measure, task, _worker_bench)


@contextmanager
def _worker_pool(n_jobs: int, workbench: Workbench) -> Iterator[ProcessPoolExecutor]:
    """Give a pool whose processes are gone afterwards, even if they are in the midst of something."""
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
