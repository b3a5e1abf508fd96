"""`qdtm index`: a corpus is read once, and every command starts from what was saved."""

import json
import shutil

import numpy as np
import pytest

from qdtm import Corpus


@pytest.fixture(scope="module")
def index(tmp_path_factory, news):
    from click.testing import CliRunner

    from qdtm.cli.main import cli

    folder = tmp_path_factory.mktemp("indices") / "news"
    done = CliRunner().invoke(cli, ["index", str(news), "-o", str(folder), "--id-column", "nr"])
    assert done.exit_code == 0, done.output
    return folder


def test_the_index_is_the_corpus(index, news):
    read = Corpus.read(news, id_column="nr")
    saved = Corpus.load(index)
    assert saved.fingerprint == read.fingerprint
    assert [document.id for document in saved.documents] == [document.id for document in read.documents]


def test_it_says_what_it_holds(run, news, tmp_path):
    page = run("index", news, "-o", tmp_path / "out").stdout
    assert "18" in page
    assert "qdtm concepts" in page


def test_json(run, news, tmp_path):
    printed = json.loads(run("index", news, "-o", tmp_path / "out", "--json").stdout)
    corpus = Corpus.load(tmp_path / "out")
    assert printed == {
        "path": str(tmp_path / "out"),
        "corpus": {"documents": 18, "words": corpus.n_words, "tokens": corpus.n_tokens},
        "topics": len(np.unique(corpus.distinct.learned.topics)),
    }


def test_concepts_are_those_of_the_file(run, index, news):
    options = ("-q", "fire", "-q", "cricket match", "--json")
    from_file = json.loads(run("concepts", news, "--id-column", "nr", *options).stdout)
    assert json.loads(run("concepts", index, *options).stdout) == from_file


def test_a_fit_is_that_of_the_file(run, index, news, tmp_path):
    options = ("-q", "fire", "--max-sweeps", 8, "--quiet")
    run("fit", index, "-o", tmp_path / "a", *options, "--standalone")
    run("fit", index, "-o", tmp_path / "c", *options)
    run("fit", news, "--id-column", "nr", "-o", tmp_path / "b", *options)
    names = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    for name in ("model.safetensors", "topics.csv", "documents.csv", "report.html"):
        assert (tmp_path / "c" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert not (tmp_path / "c" / "corpus").exists()


@pytest.fixture
def referring(run, index, tmp_path):
    """Return a result that refers to an index which has been moved, and where that is now."""
    home = shutil.copytree(index, tmp_path / "index")
    options = ("--max-sweeps", 8, "--quiet", "--no-report")
    run("fit", home, "-q", "fire", "-q", "cricket match", "-o", tmp_path / "result", *options)
    return tmp_path / "result", home.rename(tmp_path / "moved")


COMMANDS = {
    "show": (),
    "docs": (),
    "report": (),
    "export": ("-o", "{out}"),
    "explain": ("--doc", "n1"),
    "contrast": ("fire", "cricket match"),
    "transform": ("{news}",),
    "compare": ("{result}",),
    "check": ("--export", "{out}"),
    "drill": ("0.1", "-o", "{out}"),
    "add": ("-q", "election", "-o", "{out}"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_finds_the_index_or_says_that_it_is_gone(run, referring, news, tmp_path, command):
    result, moved = referring
    places = {"out": tmp_path / "out", "news": news, "result": result}
    given = [result, *(part.format(**places) for part in COMMANDS[command])]
    failed = run(command, *given, code=2)
    said = failed.stderr.splitlines()[-1]
    assert said.startswith(f"qdtm: {str(result)!r} needs its index, which is gone: it is not at ")
    assert "--index DIR" in said
    assert not (tmp_path / "out").exists()
    opened = run(command, *given, "--index", moved, code=2 if command == "drill" else 0)
    assert command != "drill" or "too small to split" in opened.stderr


def test_what_goes_on_from_a_result_refers_to_its_index(run, referring, tmp_path):
    result, moved = referring
    run("add", result, "-q", "election", "-o", tmp_path / "more", "--quiet", "--index", moved)
    assert not (tmp_path / "more" / "corpus").exists()
    run("show", tmp_path / "more")  # where it is now is known
    moved.rename(tmp_path / "index")
    run("show", result)


def test_another_index_is_refused(run, referring, news, tmp_path):
    result, moved = referring
    run("index", news, "-o", tmp_path / "index", "--max-words", 5, "--quiet")
    said = run("show", result, code=2).stderr
    assert "is another one (the fingerprint differs)" in said
    assert said.count("\n") == 1
    said = run("show", result, "--index", tmp_path / "index", code=2).stderr
    assert f"{str(tmp_path / 'index')!r} is not the index of {str(result)!r}" in said
    run("show", result, "--index", moved)


def test_new_documents_may_be_an_index(run, index, news, result):
    table = run("transform", result, index).stdout
    assert table == run("transform", result, news, "--id-column", "nr").stdout


def test_text_options_are_for_the_index_and_not_for_what_comes_after(run, news, tmp_path):
    run("index", news, "-o", tmp_path / "out", "--max-words", 5)
    assert Corpus.load(tmp_path / "out").n_words == 5
    failed = run("concepts", tmp_path / "out", "-q", "fire", "--max-words", 9, code=2)
    assert "leave out --max-words" in failed.stderr


def test_a_place_that_is_taken_is_refused_before_reading(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    failed = run("index", tmp_path / "missing.csv", "-o", tmp_path / "out", code=2)
    assert "holds other files" in failed.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["notes.txt"]


def test_nothing_is_left_of_a_stopped_run(run, news, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("qdtm.corpus.storage.write_manifest", stop)
    failed = run("index", news, "-o", tmp_path / "out", code=130)
    assert failed.stderr.splitlines()[-1] == "qdtm: interrupted; nothing was written."
    assert list(tmp_path.iterdir()) == []


def test_what_was_taken_for_text_and_title_is_said(run, news, tmp_path):
    alone = run("index", news, "-o", tmp_path / "alone", "--text-column", "body").stderr
    assert "note: title from 'title', which does not count as text\n" in alone
    joined = run("index", news, "-o", tmp_path / "joined").stderr
    assert "note: text from 'title' and 'body', joined; title from 'title'\n" in joined
    again = run("fit", tmp_path / "joined", "-q", "fire", "--max-sweeps", "5", "-o", tmp_path / "fit").stderr
    assert "title from" not in again


@pytest.mark.parametrize("content", ["fire\nThe\n", "# mine\nfire, wind", "fires"])
def test_own_stop_words(run, news, tmp_path, content):
    (tmp_path / "own.txt").write_text(content)
    run("index", news, "-o", tmp_path / "index", "--stop-words", tmp_path / "own.txt")
    words = Corpus.load(tmp_path / "index").vocabulary
    assert "fire" not in words
    assert "the" not in words
    run("index", news, "-o", tmp_path / "all", "--stop-words", "none")
    assert {"fire", "the"} <= set(Corpus.load(tmp_path / "all").vocabulary)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "which is no file"),
        ("", "has no words"),
        ("new york\n", "has 'new york'; give one word a line"),
    ],
)
def test_a_list_of_stop_words_that_is_none_is_refused_before_reading(run, tmp_path, content, message):
    if content is not None:
        (tmp_path / "own.txt").write_text(content)
    shown = run("concepts", tmp_path / "no.csv", "-q", "fire", "--stop-words", tmp_path / "own.txt", code=2)
    assert message in shown.stderr
    assert shown.stderr.count("\n") == 1
