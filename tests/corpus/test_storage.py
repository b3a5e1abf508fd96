"""Saved corpora come back equal, and damaged ones do not come back."""

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from qdtm.corpus import Corpus, TextPipeline
from qdtm.corpus.storage import write_corpus
from qdtm.errors import CorpusError, StorageError
from qdtm.storage.folders import MANIFEST, seal, sha256_of

TEXTS = ["Fires near Sydney.", "", "The fires burn, Sydney burns!"]


def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS, ids=["a", "b", "c"], fields={"year": [1, 2, 3]})


@pytest.fixture
def saved(tmp_path) -> Path:
    corpus().save(tmp_path / "saved")
    return tmp_path / "saved"


def rewrite_manifest(folder: Path, **changes) -> None:
    """Make a manifest that lies well: its checksums are right."""
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["content"].update(changes.pop("content", {}))
    manifest.update(changes)
    for name in manifest["files"]:
        path = folder / name
        manifest["files"][name] = {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
    (folder / MANIFEST).write_bytes(seal(manifest))


def assert_equal(first: Corpus, second: Corpus) -> None:
    assert first.fingerprint == second.fingerprint
    assert first.vocabulary == second.vocabulary
    assert first.pipeline == second.pipeline
    assert list(first.documents) == list(second.documents)
    assert first.documents.field_names == second.documents.field_names
    np.testing.assert_array_equal(first.tokens, second.tokens)
    np.testing.assert_array_equal(first.offsets, second.offsets)


def test_saved_corpus_comes_back(saved):
    loaded = Corpus.load(saved)
    assert_equal(loaded, corpus())
    assert loaded.encode(["fires"]).tokens.tolist() == corpus().encode(["fires"]).tokens.tolist()


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=25,
    deadline=None,
    derandomize=True,
)
@given(st.lists(st.text(max_size=20), max_size=6), st.booleans())
def test_any_corpus_comes_back(tmp_path, texts, streamed):
    texts = [text.encode("utf-8", "replace").decode("utf-8") for text in [*texts, "sentinel"]]
    original = Corpus.from_texts(iter(texts) if streamed else texts, pipeline=TextPipeline.plain())
    original.save(tmp_path / "any", force=True)
    assert_equal(Corpus.load(tmp_path / "any"), original)


def test_same_corpus_same_bytes(tmp_path):
    for name in ("one", "two"):
        corpus().save(tmp_path / name)
        Corpus.from_texts(iter(TEXTS)).save(tmp_path / f"{name} streamed")
    for suffix in ("", " streamed"):
        files = sorted(path.name for path in (tmp_path / f"one{suffix}").iterdir())
        assert files == [
            "arrays.safetensors",
            "distinct.safetensors",
            "documents.sqlite",
            "qdtm.json",
            "vocabulary.json",
        ]
        for file in files:
            assert (tmp_path / f"one{suffix}" / file).read_bytes() == (
                tmp_path / f"two{suffix}" / file
            ).read_bytes()


def test_loaded_in_another_process(saved):
    code = (
        "import sys; from qdtm.corpus import Corpus; corpus = Corpus.load(sys.argv[1]); "
        "print(corpus.fingerprint, corpus.documents[0].id)"
    )
    result = subprocess.run([sys.executable, "-c", code, saved], capture_output=True, text=True, check=True)
    assert result.stdout.split() == [corpus().fingerprint, "a"]


def test_saved_over_itself(saved):
    loaded = Corpus.load(saved)
    loaded.save(saved, force=True)
    assert_equal(Corpus.load(saved), corpus())
    assert loaded.documents[0].id == "a"


def test_place_that_is_taken(saved, tmp_path):
    with pytest.raises(StorageError, match="already holds a saved result; use force"):
        corpus().save(saved)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.doc").write_text("years of work")
    with pytest.raises(StorageError, match="holds other files"):
        corpus().save(tmp_path / "mine", force=True)
    assert (tmp_path / "mine" / "thesis.doc").read_text() == "years of work"


def test_corpus_inside_another_result(tmp_path):
    (tmp_path / "inside").mkdir()
    write_corpus(corpus(), tmp_path / "inside")
    assert_equal(Corpus.load(tmp_path / "inside"), corpus())


def test_function_must_be_given_again(tmp_path):
    pipeline = TextPipeline(tokenizer=str.split, stop_words=None)
    Corpus.from_texts(["hello world"], pipeline=pipeline).save(tmp_path / "saved")
    loaded = Corpus.load(tmp_path / "saved")
    assert loaded.vocabulary == ("hello", "world")
    assert loaded.encode([["world"]]).tokens.tolist() == [1]  # ready tokens need no tokenizer
    with pytest.raises(CorpusError, match="could not be saved with it; load the corpus with pipeline="):
        loaded.encode(["hello"])
    assert Corpus.load(tmp_path / "saved", pipeline=pipeline).encode(["hello"]).tokens.tolist() == [0]


def test_texts_stay_on_disk_until_shown(saved):
    loaded = Corpus.load(saved)
    assert loaded.documents._connection is not None
    loaded.documents.close()
    shutil.rmtree(saved)
    assert loaded.n_tokens == corpus().n_tokens
    with pytest.raises(StorageError, match="Cannot read the documents"):
        loaded.documents[0]


# --- damage ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arrays.safetensors", "documents.sqlite", "vocabulary.json"])
def test_any_changed_or_missing_file_is_noticed(saved, name):
    data = bytearray((saved / name).read_bytes())
    data[len(data) // 2] ^= 1
    (saved / name).write_bytes(data)
    with pytest.raises(StorageError, match=f"damaged: '{name}' is not as it was saved"):
        Corpus.load(saved)
    (saved / name).unlink()
    with pytest.raises(StorageError, match=f"damaged: '{name}' is missing"):
        Corpus.load(saved)


@pytest.mark.parametrize(
    ("tokens", "offsets", "dtype"),
    [
        ([0, 99], [0, 1, 1, 2], "int32"),
        ([0, -1], [0, 1, 1, 2], "int32"),
        ([0, 1], [0, 2, 1, 2], "int32"),
        ([0, 1], [0, 1, 2], "int32"),
        ([0, 1], [0, 1, 1, 2**60], "int32"),
        ([0, 1], [0, 1, 1, 2], "int64"),
        ([[0, 1]], [0, 1, 1, 2], "int32"),
        ([0, 1], [0, 1, 1, 2], "int32"),  # all fits, but it is another corpus
    ],
)
def test_arrays_that_lie(saved, tokens, offsets, dtype):
    arrays = {"tokens": np.array(tokens, dtype=dtype), "offsets": np.array(offsets, dtype="int64")}
    save_file(arrays, saved / "arrays.safetensors")
    rewrite_manifest(saved)
    with pytest.raises(StorageError, match="damaged") as caught:
        Corpus.load(saved)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"\xff" * 100, (2**62).to_bytes(8, "little") + b"{}", b"\x02" + bytes(7) + b"{}"]
)
def test_arrays_that_are_none(saved, data):
    (saved / "arrays.safetensors").write_bytes(data)
    rewrite_manifest(saved)
    with pytest.raises(StorageError, match="damaged"):
        Corpus.load(saved)


@pytest.mark.parametrize("words", [["a"], {"a": 1}, ["a", 1, "c"], ["fire", "fire", "burn"], "x"])
def test_vocabulary_that_lies(saved, words):
    (saved / "vocabulary.json").write_text(json.dumps(words))
    rewrite_manifest(saved)
    with pytest.raises(StorageError, match="damaged"):
        Corpus.load(saved)


def test_documents_that_are_too_few(saved):
    connection = sqlite3.connect(saved / "documents.sqlite")
    connection.execute("DELETE FROM documents WHERE row = 2")
    connection.commit()
    connection.close()
    rewrite_manifest(saved)
    with pytest.raises(StorageError, match="3 documents as tokens and 2 as texts"):
        Corpus.load(saved)


def test_file_that_the_manifest_does_not_name(saved):
    manifest = json.loads((saved / MANIFEST).read_text())
    del manifest["files"]["vocabulary.json"]
    (saved / MANIFEST).write_bytes(seal(manifest))
    with pytest.raises(StorageError, match=r"'vocabulary\.json' is missing"):
        Corpus.load(saved)


@pytest.mark.parametrize(
    "content", [{"pipeline": {}}, {"pipeline": None}, {"pipeline": 3}, {"fingerprint": "0"}]
)
def test_content_that_lies(saved, content):
    rewrite_manifest(saved, content=content)
    with pytest.raises(StorageError, match="damaged"):
        Corpus.load(saved)


def test_newer_corpus(saved):
    rewrite_manifest(saved, version=5)
    with pytest.raises(
        StorageError, match=r"saved by a newer qdtm \(schema 5, this one reads up to 4\); upgrade qdtm"
    ):
        Corpus.load(saved)
