"""A cluster of two workers on this machine, shared by all tests that need one."""

from __future__ import annotations

import csv
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import pytest

from qdtm.cluster.engine import RayEngine
from qdtm.cluster.indexing import index_in_parts
from qdtm.cluster.tasks import HereTasks
from qdtm.corpus import Corpus, CorpusWarning, TextPipeline
from qdtm.corpus.building import read_options
from qdtm.corpus.parts import ALIGNED, add_topics
from qdtm.errors import ClusterError
from qdtm.sampler.background import background_of
from qdtm.storage.array_store import ArrayStore

T = TypeVar("T")


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """Connect this process to a small local cluster; engines opened meanwhile use it."""
    pytest.importorskip("ray", reason="Ray is not installed (extra `ray`)")
    from qdtm.cluster import connection

    patch = pytest.MonkeyPatch()
    patch.setattr(connection, "_store_bytes", lambda: 200 * 2**20)
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # workers import what we test
    try:
        opened = patient(lambda: connection.Connection(None, 4))  # two engines side by side
        yield
        opened.close()
    finally:
        patch.undo()


def patient(start: Callable[[], T], attempts: int = 3) -> T:
    """Start a cluster; again, if Ray gives up after the thirty seconds that it grants a busy machine."""
    for _ in range(attempts):
        try:
            return start()
        except ClusterError as error:
            if "timed out during startup" not in str(error):
                raise
    pytest.skip(f"Ray gave up starting {attempts} times: this machine is too busy")


@pytest.fixture(scope="session")
def engine(cluster: None) -> Iterator[RayEngine]:
    """Two workers."""
    with RayEngine(n_workers=2) as opened:
        yield opened


# --- many files, read by one machine and in parts ----------------------------------------------------------

THEMES = (
    "goal match striker league keeper penalty",
    "court judge verdict appeal lawyer south africa",
    "bank account loan interest credit deposit",
    "flood storm river rescue rain warning",
)
OPTIONS = read_options(text_column="text", id_column="name")
N_DOCUMENTS = ALIGNED + 3_000  # two parts


def made_texts() -> list[str]:
    rng = np.random.default_rng(0)
    texts = []
    for j in range(N_DOCUMENTS):
        words = THEMES[j % len(THEMES)].split()
        own = " ".join(rng.choice(words, 3, replace=False))
        texts.append(
            f"{own} number{rng.integers(4_000)} south africa" if j % 9 == 0 else f"{own} day{j % 777}"
        )
    story = "The river rose again in the night and the whole town was warned of the flood " * 3
    texts[10], texts[ALIGNED + 5] = story, story + "once more"  # near copies, in two files
    texts[11] = texts[12] = texts[ALIGNED + 6] = "keeper saved the penalty in the last match"
    texts[13] = ""
    return texts


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Four files, one of them broken; a name is in two of them."""
    folder, texts = tmp_path_factory.mktemp("files"), made_texts()
    rows = [(f"doc {j}" if j % 1_000 else "same name", text, j % 7) for j, text in enumerate(texts)]
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("name", "text", "year"), *rows[:6_000]])
    for name, own in (("b", rows[6_000:12_000]), ("d", rows[12_000:])):
        lines = [json.dumps({"name": n, "text": t, "year": y, name: "x"}) for n, t, y in own]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    (folder / "c.parquet").write_bytes(b"PAR1 this is no table")
    return str(folder / "*.*")


@pytest.fixture(scope="session")
def whole(pattern: str) -> Corpus:
    """The same files on one machine."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", CorpusWarning
        )  # of the broken file, and of names that are there twice
        return Corpus.read(pattern, text_column="text", id_column="name")


def index_here(pattern: str, place: str) -> Corpus:
    with pytest.warns(CorpusWarning, match=r"1 file of the 4 files passed over: 'c.parquet'"):
        index_in_parts([pattern], OPTIONS, TextPipeline(), place, HereTasks())
    return Corpus.load(place)


@pytest.fixture(scope="session")
def place(pattern: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("index") / "parts")
    index_here(pattern, folder)
    return folder


@pytest.fixture(scope="session")
def learned(place: str, whole: Corpus) -> Corpus:
    """The index in parts, with the background that one machine learned."""
    background_of(whole)
    assert whole.distinct.learned is not None
    add_topics(ArrayStore(place), whole.distinct.learned)
    return Corpus.load(place)
