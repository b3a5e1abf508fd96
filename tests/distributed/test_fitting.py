"""A fit over files on a cluster is the fit of the same documents on one machine, byte for byte."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from tests.distributed.conftest import assert_same

from qdtm import QueryDrivenTopicModel
from qdtm.cli.main import cli
from qdtm.errors import EmbeddingError, ParameterError
from qdtm.results import Result
from qdtm.sampler import shards

pytestmark = pytest.mark.ray


@pytest.fixture
def many_shards(monkeypatch):
    monkeypatch.setattr(shards, "TOKENS_A_SHARD", 1_000)
    monkeypatch.setattr(shards, "TOKENS_A_WORD", 1)


def model(queries, **options):
    return QueryDrivenTopicModel(queries, **{"max_sweeps": 6, "random_state": 3} | options)


def assert_same_fit(ours, theirs):
    for name in ("word_topic", "promoted_mass"):
        assert_same(getattr(ours, name), getattr(theirs, name))
    for mine, their in zip(ours.subtopic_counts, theirs.subtopic_counts, strict=True):
        assert_same(mine, their)
    assert ours.subtopic_rest == theirs.subtopic_rest
    assert_same(ours.parent_trace.log_likelihood, theirs.parent_trace.log_likelihood)
    assert_same(ours.parent_trace.n_tables, theirs.parent_trace.n_tables)
    assert ours.vocabulary == theirs.vocabulary
    assert ours.threshold == theirs.threshold


@pytest.mark.parametrize(
    ("queries", "options"),
    [
        ("israel palestinian", {}),
        (["cricket", "afghanistan", "fire*"], {"n_background_topics": 4}),
        (["israel", "australia"], {"preset": "paper", "min_sweeps": 2}),
    ],
)
def test_the_same_bytes_as_one_machine(cluster, many_shards, files, whole, tmp_path, queries, options):
    ours = model(queries, engine="ray", n_jobs=2, **options).fit(replace(files, results=tmp_path / "out"))
    theirs = model(queries, **options).fit(whole)

    assert_same_fit(ours.fit_, theirs.fit_)
    assert [c.word_indices for c in ours.concepts_] == [c.word_indices for c in theirs.concepts_]
    unjudged = Result(replace(theirs.fit_, relevance=None), theirs.corpus_)  # as the workers have it
    for mine, their in zip(ours.documents(n=5), unjudged.documents(0, 5), strict=True):
        assert (mine.index, mine.relevance, mine.subtopic) == (their.index, their.relevance, their.subtopic)


def test_from_the_command_line(cluster, folder, tmp_path):
    def run(*arguments):
        done = CliRunner().invoke(cli, [*map(str, arguments)])
        assert done.exit_code == 0, done.output
        return done.stdout

    run(
        "fit", folder / "part-*", "-q", "cricket", "--engine", "ray", "--jobs", 2, "--max-sweeps", 2,
        "--background", 2, "--embeddings", "none", "--id-column", "name", "-o", tmp_path / "out", "--quiet",
    )  # fmt: skip

    assert [path.name for path in tmp_path.iterdir()] == ["out"]  # nothing is left beside it
    assert len(list((tmp_path / "out" / "documents").iterdir())) == 5
    assert "351 documents" in run("show", tmp_path / "out")
    (table,) = json.loads(run("docs", tmp_path / "out", "-n", 3, "--json"))["queries"]
    assert [row["rank"] for row in table["documents"]] == [1, 2, 3]
    assert table["documents"][0]["id"].startswith("doc ")


@pytest.mark.parametrize(
    ("corpus", "extra", "said"),
    [
        ("none-*.csv", [], "No file matches"),
        ("part-*", ["--text-column", "txet"], "Column 'txet' is not in"),
        ("part-*", ["--time-column", "year"], "--time-column needs the documents in one place"),
        ("part-0.csv", ["--results", "there"], "--results is for files on a cluster"),
    ],
)
def test_one_line_says_what_is_wrong(cluster, folder, tmp_path, corpus, extra, said):
    asked = ["-q", "cricket", "--engine", "ray", "--jobs", "1", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, ["fit", str(folder / corpus), *asked, *extra])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_vectors_of_the_corpus_need_it_in_one_place(files):
    with pytest.raises(EmbeddingError, match="are learned where all tokens are"):
        model("cricket", engine="ray", embeddings="corpus").fit(files)


def test_a_fit_over_files_keeps_no_checkpoint(files, tmp_path):
    with pytest.raises(ParameterError, match="the fit of a FileCorpus on a cluster keeps none"):
        model("cricket", engine="ray").fit(files, checkpoint=tmp_path / "kept")
