"""A result of an index refers to it: it is small, finds it where it went, and says so if it is gone."""

import csv
import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus import TextPipeline
from qdtm.errors import ParameterError, StorageError
from qdtm.results.result import Result
from qdtm.results.storage import VERSION, save_model
from qdtm.storage.folders import load_json, write_manifest

from .synthetic import make_corpus, make_fit


@pytest.fixture
def home(tmp_path):
    """Return a folder with an index and a result that refers to it."""
    home = tmp_path / "home"
    make_corpus().save(home / "index")
    corpus = Corpus.load(home / "index")
    save_model(home / "result", make_fit(corpus), corpus)
    return home


def about(path):
    return load_json(path / "qdtm.json")["content"]["corpus"]


def one_line(path, **options):
    """Return what is said when a result cannot be opened."""
    with pytest.raises(StorageError) as raised:
        Result.load(path, **options)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def rows_of(path):
    with (path / "documents.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# --- where it is -------------------------------------------------------------------------------------------


def test_a_result_of_an_index_refers_to_it(home):
    assert sorted(path.name for path in (home / "result").iterdir()) == [
        *("documents.csv", "model.safetensors", "qdtm.json", "topics.csv"),
    ]
    corpus = Corpus.load(home / "index")
    assert about(home / "result") == {
        "fingerprint": corpus.fingerprint,
        "path": "../index",
        "absolute": str(home / "index"),
    }
    result = Result.load(home / "result")
    assert result.corpus.location == home / "index"
    assert result.corpus.documents[0].text.startswith("Cricket test match")


def test_a_corpus_that_was_not_loaded_is_copied(tmp_path, corpus, fit):
    save_model(tmp_path / "result", fit, corpus)
    assert corpus.location is None
    assert about(tmp_path / "result") == {"fingerprint": corpus.fingerprint}
    assert Result.load(tmp_path / "result").corpus.location is None


def test_standalone_copies_it(home):
    Result.load(home / "result").save(home / "alone", standalone=True)
    shutil.rmtree(home / "index")
    alone = Result.load(home / "alone")
    assert alone.corpus.documents[0].id == "doc-0"
    alone.save(home / "again")  # stays what it is
    assert (home / "again" / "corpus" / "qdtm.json").is_file()


def test_moved_together(home, tmp_path):
    moved = home.rename(tmp_path / "elsewhere")
    assert Result.load(moved / "result").corpus.location == moved / "index"


def test_moved_alone(home, tmp_path):
    (tmp_path / "far" / "away").mkdir(parents=True)
    moved = (home / "result").rename(tmp_path / "far" / "away" / "result")
    assert Result.load(moved).corpus.location == home / "index"


def test_links_are_followed_on_both_sides(home, tmp_path):
    (tmp_path / "link").symlink_to(home / "result")
    assert Result.load(tmp_path / "link").corpus.n_documents == 10
    (home / "index").rename(tmp_path / "large-disk")
    (home / "index").symlink_to(tmp_path / "large-disk")
    moved = home.rename(tmp_path / "elsewhere")
    assert Result.load(moved / "result").corpus.location == moved / "index"
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(moved / "result")
    assert Result.load(tmp_path / "link").corpus.location == moved / "index"


def test_named_from_another_folder(home, monkeypatch):
    monkeypatch.chdir(home)
    corpus = Corpus.load("index")
    save_model("sub/result", make_fit(corpus), corpus)
    assert about(home / "sub" / "result")["path"] == "../../index"
    monkeypatch.chdir("/")
    assert Result.load(home / "sub" / "result").corpus.n_documents == 10


def test_the_index_is_gone(home):
    shutil.rmtree(home / "index")
    said = one_line(home / "result")
    for part in (str(home / "result"), "is gone", str(home / "index"), "--index", "corpus=", "--standalone"):
        assert part in said
    assert said.count(str(home / "index")) == 1  # each place once


def test_the_index_is_another(home):
    make_corpus(["fire and wind", "wind and fire"]).save(home / "index", force=True)
    said = one_line(home / "result")
    assert "is another one (the fingerprint differs)" in said
    shutil.rmtree(home / "index")
    shutil.copytree(home / "result", home / "index")  # a result, not even a corpus
    assert "is another one" in one_line(home / "result")


def test_one_that_stands_in_its_place_does_not_hide_it(home, tmp_path):
    (tmp_path / "far").mkdir()
    moved = (home / "result").rename(tmp_path / "far" / "result")
    make_corpus(["fire and wind", "wind and fire"]).save(tmp_path / "far" / "index")
    assert Result.load(moved).corpus.location == home / "index"


def test_a_damaged_index_is_one_line(home):
    (home / "index" / "vocabulary.json").write_text("[]")
    assert "'vocabulary.json' is not as it was saved" in one_line(home / "result")
    (home / "index" / "qdtm.json").write_text("{")
    assert "is damaged" in one_line(home / "result")


def test_an_index_at_another_place_is_given(home, tmp_path):
    moved = (home / "index").rename(tmp_path / "moved")
    for given in (moved, str(moved), Corpus.load(moved)):
        result = Result.load(home / "result", corpus=given)
        assert result.corpus.location == moved
    assert QueryDrivenTopicModel.load(home / "result", corpus=moved).corpus_.n_documents == 10
    result.save(home / "result", force=True)
    assert Result.load(home / "result").corpus.location == moved
    make_corpus(["fire and wind", "wind and fire"]).save(tmp_path / "other")
    assert "is not the index of" in one_line(home / "result", corpus=tmp_path / "other")
    assert "There is no folder" in one_line(home / "result", corpus=tmp_path / "none")
    result.save(home / "alone", standalone=True)
    with pytest.raises(ParameterError, match="has its corpus inside"):
        Result.load(home / "alone", corpus=moved)


def test_a_result_in_the_place_of_its_index_keeps_a_copy(home):
    corpus = Corpus.load(home / "index")
    save_model(home / "index", make_fit(corpus), corpus, force=True)
    assert Result.load(home / "index").corpus.n_documents == 10


def test_a_cache_is_no_place_to_rely_on(home, monkeypatch):
    monkeypatch.setenv("QDTM_CACHE", str(home))
    Result.load(home / "result").save(home / "other")
    assert (home / "other" / "corpus").is_dir()


def test_the_corpus_inside_a_result_is_no_index(home):
    Result.load(home / "result").save(home / "alone", standalone=True)
    corpus = Corpus.load(home / "alone" / "corpus")
    assert corpus.location is None
    save_model(home / "alone", make_fit(corpus), corpus, force=True)
    assert Result.load(home / "alone").corpus.n_documents == 10


def test_only_the_paths_depend_on_the_place(home, tmp_path):
    shutil.copytree(home / "index", tmp_path / "deep" / "index")
    corpus = Corpus.load(tmp_path / "deep" / "index")
    save_model(tmp_path / "result", make_fit(corpus), corpus)
    for name in ("model.safetensors", "topics.csv", "documents.csv"):
        assert (home / "result" / name).read_bytes() == (tmp_path / "result" / name).read_bytes()
    one, other = (load_json(path / "qdtm.json") for path in (home / "result", tmp_path / "result"))
    for manifest in (one, other):
        del manifest["content"]["corpus"]["path"], manifest["content"]["corpus"]["absolute"]
        del manifest["sha256"]
    assert json.dumps(one) == json.dumps(other)


# --- how large it is ---------------------------------------------------------------------------------------


def test_a_result_is_small_beside_its_index(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"word{w:04d}" for w in range(1_000)])
    drawn = (len(words) * rng.random((5_000, 30)) ** 2).astype(int)
    texts = [" ".join(words[row]) for row in drawn]
    Corpus.from_texts(texts, pipeline=TextPipeline(language=None)).save(tmp_path / "index")
    corpus = Corpus.load(tmp_path / "index")
    fit = make_fit(corpus, queries=["word0900"], n_subtopics=(5,), n_background=8)
    save_model(tmp_path / "result", fit, corpus)
    save_model(tmp_path / "alone", fit, corpus, standalone=True)
    index, result, alone = (
        sum(path.stat().st_size for path in (tmp_path / name).rglob("*") if path.is_file())
        for name in ("index", "result", "alone")
    )
    assert result < 0.12 * index
    assert alone > 0.5 * index
    arrays = load_file(tmp_path / "result" / "model.safetensors")
    assert arrays["token_topics"].nbytes == corpus.n_tokens
    assert len(arrays["token_promoted"]) == (fit.token_topics == 0).sum()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("strength.0.rows", lambda rows: rows[::-1]),
        ("strength.0.rows", lambda rows: rows + 10),
        ("strength.0.rows", lambda rows: rows - 10),
        ("strength.0.rows", lambda rows: rows[:-1]),
        ("strength.1.values", lambda values: values[:-1]),
        ("strength.1.values", lambda values: values * np.nan),
        ("strength.1.values", lambda values: values + 2),
        ("token_subtopics", lambda values: values[:-1]),
        ("token_subtopics", lambda values: values + 100),
        ("token_promoted", lambda values: np.append(values, values)),
        ("token_topics", lambda topics: topics[:-1]),
        ("token_topics", lambda topics: topics + 200),
        ("token_topics", lambda topics: np.zeros_like(topics)),
        ("token_topics", lambda topics: topics.astype(np.int32)),
        ("relevance", lambda relevance: relevance[:-1]),
    ],
)
def test_damaged_arrays_are_refused_in_one_line(home, name, change):
    path = home / "result" / "model.safetensors"
    arrays = load_file(path)
    save_file(arrays | {name: np.ascontiguousarray(change(arrays[name]))}, path)
    content = load_json(home / "result" / "qdtm.json")["content"]
    (home / "result" / "qdtm.json").unlink()
    write_manifest(home / "result", kind="model", version=VERSION, content=content)
    assert "is damaged" in one_line(home / "result")


# --- which documents are listed ----------------------------------------------------------------------------


def test_documents_are_those_about_a_query_in_the_order_of_the_corpus(home):
    result = Result.load(home / "result")
    about = np.stack([result.relevance(q).about for q in range(2)], axis=1)
    rows = rows_of(home / "result")
    expected = [(f"doc-{j}", ("cricket", "fire")[q]) for j, q in zip(*about.nonzero(), strict=True)]
    assert [(row["document"], row["query"]) for row in rows] == expected
    assert 0 < len(rows) < 10
    assert {row["about"] for row in rows} == {"yes"}


def test_all_documents_are_listed_if_wanted_and_that_is_remembered(home):
    result = Result.load(home / "result")
    result.save(home / "all", all_documents=True)
    assert [row["document"] for row in rows_of(home / "all")] == [f"doc-{j // 2}" for j in range(20)]
    some = rows_of(home / "result")
    assert [row for row in rows_of(home / "all") if row["about"] == "yes"] == some
    again = Result.load(home / "all")
    again.save(home / "again")
    assert len(rows_of(home / "again")) == 20
    again.save(home / "again", force=True, all_documents=False)
    assert rows_of(home / "again") == some


def test_nothing_about_any_query_is_an_empty_table(tmp_path, corpus):
    nothing = np.zeros((10, 2), np.float32)
    save_model(tmp_path / "m", make_fit(corpus, relevance=nothing, strength=nothing), corpus)
    assert rows_of(tmp_path / "m") == []
