"""`qdtm transform`: new documents, scored."""

import csv
import io
import json

import numpy as np
import pytest

from qdtm import QueryDrivenTopicModel

from .conftest import TEXTS, write_csv


@pytest.fixture
def new(tmp_path):
    return write_csv(
        tmp_path / "new.csv", ["A fire in the wind", "An unheard word: xylophone", "Cricket, cricket"]
    )


@pytest.fixture
def transform(run, result, new):
    def run_transform(*args, code=0):
        return run("transform", result, new, "--text-column", "body", "--id-column", "nr", *args, code=code)

    return run_transform


def test_csv_on_stdout(transform, result, new):
    done = transform()
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    with (result / "documents.csv").open(encoding="utf-8-sig", newline="") as file:
        fitted = next(csv.reader(file))
    assert list(rows[0]) == [*fitted[:-1], "cutoff"]  # all but the text
    assert list(rows[0])[:2] == ["nr", "title"]
    assert list(rows[0])[-8:-5] == ["query", "about", "relevance"]
    model = QueryDrivenTopicModel.load(result)
    for query in ("fire", "cricket match"):
        found = model.relevance_of(["A fire in the wind", "xylophone", "Cricket, cricket"], query)
        mine = [row for row in rows if row["query"] == query]
        assert [float(row["relevance"]) for row in mine] == pytest.approx(found.scores, abs=1e-6)
        assert [row["about"] for row in mine] == ["yes" if each else "no" for each in found.about]
        assert [row["names_it"] for row in mine] == ["yes" if each else "no" for each in found.names]
        assert found.cutoff == model.relevance(query).cutoff
        assert [float(row["cutoff"]) for row in mine] == pytest.approx([found.cutoff] * 3, abs=1e-6)
    fire = [row for row in rows if row["query"] == "fire"]
    assert [row["about"] for row in fire] == ["yes", "no", "no"]
    assert fire[0]["subtopic"].startswith("0.")
    assert (fire[1]["relevance"], fire[1]["subtopic"]) == ("0.000000", "")
    assert done.stderr == (
        "qdtm: note: 1 of 3 documents have no word that the model knows; their relevance is 0.\n"
    )


def test_json_lines(transform):
    lines = [json.loads(line) for line in transform("--json").stdout.splitlines()]
    assert [line["nr"] for line in lines] == ["n1", "n1", "n2", "n2", "n3", "n3"]
    fire = [line for line in lines if line["query"] == "fire"]
    assert fire[0]["relevance"] > fire[2]["relevance"]
    assert fire[0]["subtopic"].startswith("0.")
    assert fire[1]["subtopic"] is None
    assert fire[0]["year"] == "2001"


def test_the_corpus_itself_scores_as_it_was_fitted(run, result, news):
    done = run("transform", result, news, "--text-column", "body", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 2 * len(TEXTS)
    model = QueryDrivenTopicModel.load(result)
    for q in range(2):
        fitted, mine = model.relevance(q), lines[q::2]
        assert [line["relevance"] for line in mine] == fitted.scores.tolist()
        assert [line["about"] for line in mine] == fitted.about.tolist()
        assert [line["names_it"] for line in mine] == fitted.names.tolist()
        assert [line["subtopic"] is not None for line in mine] == fitted.about.tolist()


def test_an_encoder_is_not_asked_about_new_documents_and_that_is_said(run, new, tmp_path):
    def encode(texts):
        return np.array([[text.count("e"), text.count("a"), 1.0] for text in texts], np.float32)

    model = QueryDrivenTopicModel("fire", max_sweeps=5, min_sweeps=5, encoder=encode).fit(TEXTS)
    model.save(tmp_path / "encoded")
    done = run("transform", tmp_path / "encoded", new, "--text-column", "body")
    assert "fitted with an encoder; new documents are judged by their words alone" in done.stderr


def test_a_file(transform, tmp_path):
    out = tmp_path / "sub" / "scores.csv"
    assert transform("-o", out).stdout == ""
    assert out.read_text("utf-8") == transform().stdout
    failed = transform("-o", out, code=2)
    assert failed.stderr == f"qdtm: {str(out)!r} exists already; use --force to replace it.\n"
    transform("-o", out, "--force", "--json")
    assert json.loads(out.read_text("utf-8").splitlines()[0])["nr"] == "n1"
    assert [path.name for path in out.parent.iterdir()] == ["scores.csv"]


def test_a_file_is_whole_or_absent(transform, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("qdtm.results.table_formats.write_csv", fail)
    out = tmp_path / "out" / "scores.csv"
    assert "No space left" in transform("-o", out, code=2).stderr
    assert not out.parent.exists()


def test_a_folder_is_no_file(transform, tmp_path):
    assert "is a folder" in transform("-o", tmp_path, code=2).stderr


def test_a_saved_corpus(run, result):
    lines = run("transform", result, result / "corpus", "--json").stdout.splitlines()
    assert len(lines) == 2 * len(TEXTS)


def test_broken_characters_do_not_stop_it(run, result, tmp_path):
    lines = ['{"id": "a\\ud800", "text": "fire and wind"}', '{"id": "=b", "text": "fire"}']
    (tmp_path / "new.jsonl").write_text("\n".join(lines), encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(run("transform", result, tmp_path / "new.jsonl").stdout)))
    assert [row["id"] for row in rows[::2]] == ["a?", "'=b"]
