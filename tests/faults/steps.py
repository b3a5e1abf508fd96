"""The ways in which qdtm writes: each replaces an old state by a new one at a place.

In: a folder to work in. Out: `Step`s, which faults are tried on, and what a reader then finds at the place.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from qdtm import Corpus
from qdtm.app.bin import discard, in_bin, restore
from qdtm.app.corpora import Upload, list_corpora, place_for, read_upload, write_upload
from qdtm.app.requests import Columns, IndexRequest
from qdtm.app.upload import index_corpus
from qdtm.app.workspace import NotFoundError, Workspace
from qdtm.cli.main import cli
from qdtm.cli.report import REPORT
from qdtm.cluster import indexing
from qdtm.cluster.tasks import HereTasks
from qdtm.cluster.transforming import transform_in_parts
from qdtm.corpus import TextPipeline
from qdtm.corpus.building import read_options
from qdtm.present.formats import NAMES
from qdtm.results.journal import Journal
from qdtm.results.result import Result
from qdtm.resume import is_unfinished
from qdtm.sampler import checkpoint
from qdtm.storage.atomic import reserve, write_errors
from qdtm.storage.folders import CHECK, JOURNAL, MANIFEST, REMADE, claim, seal

TOPICS = (
    "fire wind smoke forest bushfire firefighters town burns crews season",
    "cricket match wicket batsman bowler century captain team rain wickets",
    "election minister parliament debate budget taxes voters labour vote law",
)
_FIT = ("-q", "fire", "--embeddings", "none", "--min-sweeps", "4", "--jobs", "1")

STEPS = (
    "index", "fit", "long-fit", *(f"export-{name}" for name in NAMES), "report", "rename", "tag", "note",
    "check", "add", "upload", "discard", "restore", "transform", "index-in-parts", "transform-in-parts",
)  # fmt: skip
"""The names of all steps."""

_READ = read_options(text_column="text")

Work = Callable[[Path], object]


@dataclass(frozen=True)
class Step:
    """One way of writing.

    Parameters
    ----------
    name : str
    folder : Path
        Nothing is in it but the place, and what was left behind.
    old, new : callable
        Make the old state at a place, and the new one of it.
    look : callable
        What a reader finds at a place, in bytes, with or without what is made from the rest (`REMADE`);
        raises if it is damaged.
    """

    name: str
    folder: Path
    old: Work
    new: Work
    look: Callable[[Path, bool], bytes]

    @property
    def place(self) -> Path:
        """Where the result is."""
        return self.folder / "place"

    def run(self) -> None:
        """Make the new state, whatever is there; a long fit is written down after every sweep."""
        checkpoint.EVERY, checkpoint.MOST_SHARE = (0.0, 1e9) if self.name == "long-fit" else (1e9, 1.0)
        self.new(self.place)

    def run_again(self) -> None:
        """Do what a person does after a kill: go on with an unfinished fit, or run the command again."""
        if self.look is _result and is_unfinished(self._unfinished):
            run_qdtm("fit", "--resume", str(self.place), "--quiet")
        else:
            self.run()

    @property
    def is_unfinished(self) -> bool:
        """Whether work was kept."""
        return self._unfinished.exists()

    @property
    def _unfinished(self) -> Path:
        return self.folder / "place.unfinished"

    def make_old(self) -> None:
        """Put the old state there, and nothing else."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.old(self.place)

    def put_back(self, kept: Path) -> None:
        """Fill the folder, which may be a disk of its own, with what was kept of it."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(kept, self.folder, dirs_exist_ok=True)

    def found(self, *, remade: bool = False) -> str:
        """Return a digest of what a reader finds; raises if it is damaged."""
        return hashlib.sha256(self.look(self.place, remade)).hexdigest()

    @property
    def left_behind(self) -> list[str]:
        """What is beside the place, or hidden in it."""
        beside = [path for path in self.folder.iterdir() if path != self.place]
        found = sorted(path.name for path in [*beside, *self.place.rglob(".*")])
        return [name for name in found if name != ".check.lock"]  # whoever answers next takes it


def make_steps(folder: Path) -> dict[str, Step]:
    """Write two corpora, an index and a result of each, and return the steps that work on them."""
    sources: dict[str, dict[str, Path]] = {"table": {}, "index": {}, "model": {}}
    for number, age in enumerate(("old", "new")):
        table = _write_texts(folder / f"{age}.csv", seed=number)
        index, model = folder / f"{age}-index", folder / f"{age}-model"
        run_qdtm("index", str(table), "-o", str(index), "--quiet", "--text-column", "text")
        run_qdtm("fit", str(index), *_FIT, "--max-sweeps", "6", "-o", str(model), "--quiet")
        for name, path in (("table", table), ("index", index), ("model", model)):
            sources[name][age] = path
    answers = _write_answers(folder / "answers.csv")

    def replacing(name: str, command: str, source: str, *options: str) -> Step:
        """Return a command that replaces a result of one corpus by that of another."""
        old, new = (_command(command, str(sources[source][age]), *options) for age in ("old", "new"))
        looks = {"index": _index, "fit": _result, "long-fit": _result}
        return Step(name, folder / f"{name}-place", old, new, looks.get(name, _files))

    model = sources["model"]["old"]
    check = ("check", "DIR", "-n", "10", "--labels", str(answers), "--as", "Ann", "--json")

    def export(name: str) -> Step:
        """Return an export; notes are of one result, few and then more.

        They go into a folder that may have others, one by one; all at once only if none is there beside them.
        """
        if name != "notes":
            return replacing(f"export-{name}", "export", "model", "--format", name)
        few = ("export", str(model), "--format", "notes")
        return Step(
            "export-notes",
            folder / "export-notes-place",
            _command(*few),
            _command(*few, "--all-documents"),
            _files,
        )

    def changing(name: str, *command: str) -> Step:
        """Return a command that changes a result where it is; "DIR" stands for it."""
        return Step(name, folder / f"{name}-place", _copy_of(model), _changing(*command), _result)

    tables = list(sources["table"].values())

    def transforming(age: str) -> Work:
        """Return what scores one of the tables."""
        return _command("transform", str(model), str(sources["table"][age]), "--text-column", "text")

    def scoring_in_parts(table: Path) -> Work:
        """Return what scores a table as `transform --engine ray` does, here."""
        return lambda place: transform_in_parts(str(model), [str(table)], _READ, str(place), HereTasks())

    steps = (
        replacing("index", "index", "table", "--quiet", "--text-column", "text"),
        replacing("fit", "fit", "index", *_FIT, "--max-sweeps", "6", "--quiet"),
        replacing("long-fit", "fit", "index", *_FIT, "--max-sweeps", "12", "--quiet"),
        *(export(name) for name in NAMES),
        replacing("report", "report", "model"),
        changing("rename", "correct", "DIR", "rename", "0", "bush fires", "--quiet"),
        changing("tag", "codes", "DIR", "--add", "n3", "to read", "--json"),
        changing("note", "codes", "DIR", "--note", "n3", "a long note " * 800, "--json"),
        changing("check", *check),
        Step("add", folder / "add-place", _with_acts_of_people(model, check), _add_query, _result),
        Step("upload", folder / "upload-place", _open_workspace, _upload, _workspace),
        Step("discard", folder / "discard-place", _upload, _discard, _workspace),
        Step("restore", folder / "restore-place", _with_discarded, _restore, _workspace),
        Step("transform", folder / "transform-place", *map(transforming, ("old", "new")), _files),
        Step("index-in-parts", folder / "parts-place", *map(_indexing_in_parts, tables), _index),
        Step("transform-in-parts", folder / "scores-place", *map(scoring_in_parts, tables), _files),
    )
    return {step.name: step for step in steps}


def run_qdtm(*args: str) -> None:
    """Run a command in this process; what it raises is the caller's."""
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")):
        cli.main(list(args), prog_name="qdtm", standalone_mode=False)


# --- commands -----------------------------------------------------------------------------------------------


def _command(*args: str) -> Work:
    return lambda place: run_qdtm(*args, "-o", str(place), "--force")


def _changing(*args: str) -> Work:
    return lambda place: run_qdtm(*(str(place) if each == "DIR" else each for each in args))


def _copy_of(folder: Path) -> Work:
    return lambda place: shutil.copytree(folder, place)


def _indexing_in_parts(table: Path) -> Work:
    """Return what indexes a table as `index --engine ray` does, here."""

    def index(place: Path) -> None:
        with patch.object(indexing, "RayTasks", lambda _: HereTasks()), claim(place, force=True):
            indexing.write_index([str(table)], _READ, TextPipeline(), str(place), engine=None)

    return index


def _with_acts_of_people(model: Path, check: tuple[str, ...]) -> Work:
    """Return what makes a result that was corrected, tagged and checked; none of it may be lost."""

    def make(place: Path) -> None:
        shutil.copytree(model, place)
        run_qdtm("correct", str(place), "rename", "0", "bush fires", "--quiet")
        run_qdtm("codes", str(place), "--add", "n3", "to read", "--json")
        _changing(*check)(place)

    return make


def _add_query(place: Path) -> None:
    """Ask one more query; if it has been asked already, tidy up as every writer does, and make the report."""
    if Result.load(place).fit.n_queries == 1:
        run_qdtm("add", str(place), "-q", "cricket", "--quiet", "--jobs", "1")
    else:
        with reserve(place):
            run_qdtm("report", str(place), "--force")


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


def _write_answers(path: Path) -> Path:
    """Write a table of answers to all texts, as a colleague would send it back."""
    rows = (f"n{j},{'no' if j % 3 else 'yes'}\n" for j in range(60))
    path.write_text("id,about\n" + "".join(rows), "utf-8")
    return path


# --- the app ------------------------------------------------------------------------------------------------


def _open_workspace(place: Path) -> Workspace:
    return Workspace.open(place)


def _upload(place: Path) -> None:
    """Take a file, and read it; do again what was begun, as a page does when it is opened again."""
    workspace = Workspace.open(place)
    ids = workspace.ids("corpora") or [_take(workspace)]
    try:
        read_upload(workspace, ids[0])
    except NotFoundError:  # it has been read already, or never came whole
        if any(list_corpora(workspace)):
            return
        workspace.remove("corpora", ids[0])
        ids = [_take(workspace)]
    index_corpus(workspace, IndexRequest(ids[0], "texts", Columns(text="text")))


def _take(workspace: Workspace) -> str:
    upload = Upload(workspace.new("corpora"))
    file = place_for(workspace, upload, "texts.csv")
    with write_errors(file.place):
        _write_texts(Path(file.place), seed=0)
    write_upload(workspace, Upload(upload.id, (file,)))
    return upload.id


def _discard(place: Path) -> None:
    workspace = Workspace.open(place)
    for corpus in list_corpora(workspace):
        discard(workspace, "corpora", corpus.id, corpus.name)


def _with_discarded(place: Path) -> None:
    _upload(place)
    _discard(place)


def _restore(place: Path) -> None:
    workspace = Workspace.open(place)
    for each in in_bin(workspace):
        restore(workspace, each.kind, each.id)


# --- what a reader finds ------------------------------------------------------------------------------------


def _index(place: Path, remade: bool) -> bytes:
    Corpus.load(place)
    return _files(place, remade)


def _result(place: Path, remade: bool) -> bytes:
    Result.load(place)
    return _files(place, remade)


def _workspace(place: Path, _remade: bool) -> bytes:
    """Return which corpora are there, with what they hold, and which are in the bin."""
    workspace = Workspace(place)
    there = [
        (corpus.name, Corpus.load(workspace.existing("corpora", corpus.id) / "corpus").fingerprint)
        for corpus in list_corpora(workspace)
    ]
    return json.dumps([there, [each.what for each in in_bin(workspace)]]).encode()


def _files(place: Path, remade: bool) -> bytes:
    """Return all files, but for the report; without `remade` what is made from the rest is left out, too."""
    left_out = (REPORT,) if remade or not (place / MANIFEST).is_file() else REMADE
    paths = sorted(path for path in [place, *place.rglob("*")] if path.is_file())
    kept = [path for path in paths if path.name not in left_out and not path.name.startswith(".")]
    found = ((path.name.encode(), _bytes_of(path)) for path in kept)
    return b"\0".join(name + b"\0" + data for name, data in found if data not in (b"", b"[]"))


def _bytes_of(path: Path) -> bytes:
    """Return what is in a file, but for where an index lies, and when and how often people did something."""
    if path.name == JOURNAL:
        history = Journal(path).history
        acts = {json.dumps([act.kind, act.by, dict(act.values)]) for act in history.acts}
        return "\n".join([*sorted(acts), history.damage]).strip().encode()
    if path.name == CHECK:
        checks = json.loads(path.read_bytes())["checks"]  # a sample without an answer is drawn again
        said = [[check["query"], [answer[:3] for answer in check["answers"]]] for check in checks]
        return json.dumps([each for each in said if each[1]]).encode()
    if path.name != MANIFEST:
        return path.read_bytes()
    manifest = json.loads(path.read_bytes())
    of_corpus = manifest["content"].get("corpus", {})
    for where in ("path", "absolute"):
        of_corpus.pop(where, None)
    return seal(manifest)
