"""The benchmark of the corpus makes the same documents again, and every stage of it runs."""

import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "corpus.py"
N_DOCUMENTS = 300


@pytest.fixture(scope="module")
def benchmark():
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def folder(benchmark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made up")
    benchmark["write_documents"](folder / "texts.csv", N_DOCUMENTS)
    return folder


def test_documents_are_the_same_each_time(benchmark, folder, tmp_path):
    benchmark["write_documents"](tmp_path / "again.csv", N_DOCUMENTS)
    assert (tmp_path / "again.csv").read_bytes() == (folder / "texts.csv").read_bytes()


def test_stages_index_and_ask(benchmark, folder, monkeypatch):
    run_stage = benchmark["run_stage"]
    monkeypatch.setitem(run_stage.__globals__, "QUERY", "world")
    for name in benchmark["STAGES"]:
        seconds, cpu_seconds, peak = run_stage(name, folder)
        assert min(seconds, cpu_seconds, peak) > 0, name
    from qdtm import Corpus

    assert Corpus.load(folder / "index").n_documents == N_DOCUMENTS
