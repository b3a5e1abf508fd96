import csv
import gzip
from types import SimpleNamespace

import pytest

from qdtm.errors import CorpusError, ParameterError
from qdtm.evaluation.datasets import load_whole, whole

from .test_natural import ROWS, folder  # noqa: F401
from .test_raw import RECORD, fake_fetch, put


def test_tagmynews_has_every_category_as_it_is(monkeypatch, tmp_path):
    records = [("u.s. bank", "sold", "business"), ("us vote", "won", "us")]
    content = "".join(RECORD.format(*record) for record in records).encode()
    put(monkeypatch, tmp_path, "TAGMYNEWS", content, compress=True)
    assert load_whole("tagmynews", tmp_path) == ("u.s. bank. sold", "us vote. won")


def test_newsgroups_are_all_twenty(monkeypatch, tmp_path):
    calls = fake_fetch(monkeypatch, SimpleNamespace(data=["post"], target=[3]))
    put(monkeypatch, tmp_path, "NEWSGROUPS_CACHE", b"posts")
    assert load_whole("20news", tmp_path) == ("post",)
    assert calls[0]["categories"] is None
    assert calls[0]["remove"] == ("headers", "footers", "quotes")


def test_articles_have_title_and_abstract(tmp_path):
    path = tmp_path / whole.ANTHOLOGY
    path.parent.mkdir()
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "title", "abstract"], ["1", "A, b", "Of\nc"], ["2", "D", ""]])
    assert load_whole("acl_anthology", tmp_path) == ("A, b. Of\nc", "D. ")


def test_natural_ones_are_their_texts(folder):  # noqa: F811
    assert load_whole("ohsumed23", folder) == tuple(row["text"] for row in ROWS)


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"There is no corpus 'reuters'\. Choose one of 20news"):
        load_whole("reuters", tmp_path)
    with pytest.raises(CorpusError, match="is not in the data folder"):
        load_whole("acl_anthology", tmp_path)
