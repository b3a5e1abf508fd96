"""The ways in which qdtm writes: each as a command that replaces an old result by a new one at a place.

In: a folder to work in. Out: `Step`s, which faults are tried on, and what a reader then finds at the place.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import shutil
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from qdtm import Corpus
from qdtm.cli.main import cli
from qdtm.cli.report import REPORT
from qdtm.results.result import Result
from qdtm.storage.folders import MANIFEST, seal

TOPICS = (
    "fire wind smoke forest bushfire firefighters town burns crews season",
    "cricket match wicket batsman bowler century captain team rain wickets",
    "election minister parliament debate budget taxes voters labour vote law",
)
_FIT = ("-q", "fire", "--embeddings", "none", "--min-sweeps", "4", "--jobs", "1")


@dataclass(frozen=True)
class Step:
    """One way of writing.

    Parameters
    ----------
    name : str
    folder : Path
        Nothing is in it but the place, and what was left behind.
    old, new : tuple of str
        The commands that make the old and the new result.
    """

    name: str
    folder: Path
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def place(self) -> Path:
        """Where the result is."""
        return self.folder / "place"

    def run(self) -> None:
        """Replace whatever is there by the new result."""
        run_qdtm(*self.new, "-o", str(self.place), "--force")

    def run_again(self) -> None:
        """Do what a person does after a kill: go on with an unfinished fit, or run the command again."""
        if (self.folder / "place.unfinished").exists():
            run_qdtm("fit", "--resume", str(self.place), "--quiet")
        else:
            self.run()

    def make_old(self) -> None:
        """Put the old result there, and nothing else."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        run_qdtm(*self.old, "-o", str(self.place))

    def found(self) -> str:
        """Return a digest of what a reader finds; raises if it is damaged."""
        if self.name in ("index", "fit", "long-fit"):
            (Corpus if self.name == "index" else Result).load(self.place)
        digest = hashlib.sha256()
        for path in sorted([self.place, *self.place.rglob("*")]):
            if path.is_file() and path.name != REPORT and not path.name.startswith("."):
                digest.update(path.name.encode() + b"\0" + _bytes_of(path))
        return digest.hexdigest()

    @property
    def left_behind(self) -> list[str]:
        """What is beside the place, or hidden in it."""
        beside = [path for path in self.folder.iterdir() if path != self.place]
        return sorted(path.name for path in [*beside, *self.place.rglob(".*")])


def make_steps(folder: Path) -> dict[str, Step]:
    """Write two corpora, an index and a result of each, and return the steps that work on them."""
    sources = {}
    for number, name in enumerate(("old", "new")):
        table = _write_texts(folder / f"{name}.csv", seed=number)
        index, model = folder / f"{name}-index", folder / f"{name}-model"
        run_qdtm("index", str(table), "-o", str(index), "--quiet", "--text-column", "text")
        run_qdtm("fit", str(index), *_FIT, "--max-sweeps", "6", "-o", str(model), "--quiet")
        sources[name] = {"table": str(table), "index": str(index), "model": str(model)}

    def step(name: str, command: str, source: str, *options: str) -> Step:
        old, new = ((command, sources[age][source], *options) for age in ("old", "new"))
        return Step(name, folder / f"{name}-place", old, new)

    steps = (
        step("index", "index", "table", "--quiet", "--text-column", "text"),
        step("fit", "fit", "index", *_FIT, "--max-sweeps", "6", "--quiet"),
        step("long-fit", "fit", "index", *_FIT, "--max-sweeps", "12", "--quiet"),
        step("export-csv", "export", "model", "--format", "csv"),
        step("export-xlsx", "export", "model", "--format", "xlsx"),
        step("export-json", "export", "model", "--format", "json"),
        step("report", "report", "model"),
    )
    return {step.name: step for step in steps}


def _bytes_of(path: Path) -> bytes:
    """Return what is in a file; of a manifest all but where the index lies, which is where it was put."""
    if path.name != MANIFEST:
        return path.read_bytes()
    manifest = json.loads(path.read_bytes())
    of_corpus = manifest["content"].get("corpus", {})
    for where in ("path", "absolute"):
        of_corpus.pop(where, None)
    return seal(manifest)


def run_qdtm(*args: str) -> None:
    """Run a command in this process; what it raises is the caller's."""
    with redirect_stdout(io.StringIO()):
        cli.main(list(args), prog_name="qdtm", standalone_mode=False)


def _write_texts(path: Path, seed: int) -> Path:
    """Write a table of 60 texts about three things."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "year"])
        for j in range(60):
            words = rng.choices(TOPICS[j % 3].split(), k=12)
            writer.writerow([f"n{j}", " ".join(words), 2000 + j % 5])
    return path
