import gzip
import hashlib
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest

from qdtm.errors import CorpusError
from qdtm.evaluation.datasets import load_raw, raw
from qdtm.evaluation.datasets.download import RemoteFile

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
