"""Let the disk refuse what writes, again and again. In tests/: `python -m faults.full_disk --help`.

Either the n-th writing operation (opening to write, renaming, making a folder, syncing) fails with "no space
left on device"; or the place is on a disk of its own, which takes the right to mount: one that is full after
a number of bytes (--tmpfs), or that can only be read (--read-only). Each time the step must end with one line
of ours, the old result must be there, whole (or the new one, where only the last sync failed), and nothing
beside it. Prints a JSON object with the counts; ends with an error at the first violation.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from .children import REFUSED, count_operations, in_child, on_file_operations
from .steps import Step, make_steps


def main() -> None:
    """Try each step that was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="try every n-th operation only")
    parser.add_argument("--tmpfs", type=int, default=0, help="try so many sizes of a small disk instead")
    parser.add_argument("--read-only", action="store_true", help="try a disk that can only be read instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps = make_steps(Path(folder))
        for name in options.steps or steps:
            if options.read_only:
                counts = try_read_only(steps[name])
            elif options.tmpfs:
                counts = try_small_disks(steps[name], options.tmpfs)
            else:
                counts = try_refusals(steps[name], options.every)
            print(json.dumps({"step": name, **counts}), flush=True)


def try_refusals(step: Step, every: int) -> dict[str, int]:
    """Let each writing operation of a step fail, one at a time."""
    step.make_old()
    old = step.found()
    kept = step.folder.with_name("kept")
    shutil.copytree(step.folder, kept)
    step.run()
    new = step.found()
    step.put_back(kept)
    n_operations = count_operations(step.run, writing_only=True)
    ways = (partial(_refused_at, step, n) for n in range(every, n_operations + 1, every))
    counts = _try(step, ways, kept, old, new)
    shutil.rmtree(kept)
    return {"operations": n_operations, **counts}


def try_small_disks(step: Step, n_sizes: int) -> dict[str, int]:
    """Run a step on disks with room for the old result and a part of the new one."""
    step.make_old()
    old = step.found()
    kept = step.folder.with_name("kept")
    shutil.copytree(step.folder, kept)
    step.run()
    new, room = step.found(), _size(step.folder) + _size(kept)
    shutil.rmtree(step.folder)
    step.folder.mkdir()
    counts: Counter[str] = Counter()
    for n in range(n_sizes):
        size = max(_size(kept), 4096) + (room - _size(kept)) * n // n_sizes
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", step.folder], check=True)
        try:
            counts.update(_try(step, [partial(in_child, step.run)], kept, old, new))
        finally:
            subprocess.run(["umount", "--lazy", step.folder], check=True)
    shutil.rmtree(kept)
    return dict(counts)


def try_read_only(step: Step) -> dict[str, int]:
    """Run a step on a disk that can only be read: it is refused, and what is there can be read."""
    step.make_old()
    kept = step.folder.with_name("kept")
    shutil.copytree(step.folder, kept)
    old = step.found()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", step.folder], check=True)
    try:
        step.put_back(kept)
        subprocess.run(["mount", "-o", "remount,ro", step.folder], check=True)
        code = in_child(step.run)
        if code != REFUSED or step.found() != old:
            raise SystemExit(f"{step.name}, a disk that can only be read: exit code {code}")
    finally:
        subprocess.run(["umount", "--lazy", step.folder], check=True)
    shutil.rmtree(kept)
    return {"tried": 1, "refused": 1, "old": 1}


def _try(step: Step, ways: Iterable[Callable[[], int]], kept: Path, old: str, new: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for number, way in enumerate(ways):
        step.put_back(kept)
        code = way()
        state = {old: "old", new: "new"}.get(step.found())
        if code not in (0, REFUSED) or state is None or (code == 0 and state == "old"):
            raise SystemExit(f"{step.name}, refusal {number}: exit code {code}, found {state}")
        if code == REFUSED and step.is_unfinished:  # a long fit goes on where it was, once there is room
            if in_child(step.run_again) != 0 or step.found() != new:
                raise SystemExit(f"{step.name}, refusal {number}: it could not go on")
            counts["went on"] += 1
        if step.left_behind:
            raise SystemExit(f"{step.name}, refusal {number}: {step.left_behind} was left behind")
        counts["tried"] += 1
        counts["refused" if code else "finished"] += 1
        counts[state] += 1
    return dict(counts)


def _refused_at(step: Step, n: int) -> int:
    def refuse(now: int) -> None:
        if now == n:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def run() -> None:
        on_file_operations(refuse, writing_only=True)
        step.run()

    return in_child(run)


def _size(folder: Path) -> int:
    """Return what the files of a folder take on a disk with blocks of 4096 bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in files)


if __name__ == "__main__":
    main()
