"""Files of documents, and of word vectors."""

from __future__ import annotations

import json
from collections import deque
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from qdtm import Corpus
from qdtm.corpus.readers import databases
from qdtm.corpus.readers.read import read_records
from qdtm.embeddings.vector_files import read_vector_file

from . import seeds
from .mutating import json_bytes, mutated, mutated_json, mutated_zip
from .target import WHOLE, Target


class FileTarget(Target):
    """One file of documents, changed byte by byte."""

    def __init__(self, home: Path, suffix: str, valid: tuple[bytes, ...]) -> None:
        super().__init__(home)
        self.path = home / f"case{suffix}"
        self.valid = valid

    def prepare(self, draw: Random) -> None:
        self.is_whole = draw.random() < WHOLE
        self.path.write_bytes(self.changed(draw.choice(self.valid), draw))

    def changed(self, data: bytes, draw: Random) -> bytes:
        return mutated_zip(data, draw) if data.startswith(b"PK") else mutated(data, draw)

    def read(self) -> None:
        if self.is_whole:
            Corpus.read(self.path)
        else:
            deque(read_records(self.path), maxlen=0)


class DuckdbTarget(FileTarget):
    """A DuckDB database; most are attached to one instance: to begin another takes ten times as long."""

    def read(self) -> None:
        if self.is_whole:
            super().read()
            return
        with patch.object(databases, "_duckdb", _Attached):
            super().read()


class _Attached:
    """A database in place of a connection of its own."""

    shared: Any = None

    def __init__(self, path: Path) -> None:
        if _Attached.shared is None:
            config = databases._DUCKDB | {"enable_external_access": "true"}  # to attach is to go outside
            _Attached.shared = import_module("duckdb").connect(config=config)
        with databases._errors(path):
            self.execute(f"ATTACH '{path}' AS attached (READ_ONLY)")
            self.execute("USE attached")

    def execute(self, statement: str) -> Any:
        return self.shared.execute(statement)

    def close(self) -> None:
        try:
            self.execute("USE memory")
            self.execute("DETACH attached")
        except Exception:  # an error inside DuckDB leaves the instance unusable, as it says
            _Attached.shared = None


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
    """Three files of several kinds in a list, one of which is broken, and sometimes a folder."""

    N_FILES = 3

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.valid = {f"x{ending}": data[0] for ending, data in seeds.documents().items() if ending != ".gz"}
        for name, data in self.valid.items():
            (self.case / name).write_bytes(data)
        self.name = "0.txt"
        self.listed: list[Path] = []

    def prepare(self, draw: Random) -> None:
        if self.name in self.valid:
            (self.case / self.name).write_bytes(self.valid[self.name])
        self.name = draw.choice(sorted(self.valid))
        data = self.valid[self.name]
        changed = mutated_zip(data, draw) if data.startswith(b"PK") else mutated(data, draw)
        (self.case / self.name).write_bytes(changed)
        others = draw.sample(sorted(self.valid.keys() - {self.name}), self.N_FILES - 1)
        names = sorted([self.name, *others]) + ["inner"] * (draw.random() < 0.2)
        self.listed = [self.case / name for name in names]

    def read(self) -> None:
        deque(read_records(self.listed), maxlen=0)
