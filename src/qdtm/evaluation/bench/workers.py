"""Worker processes that are gone afterwards, whatever happens."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

MOST_LOOKS = 20


@contextmanager
def worker_pool(
    n_jobs: int, initializer: Callable[..., object], *initargs: Any
) -> Iterator[ProcessPoolExecutor]:
    """Give a pool whose processes are gone afterwards, even if they are in the midst of something.

    Parameters
    ----------
    n_jobs : int
    initializer : callable
        Called once in each process, with `initargs`; a function of a module.
    """
    before = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")  # a forked child would inherit the threads' locks
    pool = ProcessPoolExecutor(n_jobs, mp_context=spawn, initializer=initializer, initargs=initargs)
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
