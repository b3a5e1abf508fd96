"""What a result can do, it can do over an index in parts: read, report, export, drill, add, transform."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from qdtm import QueryDrivenTopicModel
from qdtm.cli.main import cli
from qdtm.cluster.tasks import HereTasks, RayTasks
from qdtm.cluster.transforming import transform_in_parts
from qdtm.corpus import Corpus, CorpusWarning
from qdtm.corpus.building import read_options
from qdtm.errors import CorpusError, StorageError
from qdtm.present.export import export_result
from qdtm.results.result import Result
from qdtm.storage.array_store import ArrayStore
from qdtm.storage.mapped import is_mapped

from .conftest import OPTIONS


@pytest.fixture(scope="session")
def fitted(learned: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of a query of the index."""
    folder = tmp_path_factory.mktemp("result") / "penalty"
    QueryDrivenTopicModel("penalty", progress=None).fit(learned).save(folder)
    return folder


@pytest.fixture(scope="session")
def plain(whole: Corpus) -> QueryDrivenTopicModel:
    """The same on one machine, the corpus in memory."""
    return QueryDrivenTopicModel("penalty", progress=None).fit(whole)


def run(*arguments: object) -> str:
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.output


def test_a_result_refers_to_the_index_and_has_no_copy(fitted, learned):
    assert not (fitted / "corpus").exists()
    assert Result.load(fitted).corpus.location == learned.location


def test_what_it_has_of_every_token_lies_in_files(fitted, learned):
    """No process holds it: memory does not grow with the tokens."""
    model = QueryDrivenTopicModel("penalty", progress=None).fit(learned)
    for fit in (model.fit_, Result.load(fitted).fit):
        assert all(map(is_mapped, (fit.token_topics, fit.token_subtopics, fit.token_promoted)))


def test_documents_with_their_passages_are_the_same(fitted, plain):
    ours = Result.load(fitted)
    one, other = (each.documents("penalty", n=20).rows for each in (ours, plain.result_))
    assert [row.id for row in one] == [row.id for row in other]
    assert [str(row.passage) for row in one] == [str(row.passage) for row in other]
    relevance, theirs = ours.relevance("penalty"), plain.relevance("penalty")
    np.testing.assert_array_equal(relevance.scores, theirs.scores)
    assert relevance.cutoff == theirs.cutoff
    assert relevance.counted == theirs.counted


@pytest.mark.slow
def test_commands_take_it_as_any_other(fitted, tmp_path, plain):
    id = Result.load(fitted).documents("penalty", n=1).rows[0].id
    assert id in run("docs", fitted, "-n", 3)
    assert "penalty" in run("explain", fitted, "--doc", id)
    copy = tmp_path / "copy"
    shutil.copytree(fitted, copy)
    run("report", copy)
    assert "penalty" in (copy / "report.html").read_text("utf-8")
    tables = tmp_path / "tables"
    run("export", copy, "--format", "csv", "-o", tables, "--all-documents")
    export_result(plain.result_, theirs := tmp_path / "theirs", "csv", all_documents=True)
    for table in theirs.glob("*.csv"):
        if "setting" not in table.name:  # which say when and where it ran
            assert (tables / table.name).read_text("utf-8") == table.read_text("utf-8"), table.name
    run("add", copy, "-q", "river flood")
    drilled = CliRunner().invoke(cli, ["drill", str(copy), "0.1"])
    assert "Subtopic 0.1 does not split: the model finds one theme" in drilled.output  # as it was planted
    assert len(Result.load(copy).fit.concepts) == 2


def test_an_index_at_a_url_answers_too(place, learned, tmp_path):
    pytest.importorskip("fsspec")
    url = "memory://bucket/answers"
    store = ArrayStore(url)
    for file in Path(place).iterdir():
        store.write_bytes(file.name, file.read_bytes())
    model = QueryDrivenTopicModel("penalty", progress=None).fit(Corpus.load(url))
    model.save(tmp_path / "result")
    ours = Result.load(tmp_path / "result")
    assert ours.corpus.location == url
    assert "penalty" in ours.documents("penalty", n=1).rows[0].passage.lower()
    store.remove("part-00000.safetensors")
    assert Result.load(tmp_path / "result")  # its numbers are here by now
    store.clear()
    with pytest.raises(StorageError, match="memory://bucket/answers"):
        Result.load(tmp_path / "result")


class TestNewDocumentsInParts:
    @pytest.fixture
    def files(self, tmp_path):
        folder = tmp_path / "new"
        folder.mkdir()
        for n in range(3):
            texts = [f"the keeper saved penalty {n}", f"interest of {n} on a bank account", f"goal match {n}"]
            lines = ["name,text", *(f"d{n}-{k},{text}" for k, text in enumerate(texts))]
            (folder / f"f{n}.csv").write_text("\n".join(lines), "utf-8")
        return str(folder / "*")

    def test_the_tables_together_are_that_of_one_machine(self, fitted, files, tmp_path):
        goal = tmp_path / "scores"
        assert transform_in_parts(str(fitted), [files], OPTIONS, str(goal), HereTasks()) == 9
        run("transform", fitted, files, "--id-column", "name", "-o", tmp_path / "one.csv")
        with (tmp_path / "one.csv").open(encoding="utf-8-sig", newline="") as file:
            expected = list(csv.reader(file))
        found = [expected[0]]
        for part in sorted(goal.iterdir()):
            with part.open(encoding="utf-8", newline="") as file:
                head, *rows = csv.reader(file)
            assert head == expected[0]
            found += rows
        assert found == expected

    def test_a_broken_file_is_named_and_what_was_done_is_not_done_again(
        self, fitted, files, tmp_path, monkeypatch
    ):
        (tmp_path / "new" / "f9.parquet").write_bytes(b"?")
        goal, n_done = str(tmp_path / "scores"), []

        def stop(_step, done, _n):
            n_done.append(done)
            if done == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            transform_in_parts(str(fitted), [files], OPTIONS, goal, HereTasks(), steps=stop)
        assert not Path(goal).exists()
        import qdtm.cluster.transforming as module

        calls, before = [], module._transform_file
        monkeypatch.setattr(module, "_transform_file", lambda *a: calls.append(a[1]) or before(*a))
        with pytest.warns(CorpusWarning, match=r"'f9.parquet'"):
            transform_in_parts(str(fitted), [files], OPTIONS, goal, HereTasks())
        assert calls == [2, 3]
        assert len(list(Path(goal).iterdir())) == 3

    def test_nothing_to_read(self, fitted, tmp_path):
        (tmp_path / "a.parquet").write_bytes(b"?")
        with pytest.raises(CorpusError, match="Nothing in the 1 files"):
            transform_in_parts(
                str(fitted), [str(tmp_path / "*.parquet")], read_options(), str(tmp_path / "o"), HereTasks()
            )


@pytest.mark.cluster
@pytest.mark.filterwarnings("ignore::qdtm.corpus.CorpusWarning")
def test_files_are_scored_on_a_cluster(engine, fitted, pattern, tmp_path):
    n = transform_in_parts(str(fitted), [pattern], OPTIONS, str(tmp_path / "o"), RayTasks(engine))
    assert n == len(Result.load(fitted).corpus)


def test_a_long_table_is_written_in_parquet_parts(fitted, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("qdtm.results.table_formats.MOST_ROWS", 8_000)
    run("export", fitted, "--format", "parquet", "-o", tmp_path / "tables", "--all-documents")
    parts = sorted((tmp_path / "tables").glob("documents*.parquet"))
    assert [part.name for part in parts] == [
        "documents-00001.parquet", "documents-00002.parquet", "documents.parquet"
    ]  # fmt: skip
    sizes = [parquet.read_metadata(part).num_rows for part in parts]
    assert sizes == [8_000, 3_384, 8_000]
