"""A fit over files is the fit of the same documents in one corpus, whatever the engine is."""

import json

import pytest
from click.testing import CliRunner
from tests.corpus.many_files.conftest import assert_same

from qdtm import QueryDrivenTopicModel
from qdtm.cli.main import cli
from qdtm.sampler import checkpoint as keeping

SHORT = {"max_sweeps": 4, "n_background_topics": 2, "embeddings": None, "random_state": 3}


class KilledError(Exception):
    """As good as a kill."""


def saved(model, path):
    model.save(path)
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def run(*arguments):
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def asked(engine):
    quick = ["--max-sweeps", 2, "--background-topics", 2, "--embeddings", "none"]
    return ["--engine", engine, "--jobs", 2, *quick]


def test_the_files_are_fitted_as_one_corpus(files, whole):
    ours = QueryDrivenTopicModel("cricket", **SHORT).fit(files)
    theirs = QueryDrivenTopicModel("cricket", **SHORT).fit(whole)
    for name in ("word_topic", "token_topics", "token_subtopics", "relevance"):
        assert_same(getattr(ours.fit_, name), getattr(theirs.fit_, name))


def test_a_cluster_gives_the_same_bytes(cluster, files, tmp_path):
    """The one small fit on a cluster that everybody runs before a commit."""
    here = QueryDrivenTopicModel("cricket", **SHORT).fit(files)
    there = QueryDrivenTopicModel("cricket", **SHORT, engine="ray", n_jobs=2).fit(files)
    assert saved(there, tmp_path / "there") == saved(here, tmp_path / "here")


def test_a_fit_over_files_that_was_killed_goes_on(files, tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "EVERY", 0.0)
    monkeypatch.setattr(keeping, "MOST_SHARE", float("inf"))

    def kill(progress):
        if (progress.stage, progress.sweep) == ("parents", 3):
            raise KilledError

    with pytest.raises(KilledError):
        QueryDrivenTopicModel("cricket", progress=kill, **SHORT).fit(files, checkpoint=tmp_path / "kept")
    resumed = QueryDrivenTopicModel.resume(tmp_path / "kept", files)
    undisturbed = QueryDrivenTopicModel("cricket", **SHORT).fit(files)
    assert_same(resumed.fit_.token_topics, undisturbed.fit_.token_topics)


@pytest.mark.parametrize("engine", ["threads", pytest.param("ray", marks=pytest.mark.cluster)])
def test_from_the_command_line(request, folder, tmp_path, engine):
    if engine == "ray":
        request.getfixturevalue("cluster")
    columns = ["--id-column", "name", "--group-column", "year"]
    run(
        "fit", folder / "part-*", "-q", "cricket", *asked(engine), *columns, "-o", tmp_path / "out", "--quiet"
    )

    assert [path.name for path in tmp_path.iterdir()] == ["out"]  # nothing is left beside it
    assert {"report.html", "documents.csv"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert "351 documents" in run("show", tmp_path / "out")
    rows = json.loads(run("docs", tmp_path / "out", "-n", 3, "--json"))["documents"]
    assert len(rows) == 3
    assert rows[0]["name"].startswith("doc ")


@pytest.mark.parametrize(
    ("corpus", "extra", "said"),
    [
        ("none-*.csv", [], "No file matches"),
        ("part-*", ["--text-column", "txet"], "Column 'txet' is not in"),
    ],
)
def test_one_line_says_what_is_wrong(folder, tmp_path, corpus, extra, said):
    out = tmp_path / "out"
    done = CliRunner().invoke(cli, ["fit", str(folder / corpus), "-q", "cricket", "-o", str(out), *extra])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not out.exists()
