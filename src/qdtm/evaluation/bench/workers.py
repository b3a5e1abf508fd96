"""Run tasks here, or in worker processes that are gone afterwards, whatever happens.

In: a function of a module, what it is called with, and the workbench that all calls share. Out: what it
returns, as it comes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from qdtm.errors import QdtmError
from qdtm.evaluation.bench.workbench import Workbench

Result = TypeVar("Result")

MOST_LOOKS = 20


def run_tasks(
    run: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], workbench: Workbench, n_jobs: int
) -> Iterator[Result]:
    """Yield ``run(*task, workbench)`` for each task: in order, or from workers in any.

    Parameters
    ----------
    run : callable
        A function of a module, so that it can be sent to a worker.
    tasks : sequence of tuple
    workbench : Workbench
        Sent to each worker once.
    n_jobs : int
        Worker processes, at most as many as there are tasks; with 1 there are none.
    """
    n_jobs = min(n_jobs, len(tasks))
    if n_jobs <= 1:
        yield from (run(*task, workbench) for task in tasks)
        return
    with _worker_pool(n_jobs, workbench) as pool:
        futures: list[Future[Result]] = [pool.submit(_run_in_worker, run, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise QdtmError(
                "A worker process died, perhaps for lack of memory. Finished runs are kept; "
                "go on with fewer --jobs."
            ) from None


_worker_bench: Workbench | None = None


def _start_worker(workbench: Workbench) -> None:
    """Give a worker process the workbench that its tasks share."""
    global _worker_bench
    _worker_bench = workbench


def _run_in_worker(run: Callable[..., Result], task: tuple[Any, ...]) -> Result:
    assert _worker_bench is not None
    return run(*task, _worker_bench)


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
