"""Every file format, every encoding and every kind of bad file."""

import csv
import json
import os
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qdtm.corpus import CorpusWarning, ReadOptions, Record
from qdtm.corpus.readers.encoding import find_encoding
from qdtm.corpus.readers.read import read_records
from qdtm.corpus.readers.records import Meter, distinct_names
from qdtm.errors import CorpusError, MissingExtraError, ParameterError


def write(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return path


def records(path: Path, **options: str) -> list[Record]:
    return list(read_records(path, ReadOptions(**options)))


def texts(path: Path, **options: str) -> list[str]:
    return [record.text for record in records(path, **options)]


def error_of(path: Path, **options: str) -> str:
    with pytest.raises(CorpusError) as caught:
        records(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- tables ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_delimiter_is_found(tmp_path, delimiter, suffix):
    path = tmp_path / f"news{suffix}"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows(
            [["id", "text", "year"], ["a", "One, two; three | four\tfive.", "1999"], ["b", "Six", ""]]
        )
    first, second = records(path)
    assert first == Record("a", "One, two; three | four\tfive.", {"year": "1999"})
    assert second == Record("b", "Six", {"year": ""})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_with_and_without_marks(tmp_path, encoding):
    path = write(
        tmp_path, "news.csv", "id,text\n1,Käse naïve\n2,plain words and more of them\n".encode(encoding)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(path) == ["Käse naïve", "plain words and more of them"]


@pytest.mark.parametrize(
    ("data", "name"), [(b"caf\xe9 \x93quoted\x94", "cp1252"), (b"caf\xe9 \x81", "latin-1")]
)
def test_other_encodings_fall_back_with_a_warning(tmp_path, data, name):
    path = write(tmp_path, "news.txt", data)
    with pytest.warns(CorpusWarning, match=f"was read as {name}"):
        assert texts(path) == [data.decode(name)]


def test_utf8_with_a_few_broken_bytes_stays_utf8(tmp_path):
    path = write(tmp_path, "news.txt", "Ünïcödé wörds\n".encode() * 5 + b"bad \xff byte\n")
    with pytest.warns(CorpusWarning, match="1 broken"):
        found = texts(path)
    assert found[0] == "Ünïcödé wörds"
    assert found[-1] == "bad \ufffd byte"


def test_character_split_between_pieces_is_utf8(tmp_path):
    path = write(tmp_path, "news.txt", b"a" * (2**20 - 1) + "é\n".encode())
    assert find_encoding(path).name == "utf-8"


def test_given_encoding(tmp_path):
    path = write(tmp_path, "news.txt", "Привет мир".encode("cp1251"))
    assert texts(path, encoding="cp1251") == ["Привет мир"]
    assert "encoding" in error_of(path, encoding="ascii")
    with pytest.raises(ParameterError, match="no encoding 'klingon'"):
        records(path, encoding="klingon")


def test_quoted_newlines_and_doubled_quotes(tmp_path):
    path = write(tmp_path, "news.csv", 'text,by\r\n"one\r\ntwo, ""three""",me\r\n')
    assert records(path) == [Record("1", 'one\r\ntwo, "three"', {"by": "me"})]


def test_short_rows_lack_cells(tmp_path):
    path = write(tmp_path, "news.csv", "id,text,year\n1,one,1999\n2,two\n3\n")
    assert records(path)[1:] == [Record("2", "two", {}), Record("3", "", {})]


def test_surplus_cells_are_joined_to_the_last_column(tmp_path):
    path = write(tmp_path, "news.csv", "id,text\n1,one\n2,two, three, four\n3,five,,\n4,six\n")
    with pytest.warns(CorpusWarning, match=r"1 rows .* \(first: row 2\)"):
        assert texts(path) == ["one", "two, three, four", "five", "six"]


def test_single_column_with_commas_and_no_quotes(tmp_path):
    path = write(tmp_path, "news.csv", "text\nHello, world, again\nplain\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(path) == ["Hello, world, again", "plain"]


def test_blank_rows_and_old_line_ends(tmp_path):
    assert texts(write(tmp_path, "news.csv", "text\r\rone\r\rtwo\r")) == ["one", "two"]


def test_delimiter_note_of_spreadsheets(tmp_path):
    assert texts(write(tmp_path, "news.csv", "sep=;\nid;text\n1;a, b\n2;c\n")) == ["a, b", "c"]


def test_repeated_and_empty_headers(tmp_path):
    assert distinct_names(["a", "a", "", "a_2", " b "]) == ["a", "a_2", "column_3", "a_2_2", "b"]
    path = write(tmp_path, "news.csv", "text,x,x,\nhello,1,2,3\n")
    assert records(path)[0].fields == {"x": "1", "x_2": "2", "column_4": "3"}


def test_text_column_by_usual_name_then_by_length(tmp_path):
    rows = "k,Body,note\n1,short,a much longer note than the body\n"
    assert texts(write(tmp_path, "a.csv", rows)) == ["short"]
    with pytest.warns(CorpusWarning, match="'note', with the longest texts"):
        assert texts(write(tmp_path, "b.csv", rows.replace("Body", "x"))) == [
            "a much longer note than the body"
        ]


def test_columns_that_were_asked_for(tmp_path):
    path = write(tmp_path, "news.csv", "key,Headline,text\nk1,Hello,World\n")
    assert records(path, text_column="headline", id_column="key") == [
        Record("k1", "Hello", {"text": "World"})
    ]
    message = error_of(path, text_column="headlin")
    assert message == (
        "Column 'headlin' is not in 'news.csv'. Closest: 'Headline'. Columns: 'key', 'Headline', 'text'."
    )
    assert "Column 'nope' is not in 'news.csv'" in error_of(path, id_column="nope")


def test_row_number_stands_in_for_an_empty_id(tmp_path):
    path = write(tmp_path, "news.csv", "id,text\nx,one\n,two\n")
    assert [record.id for record in records(path)] == ["x", "2"]


def test_very_long_cell_and_nul_characters(tmp_path):
    path = write(tmp_path, "news.csv", 'id,text\n1,"' + "word " * 100_000 + '"\n2,nul\0byte\n')
    found = texts(path)
    assert len(found[0]) == 500_000
    assert found[1] == "nul byte"


def test_unclosed_quote_is_told(tmp_path):
    path = write(tmp_path, "news.csv", 'id,text\n1,"never closed\n' + "2,next\n" * 1_500)
    with pytest.warns(CorpusWarning, match="quotation mark may not be closed"):
        records(path)


def test_cell_beyond_the_limit(tmp_path, monkeypatch):
    limit = csv.field_size_limit()
    monkeypatch.setattr("qdtm.corpus.readers.csv_files.MAX_TEXT", 10)
    csv.field_size_limit(10)
    try:
        message = error_of(write(tmp_path, "news.csv", "id,text\n1,short\n2," + "x" * 50 + "\n"))
    finally:
        csv.field_size_limit(limit)
    assert "field larger than field limit" in message
    assert "Line 3 of" in message


# --- json lines ------------------------------------------------------------------------------------------


def test_json_lines_with_all_kinds_of_values(tmp_path):
    entries = [
        {"id": 7, "text": "one", "n": 1.5, "deep": {"a": [1]}, "tags": ["x", "y"]},
        {"id": "b", "text": None, "late": True},
        {"text": ["two", "three"], "id": None},
        {"text": 12},
    ]
    path = write(tmp_path, "news.jsonl", "\n\n".join(map(json.dumps, entries)) + '\n"only a string"\n')
    found = records(path)
    assert [record.id for record in found] == ["7", "b", "5", "7", "8"]
    assert [record.text for record in found] == ["one", "", "two three", "12", "only a string"]
    assert found[0].fields == {"n": "1.5", "deep.a": "[1]", "tags": "x y"}
    assert found[1].fields == {"late": "true"}


def test_json_lines_columns(tmp_path):
    path = write(tmp_path, "news.ndjson", '{"body": "hello", "key": "k"}\n')
    assert records(path, id_column="key") == [Record("k", "hello", {})]
    assert error_of(path, text_column="text").endswith("Columns: 'body', 'key'.")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{bad", "Line 2 of .* is not JSON"),
        ("[1, 2]", "Line 2 of .* is not a JSON object"),
        ("17", "Line 2 of .* is not a JSON object"),
        ("{}", "Line 2 of .* is not a JSON object"),
        ("[" * 100_000, "Line 2 of .* is not JSON"),
        ('{"text": ' + "9" * 5_000 + "}", "Line 2 of .* is not JSON"),
        ('{"text": {"a": 1}}', "Line 2 of .*'text' is an object"),
    ],
)
def test_bad_json_lines(tmp_path, line, reason):
    path = write(tmp_path, "news.jsonl", '{"text": "fine"}\n' + line + "\n")
    with pytest.raises(CorpusError, match=reason):
        records(path)


def test_json_that_is_not_lines(tmp_path):
    assert "one object a line" in error_of(write(tmp_path, "news.jsonl", '[\n{"text": "a"}\n]\n'))


# --- plain text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".txt", ".cor", ".TXT"])
def test_document_a_line(tmp_path, suffix):
    path = write(tmp_path, f"news{suffix}", "one\r\n\r\n  two \nthree")
    assert records(path) == [Record("1", "one"), Record("3", "two"), Record("4", "three")]


def test_ten_megabyte_line(tmp_path):
    path = write(tmp_path, "news.txt", "short\n" + "word " * 2_000_000 + "\nlast\n")
    assert [len(text) for text in texts(path)] == [5, 9_999_999, 4]


def test_line_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("qdtm.corpus.readers.encoding.MAX_TEXT", 10)
    assert "Line 2 of" in error_of(write(tmp_path, "news.txt", "short\n" + "x" * 11 + "\n"))


def test_folder_of_text_files(tmp_path):
    write(tmp_path, "docs/b.txt", "second\nfile\0")
    write(tmp_path, "docs/a.txt", "first")
    write(tmp_path, "docs/.hidden/c.md", "not text")
    assert records(tmp_path / "docs") == [
        Record("a", "first", title="first"),
        Record("b", "second\nfile ", title="second"),
    ]
    write(tmp_path, "docs/sub/c.txt", "third")
    assert records(tmp_path / "docs")[1:] == [
        Record("b", "second\nfile ", {"folder": ""}, title="second"),
        Record("sub/c", "third", {"folder": "sub"}, title="third"),
    ]


def test_folder_tells_of_encodings_once(tmp_path):
    for name in "abc":
        write(tmp_path, f"{name}.txt", b"caf\xe9")
    with pytest.warns(CorpusWarning) as caught:
        assert texts(tmp_path) == ["café"] * 3
    assert len(caught) == 1
    assert "3 files" in str(caught[0].message)


def test_file_in_folder_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("qdtm.corpus.readers.contents.MAX_TEXT", 10)
    write(tmp_path, "a.txt", "x" * 11)
    assert "larger than" in error_of(tmp_path)


# --- any bytes -------------------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, derandomize=True)
@given(
    st.sampled_from([".csv", ".tsv", ".jsonl", ".txt"]),
    st.one_of(
        st.binary(max_size=200),
        st.lists(
            st.sampled_from(
                ['"', ",", ";", "\t", "\n", "\r", "a", "é", "{", "}", ":", "\0", "\ufeff", "sep="]
            )
        )
        .map("".join)
        .map(str.encode),
    ),
)
@pytest.mark.filterwarnings("ignore::qdtm.corpus.CorpusWarning")
def test_any_bytes_are_read_or_refused(tmp_path, suffix, data):
    path = write(tmp_path, f"any{suffix}", data)
    found, refusal = [], ""
    try:
        found = records(path)
    except CorpusError as error:
        refusal = str(error)
    assert bool(found) != bool(refusal)
    assert "\n" not in refusal
    assert all("\0" not in record.text and record.id for record in found)


# --- bad paths -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["empty.csv", "empty.tsv", "empty.jsonl", "empty.txt"])
@pytest.mark.parametrize("data", ["", "\n\r\n", "\ufeff"])
def test_empty_files(tmp_path, name, data):
    assert error_of(write(tmp_path, name, data)).endswith("is empty.")


def test_header_and_no_rows(tmp_path):
    assert error_of(write(tmp_path, "news.csv", "id,text\n")).endswith("has a header and no rows.")


def test_missing_and_unknown_files(tmp_path):
    assert "There is no file or folder" in error_of(tmp_path / "missing.csv")
    assert "There is no file or folder" in error_of(Path("nul\0byte.csv"))
    assert "There are no documents in" in error_of(tmp_path)
    assert "Known: .csv, .tsv" in error_of(write(tmp_path, "news.doc", "x"))


@pytest.mark.parametrize("name", ["news.csv", "news.jsonl", "news.txt"])
def test_file_without_permission(tmp_path, monkeypatch, name):
    path = write(tmp_path, name, "text\n")

    def refuse(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    assert error_of(path) == f"Cannot read {str(path)!r}: Permission denied."


def test_folder_without_permission(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert error_of(tmp_path) == f"Cannot read {str(tmp_path)!r}: Permission denied."


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything"
)
def test_file_without_permission_on_disk(tmp_path):
    path = write(tmp_path, "news.csv", "text\nx\n")
    path.chmod(0)
    assert "Permission denied" in error_of(path)


# --- extras and progress ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "module"), [("a.parquet", "pyarrow"), ("a.xlsx", "openpyxl")])
def test_missing_extra_is_named(tmp_path, monkeypatch, name, module):
    for part in (module, f"{module}.parquet"):
        monkeypatch.setitem(sys.modules, part, None)
    with pytest.raises(MissingExtraError, match=r"needs the extra '\w+': pip install 'qdtm\["):
        records(write(tmp_path, name, b"PAR1"))


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "news.parquet"
    parquet.write_table(pyarrow.table({"id": [1, 2], "text": ["one", None], "year": [1999, 2000]}), path)
    assert records(path) == [Record("1", "one", {"year": "1999"}), Record("2", "", {"year": "2000"})]
    assert "not a parquet file" in error_of(write(tmp_path, "bad.parquet", b"nothing"))


def test_xlsx(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "text", "year"], ["a", "one", 1999], [None, None, None], ["b", "two", None]):
        book.active.append(row)
    book.save(tmp_path / "news.xlsx")
    assert records(tmp_path / "news.xlsx") == [
        Record("a", "one", {"year": "1999"}),
        Record("b", "two", {}),
    ]
    assert "not an .xlsx file" in error_of(write(tmp_path, "bad.xlsx", b"nothing"))


def test_meter_follows_the_reading(tmp_path):
    path = write(tmp_path, "news.txt", "some words in a line\n" * 20_000)
    meter = Meter()
    shares = [meter.share() for _ in read_records(path, ReadOptions(), meter)]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] > 0.9


def test_reading_is_lazy(tmp_path):
    path = write(tmp_path, "news.jsonl", '{"text": "fine"}\n' * 60 + "broken\n")
    stream = read_records(path)
    assert next(stream).text == "fine"  # the broken line comes later
    with pytest.raises(CorpusError, match="Line 61"):
        list(stream)
