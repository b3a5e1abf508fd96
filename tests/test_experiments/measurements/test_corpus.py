"""The measurement of the corpus makes the same documents again, and every stage of it runs."""

import pytest

from experiments.measurements import corpus
from qdtm import Corpus

N_DOCUMENTS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made up")
    corpus.write_documents(folder / "texts.csv", N_DOCUMENTS)
    return folder


def test_documents_are_the_same_each_time(folder, tmp_path):
    corpus.write_documents(tmp_path / "again.csv", N_DOCUMENTS)
    assert (tmp_path / "again.csv").read_bytes() == (folder / "texts.csv").read_bytes()


def test_stages_index_and_ask(folder, monkeypatch):
    monkeypatch.setattr(corpus, "QUERY", "world")
    for name in corpus.STAGES:
        seconds, cpu_seconds, peak = corpus.run_stage(name, folder)
        assert min(seconds, cpu_seconds, peak) > 0, name
    assert Corpus.load(folder / "index").n_documents == N_DOCUMENTS
