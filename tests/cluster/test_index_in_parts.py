"""An index in parts has the numbers of the corpus that one machine reads of the same files, byte for byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from qdtm.cluster.indexing import index_in_parts, repeated_names, write_index
from qdtm.cluster.tasks import HereTasks, RayTasks
from qdtm.corpus import Corpus, CorpusWarning, TextPipeline, VocabularyLimits
from qdtm.corpus.building import read_options
from qdtm.corpus.parts import ALIGNED, add_topics, describe, is_in_parts, part_bounds, parts_of
from qdtm.errors import CorpusError, ParameterError, StorageError
from qdtm.evidence import views
from qdtm.sampler.background import background_of
from qdtm.storage.array_store import ArrayStore
from qdtm.storage.folders import seal

from .conftest import OPTIONS, index_here, made_texts

NUMBERS = ("tokens", "offsets", "rows", "place", "original", "fingerprint")


def assert_same_corpus(ours: Corpus, theirs: Corpus) -> None:
    assert ours.vocabulary == theirs.vocabulary
    for name in ("tokens", "offsets", "fingerprint", "first_copy"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(ours.distinct, name), getattr(theirs.distinct, name))
    for name in ("document_term_matrix", "counts_by_word"):
        for part in ("indptr", "indices", "data"):
            one, other = (getattr(getattr(corpus.distinct, name), part) for corpus in (ours, theirs))
            np.testing.assert_array_equal(one, other)
    assert ours.documents.field_names == theirs.documents.field_names
    assert ours.documents.id_name == theirs.documents.id_name
    assert all(one == other for one, other in zip(ours.documents, theirs.documents, strict=True))


def test_the_numbers_and_the_texts_are_those_of_one_machine(place, whole):
    ours = Corpus.load(place)
    assert_same_corpus(ours, whole)
    assert " ".join(ours.vocabulary).count("south africa") == 1  # a phrase
    assert ours.n_copies > 3
    assert ours.documents.find("same name") == 0
    assert ours.documents.find("b.jsonl:same name") == 6_000


def test_parts_begin_where_blocks_of_evidence_do(place):
    assert ALIGNED == views.BLOCK
    parts = parts_of(Corpus.load(place))
    assert parts is not None
    assert len(parts.bounds) == 3
    assert parts.bounds[1] == ALIGNED


@pytest.mark.parametrize(("n", "wanted"), [(1, 5), (ALIGNED, 5), (100 * ALIGNED + 1, 3), (10 * ALIGNED, 4)])
def test_parts_are_whole_blocks_and_not_too_large(n, wanted):
    bounds = part_bounds(n, wanted)
    assert bounds[0] == 0
    assert bounds[-1] == n
    assert (bounds[:-1] % ALIGNED == 0).all()
    assert (np.diff(bounds) > 0).all()
    assert np.diff(bounds).max() <= 16 * ALIGNED


def test_a_name_that_an_earlier_file_has_is_repeated():
    rng = np.random.default_rng(0)
    hashes = [rng.integers(0, 9, n).astype(np.uint64) for n in (5, 0, 7, 3)]  # 0 stands for none
    known: set[int] = set()
    for rows, own in zip(repeated_names(hashes), hashes, strict=True):
        assert rows.tolist() == [row for row, id in enumerate(own.tolist()) if id and id in known]
        known |= set(own.tolist())
    assert [len(rows) for rows in repeated_names([np.zeros(0, np.uint64)])] == [0]


def test_any_place_of_fsspec_will_do(pattern, whole):
    pytest.importorskip("fsspec")
    corpus = index_here(pattern, "memory://bucket/index")
    assert_same_corpus(corpus, whole)
    assert corpus.location == "memory://bucket/index"


def test_what_was_learned_lies_in_the_parts(place, whole, tmp_path):
    folder = tmp_path / "index"
    shutil.copytree(place, folder)
    learned = background_of(whole)
    add_topics(ArrayStore(str(folder)), whole.distinct.learned)
    found = Corpus.load(folder).distinct.learned
    assert found is not None
    np.testing.assert_array_equal(found.topics, learned.token_topics)


def test_a_step_that_was_taken_is_not_taken_again(pattern, tmp_path, monkeypatch):
    folder = str(tmp_path / "index")
    index_here(pattern, folder)
    read = []
    monkeypatch.setattr("qdtm.cluster.file_steps._read_file", lambda *given: read.append(given))
    index_here(pattern, folder)
    assert not read
    with pytest.raises(StorageError):
        index_in_parts([pattern], read_options("text"), TextPipeline(), folder, HereTasks())
    assert read  # asked otherwise, it is another index


@pytest.mark.filterwarnings("ignore::qdtm.corpus.CorpusWarning")
@pytest.mark.parametrize(
    "n_steps", [pytest.param(n, marks=pytest.mark.slow) for n in (1, 5, 9, 14, 19, 25)] + [17]
)
def test_what_was_interrupted_goes_on_to_the_same_bytes(pattern, whole, tmp_path, n_steps):
    folder, taken = str(tmp_path / "index"), []

    def stop(*step):
        taken.append(step)
        if len(taken) == n_steps:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_in_parts([pattern], OPTIONS, TextPipeline(), folder, HereTasks(), stop)
    assert not is_in_parts(folder)
    assert_same_corpus(index_here(pattern, folder), whole)


@pytest.mark.parametrize("what", ["a file", "a folder", "a pattern of one file"])
def test_a_file_or_a_folder_is_read_as_one_machine_reads_it(tmp_path, what):
    folder = tmp_path / "texts"
    folder.mkdir()
    texts = [f"{text} {n}" for n, text in enumerate(made_texts()[:60])]
    (tmp_path / "one.csv").write_text("\n".join(["text", *texts]), "utf-8")
    for n, text in enumerate(texts):
        (folder / f"{n:02d}.txt").write_text(text, "utf-8")
    names = {"a file": "one.csv", "a folder": "texts", "a pattern of one file": "on*.csv"}
    source, place = str(tmp_path / names[what]), str(tmp_path / "index")
    index_in_parts([source], read_options(), TextPipeline(), place, HereTasks())
    assert_same_corpus(Corpus.load(place), Corpus.read(source))


class TestWhatIsWrongIsSaid:
    def test_a_damaged_part(self, place, tmp_path, monkeypatch):
        monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))  # where its numbers are not yet
        folder = tmp_path / "index"
        shutil.copytree(place, folder)
        part = folder / "part-00001.safetensors"
        part.write_bytes(part.read_bytes()[:-1] + b"?")
        with pytest.raises(StorageError, match=r"'part-00001.safetensors' is not as it was saved"):
            Corpus.load(folder)

    @pytest.mark.parametrize("name", ["part-00000.safetensors", "order.safetensors", "copies.safetensors"])
    def test_numbers_that_point_elsewhere_are_refused(self, place, tmp_path, monkeypatch, name):
        """Whoever made them so, with checksums that fit: compiled code would leave its arrays."""
        monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
        folder = tmp_path / "index"
        shutil.copytree(place, folder)
        store = ArrayStore(str(folder))
        arrays = store.read(name)
        for array in arrays.values():
            array[len(array) // 2] = 10**8
        store.write(name, arrays)
        manifest = json.loads((folder / "qdtm.json").read_text())
        manifest["files"][name] = describe(store, name)
        (folder / "qdtm.json").write_bytes(seal(manifest))
        with pytest.raises(StorageError, match="is damaged"):
            Corpus.load(folder).distinct.original  # noqa: B018

    def test_topics_that_the_manifest_does_not_have(self, place, tmp_path):
        folder = tmp_path / "index"
        shutil.copytree(place, folder)
        manifest = json.loads((folder / "qdtm.json").read_text())
        manifest["files"] = {n: e for n, e in manifest["files"].items() if not n.startswith("topics-")}
        manifest["content"]["made_by"] = "x"
        (folder / "qdtm.json").write_bytes(seal(manifest))
        with pytest.raises(StorageError, match="its topics are missing"):
            Corpus.load(folder).distinct  # noqa: B018

    def test_no_file_that_can_be_read(self, tmp_path):
        (tmp_path / "a.parquet").write_bytes(b"?")
        with pytest.raises(CorpusError, match="Nothing in the 1 files can be read"):
            index_in_parts([str(tmp_path / "*")], OPTIONS, TextPipeline(), str(tmp_path / "i"), HereTasks())

    def test_passages(self, pattern, tmp_path):
        pipeline = TextPipeline(split_documents="paragraphs")
        with pytest.raises(ParameterError, match="leave out --split"):
            index_in_parts([pattern], OPTIONS, pipeline, str(tmp_path / "i"), HereTasks())


@pytest.mark.cluster
@pytest.mark.usefixtures("cluster")
class TestOnACluster:
    def test_it_is_the_same(self, engine, pattern, whole, tmp_path):
        folder = str(tmp_path / "index")
        with pytest.warns(CorpusWarning, match="'c.parquet'"):
            corpus = write_index([pattern], OPTIONS, TextPipeline(), folder, engine)
        assert_same_corpus(corpus, whole)
        np.testing.assert_array_equal(background_of(corpus).token_topics, background_of(whole).token_topics)
        assert is_in_parts(folder)
        assert not Path(f"{folder}.unfinished").exists()
        assert not list(Path(folder).glob("read-*"))

    @pytest.mark.filterwarnings("ignore::qdtm.corpus.CorpusWarning")
    def test_few_documents_are_one_part(self, engine, tmp_path):
        for name in ("a", "b"):
            (tmp_path / f"{name}.csv").write_text("name,text\n" + "1,fire and wind\n2,rain and wind\n" * 20)
        files = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
        pipeline = TextPipeline(limits=VocabularyLimits(min_df=1))
        corpus = write_index(files, OPTIONS, pipeline, str(tmp_path / "index"), engine)
        assert_same_corpus(
            corpus, Corpus.read(files, pipeline=pipeline, text_column="text", id_column="name")
        )

    @pytest.mark.parametrize("n", [1, 3])
    def test_pieces_come_together_as_they_do_here(self, engine, n):
        calls, goals = [(each, n) for each in range(5)], [(each,) for each in range(n)]
        found, wanted = (
            list(tasks.shuffle(cut, calls, put, goals)) for tasks in (RayTasks(engine), HereTasks())
        )
        assert found == wanted

    def test_a_task_whose_worker_dies_is_done_again(self, engine, tmp_path):
        marks = [str(tmp_path / str(n)) for n in range(4)]
        assert list(RayTasks(engine).map(die_once, [(mark,) for mark in marks])) == marks


def cut(number, n):
    return [(number, piece) for piece in range(n)]


def put(goal, *pieces):
    return goal, pieces


def die_once(mark: str) -> str:
    """Kill the process at the first call, as a machine that goes would."""
    import os
    import signal

    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return mark
