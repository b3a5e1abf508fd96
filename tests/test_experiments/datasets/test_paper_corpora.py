import gzip
import hashlib
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest

from experiments.datasets import paper_corpora as loading
from experiments.datasets import paper_corpora as raw
from experiments.datasets.concepts import concepts_of
from experiments.datasets.files import RemoteFile
from experiments.datasets.paper_corpora import (
    STOP_WORDS,
    RawTexts,
    experiment_pipeline,
    load_dataset,
    load_raw,
    treebank_words,
)
from qdtm.errors import CorpusError

RECORD = "{}\r\n{}\r\nhttp://x\r\n1\r\n04 May 2011\r\nnyt\r\n{}\r\n\r\n"


def put(monkeypatch, folder, constant: str, content: bytes, *, compress: bool = False) -> None:
    """Write a corpus file and make its checksum the expected one."""
    known: RemoteFile = getattr(raw, constant)
    (folder / "corpora").mkdir(exist_ok=True)
    (folder / "corpora" / known.name).write_bytes(gzip.compress(content) if compress else content)
    monkeypatch.setattr(raw, constant, RemoteFile(known.name, known.url, hashlib.sha256(content).hexdigest()))


def test_tagmynews_joins_title_and_description(monkeypatch, tmp_path):
    records = [
        ("a game", "of two halves", "sport"),
        ("left", "out", "us"),
        ("u.s. bank", "sold to us, in u.s markets; bus", "business"),
        ("left", "out too", "world"),
    ]
    content = "".join(RECORD.format(*record) for record in records).encode()
    put(monkeypatch, tmp_path, "TAGMYNEWS", content, compress=True)
    corpus = load_raw("tagmynews", tmp_path)
    assert corpus.texts == ("a game of two halves", "usa bank sold to usa, in usa markets; bus")
    assert [corpus.categories[label] for label in corpus.labels] == ["sport", "business"]


def test_searchsnippets_labels_start_from_zero(monkeypatch, tmp_path):
    put(monkeypatch, tmp_path, "SNIPPETS", b"first \nsecond ")
    put(monkeypatch, tmp_path, "SNIPPET_LABELS", b"8\n1")
    corpus = load_raw("searchsnippets", tmp_path)
    assert [text.strip() for text in corpus.texts] == ["first", "second"]
    assert [corpus.categories[label] for label in corpus.labels] == ["Sports", "Business"]


def test_searchsnippets_needs_a_label_for_each_snippet(monkeypatch, tmp_path):
    put(monkeypatch, tmp_path, "SNIPPETS", b"first \nsecond ")
    put(monkeypatch, tmp_path, "SNIPPET_LABELS", b"8")
    with pytest.raises(CorpusError, match="2 snippets and 1 labels"):
        load_raw("searchsnippets", tmp_path)


def fake_fetch(monkeypatch, answer) -> list[dict]:
    """Replace scikit-learn's fetcher; return the list of the arguments it was called with."""
    calls = []

    def fetch(**arguments):
        calls.append(arguments)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fetch)
    return calls


def test_newsgroups_pickle_is_checked_before_scikit_learn_reads_it(monkeypatch, tmp_path):
    calls = fake_fetch(monkeypatch, SimpleNamespace(data=["post"], target=[3]))
    put(monkeypatch, tmp_path, "NEWSGROUPS_CACHE", b"posts")
    corpus = load_raw("20news", tmp_path)
    np.testing.assert_array_equal(corpus.labels, [3])
    assert calls[0]["data_home"] == tmp_path / "corpora"
    assert not calls[0]["download_if_missing"]

    (tmp_path / "corpora" / raw.NEWSGROUPS_CACHE.name).write_bytes(b"something else")
    with pytest.raises(CorpusError, match="is not the file of the experiments"):
        load_raw("20news", tmp_path)
    assert len(calls) == 1


def test_newsgroups_offline_is_one_clear_line(monkeypatch, cache_folder):
    calls = fake_fetch(monkeypatch, URLError("no route to host"))
    told = []
    with pytest.raises(CorpusError, match=r"^Cannot download 20news-.*\(no route to host\)\. Connect to"):
        load_raw("20news", progress=lambda *step: told.append(step))
    assert calls[0]["data_home"] == cache_folder / "corpora"
    assert calls[0]["download_if_missing"]
    assert told == [("20news-bydate_py3.pkz", 0, None)]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        (
            "20news",
            [799, 973, 982, 963, 975, 990, 996, 994, 999, 991, 984, 990, 987, 997, 910, 940],
        ),
        ("tagmynews", [5367, 3286, 1851, 2872, 8190]),
        ("searchsnippets", [1499, 1500, 2189, 2653, 369, 1175, 1495, 1415]),
    ],
)
def test_real_corpora_have_their_documents(data_folder, name, counts):
    corpus = load_raw(name, data_folder)
    assert len(corpus.texts) == sum(counts)
    np.testing.assert_array_equal(np.bincount(corpus.labels), counts)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a dog, a cat: two (2) pets!", ["a", "dog", "a", "cat", "two", "2", "pets"]),
        ("well-known and/or comp.graphics don_t", ["don_t"]),
        ("It's theirs, isn't it? They'll go.", ["It", "theirs", "is", "it", "They", "go"]),
        ("players' 'quoted' word", ["players", "word"]),
        ("at 10:30, 5,000 paid $20; 50% left", ["at", "paid", "20", "50", "left"]),
        ("mail me@home now...then -- end.", ["mail", "me", "home", "now", "then", "end"]),
        ("one\ntwo.\nthree.", ["one", "two", "three"]),
        ("", []),
    ],
)
def test_plain_words(text, words):
    assert treebank_words(text) == words


@pytest.fixture
def stop_word_folder(tmp_path):
    (tmp_path / STOP_WORDS).parent.mkdir()
    (tmp_path / STOP_WORDS).write_text("the\nand\n")
    return tmp_path


def serve(monkeypatch, texts: list[str], labels: list[int]) -> None:
    categories = tuple(concept.category for concept in concepts_of("tagmynews"))
    raw = RawTexts(tuple(texts), np.array(labels), categories)
    monkeypatch.setattr(loading, "load_raw", lambda *_: raw)


def test_documents_too_short_or_too_long_are_left_out(monkeypatch, stop_word_folder):
    texts = [
        "the banks sell",
        "Banks sell shares",
        "banks sell " * 150,
        "banks sell " * 150 + "shares",
        "shares",
    ]
    serve(monkeypatch, texts * 3, [0, 1, 2, 3, 4] * 3)
    dataset = load_dataset("tagmynews", stop_word_folder)
    np.testing.assert_array_equal(dataset.labels, [1, 2] * 3)
    assert dataset.corpus.n_documents == 6
    assert dataset.corpus.vocabulary == ("bank", "sell", "share")
    assert dataset.concepts == concepts_of("tagmynews")


def test_words_in_fewer_than_three_documents_are_left_out(monkeypatch, stop_word_folder):
    serve(
        monkeypatch,
        ["bank sells shares", "bank sells bonds", "bank sells bonds and shares shares"],
        [0, 0, 1],
    )
    dataset = load_dataset("tagmynews", stop_word_folder)
    assert dataset.corpus.vocabulary == ("bank", "sell")
    assert dataset.corpus.n_documents == 3


def test_queries_go_through_the_same_pipeline(stop_word_folder):
    pipeline = experiment_pipeline(stop_word_folder)
    assert pipeline("The Graphics and well-known Armies of 1999") == ["graphic", "army", "of"]


def test_without_the_authors_stop_words_english_ones_stand_in(cache_folder):
    assert experiment_pipeline()("the armies of them") == ["army"]


@pytest.mark.parametrize(
    ("name", "n_documents", "tolerance", "n_words"),
    [
        pytest.param("20news", 14_269, 5, 5_000, marks=pytest.mark.slow),
        ("tagmynews", 21_565, 0, 5_000),
        ("searchsnippets", 12_276, 0, 3_827),
    ],
)
def test_real_corpora_have_the_counts_of_the_paper(data_folder, name, n_documents, tolerance, n_words):
    dataset = load_dataset(name, data_folder)
    assert dataset.corpus.n_documents == pytest.approx(n_documents, abs=tolerance)
    assert dataset.corpus.n_words == n_words
    assert len(np.unique(dataset.labels)) == len(dataset.concepts)
    for concept in dataset.concepts:
        words = dataset.corpus.pipeline(concept.query)
        assert words
        assert all(word in dataset.corpus.word_index for word in words)
