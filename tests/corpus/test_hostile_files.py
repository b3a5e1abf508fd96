"""Small files that would fill the memory, or take for ever: one line says why they are not read."""

import errno
import json
import os
import sqlite3
import tracemalloc
import warnings
import zipfile
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from qdtm.corpus import Corpus, CorpusWarning, TextPipeline, VocabularyLimits
from qdtm.corpus.readers import csv_files
from qdtm.corpus.readers.arrow_sizes import n_cells
from qdtm.corpus.readers.read import read_records
from qdtm.corpus.readers.records import MAX_COLUMNS, distinct_names
from qdtm.errors import CorpusError, ParameterError

MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = b'<worksheet xmlns="' + MAIN + b'"><sheetData>%s</sheetData></worksheet>'
GROWS = "unpacks to more than"


def refused(path, reason, content=None):
    """Read a file that must be refused, in one line."""
    if content is not None:
        path.write_text(content, "utf-8") if isinstance(content, str) else path.write_bytes(content)
    with pytest.raises(CorpusError, match=reason) as caught:
        list(read_records(path))
    assert "\n" not in str(caught.value)


def outcome(path):
    """Return the texts of a file, or which of two reasons there is against it."""
    try:
        return [record.text for record in read_records(path)]
    except CorpusError as error:
        return next(reason for reason in ("nested too deeply", "no rows") if reason in str(error))


def read(path, content):
    path.write_text(content, "utf-8")
    return Corpus.read(path, pipeline=TextPipeline(limits=VocabularyLimits(min_df=1)))


# --- tables of text ----------------------------------------------------------------------------------------


def test_a_million_columns_of_one_name(tmp_path):
    refused(tmp_path / "x.csv", "1,000,000 columns", ",".join(["a"] * 1_000_000) + "\nx\n")


def test_equal_names_take_as_many_steps_as_there_are():
    names = distinct_names(["a"] * 50_000 + ["a_2", ""])
    assert len(set(names)) == 50_002
    assert names[:2] == ["a", "a_2"]
    assert names[-2:] == ["a_2_2", "column_50002"]


def test_short_rows_of_a_wide_table_cost_what_they_hold(tmp_path):
    header = ",".join(["text", *(f"c{c}" for c in range(MAX_COLUMNS - 1))])
    corpus = read(tmp_path / "x.csv", f"{header}\nfire,1\n" + "wind\n" * 3_000)
    assert len(corpus.documents.field_names) == MAX_COLUMNS - 1
    assert corpus.documents.path.stat().st_size < 2**20
    assert corpus.documents[0].fields["c0"] == "1"
    assert corpus.documents[1].fields.get("c0", "") == ""


def test_a_quote_that_is_never_closed(tmp_path, monkeypatch):
    import csv

    before = csv.field_size_limit(10_000)
    monkeypatch.setattr(csv_files, "MAX_TEXT", 10_000)
    try:
        refused(tmp_path / "x.csv", "field larger than field limit", 'text,b\n"' + "fire and wind\n" * 1_000)
    finally:
        csv.field_size_limit(before)


def test_only_a_little_of_long_lines_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "MAX_TEXT", 1_000)
    taken = csv_files.peek(iter(["x" * 600] * 5), 200, len)
    assert [len(value) for value in taken] == [600, 600]


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    refused(tmp_path / "x.csv", "is not a file")


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="needs such files of the system")
@pytest.mark.parametrize("name", ["x.csv", "x.txt", "x.md", "x.jsonl", "x.ris"])
def test_files_of_the_system_that_have_no_end_are_not_read(tmp_path, name):
    (tmp_path / name).symlink_to("/proc/self/pagemap")
    refused(tmp_path / name, "is empty|has no text")


def test_a_file_that_the_disk_refuses_to_read_costs_that_file_and_no_more(tmp_path, monkeypatch):
    for name in ("a", "bad", "c"):
        (tmp_path / f"{name}.txt").write_text("fire and wind")
    opened = Path.open

    def refuses(path, *arguments, **named):
        if path.name == "bad.txt":
            raise OSError(errno.EIO, "Input/output error")
        return opened(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refuses)
    with pytest.warns(CorpusWarning, match=r"'bad\.txt'.*Input/output error"):
        assert len(list(read_records(tmp_path))) == 2


@pytest.mark.parametrize("encoding", ["zlib", "rot13", "hex", "nonsense"])
def test_an_encoding_that_is_none_of_texts(tmp_path, encoding):
    (tmp_path / "x.txt").write_text("fire")
    with pytest.raises(ParameterError, match="There is no encoding"):
        Corpus.read(tmp_path / "x.txt", encoding=encoding)


# --- JSON lines --------------------------------------------------------------------------------------------


def test_json_of_any_depth(tmp_path):
    refused(tmp_path / "x.jsonl", "nested too deeply", '{"text": ' + "[" * 10_000 + "]" * 10_000 + "}")
    for depth in range(850, 1_010, 10):  # somewhere here it can be read, and not be written again
        (tmp_path / "y.jsonl").write_text('{"text": "fire", "x": ' + "[" * depth + "]" * depth + "}")
        assert outcome(tmp_path / "y.jsonl") in (["fire"], "nested too deeply")


def test_a_key_of_its_own_in_every_line(tmp_path):
    lines = [f'{{"text": "fire", "k{j}": "{j}"}}' for j in range(3_000)]
    corpus = read(tmp_path / "x.jsonl", "\n".join(lines))
    assert corpus.documents.path.stat().st_size < 2**20
    assert corpus.documents[2_999].fields == {"k2999": "2999"}
    more = [f'{{"text": "fire", "k{j}": 1}}' for j in range(MAX_COLUMNS + 1)]
    refused(tmp_path / "y.jsonl", "columns or keys", "\n".join(more))


# --- workbooks ---------------------------------------------------------------------------------------------


def cell(place, text):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'.encode()


def workbook(path, rows, *, before=b"", **parts):
    """Write a workbook whose first sheet has these rows, as XML, and whose other parts are changed."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["xl/worksheets/sheet1.xml"] = before + SHEET % rows
    members.update({f"xl/{name}.xml": content for name, content in parts.items()})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


HEAD = b'<row r="1">%s</row>' % cell("A1", "text")


def test_a_workbook_that_unpacks_to_very_much(tmp_path):
    refused(workbook(tmp_path / "x.xlsx", HEAD + b"<row>" + b"<c/>" * 10_000_000 + b"</row>"), GROWS)


@pytest.mark.parametrize("rows", [b"<row/>" * 1_500_000, b"<a>" * 1_500_000 + b"</a>" * 1_500_000])
def test_a_small_workbook_of_a_great_many_elements(tmp_path, rows):
    path = workbook(tmp_path / "x.xlsx", HEAD + rows)
    assert path.stat().st_size < 100_000
    refused(path, GROWS)


@pytest.mark.parametrize("last", ["XFD1048576", "A1048576", "A99999999999"])
def test_a_cell_far_away(tmp_path, last):
    row = last.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    path = workbook(tmp_path / "x.xlsx", HEAD + b'<row r="%s">%s</row>' % (row.encode(), cell(last, "fire")))
    assert outcome(path) in ([""], ["fire"], "no rows")


def test_cells_far_to_the_right_in_every_row(tmp_path):
    rows = b"".join(b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (j, j) for j in range(2, 2_000))
    refused(workbook(tmp_path / "x.xlsx", HEAD + rows), GROWS)


def test_a_size_that_the_sheet_does_not_have(tmp_path):
    rows = HEAD + b'<row r="2">%s</row>' % cell("A2", "fire")
    sized = SHEET.replace(b"<sheetData>", b'<dimension ref="A1:XFD1048576"/><sheetData>') % rows
    path = workbook(tmp_path / "y.xlsx", b"", **{"worksheets/sheet1": sized})
    assert [record.text for record in read_records(path)] == ["fire"]


def test_entities_are_not_followed(tmp_path):
    laughs = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10))
    for entity in (b'<!ENTITY a0 "lol">' + laughs, b'<!ENTITY a9 SYSTEM "file:///etc/passwd">'):
        rows = HEAD + b'<row r="2">%s</row>' % cell("A2", "&a9;")
        path = workbook(tmp_path / "x.xlsx", rows, before=b"<!DOCTYPE x [%s]>" % entity)
        refused(path, "damaged")


def test_millions_of_rows_without_anything(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"text": pyarrow.nulls(20_000_000)}), tmp_path / "x.parquet")
    refused(tmp_path / "x.parquet", GROWS)


def test_empty_rows_count_for_something(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "_FREE_CHARACTERS", 1_000)
    monkeypatch.setattr(csv_files, "_MAX_GROWTH", 0)
    refused(tmp_path / "x.csv", GROWS, "text,b\n" + "a,\n" * 40)


def test_a_long_text_that_is_named_many_times(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    once = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * 20_000, "int32"), ["fire and wind " * 2_000]
    )
    parquet.write_table(pyarrow.table({"text": once}), tmp_path / "x.parquet", compression="zstd")
    assert (tmp_path / "x.parquet").stat().st_size < 2**17
    refused(tmp_path / "x.parquet", GROWS)


# --- tables of Arrow's -------------------------------------------------------------------------------------


POOLS = []
"""Kept, because what is in them may be given back later."""


@contextmanager
def little_memory(most=2**26):
    """Fail if more memory is taken inside, by Python or by pyarrow."""
    pyarrow = pytest.importorskip("pyarrow")
    usual = pyarrow.default_memory_pool()
    counted = pyarrow.proxy_memory_pool(usual)
    POOLS.append(counted)
    pyarrow.set_memory_pool(counted)
    tracemalloc.start()
    try:
        yield
        assert max(counted.max_memory(), tracemalloc.get_traced_memory()[1]) < most
    finally:
        tracemalloc.stop()
        pyarrow.set_memory_pool(usual)


def parquet_file(path, **columns):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), path, compression="zstd")
    return path


def arrow_file(path, kind="new_file", **columns):
    """Write an Arrow file whose buffers are compressed, as Feather files are."""
    pyarrow = pytest.importorskip("pyarrow")
    ipc = pytest.importorskip("pyarrow.ipc")
    table = pyarrow.table(columns)
    options = ipc.IpcWriteOptions(compression="zstd")
    with path.open("wb") as file, getattr(ipc, kind)(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


def zeros(n):
    """A list of n zeros."""
    pyarrow = pytest.importorskip("pyarrow")
    values = pyarrow.array(np.zeros(n, np.int8))
    return pyarrow.ListArray.from_arrays(pyarrow.array([0, n], "int32"), values)


@pytest.mark.parametrize("write", [parquet_file, arrow_file])
def test_a_list_of_millions_of_zeros(tmp_path, write):
    path = write(
        tmp_path / ("x.parquet" if write is parquet_file else "x.arrow"), text=["fire"], l=zeros(2 * 10**7)
    )
    assert path.stat().st_size < 2**13
    with little_memory():
        refused(path, GROWS)


def test_a_list_of_nothing_two_thousand_million_times(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    nothing = pyarrow.FixedSizeListArray.from_arrays(pyarrow.nulls(2 * 10**9), 2 * 10**9)
    with little_memory():
        refused(arrow_file(tmp_path / "x.arrow", text=["fire"], n=nothing), GROWS)


def test_a_text_of_very_many_equal_letters(tmp_path):
    path = parquet_file(tmp_path / "x.parquet", text=["a" * 10**8])
    with little_memory():
        refused(path, GROWS)


@pytest.mark.parametrize("kind", ["new_file", "new_stream"])
def test_arrow_buffers_that_unpack_to_very_much(tmp_path, kind):
    path = arrow_file(tmp_path / "x.arrow", kind, text=["a" * 10**8])
    with little_memory():
        refused(path, GROWS)


def test_a_long_text_in_each_of_few_rows_is_unpacked_for_few_at_once(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    once = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 400, "int32"), ["fire " * 2_000_000])
    path = parquet_file(tmp_path / "x.parquet", text=once)
    with little_memory(2**29):
        refused(path, GROWS)


def kinds_of_columns():
    """Columns of ten thousand characters or cells in the end, of which pyarrow keeps much less."""
    pyarrow = pytest.importorskip("pyarrow")
    long = pyarrow.array(["x" * 100])
    names = pyarrow.array([0] * 100, "int8")
    offsets = pyarrow.array([0] * 100, "int32")
    yield pyarrow.DictionaryArray.from_arrays(names, long)
    yield pyarrow.UnionArray.from_dense(names, offsets, [long])
    yield pyarrow.FixedSizeListArray.from_arrays(pyarrow.nulls(10_000), 100)
    yield pyarrow.array([[("k", "x" * 100)]] * 100, pyarrow.map_(pyarrow.string(), pyarrow.string()))
    yield pyarrow.array([{"a": "x" * 100}] * 100)
    if hasattr(pyarrow, "ListViewArray"):  # these are younger than the oldest version that is supported
        yield pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([100], "int32"), long)
        sizes = pyarrow.array([1] * 100, "int32")
        yield pyarrow.ListViewArray.from_arrays(offsets, sizes, long)
        yield pyarrow.array(["x" * 100] * 100, "string_view")


def test_columns_of_any_kind_are_counted_as_what_they_become():
    for column in kinds_of_columns():
        assert n_cells(column) >= 10_000, column.type
        assert n_cells(column.slice(50)) >= 5_000, column.type


def test_dates_that_python_has_none_for_cost_no_more_than_themselves(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = parquet_file(
        tmp_path / "x.parquet",
        text=["fire and wind", "wind and rain"],
        far=pyarrow.array([0, 2**62], pyarrow.timestamp("us")),
        day=pyarrow.array([2**30, 0], pyarrow.date32()),
        there=pyarrow.array([0, 1], pyarrow.timestamp("us", tz="Mars/Olympus")),
    )
    first, second = read_records(path)
    assert first.fields["far"] == "1970-01-01 00:00:00"
    assert "out of range" in second.fields["far"]
    assert "out of range" in first.fields["day"]
    assert second.fields["day"] == "1970-01-01"
    assert first.fields["there"] == "1970-01-01 00:00:00"


# --- bibliographies ----------------------------------------------------------------------------------------


def test_a_macro_that_is_named_very_often(tmp_path):
    named = "@string{a = {" + "fire " * 200 + "}}\n@article{k, title = {fire}, abstract = %sa}\n"
    (tmp_path / "x.bib").write_text(named % ("a # " * 10))
    (entry,) = read_records(tmp_path / "x.bib")
    assert len(entry.text) > 10_000
    with little_memory(2**27):
        refused(tmp_path / "y.bib", GROWS, named % ("a#" * 200_000))


def test_a_long_word_at_very_many_places_of_an_abstract(tmp_path):
    words = {"fire" * 100: [0] * 50_000, "f" * 5_000: [1]}
    entry = {"title": "a fire", "id": "1", "abstract_inverted_index": words}
    (tmp_path / "x.json").write_text(json.dumps([entry]))
    (record,) = read_records(tmp_path / "x.json")
    assert len(record.text) < 11_000_000  # 20 million if nothing were cut
    assert "f" * 5_000 in record.text


# --- archives and databases --------------------------------------------------------------------------------


def archive(path, members, compression=zipfile.ZIP_STORED):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", compression) as packed:
        warnings.simplefilter("ignore", UserWarning)  # of names that there are twice
        for name, content in members:
            packed.writestr(name, content)
    return path


def test_files_of_an_archive_that_have_one_name_are_all_read(tmp_path):
    path = archive(tmp_path / "x.zip", [("a.txt", "fire"), ("a.txt", "wind"), ("../a.txt", "rain")])
    records = list(read_records(path))
    assert sorted(record.text for record in records) == ["fire", "rain", "wind"]
    assert sorted(record.id for record in records) == ["a", "a (2)", "a (3)"]


def test_names_in_an_archive_that_are_too_long_for_the_disk_are_cut(tmp_path):
    names = ["火" * 120 + "一.txt", "火" * 120 + "二.txt", "y" * 60_000 + ".txt", "b.txt"]
    path = archive(tmp_path / "x.zip", [(name, "fire and wind") for name in names])
    assert len(list(read_records(path))) == 4


def test_a_damaged_archive_packed_by_lzma(tmp_path):
    path = archive(tmp_path / "x.zip", [("a.txt", "fire and wind " * 100)], zipfile.ZIP_LZMA)
    content = bytearray(path.read_bytes())
    content[50:70] = b"\xff" * 20
    refused(path, "damaged", bytes(content))


def test_a_database_with_a_log_gets_nothing_beside_it(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE news (text)")
        database.execute("INSERT INTO news VALUES ('fire and wind')")
        database.commit()
        assert [record.text for record in read_records(tmp_path / "x.db")] == ["fire and wind"]
    assert [record.text for record in read_records(tmp_path / "x.db")] == ["fire and wind"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]
