"""What is fuzzed: for each reader, how a broken file is made from a valid one, and how it is read.

`prepare` writes the case with a number into a folder; `read` must then end well or raise a `QdtmError`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus.readers.read import read_records
from qdtm.embeddings.vector_files import read_vector_file
from qdtm.present.report import render_report
from qdtm.queries.concept import concept_from_json, concept_to_json
from qdtm.results.corrections import said
from qdtm.results.hand_check.files import read_answers, read_checks, write_checks, write_sample
from qdtm.results.journal import Journal
from qdtm.results.tables import codes_table
from qdtm.resume import read_start
from qdtm.sampler.checkpoint import read_chain
from qdtm.storage.folders import CHECK, MANIFEST

from . import seeds
from .mutating import json_bytes, mutated, mutated_json, mutated_zip


class Target(ABC):
    """A reader and the files that it is given.

    Parameters
    ----------
    home : Path
        A folder for the valid files and for the case that is being tried.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.case = home / "case"

    @abstractmethod
    def prepare(self, draw: Random) -> None:
        """Write a broken file."""

    @abstractmethod
    def read(self) -> None:
        """Read it."""


class FileTarget(Target):
    """One file of documents, changed byte by byte; a tenth of the cases goes on from records to a corpus."""

    def __init__(self, home: Path, suffix: str, valid: tuple[bytes, ...]) -> None:
        super().__init__(home)
        self.path = home / f"case{suffix}"
        self.valid = valid
        self.is_whole = False

    def prepare(self, draw: Random) -> None:
        self.is_whole = draw.random() < 0.1
        self.path.write_bytes(self.changed(draw.choice(self.valid), draw))

    def changed(self, data: bytes, draw: Random) -> bytes:
        return mutated_zip(data, draw) if data.startswith(b"PK") else mutated(data, draw)

    def read(self) -> None:
        if self.is_whole:
            Corpus.read(self.path)
        else:
            deque(read_records(self.path), maxlen=0)


class VectorsTarget(FileTarget):
    """A file of word vectors."""

    def read(self) -> None:
        read_vector_file(self.path, None if self.is_whole else set(seeds.WORDS))


class JsonTarget(FileTarget):
    """JSON, a value a line: half of the cases are values that JSON allows and nobody expects."""

    def changed(self, data: bytes, draw: Random) -> bytes:
        if draw.random() < 0.5:
            return mutated(data, draw)
        lines = data.splitlines()
        at = draw.randrange(len(lines))
        lines[at] = json_bytes(mutated_json(json.loads(lines[at]), draw))
        return b"\n".join(lines)


class FolderTarget(Target):
    """A folder of texts, one of which is broken."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        (self.case / "inner").mkdir(parents=True)
        for j, text in enumerate(seeds.TEXTS):
            (self.case / ("inner" if j % 2 else ".") / f"{j}.txt").write_text(text, "utf-8")
        self.broken = self.case / "0.txt"

    def prepare(self, draw: Random) -> None:
        self.broken.unlink(missing_ok=True)
        self.broken = self.case / draw.choice(
            ("x.txt", "inner/x.txt", " .txt", "=1+1.txt", "<script>.txt", "a\nb.txt")
        )
        self.broken.write_bytes(mutated(draw.choice(seeds.TEXTS).encode(), draw))

    def read(self) -> None:
        deque(read_records(self.case), maxlen=0)


class SeveralTarget(FolderTarget):
    """Files of several kinds in a list, one of which is broken."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.valid = {f"x{ending}": data[0] for ending, data in seeds.documents().items() if ending != ".gz"}
        for name, data in self.valid.items():
            (self.case / name).write_bytes(data)
        self.name = "0.txt"

    def prepare(self, draw: Random) -> None:
        if self.name in self.valid:
            (self.case / self.name).write_bytes(self.valid[self.name])
        self.name = draw.choice(sorted(self.valid))
        data = self.valid[self.name]
        changed = mutated_zip(data, draw) if data.startswith(b"PK") else mutated(data, draw)
        (self.case / self.name).write_bytes(changed)

    def read(self) -> None:
        deque(read_records([*sorted(self.case.glob("x.*")), self.case / "inner"]), maxlen=0)


class SavedTarget(Target):
    """A saved folder in which one file is broken; mostly with checksums that are right again.

    Parameters
    ----------
    home, valid : Path
    names : tuple of str
        The files to break; any of them by default.
    """

    def __init__(self, home: Path, valid: Path, names: tuple[str, ...] = ()) -> None:
        super().__init__(home)
        shutil.copytree(valid, self.case)
        self.valid = {
            path.relative_to(valid).as_posix(): path.read_bytes()
            for path in valid.rglob("*")
            if path.is_file()
        }
        self.parsed = {name: json.loads(data) for name, data in self.valid.items() if name.endswith(".json")}
        self.names = names or tuple(sorted(self.valid))
        self.broken: dict[str, bytes] = {}

    def prepare(self, draw: Random) -> None:
        before, name = self.broken, draw.choice(self.names)
        self.broken = {name: self._changed(name, self.valid[name], draw)}
        if draw.random() < 0.9:
            self._mend(name)
        for each in before.keys() - self.broken.keys():
            (self.case / each).write_bytes(self.valid[each])
        for each, data in self.broken.items():
            (self.case / each).write_bytes(data)

    def _changed(self, name: str, data: bytes, draw: Random) -> bytes:
        if name in self.parsed and draw.random() < 0.8:
            value = mutated_json(self.parsed[name], draw)
            return _sealed(value) if name.endswith(MANIFEST) else json_bytes(value)
        if name.endswith(".safetensors") and draw.random() < 0.5:
            return _with_other_header(data, draw)
        return mutated(data, draw)

    def _mend(self, changed: str) -> None:
        """Put the right checksums into the manifests above a file, the inner one first."""
        for place in dict.fromkeys((Path(changed).parent, Path())):
            manifest = (place / MANIFEST).as_posix()
            try:
                values = self._values(manifest)
                files = {name: self._check(name, place, entry) for name, entry in values["files"].items()}
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue
            self.broken[manifest] = _sealed({**values, "files": files})

    def _values(self, manifest: str) -> Any:
        """Return a manifest as it is in this case."""
        return json.loads(self.broken[manifest]) if manifest in self.broken else self.parsed[manifest]

    def _check(self, name: str, place: Path, entry: Any) -> Any:
        """Return what a manifest in a folder should say about a file; what it says if nothing has changed."""
        name = (place / name).as_posix()
        if name not in self.broken:
            return entry
        data = self.broken[name]
        return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


class CorpusTarget(SavedTarget):
    """A saved corpus."""

    def read(self) -> None:
        corpus = Corpus.load(self.case)
        for document in corpus.documents:
            corpus.pipeline(document.text)
        corpus.counts_by_word.sum()


class ModelTarget(SavedTarget):
    """A saved model: whatever loads must also show."""

    def read(self) -> None:
        model = QueryDrivenTopicModel.load(self.case)
        for topic in model.result_.all_topics():
            topic.top_words(5)
        model.documents(0, 3)
        model.transform(["cricket and fire"])


class ReportTarget(ModelTarget):
    """A saved model: the page about it is whole, or one line says why not."""

    def read(self) -> None:
        render_report(QueryDrivenTopicModel.load(self.case).result_)


class UnfinishedTarget(SavedTarget):
    """A fit that was killed: what it was asked, and its chains."""

    def read(self) -> None:
        read_start(self.case)
        for folder in sorted(self.case.glob("*-[0-9]*")):
            read_chain(folder)


class ChecksTarget(Target):
    """Hand-checks as the program keeps them, and as a colleague sends them back."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.case.mkdir()
        self.check, self.corpus = seeds.hand_check()
        write_checks(self.case / CHECK, [self.check])
        write_sample(self.case / "sample.csv", self.check, self.corpus.documents)
        self.valid = json.loads((self.case / CHECK).read_bytes())
        self.table = (self.case / "sample.csv").read_bytes()
        self.is_table = False

    def prepare(self, draw: Random) -> None:
        self.is_table = draw.random() < 0.4
        if self.is_table:
            (self.case / "sample.csv").write_bytes(mutated(self.table, draw))
        elif draw.random() < 0.8:
            (self.case / CHECK).write_bytes(json_bytes(mutated_json(self.valid, draw)))
        else:
            (self.case / CHECK).write_bytes(mutated(json_bytes(self.valid), draw))

    def read(self) -> None:
        if self.is_table:
            read_answers(self.case / "sample.csv", self.check, self.corpus.documents).summary()
            return
        for check in read_checks(self.case, self.corpus.n_documents):
            check.summary()
            list(self.corpus.documents.select(check.sample.documents))


class ConceptTarget(Target):
    """A concept as JSON."""

    @cached_property
    def valid(self) -> list[Any]:
        from qdtm.queries import build_concepts

        concepts = build_concepts(seeds.corpus(), ["cricket match", "fire -cricket"])
        return [json.loads(json_bytes(concept_to_json(concept))) for concept in concepts]

    def prepare(self, draw: Random) -> None:
        self.values = mutated_json(draw.choice(self.valid), draw)

    def read(self) -> None:
        concept = concept_from_json(self.values)
        concept_to_json(concept)
        assert all(isinstance(word.word, str) for word in concept.words)


class JournalTarget(Target):
    """What people did to a result, as its folder keeps it: whatever is read is also shown."""

    ACTS = (
        ("rename", {"topic": "0.1", "name": "cricket <b>"}),
        ("merge", {"subtopics": ["0.1", "0.2"]}),
        ("hide", {"subtopic": "0.2"}),
        ("drop-word", {"topic": "0", "word": "cricket"}),
        ("tag", {"row": 1, "start": 0, "end": 4, "tag": "to read"}),
        ("note", {"row": 2, "text": "why?"}),
        ("code", {"tag": "to read", "to": "read"}),
        ("undo", {"number": 1}),
        ("redo", {"number": 1}),
    )

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.case.mkdir()
        self.result = QueryDrivenTopicModel.load(seeds.saved_model(home)).result_

    def prepare(self, draw: Random) -> None:
        lines = []
        for number, (kind, values) in enumerate(self.ACTS, start=1):
            at = "2026-01-01T00:00:00+00:00"
            act = {"number": number, "at": at, "by": "", "kind": kind, "values": values}
            lines.append(json_bytes(mutated_json(act, draw) if draw.random() < 0.3 else act))
        data = b"\n".join(lines)
        (self.case / "journal.jsonl").write_bytes(data if draw.random() < 0.7 else mutated(data, draw))

    def read(self) -> None:
        history = Journal(self.case).history
        assert all(isinstance(said(act), str) for act in (*history.acts, *history.undone))
        corrected = self.result.with_history(history)
        list(corrected.all_topics())
        assert all(count.n_documents for count in corrected.codes.book)
        codes_table(corrected.codes, corrected.corpus).records()


def _sealed(value: Any) -> bytes:
    """Return a manifest with its own checksum, as `qdtm.storage.folders.seal` does, whatever is in it."""
    if not isinstance(value, dict):
        return json_bytes(value)
    rest = {name: entry for name, entry in value.items() if name != "sha256"}
    body = json.dumps(rest).removesuffix("}").encode() + b',\n "sha256": "'
    return body + hashlib.sha256(body).hexdigest().encode() + b'"\n}\n'


def _with_other_header(data: bytes, draw: Random) -> bytes:
    """Return a safetensors file whose header says something else."""
    length = int.from_bytes(data[:8], "little")
    header = json_bytes(mutated_json(json.loads(data[8 : 8 + length]), draw))
    claimed = len(header) if draw.random() < 0.8 else draw.choice((0, 1, 2**31, 2**40, 2**63, 2**64 - 1))
    return claimed.to_bytes(8, "little") + header + data[8 + length :]


def make_target(name: str, home: Path) -> Target | None:
    """Return a target by its name, with its valid files in a folder; None if a package for it is missing."""
    home.mkdir(parents=True, exist_ok=True)
    if name in _FILES:
        return _FILES[name](home)
    return _FOLDERS[name](home)


def _with_package(suffix: str, files: Callable[[], tuple[bytes, ...]]) -> Callable[[Path], Target | None]:
    """Return what makes a target whose valid files a package writes, if it is there."""
    return lambda home: FileTarget(home, suffix, valid) if (valid := files()) else None


def _document(suffix: str) -> Callable[[Path], Target]:
    """Return what makes the target of a kind of document or bibliography."""
    ending = ".csv.gz" if suffix == ".gz" else suffix
    return lambda home: FileTarget(home, ending, seeds.documents()[suffix])


_FILES = {
    **{
        name: _document(f".{name}")
        for name in (
            "docx", "odt", "epub", "pdf", "zip", "db", "html", "md", "rtf", "ris", "nbib", "ciw", "enw",
            "bib", "gz",
        )
    },
    "json": lambda home: JsonTarget(home, ".json", seeds.documents()[".json"]),
    "csv": lambda home: FileTarget(
        home, ".csv", (seeds.delimited(","), seeds.delimited(";", "cp1252"), seeds.delimited(",", "utf-16"))
    ),
    "tsv": lambda home: FileTarget(home, ".tsv", (seeds.delimited("\t"), seeds.delimited("|"))),
    "jsonl": lambda home: JsonTarget(home, ".jsonl", (seeds.json_lines(),)),
    "txt": lambda home: FileTarget(home, ".txt", (seeds.lines(), seeds.lines("utf-16"))),
    "xlsx": lambda home: FileTarget(home, ".xlsx", (seeds.workbook(),)),
    "parquet": _with_package(".parquet", seeds.parquet_files),
    "arrow": _with_package(".arrow", seeds.arrow_files),
    "duckdb": _with_package(".duckdb", seeds.duckdb_file),
    "vectors": lambda home: VectorsTarget(home, ".vec", seeds.vector_files()),
}  # fmt: skip
_FOLDERS = {
    "folder": FolderTarget,
    "several": SeveralTarget,
    "corpus": lambda home: CorpusTarget(home, seeds.saved_corpus(home)),
    "distinct": lambda home: CorpusTarget(home, seeds.saved_corpus(home), ("distinct.safetensors",)),
    "model": lambda home: ModelTarget(home, seeds.saved_model(home)),
    "report": lambda home: ReportTarget(home, seeds.saved_model(home), (MANIFEST,)),
    "unfinished": lambda home: UnfinishedTarget(home, seeds.unfinished_fit(home)),
    "checks": ChecksTarget,
    "concepts": ConceptTarget,
    "journal": JournalTarget,
}
TARGETS = (*_FILES, *_FOLDERS)
"""The names of all targets."""
