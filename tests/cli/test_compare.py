"""`qdtm compare`: saved results, and a corpus asked in several ways."""

import json

import pytest

SHORT = ("--max-sweeps", "12", "--embeddings", "none", "--min-df", "1")


def test_a_corpus_asked_in_several_ways(run, news, tmp_path):
    page = tmp_path / "ways.html"
    result = run("compare", news, "-q", "fire", "--also", "bushfire", "--seeds", "1", "-o", page, *SHORT)
    assert "fire  " in result.stdout
    assert "asked “bushfire”" in result.stdout
    assert "seed 1" in result.stdout
    assert "gained" in result.stdout
    assert "asked “bushfire”" in page.read_text(encoding="utf-8")
    again = run("compare", news, "-q", "fire", "--seeds", "1", "-o", page, *SHORT, code=2)
    assert "exists already; use --force" in again.stderr


def test_json_is_pure(run, news):
    found = json.loads(run("compare", news, "-q", "fire", "--rules", "or", "--json", *SHORT).stdout)
    assert [variant["label"] for variant in found["variants"]] == ["rule or"]
    assert {fate["fate"] for fate in found["variants"][0]["comparison"]["fates"]} == {"stays"}


@pytest.fixture
def two_results(run, news, fast, tmp_path):
    folders = [tmp_path / name for name in ("one", "two")]
    for seed, folder in enumerate(folders):
        run("fit", news, "-q", "fire", "-o", folder, "--seed", seed, "--no-report", *fast)
    return folders


def test_saved_results(run, two_results):
    result = run("compare", *two_results, "--seeds", "1")
    assert str(two_results[1].name) in result.stdout.replace("\n", "")
    assert "seed 1" in result.stdout


def test_what_makes_no_sense_is_refused(run, two_results, news):
    assert "nothing to compare with" in run("compare", two_results[0], code=2).stderr
    assert "no saved result; give results only" in run("compare", two_results[0], news, code=2).stderr
    assert "give a query (-q)" in run("compare", news, "--seeds", 1, code=2).stderr
    assert "rules has 'xor'" in run("compare", news, "-q", "fire", "--rules", "xor", code=2).stderr
