"""A million short documents: what indexing and asking them costs, from the command line.

    python -m experiments million [--documents 1000000] [-q QUERY ...] [--data DIR] [--json]

In: whole corpora of the data folder, cut into pieces of 28 words; where there are too few, further pieces
begin in the middle of these. Out: seconds by the clock, CPU seconds and peak memory of `qdtm index` and of a
`qdtm fit` for each query, as a table or JSON. Every command is a process of its own, with the threads that
it takes by itself; the fits keep what the first of them compiled.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

CORPORA = ("20news", "tagmynews", "acl_anthology", "ohsumed23", "uscongress")
PIECE = 28
"""Words of a document."""

QUERIES = ("cricket", "space shuttle", "machine translation")


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    command: str
    seconds: float
    cpu_seconds: float
    peak_megabytes: float


def pieces(texts: Sequence[str], n_pieces: int, seed: int = 0) -> list[str]:
    """Return pieces of texts in random order, whole ones first; fewer if the texts do not have so many."""
    import numpy as np

    words = [text.split() for text in texts]
    order = np.random.default_rng(seed)
    found: list[str] = []
    for first in (0, PIECE // 2, PIECE // 4, 3 * PIECE // 4):
        more = [" ".join(of_text[start : start + PIECE])
                for of_text in words for start in range(first, len(of_text) - PIECE + 1, PIECE)]  # fmt: skip
        found += [more[j] for j in order.permutation(len(more))]
        if len(found) >= n_pieces:
            break
    return found[:n_pieces]


def write_pieces(path: Path, n_pieces: int, data: str | Path | None) -> int:
    """Write pieces of the corpora as a CSV; return how many there are."""
    from experiments.datasets.natural import load_whole

    texts = [text for name in CORPORA for text in load_whole(name, data, None)]
    found = pieces(texts, n_pieces)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        writer.writerows(enumerate(found))
    return len(found)


def measure(folder: Path, queries: Sequence[str]) -> Iterator[Cost]:
    """Index `texts.csv` of a folder, then ask the queries."""
    texts, index = str(folder / "texts.csv"), str(folder / "index")
    yield cost_of("qdtm index", ["index", texts, "-o", index])
    for q, query in enumerate(queries):
        asked = ["fit", index, "-q", query, "-o", str(folder / f"result-{q}")]
        yield cost_of(f'qdtm fit INDEX -q "{query}"', asked)


def cost_of(name: str, arguments: Sequence[str]) -> Cost:
    """Run a command of the package in a process of its own.

    Raises
    ------
    CalledProcessError
        If it fails.
    """
    command = [sys.executable, "-m", "qdtm", *arguments]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    peak = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)  # bytes on a Mac, else kilobytes
    return Cost(name, seconds, used.ru_utime + used.ru_stime, peak)


def _written_apart(path: Path, arguments: Sequence[str]) -> int:
    """Write the pieces in another process: the peak of a command counts what its parent has in memory."""
    command = [sys.executable, "-m", "experiments", "million", *arguments, "--write", str(path)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_million(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments million",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("-q", "--query", action="append")
    parser.add_argument("--data", help="the experiments' data; by default the folder that QDTM_DATA names")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.write:
        print(write_pieces(given.write, given.documents, given.data))
        return
    cost_of("compile", ["demo", "-q", "cricket", "--json"])
    with tempfile.TemporaryDirectory() as folder:
        n_documents = _written_apart(Path(folder) / "texts.csv", arguments)
        costs = list(measure(Path(folder), given.query or QUERIES))
    if given.json:
        print(json.dumps([asdict(cost) for cost in costs], indent=2))
        return
    print(f"{n_documents:,} documents\n")
    print("| | seconds | CPU seconds | peak memory |\n|---|---:|---:|---:|")
    for cost in costs:
        memory = f"{cost.peak_megabytes / 1e3:.1f} GB"
        print(f"| `{cost.command}` | {cost.seconds:.0f} | {cost.cpu_seconds:.0f} | {memory} |")
