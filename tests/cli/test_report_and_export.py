"""`qdtm report`, `qdtm export` and `qdtm explain` on a saved result, and what they say when they cannot."""

import csv
import json

import pytest

from qdtm.present.formats import NAMES

from .conftest import TEXTS


def test_fit_writes_a_report_that_force_replaces(run, news, fast, tmp_path):
    out = tmp_path / "out"
    columns = ("--time-column", "year", "--group-column", "title")
    run("fit", news, "-q", "fire", "-o", out, *fast, *columns)
    page = (out / "report.html").read_text("utf-8")
    assert "Over time" in page
    assert "By <bdi>" in page
    run("report", out)  # the columns are remembered, and the folder is still whole
    assert (out / "report.html").read_text("utf-8") == page
    run("fit", news, "-q", "fire", "-o", out, *fast, "--force", "--no-report")
    assert not (out / "report.html").exists()


def test_a_column_that_is_not_there_is_said_before_the_fit(run, news, fast, tmp_path):
    failed = run("fit", news, "-q", "fire", "-o", tmp_path / "out", *fast, "--time-column", "yeer", code=2)
    said = failed.stderr.strip().splitlines()[-1]  # after the line that it is reading
    assert said.startswith("qdtm: Column 'yeer' is not in the corpus. Closest: 'year'.")
    assert not (tmp_path / "out").exists()


def test_report_to_a_file_of_its_own(run, result, tmp_path):
    page = tmp_path / "page.html"
    assert run("report", result, "-o", page).stdout.strip() == str(page)
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "--force" in run("report", result, "-o", page, code=2).stderr
    run("report", result, "-o", page, "--force", "--group-column", "year")
    assert "By <bdi>" in page.read_text("utf-8")


def test_report_into_a_place_that_cannot_be_written(run, result, tmp_path):
    (tmp_path / "file").write_text("x")
    failed = run("report", result, "-o", tmp_path / "file" / "report.html", code=2)
    assert failed.stderr.count("\n") == 1
    assert "Cannot write" in failed.stderr
    assert "is a folder" in run("report", result, "-o", tmp_path, code=2).stderr


@pytest.mark.parametrize("format", NAMES)
def test_export(run, result, tmp_path, format):
    path = tmp_path / f"tables.{format}"
    assert run("export", result, "--format", format, "-o", path).stdout.strip() == str(path)
    assert "--force" in run("export", result, "--format", format, "-o", path, code=2).stderr
    run("export", result, "--format", format, "-o", path, "--force")
    if format == "csv":
        rows = list(csv.DictReader((path / "documents.csv").open(encoding="utf-8-sig", newline="")))
        assert rows[0]["nr"] == "n1"
    elif format == "json":
        assert json.loads(path.read_text("utf-8"))["documents"][0]["nr"] == "n1"


def test_documents_are_those_about_a_query_or_all(run, result, tmp_path):
    def n_documents(*options):
        run("export", result, "--format", "json", "-o", tmp_path / "x", "--force", *options)
        return len(json.loads((tmp_path / "x").read_text("utf-8"))["documents"])

    with (result / "documents.csv").open(encoding="utf-8-sig", newline="") as file:
        assert n_documents() == len(list(csv.DictReader(file))) < 2 * len(TEXTS)
    assert n_documents("--all-documents") == 2 * len(TEXTS)


def test_explain(run, result):
    shown = run("explain", result, "--doc", "n1").stdout
    assert "fire  relevance 0." in shown
    assert "about it, names it" in shown
    assert "a concept word" in shown
    as_json = json.loads(run("explain", result, "--doc", "n1", "--json").stdout)
    assert sum(token["share"] for token in as_json["tokens"]) == pytest.approx(1.0)
    other = json.loads(run("explain", result, "--doc", "n1", "-q", "cricket match", "--json").stdout)
    assert other["documents"][0]["query"] == "cricket match"
    assert (other["documents"][0]["nr"], other["topic"]) == ("n1", "1")


def test_explain_what_is_not_there(run, result):
    assert "Closest: 'n1" in run("explain", result, "--doc", "n111", code=2).stderr
    assert (
        "Its queries: fire, cricket match" in run("explain", result, "--doc", "n1", "-q", "x", code=2).stderr
    )
