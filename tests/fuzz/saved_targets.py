"""Folders that the program saved, and what people add to them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from qdtm import Corpus, QueryDrivenTopicModel, resume
from qdtm.app.bin import in_bin
from qdtm.app.corpora import list_corpora, read_upload
from qdtm.app.findings import read_findings
from qdtm.app.jobs import JobLimits, Jobs
from qdtm.app.workspace import NotFoundError, Workspace
from qdtm.corpus.parts import open_parts, read_part
from qdtm.embeddings import onnx_encoder
from qdtm.fitting import versions
from qdtm.present.report import render_report
from qdtm.queries.concept import concept_from_json, concept_to_json
from qdtm.results.corrections import said
from qdtm.results.hand_check.files import read_answers, read_checks, write_checks, write_sample
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.journal import Journal
from qdtm.results.tables import codes_table
from qdtm.sampler.checkpoint import read_chain
from qdtm.storage.folders import CHECK, MANIFEST

from . import seeds
from .mutating import json_bytes, mutated, mutated_json
from .target import WHOLE, Target


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


class PartsTarget(SavedTarget):
    """An index in parts."""

    def read(self) -> None:
        corpus = open_parts(str(self.case))
        for document in corpus.documents:
            corpus.pipeline(document.text)
        corpus.counts_by_word.sum()
        corpus.distinct.counts_by_word.sum()
        read_part(str(self.case), 0)


class EncoderTarget(SavedTarget):
    """A sentence encoder that somebody downloaded, with weights or as a graph; it reads one text."""

    GRAPH, WEIGHTS = "model.onnx", "model.safetensors"

    def prepare(self, draw: Random) -> None:
        super().prepare(draw)
        absent = draw.choice(sorted({self.GRAPH, self.WEIGHTS} - self.broken.keys()))
        (self.case / absent).unlink()
        self.broken[absent] = self.valid[absent]  # the next case puts it back

    def read(self) -> None:
        with patch.multiple(onnx_encoder, _whole=lambda _: None, _keep=lambda *_: None):  # no cache
            onnx_encoder.open_folder(self.case)(["fire in the forest"])


class WorkspaceTarget(SavedTarget):
    """The folder of the app: whatever is in it, every page can list what there is."""

    def read(self) -> None:
        workspace = Workspace(self.case)
        list(list_corpora(workspace))
        for id in workspace.ids("corpora"):
            with suppress(NotFoundError):
                read_upload(workspace, id)
        for job in Jobs(workspace, JobLimits(running=0)).fits():
            read_findings(job.folder)
        in_bin(workspace)


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

    def __init__(self, home: Path, valid: Path) -> None:
        super().__init__(home, valid)
        self.versions = versions()  # to ask for them takes longer than all else

    def read(self) -> None:
        with patch.object(resume, "versions", lambda: self.versions):
            resume.read_start(self.case)
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
        self.is_whole = draw.random() < WHOLE

    def read(self) -> None:
        for check in self._checks():
            list(self.corpus.documents.select(check.sample.documents))
            if self.is_whole:
                check.summary()

    def _checks(self) -> Sequence[HandCheck]:
        if self.is_table:
            return [read_answers(self.case / "sample.csv", self.check, self.corpus.documents)]
        return read_checks(self.case, self.corpus.n_documents)


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
