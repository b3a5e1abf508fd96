"""Tables in three formats: the same numbers in each, texts that stay texts, limits that hold."""

import csv
import datetime
import json
import shutil
import subprocess
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.errors import ParameterError, StorageError
from qdtm.present.export import export_result, to_octis, to_topicwizard
from qdtm.present.workbook import MAX_CHARACTERS, legal_text, write_workbook
from qdtm.results.result import Result
from qdtm.results.tables import documents_table, result_tables
from results.synthetic import make_corpus, make_fit

FORMULAS = [
    "=1+1",
    "+1+1",
    "-cmd|' /C calc'!A0",
    "@SUM(A1)",
    "#N/A",
    "'quoted",
    "_x0041_",
    "plain",
    "",
    "-3.5",
]
TEXTS = [f"{start} cricket match in Sydney" for start in FORMULAS[:8]] + [
    "",
    "fire and wind \x00\x0b\ud800 <b>&",
]


@pytest.fixture(scope="module")
def result():
    fields = {
        "note": FORMULAS,
        "count": [str(j) for j in range(9)] + [""],
        "code": [f"{j:03d}" for j in range(10)],
        "day": ["2001-02-03"] * 9 + [""],
        "text": ["theirs"] * 10,
    }
    ids = [f"={j}" for j in range(10)]
    corpus = Corpus.from_texts(TEXTS, ids=ids, fields=fields, pipeline=TextPipeline())
    shown = Result(make_fit(corpus, queries=["cricket", "fire"], n_subtopics=(2, 0)), corpus)
    return shown.with_labels({"0.1": "=2+2"})


def sheets(path):
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.load_workbook(path)
    return {sheet.title: sheet for sheet in workbook}


def test_csv(result, tmp_path):
    export_result(result, tmp_path / "out", all_documents=True)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["concept_words.csv", "documents.csv", "topics.csv", "words.csv"]
    rows = list(csv.DictReader((tmp_path / "out" / "documents.csv").open(encoding="utf-8-sig", newline="")))
    rows = [row for row in rows if row["query"] == "cricket"]
    kept = ["'" + text for text in FORMULAS[:4]] + FORMULAS[4:]  # an apostrophe before what would be run
    assert [row["note"] for row in rows] == kept
    assert rows[3]["document"] == "'=3"
    assert rows[0]["text (yours)"] == "theirs"
    relevance = result.scores(0).relevance
    assert [float(row["relevance"]) for row in rows] == pytest.approx(relevance, abs=1e-6)


def test_xlsx(result, tmp_path):
    found = sheets(export_result(result, tmp_path / "out.xlsx", "xlsx", all_documents=True))
    assert list(found) == ["about", "topics", "words", "concept words", "documents"]
    for sheet in found.values():
        assert sheet.freeze_panes == "A2"
        assert all(cell.font.b for cell in sheet[1])
    from openpyxl.utils.escape import unescape

    sheet = found["documents"]
    heads = [cell.value for cell in sheet[1]]
    rows = [dict(zip(heads, row, strict=True)) for row in sheet.iter_rows(min_row=2)]
    rows = [row for row in rows if row["query"].value == "cricket"]
    assert len(rows) == 10
    for row, text in zip(rows, FORMULAS, strict=True):
        value = row["note"].value
        assert (value and unescape(value)) == (text or None)
        assert row["note"].data_type in ("s", "n") if not text else row["note"].data_type == "s"
        assert row["document"].data_type == "s"
    assert rows[0]["note"].quotePrefix
    assert [row["count"].value for row in rows] == [*range(9), None]
    assert rows[7]["code"].value == "007"
    assert rows[0]["day"].value == datetime.datetime(2001, 2, 3)
    assert [row["relevance"].value for row in rows] == result.scores(0).relevance.tolist()
    assert [row["about"].value for row in rows] == [
        "yes" if about else "no" for about in result.scores(0).about
    ]
    assert rows[9]["text"].value == "fire and wind  <b>&"
    topics = [dict(zip([c.value for c in found["topics"][1]], row, strict=True)) for row in found["topics"]]
    assert topics[2]["name"].value == "=2+2"
    assert topics[2]["name"].data_type == "s"
    assert (topics[2]["topic"].value, topics[2]["topic"].data_type) == ("0.1 · =2+2", "s")
    assert (topics[2]["parent"].value, topics[2]["parent"].data_type) == ("0 · cricket", "s")


def test_the_same_result_gives_the_same_bytes(result, tmp_path):
    for format in ("xlsx", "json"):
        first, again = (export_result(result, tmp_path / f"{n}.{format}", format) for n in range(2))
        assert first.read_bytes() == again.read_bytes()


def test_json(result, tmp_path):
    found = json.loads(export_result(result, tmp_path / "out.json", "json").read_text("utf-8"))
    assert list(found) == ["about", "topics", "words", "concept_words", "documents"]
    assert found["documents"][0]["note"] == "=1+1"
    assert found["topics"][1]["name"] == "=2+2"
    assert "A Query-Driven Topic Model" in found["about"]["citation"]


def test_a_long_table_goes_on_in_another_sheet(result, tmp_path):
    write_workbook(result, tmp_path / "out.xlsx", all_documents=True, max_rows=5)
    found = sheets(tmp_path / "out.xlsx")
    parts = [sheet for title, sheet in found.items() if title.startswith("documents")]
    assert [sheet.title for sheet in parts] == ["documents", *(f"documents {n}" for n in range(2, 6))]
    assert [sheet.max_row for sheet in parts] == [5] * 5
    ids = [row[0].value for sheet in parts for row in sheet.iter_rows(min_row=2)]
    assert ids == [f"={j // 2}" for j in range(20)]


@pytest.mark.parametrize("letter", ["x", "🔥"])
def test_a_long_text_is_cut_and_says_so(letter):
    cut = legal_text(letter * 1_000_000)
    assert len(cut.encode("utf-16-le")) // 2 <= MAX_CHARACTERS
    assert cut.endswith("[cut: 1,000,000 characters]")
    assert legal_text(letter * 10_000) == letter * 10_000


def test_too_many_columns_are_refused(result, tmp_path, monkeypatch):
    monkeypatch.setattr("qdtm.present.workbook.MAX_COLUMNS", 5)
    with pytest.raises(ParameterError, match="export as csv"):
        export_result(result, tmp_path / "out.xlsx", "xlsx")
    assert list(tmp_path.iterdir()) == []


def test_libreoffice_reads_the_workbook(result, tmp_path):
    soffice = shutil.which("soffice") or shutil.which("libreoffice")
    if not soffice or not any(Path(soffice).resolve().parent.rglob("libsclo.*")):
        pytest.skip("LibreOffice Calc is not installed")
    path = export_result(result, tmp_path / "out.xlsx", "xlsx", all_documents=True)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    every_sheet = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    command = [soffice, profile, "--headless", "--convert-to", every_sheet, "--outdir", tmp_path, path]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=120)
    rows = list(csv.DictReader((tmp_path / "out-documents.csv").open(encoding="utf-8-sig", newline="")))
    assert [row["note"] for row in rows[::2]] == FORMULAS
    assert rows[6]["document"] == "=3"


@pytest.mark.parametrize("format", ["csv", "xlsx", "json"])
def test_nothing_is_replaced_or_left_half_done(result, tmp_path, format, monkeypatch):
    path = export_result(result, tmp_path / "out", format)
    with pytest.raises(StorageError, match="--force"):
        export_result(result, path, format)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("qdtm.results.tables.score_documents", full)
    before = path.stat().st_mtime_ns
    with pytest.raises(StorageError, match="No space left"):
        export_result(result, path, format, force=True)
    assert path.stat().st_mtime_ns == before or format == "csv"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_wrong_places_and_formats(result, tmp_path):
    (tmp_path / "file").write_text("")
    for path, format in ((tmp_path / "file", "csv"), (tmp_path, "xlsx"), (tmp_path / "file" / "x", "json")):
        with pytest.raises(StorageError) as raised:
            export_result(result, path, format)
        assert "\n" not in str(raised.value)
    with pytest.raises(ParameterError, match="'csv', 'xlsx', 'json', 'parquet'"):
        export_result(result, tmp_path / "x", "pdf")


def test_rows_are_made_one_by_one(tmp_path):
    """The memory of an export does not grow with the texts."""
    corpus = make_corpus(["cricket match fire wind " + "- " * 2_000] * 3_000)  # texts, not tokens
    result = Result(make_fit(corpus), corpus)
    export_result(result, tmp_path / "first.json", "json")  # what is worked out once
    tracemalloc.start()
    export_result(result, tmp_path / "second.json", "json")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "second.json").stat().st_size > 12_000_000
    assert peak < 6_000_000


def test_sheets_are_zipped_parts(result, tmp_path):
    path = export_result(result, tmp_path / "out.xlsx", "xlsx")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert "[Content_Types].xml" in archive.namelist()


def test_documents_are_those_about_a_query_unless_all_are_wanted(result, tmp_path):
    about = [row[0] for row in documents_table(result.fit, result.corpus).rows()]
    assert 0 < len(about) < result.corpus.n_documents
    for format in ("csv", "xlsx", "json"):
        some, all_ = (
            export_result(result, tmp_path / f"{n}.{format}", format, all_documents=bool(n)) for n in range(2)
        )
        assert documents_in(some, format) == about
        assert documents_in(all_, format) == [f"={j // 2}" for j in range(20)]


def test_all_formats_have_the_same_columns(result, tmp_path):
    tables = result_tables(result.fit, result.corpus)
    formats = ("csv", "xlsx", "json")
    paths = {format: export_result(result, tmp_path / f"x.{format}", format) for format in formats}
    read = json.loads(paths["json"].read_text("utf-8"))
    for table in tables:
        name, columns = table.name.replace(" ", "_"), list(table.names)
        with (paths["csv"] / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            assert next(csv.reader(file)) == columns
        assert list(read[name][0]) == columns
        assert [cell.value for cell in sheets(paths["xlsx"])[table.name][1]] == columns


def test_ids_survive_a_spreadsheet(tmp_path):
    """pandas reads a text cell "0.10" as the number 0.1: the id stands with the name of the subtopic."""
    pandas = pytest.importorskip("pandas")
    corpus = make_corpus([f"fire and wind {j}" for j in range(30)])
    result = Result(make_fit(corpus, ["fire"], n_background=0, n_subtopics=(12,)), corpus)
    path = export_result(result, tmp_path / "out.xlsx", "xlsx")
    cells = [row[0] for row in sheets(path)["topics"].iter_rows(min_row=2)]
    ids = ["0", *(f"0.{s}" for s in range(1, 13))]
    assert [cell.value.split()[0] for cell in cells] == ids
    assert {cell.data_type for cell in cells} == {"s"}
    read = {name: pandas.read_excel(path, name) for name in ("topics", "documents")}
    assert read["topics"]["topic"].str.split().str[0].tolist() == ids
    assert read["topics"]["parent"].tolist()[1:] == ["0 · fire"] * 12
    assert set(read["documents"]["subtopic"]) <= set(read["topics"]["topic"])


def documents_in(path, format):
    """Return the names in an exported table of documents."""
    if format == "csv":
        rows = csv.DictReader((path / "documents.csv").open(encoding="utf-8-sig", newline=""))
        return [row["document"].removeprefix("'") for row in rows]
    if format == "json":
        return [row["document"] for row in json.loads(path.read_text("utf-8"))["documents"]]
    return [row[0].value for row in sheets(path)["documents"].iter_rows(min_row=2)]


def test_other_tools(result):
    data = to_topicwizard(result)
    n_documents, n_words = result.corpus.n_documents, result.corpus.n_words
    assert data["document_term_matrix"].shape == (n_documents, n_words)
    assert data["topic_term_matrix"].shape == (4, n_words)
    assert data["topic_names"] == ["cricket", "fire", "background 1", "background 2"]
    np.testing.assert_allclose(data["document_topic_matrix"].sum(axis=1), 1.0)
    octis = to_octis(result, 5)
    assert [len(words) for words in octis["topics"]] == [5] * 4
    assert octis["topic-word-matrix"].shape == (4, n_words)
    assert octis["topic-document-matrix"].shape == (4, n_documents)


@pytest.mark.parametrize("beside", [None, "notes.txt"])
def test_tables_are_replaced_together(result, tmp_path, beside):
    export_result(result, tmp_path / "out")
    if beside:
        (tmp_path / "out" / beside).write_text("mine")
    before = (tmp_path / "out").stat().st_ino
    export_result(result, tmp_path / "out", force=True)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    ours = {"concept_words.csv", "documents.csv", "topics.csv", "words.csv"}
    assert names == ours | ({beside} if beside else set())
    assert ((tmp_path / "out").stat().st_ino == before) == bool(
        beside
    )  # with nothing else in it, in one step
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
