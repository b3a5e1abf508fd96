"""Kill what writes, again and again, and look at what is left; in tests/ `python -m faults.kill_loop -h`.

A kill is SIGKILL to a process that is running a step: at its n-th file operation (opening, renaming, making,
removing, syncing), or after a random part of the time that it takes. Afterwards a reader must find the old
result or the new one, whole; and running the step again (or going on with a fit that was kept) must give the
new one, byte for byte and with all that is made from it, and leave nothing beside it.
Prints a JSON object with the counts; ends with an error at the first violation.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from qdtm.storage import atomic

from .children import count_operations, in_child, on_file_operations
from .steps import Step, make_steps

T = TypeVar("T")


def main() -> None:
    """Try kills on each step that was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", nargs="*")
    parser.add_argument("--at-operations", type=int, default=0, help="kills at file operations; -1: at each")
    parser.add_argument("--at-moments", type=int, default=0, help="kills at random moments")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--no-swap", action="store_true", help="as on a system that cannot exchange two names"
    )
    options = parser.parse_args()
    if options.no_swap:
        atomic._swap = lambda *_: False
    with tempfile.TemporaryDirectory() as folder:
        steps = make_steps(Path(folder))
        for name in options.steps or steps:
            rng = random.Random(f"{options.seed} {name}")
            counts = try_kills(steps[name], options.at_operations, options.at_moments, rng)
            print(json.dumps({"step": name, **counts}), flush=True)


def try_kills(step: Step, at_operations: int, at_moments: int, rng: random.Random) -> dict[str, int]:
    """Kill a step at each chosen operation and moment; return how often what was found."""
    step.make_old()
    kept = step.folder.with_name("kept")
    shutil.copytree(step.folder, kept)
    old = step.found()
    step.run()  # imports are over after this, and operations come in the same order every time
    new, whole = step.found(), step.found(remade=True)
    n_operations, seconds = _from_old(step, kept, count_operations), _from_old(step, kept, _seconds)
    every = range(1, n_operations + 1)
    chosen = every if at_operations < 0 else sorted(rng.sample(every, min(at_operations, n_operations)))
    ways: list[Callable[[], int]] = [partial(_killed_at_operation, step, n) for n in chosen]
    ways += [partial(_killed_at_moment, step, rng.uniform(0, seconds)) for _ in range(at_moments)]
    found: Counter[str] = Counter()
    for number, way in enumerate(ways):
        step.put_back(kept)
        killed = way() == -signal.SIGKILL
        state = {old: "old", new: "new"}.get(step.found())
        if state is None:
            raise SystemExit(f"{step.name}, kill {number}: neither the old result nor the new one was found")
        found["killed" if killed else "finished"] += 1
        found[state] += 1
        _run_again(step, whole, number)
    shutil.rmtree(kept)
    return {"operations": n_operations, "kills": len(ways), **found}


def _from_old(step: Step, kept: Path, measure: Callable[[Callable[[], object]], T]) -> T:
    step.put_back(kept)
    return measure(step.run)


def _run_again(step: Step, whole: str, number: int) -> None:
    if in_child(step.run_again) != 0:
        raise SystemExit(f"{step.name}, kill {number}: running it again failed")
    if step.found(remade=True) != whole:
        raise SystemExit(f"{step.name}, kill {number}: running it again gave something else")
    if step.left_behind:
        raise SystemExit(f"{step.name}, kill {number}: {step.left_behind} was left behind")


def _seconds(run: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    in_child(run)
    return time.perf_counter() - start


def _killed_at_operation(step: Step, n: int) -> int:
    def run() -> None:
        on_file_operations(lambda now: os.kill(os.getpid(), signal.SIGKILL) if now == n else None)
        step.run()

    return in_child(run)


def _killed_at_moment(step: Step, seconds: float) -> int:
    return in_child(step.run, lambda process: (time.sleep(seconds), os.kill(process, signal.SIGKILL)))


if __name__ == "__main__":
    main()
