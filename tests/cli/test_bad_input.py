"""Bad input: one clear line, exit code 2, nothing half-written."""

import json
import os
import shutil

import pytest

from qdtm.storage.folders import seal

from .conftest import TEXTS


@pytest.fixture
def refused(run, tmp_path):
    """Return a function that runs a fit that must be refused, and returns the line it prints."""

    def run_refused(corpus, *args, queries=("fire",)):
        before = sorted(tmp_path.rglob("*"))
        asked = [part for query in queries for part in ("-q", query)]
        result = run("fit", corpus, *asked, "-o", tmp_path / "out", "--max-sweeps", 5, *args, code=2)
        assert result.stdout == ""
        assert sorted(tmp_path.rglob("*")) == before
        lines = [line for line in result.stderr.splitlines() if line.startswith("qdtm: ")]
        lines = [line for line in lines if "by passage" not in line]  # a note
        assert len(lines) == 1
        assert "Traceback" not in result.stderr
        return lines[0]

    return run_refused


@pytest.fixture
def texts(tmp_path):
    """Return a function that writes a file of the given bytes or lines."""

    def write(content, name="texts.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else "\n".join(content).encode())
        return path

    return write


def test_missing_file(refused, tmp_path):
    assert "There is no file or folder" in refused(tmp_path / "nowhere.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(refused, texts):
    path = texts(TEXTS)
    path.chmod(0)
    assert "Permission denied" in refused(path)


def test_a_folder_without_texts(refused, tmp_path):
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty")


def test_unknown_kind_of_file(refused, texts):
    assert "cannot be read" in refused(texts(TEXTS, "texts.doc"))


def test_wrong_column_lists_the_columns(refused, news):
    line = refused(news, "--text-column", "bodies")
    assert "'bodies'" in line
    assert "'nr', 'title', 'body', 'year'" in line
    assert "'nr', 'title', 'body', 'year'" in refused(news, "--id-column", "number")


def test_empty_corpus(refused, texts):
    assert "empty" in refused(texts(b""))
    assert "empty" in refused(texts(b"text\n", "a.csv"), "--text-column", "text").lower()


def test_nothing_left_after_cleaning(refused, texts):
    assert "Nothing is left" in refused(texts(["the and of", "12 34", "a b c"]))


def test_a_nul_byte_and_invalid_utf8_are_one_line_or_fine(run, refused, texts, tmp_path):
    path = texts("\n".join(TEXTS).encode() + b"\nfire \x00 wind\nfire \xff\xfe wind\n")
    result = run("concepts", path, "-q", "fire", "--json")
    assert json.loads(result.stdout)["corpus"]["documents"] == len(TEXTS) + 2
    assert "Traceback" not in result.stderr


def test_wrong_encoding(refused, texts):
    line = refused(texts("\n".join(TEXTS).encode() + b"\n\xff\xff"), "--encoding", "utf-8")
    assert "utf-8" in line.lower()
    assert "nonsense" in refused(texts(TEXTS), "--encoding", "nonsense")


def test_a_long_single_line(refused, texts):
    line = refused(texts(b"fire wind " * 262_144), queries=("cricket",))
    assert "cricket" in line


def test_stop_words_only(refused, texts):
    assert "is a stop word" in refused(texts(TEXTS), queries=("the of",))


def test_query_not_in_the_corpus(refused, texts):
    assert "Closest: 'fire'" in refused(texts(TEXTS), queries=("fyre",))


def test_words_that_never_meet(refused, texts):
    assert "The rule 'or' finds" in refused(texts(TEXTS), queries=("cricket election",))


def test_the_same_query_twice(refused, texts):
    assert "twice" in refused(texts(TEXTS), queries=("fire", " FIRE"))
    assert "same after cleaning" in refused(texts(TEXTS), queries=("fire", "fires"))


def test_no_query(refused, texts):
    assert "no query" in refused(texts(TEXTS), queries=())
    assert "empty" in refused(texts(TEXTS), queries=(" ",))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--alpha", "-1"), ("--beta", "nan"), ("--gamma", "inf"), ("--promotion-weight", "-0.1"),
        ("--promotion-weight", "1"), ("--similarity-threshold", "nan"), ("--min-share", "-1"),
        ("--background-topics", "0"), ("--background-topics", "2.5"),
        ("--min-sweeps", "-3"), ("--max-sweeps", "0"),
        ("--seed", "-1"), ("--jobs", "0"), ("--concept-words", "0"), ("--candidates", "-1"),
        ("--min-df", "-1"), ("--max-df", "nan"), ("--max-words", "0"), ("--language", "klingon"),
        ("--embeddings", "no-such-vectors"), ("--rule", "xor"), ("--beta", "much"),
    ],
)  # fmt: skip
def test_parameters_that_make_no_sense(refused, texts, option, value):
    line = refused(texts(TEXTS), option, value)
    assert value.lstrip("-") in line.replace("'", "") or option.strip("-").replace("-", "_") in line


def test_parameters_are_checked_before_anything_is_read(refused, tmp_path):
    assert "beta is nan" in refused(tmp_path / "nowhere.csv", "--beta", "nan")


def test_output_that_is_taken(run, texts, tmp_path):
    path = texts(TEXTS)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    for force in ((), ("--force",)):
        result = run("fit", tmp_path / "missing.csv", "-q", "fire", "-o", tmp_path / "out", *force, code=2)
        assert "holds other files" in result.stderr
    result = run("fit", path, "-q", "fire", "-o", path, code=2)
    assert "is a file" in result.stderr
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("command", ["show", "docs"])
def test_not_a_result(run, tmp_path, command):
    assert "There is no folder" in run(command, tmp_path / "x", code=2).stderr
    assert "is not a saved model" in run(command, tmp_path, code=2).stderr


@pytest.mark.parametrize("command", ["show", "docs", "transform"])
def test_a_damaged_or_newer_result(run, result, news, tmp_path, command):
    copy = tmp_path / "copy"
    shutil.copytree(result, copy)
    args = (command, copy, news, "--text-column", "body") if command == "transform" else (command, copy)
    manifest = json.loads((copy / "qdtm.json").read_text())
    (copy / "qdtm.json").write_bytes(seal(manifest | {"version": 99}))
    assert "newer qdtm" in run(*args, code=2).stderr
    (copy / "qdtm.json").write_text("{")
    assert "is damaged" in run(*args, code=2).stderr
    (copy / "qdtm.json").write_bytes(seal(manifest))
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(200)
        file.write(b"\xff\xff\xff\xff")
    failed = run(*args, code=2)
    assert "is damaged" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert failed.stdout == ""


@pytest.mark.parametrize("command", [("fit", "-q", "fire"), ("index",)])
def test_a_missing_file_gives_one_line_and_no_more(run, tmp_path, command):
    name, *options = command
    failed = run(name, tmp_path / "nowhere.csv", *options, "-o", tmp_path / "out", code=2)
    assert failed.stderr.strip().count("\n") == 0
    assert failed.stderr.startswith("qdtm: There is no file or folder ")
