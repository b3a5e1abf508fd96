"""A saved model comes back equal, gives the same bytes each time, and a damaged one is refused."""

import json
import shutil
from dataclasses import fields, replace

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.errors import ParameterError, StorageError
from qdtm.evidence.word_evidence import WordEvidence
from qdtm.results.fit import ModelFit, Presentation
from qdtm.results.promotion import RelatedWords
from qdtm.results.relevance import with_words_about
from qdtm.results.storage import VERSION, load_model, save_model
from qdtm.sampler.trace import Trace
from qdtm.storage.folders import load_json, sha256_of, write_manifest

from .synthetic import make_corpus, make_fit, make_trace


@pytest.fixture
def saved(tmp_path, corpus, fit):
    save_model(tmp_path / "model", fit, corpus)
    return tmp_path / "model"


def assert_equal(left, right):
    for field in fields(left):
        a, b = getattr(left, field.name), getattr(right, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, field.name
            assert a.shape == b.shape, field.name
            assert (a == b).all(), field.name
        elif isinstance(a, Trace | WordEvidence):
            assert_equal(a, b)
        elif isinstance(a, tuple) and a and isinstance(a[0], np.ndarray | Trace | RelatedWords):
            assert len(a) == len(b)
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(x, y) if isinstance(x, np.ndarray) else assert_equal(x, y)
        else:
            assert a == b, field.name


def bytes_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_saved_model_comes_back_equal(saved, corpus, fit):
    loaded, its_corpus = load_model(saved)
    assert isinstance(loaded, ModelFit)
    assert_equal(with_words_about(fit, corpus), loaded)
    assert its_corpus.fingerprint == corpus.fingerprint
    assert [d.text for d in its_corpus.documents] == [d.text for d in corpus.documents]
    assert sorted(path.name for path in saved.iterdir()) == [
        *("corpus", "documents.csv", "model.safetensors", "qdtm.json", "topics.csv"),
    ]


def test_without_subtopics_background_or_threshold(tmp_path, corpus):
    changes = {"subtopic_traces": (), "threshold": None, "parent_trace": make_trace(0)}
    fit = make_fit(corpus, n_background=0, n_subtopics=(0, 0), **changes)
    save_model(tmp_path / "m", fit, corpus)
    assert_equal(with_words_about(fit, corpus), load_model(tmp_path / "m")[0])


def test_labels_and_columns_come_back(tmp_path, corpus):
    shown = Presentation({"0.1": "<b>Ashes</b>", "b1": "ביקורת"}, "year", "%Y", "note")
    save_model(tmp_path / "m", make_fit(corpus, presentation=shown), corpus)
    assert load_model(tmp_path / "m")[0].presentation == shown


def test_what_an_older_version_saved_has_to_be_fitted_anew(saved):
    rewrite(saved, version=VERSION - 1)
    with pytest.raises(StorageError, match=r"was saved by an older version of qdtm; fit it anew\.$"):
        load_model(saved)


def test_the_same_fit_gives_the_same_bytes(tmp_path, saved):
    save_model(tmp_path / "again", make_fit(make_corpus()), make_corpus())
    assert bytes_of(tmp_path / "again") == bytes_of(saved)


def test_saving_what_was_loaded_gives_the_same_bytes(tmp_path, saved):
    save_model(tmp_path / "copy", *load_model(saved))
    assert bytes_of(tmp_path / "copy") == bytes_of(saved)


def test_replaces_only_with_force(saved, corpus, fit):
    before = bytes_of(saved)
    with pytest.raises(StorageError, match="--force"):
        save_model(saved, fit, corpus)
    assert bytes_of(saved) == before
    save_model(saved, replace(fit, beta=0.25), corpus, force=True)
    assert load_model(saved)[0].beta == 0.25
    assert list(saved.parent.iterdir()) == [saved]


def test_replacing_itself(saved):
    before = bytes_of(saved)
    save_model(saved, *load_model(saved), force=True)
    assert bytes_of(saved) == before


def test_refuses_another_corpus(tmp_path, fit):
    with pytest.raises(ParameterError, match="not the one"):
        save_model(tmp_path / "m", fit, make_corpus(["fire and wind", "cricket and wind"]))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(tmp_path, corpus, fit, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("qdtm.results.storage.save_csv", full)
    with pytest.raises(StorageError, match="No space left"):
        save_model(tmp_path / "m", fit, corpus)
    assert list(tmp_path.iterdir()) == []


def test_lone_surrogates_do_not_stop_the_table(tmp_path):
    corpus = Corpus.from_texts(["fire \ud800 wind", "wind fire"])
    fit = make_fit(corpus, queries=["fire"], n_subtopics=(1,))
    save_model(tmp_path / "m", fit, corpus)
    assert "fire ? wind" in (tmp_path / "m" / "documents.csv").read_text("utf-8")


def test_wrong_places(tmp_path, saved):
    with pytest.raises(StorageError, match="There is no folder"):
        load_model(tmp_path / "nowhere")
    with pytest.raises(StorageError, match=r"no qdtm\.json"):
        load_model(tmp_path)
    with pytest.raises(StorageError, match="holds a saved corpus, not a model"):
        load_model(saved / "corpus")


def test_newer(saved):
    rewrite(saved, version=VERSION + 1)
    with pytest.raises(StorageError, match="newer qdtm"):
        load_model(saved)


@pytest.mark.parametrize("name", ["model.safetensors", "corpus/documents.sqlite", "qdtm.json"])
def test_every_byte_counts(saved, name):
    data = bytearray((saved / name).read_bytes())
    data[len(data) // 2] ^= 0xFF
    (saved / name).write_bytes(bytes(data))
    with pytest.raises(StorageError):
        load_model(saved)


@pytest.mark.parametrize("name", ["model.safetensors", "corpus/qdtm.json"])
def test_every_file_counts(saved, name):
    (saved / name).unlink()
    with pytest.raises(StorageError, match="missing"):
        load_model(saved)


@pytest.mark.parametrize("name", ["topics.csv", "documents.csv"])
def test_a_table_for_people_may_be_edited_or_taken_away(saved, name):
    (saved / name).write_text("opened and saved by a spreadsheet")
    load_model(saved)
    (saved / name).unlink()
    load_model(saved)


def rewrite(folder, change=None, version=VERSION):
    """Change what a manifest says and make it consistent again: a lie, not damage."""
    manifest = load_json(folder / "qdtm.json")
    content = manifest["content"]
    if change:
        change(content)
    (folder / "qdtm.json").unlink()
    write_manifest(folder, kind="model", version=version, content=content)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.clear(),
        lambda c: c.update(beta=-1),
        lambda c: c.update(beta="much"),
        lambda c: c.update(beta=1e308),
        lambda c: c.update(concepts=[]),
        lambda c: c.update(concepts=c["concepts"][:1]),
        lambda c: c.update(concepts={"a": 1}),
        lambda c: c["concepts"][0].update(words=3),
        lambda c: c["concepts"][0]["words"][0].update(index=10**9),
        lambda c: c["concepts"][0]["words"][0].update(index="1"),
        lambda c: c["concepts"][0]["words"][0].update(index=1.5),
        lambda c: c["concepts"][0]["words"][0].update(word="other"),
        lambda c: c["concepts"][0]["words"][0].update(documents=[10**6]),
        lambda c: c["concepts"][0]["words"][0].update(documents=["a"]),
        lambda c: c["concepts"][0].update(name=3),
        lambda c: c.update(traces={}),
        lambda c: c.update(traces=[1, 2, 3]),
        lambda c: c["traces"].pop("trace.subtopics.1"),
        lambda c: c["traces"]["trace.parents"].update(n_sweeps="x"),
        lambda c: c.update(subtopic_rest=[0.0]),
        lambda c: c.update(subtopic_rest=[2.0, 0.0]),
        lambda c: c.update(threshold=[]),
        lambda c: c.update(parameters=3),
        lambda c: c["parameters"].update(min_prevalence={}),
        lambda c: c["parameters"].update(encoder={"not_saved": "function", "x": 1}),
        lambda c: c.update(versions=None),
        lambda c: c.update(token_types=["float64", "int8"]),
        lambda c: c.update(token_types=["uint8", "float64"]),
        lambda c: c.update(token_types=["uint8"]),
        lambda c: c.update(token_types=3),
        lambda c: c.update(related=1),
        lambda c: c.update(presentation={"labels": {}, "time_column": 3}),
        lambda c: c["presentation"].update(all_documents="yes"),
        lambda c: c["corpus"].update(fingerprint="0" * 64),
        lambda c: c["corpus"].update(path="../nowhere"),
        lambda c: c["corpus"].update(path="../nowhere", absolute="/nowhere"),
        lambda c: c["corpus"].update(path="a\0b", absolute="\ud800"),
        lambda c: c["corpus"].update(path="9" * 5_000, absolute="/" + "9" * 5_000),
        lambda c: c["corpus"].clear(),
        lambda c: c.update(corpus="here"),
    ],
)
def test_lies_are_refused_in_one_line(saved, change):
    rewrite(saved, change)
    with pytest.raises(StorageError) as raised:
        load_model(saved)
    assert "\n" not in str(raised.value)


def test_arrays_of_another_model_are_refused(tmp_path, saved, corpus):
    other = make_fit(corpus, n_subtopics=(2, 3), n_background=2, seed=1)
    save_model(tmp_path / "other", other, corpus)
    tokens = make_corpus([*(d.text for d in corpus.documents), "wind"])
    save_model(tmp_path / "longer", make_fit(tokens), tokens)
    shutil.copy(tmp_path / "longer" / "model.safetensors", saved / "model.safetensors")
    rewrite(saved)
    with pytest.raises(StorageError, match="do not fit together"):
        load_model(saved)


def test_a_corpus_swapped_inside_is_refused(tmp_path, saved):
    tokens = make_corpus(["cricket match wind", "fire wind"])
    shutil.rmtree(saved / "corpus")
    tokens.save(saved / "corpus")
    rewrite(saved)
    with pytest.raises(StorageError):
        load_model(saved)


def test_the_manifest_is_plain_json_with_checksums(saved):
    manifest = json.loads((saved / "qdtm.json").read_text("ascii"))
    assert (manifest["kind"], manifest["version"]) == ("model", VERSION)
    assert manifest["files"]["model.safetensors"]["sha256"] == sha256_of(saved / "model.safetensors")
