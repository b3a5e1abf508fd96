"""`python -m tests.fuzz [TARGET ...] --cases 100000`: try every reader with broken files, and count.

`--minutes 1` tries each for so long at most.
Each target runs in a process of its own with limits on memory and time; one that dies is started again after
the case that killed it. What is found is printed as it is found, the counts at the end as a Markdown table.
`--case N` tries one case again, here, and shows where it fails.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from .campaign import fuzz
from .targets import TARGETS, make_target


def main() -> int:
    """Run the cases that the arguments ask for; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "targets", nargs="*", choices=[*TARGETS, []], help=f"of {', '.join(TARGETS)}; all by default"
    )
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, help="for each target at most; its last case is finished")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    targets = options.targets or TARGETS
    if options.case is not None:
        return _show(targets[0], options.case, options.seed)
    cases = range(options.first, options.first + options.cases)
    seconds = None if options.minutes is None else 60 * options.minutes
    rows = [fuzz(name, cases, options.seed, seconds) for name in targets]
    print("\n| reader | cases | found |\n|---|---:|---:|")
    for name, n_tried, n_found in rows:
        print(f"| {name} | {n_tried:,} | {n_found:,} |")
    return int(any(n_found for _, _, n_found in rows))


def _show(name: str, case: int, seed: int) -> int:
    """Try one case without a net."""
    from random import Random

    with tempfile.TemporaryDirectory(prefix="qdtm-fuzz-") as folder:
        target = make_target(name, Path(folder))
        if target is None:
            raise SystemExit(f"{name} needs a package that is not installed")
        target.prepare(Random(f"{name}:{seed}:{case}"))
        target.read()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
