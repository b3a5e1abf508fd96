"""A target and its cases in, counts out: the cases run in processes that may die."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections import Counter
from math import inf
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from . import seeds
from .running import MAX_SECONDS, Finding, limit_memory, run_cases

_PATIENCE = 12 * MAX_SECONDS
"""A worker that takes longer over a case waits for something, or does not hear signals."""

_NOWHERE = -1
"""Where a worker is that has not begun."""


def fuzz(name: str, cases: range, seed: int, seconds: float | None = None) -> tuple[str, int, int]:
    """Run the cases of a target, or those for which there is time, in processes that may die."""
    until = inf if seconds is None else time.monotonic() + seconds
    found: list[Finding] = []
    n_tried = 0
    context = multiprocessing.get_context("spawn")
    position = context.Value("q", _NOWHERE)
    while cases:
        position.value = _NOWHERE
        # a folder of its own: the dead leave their files
        with tempfile.TemporaryDirectory(prefix="qdtm-fuzz-", dir=_in_memory()) as folder:
            ours, theirs = context.Pipe(duplex=False)
            worker = context.Process(
                target=_work, args=(name, Path(folder), cases, seed, until, position, theirs)
            )
            worker.start()
            theirs.close()
            said = _listen(ours, found, position)
            worker.kill()  # it is done, dead, or deaf to signals
            worker.join()
        if said is not None:
            n_tried += said
            break
        at = position.value
        if at == _NOWHERE:
            raise RuntimeError(f"{name} cannot be started")
        found.append(Finding(name, at, f"the process died ({worker.exitcode})"))
        print(found[-1], flush=True)
        n_tried += at + 1 - cases.start
        cases = range(at + 1, cases.stop)
    kinds = Counter(finding.what.split(":")[0] for finding in found)
    print(f"{name}: {n_tried:,} cases, {len(found):,} found {dict(kinds)}", flush=True)
    return name, n_tried, len(found)


def _in_memory() -> str | None:
    """Return a folder that is kept in memory, if the system has one: the files live for a moment each."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _listen(pipe: Connection, found: list[Finding], position: Synchronized[int]) -> int | None:
    """Take what a worker says until it is done (then return how many cases it tried), dead or stuck."""
    before = _NOWHERE
    while True:
        if not pipe.poll(_PATIENCE):
            at = position.value
            if at == before != _NOWHERE:
                return None
            before = at
            continue
        try:
            said = pipe.recv()
        except EOFError:
            return None
        if isinstance(said, int):
            return said
        found.append(said)
        if len(found) <= 200:
            print(said, flush=True)


def _work(
    name: str,
    folder: Path,
    cases: range,
    seed: int,
    until: float,
    position: Synchronized[int],
    pipe: Connection,
) -> None:
    n_tried = 0
    seeds.arrow_files()  # pyarrow sets aside addresses when it is first used, more than the limit allows
    limit_memory()
    for finding in run_cases(name, folder / "files", cases, seed, position=position):
        n_tried += 1
        if finding is not None:
            pipe.send(finding)
        if time.monotonic() > until:
            break
    pipe.send(n_tried)
