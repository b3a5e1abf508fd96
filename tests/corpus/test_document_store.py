"""Documents in memory and in SQLite: the same behaviour behind one protocol."""

import copy
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from qdtm.corpus.document_store import Document, DocumentStore, MemoryDocuments
from qdtm.corpus.readers.records import Record
from qdtm.corpus.sqlite_store import SqliteDocuments, SqliteWriter
from qdtm.errors import StorageError

N = 1_234
RECORDS = [Record(f"id {j}", f"text {j} ☃ \0", {"year": str(j % 7), "who": "x"}) for j in range(N)]


@pytest.fixture(params=["memory", "sqlite"])
def store(request) -> DocumentStore:
    if request.param == "memory":
        columns = {"year": [r.fields["year"] for r in RECORDS], "who": ["x"] * N}
        return MemoryDocuments([r.text for r in RECORDS], [r.id for r in RECORDS], columns)
    with SqliteWriter() as writer:
        for record in RECORDS:
            writer.add(record)
        return writer.finish()


def expected(j: int) -> Document:
    return Document(j, RECORDS[j].id, RECORDS[j].text, RECORDS[j].fields)


def test_documents_are_found_by_their_ids(store):
    for j in (0, 7, N - 1):
        assert store.find(f"id {j}") == j
    for wanted in ("", "id", "7", f"id {N}", "id 7\ud800", "' OR 1 = 1 --"):
        assert store.find(wanted) is None


def test_the_first_of_several_with_one_id():
    texts = ["a"] * 4
    assert MemoryDocuments(texts, ["x", "y", "y", 3]).find("y") == 1
    with SqliteWriter() as writer:
        for id in ("x", "y", "y"):
            writer.add(Record(id, "a", {}))
        assert writer.finish().find("y") == 1


def test_rows_are_ids_where_there_are_no_others():
    documents = MemoryDocuments(["a"] * 12)
    assert documents.find("11") == 11
    for wanted in ("12", "011", "-1", "1.0", "١", "9" * 5000, ""):
        assert documents.find(wanted) is None


def test_ids_are_looked_up_in_an_index():
    with SqliteWriter() as writer:
        writer.add(RECORDS[0])
        documents = writer.finish()
    (plan,) = documents._rows("EXPLAIN QUERY PLAN SELECT MIN(row) FROM documents WHERE id = ?", ("x",))
    assert "documents_by_id" in plan[-1]


def test_documents_come_back(store):
    assert len(store) == N
    assert store.field_names == ("year", "who")
    assert list(store) == [expected(j) for j in range(N)]
    assert store[0] == expected(0)
    assert store[-1] == expected(N - 1)


def test_select_keeps_order_and_repetitions(store):
    indices = [5, 1_000, 5, -1, *range(700)]
    assert [d.index for d in store.select(indices)] == [5, 1_000, 5, N - 1, *range(700)]
    assert list(store.select([])) == []


@pytest.mark.parametrize("index", [N, -N - 1])
def test_no_such_document(store, index):
    with pytest.raises(IndexError, match="There is no document"):
        store[index]


def test_fields_met_late_are_empty_before():
    with SqliteWriter() as writer:
        for record in (
            Record("a", "x", {"one": "1"}),
            Record("b", "y"),
            Record("c", "z", {"two": "2", "one": "3"}),
        ):
            writer.add(record)
        store = writer.finish()
    assert store.field_names == ("one", "two")
    assert [dict(d.fields) for d in store] == [
        {"one": "1", "two": ""},
        {"one": "", "two": ""},
        {"one": "3", "two": "2"},
    ]


def test_several_threads_may_read():
    with SqliteWriter() as writer:
        for record in RECORDS:
            writer.add(record)
        store = writer.finish()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda j: store[j].id, range(0, N, 3)))
    assert found == [RECORDS[j].id for j in range(0, N, 3)]


def test_store_is_closed_and_opened_again():
    with SqliteWriter() as writer:
        writer.add(RECORDS[0])
        store = writer.finish()
    store.close()
    store.close()
    assert store[0] == expected(0)
    assert copy.deepcopy(store) is store


def test_file_that_is_gone(tmp_path):
    path = tmp_path / "documents.sqlite"
    with SqliteWriter(path) as writer:
        writer.add(RECORDS[0])
        writer.finish().close()
    assert SqliteDocuments(path)[0] == expected(0)
    path.unlink()
    with pytest.raises(StorageError, match="Cannot read the documents"):
        SqliteDocuments(path)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE other (x)",
        "CREATE TABLE documents (x); CREATE TABLE field_names (position, name)",
        "CREATE TABLE documents (row, id, text, fields); CREATE TABLE field_names (position, name);"
        "INSERT INTO documents VALUES (3, 'a', 'b', '[]')",
        "CREATE TABLE t (row, id, text, fields); CREATE VIEW documents AS SELECT * FROM t;"
        "CREATE TABLE field_names (position, name)",
    ],
)
def test_file_that_is_not_ours(tmp_path, script):
    path = tmp_path / "documents.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    with pytest.raises(StorageError):
        SqliteDocuments(path)


def test_file_that_is_no_database(tmp_path):
    path = tmp_path / "documents.sqlite"
    path.write_bytes(b"not a database, and long enough to tell" * 100)
    with pytest.raises(StorageError, match="not a database"):
        SqliteDocuments(path)


@pytest.mark.parametrize(
    "fields", ["{", '{"x": 1}', '{"-1": 1}', '{"99": 1}', '"x"', "[1", "null", "[" * 9_999]
)
def test_fields_that_are_damaged(tmp_path, fields):
    path = tmp_path / "documents.sqlite"
    with SqliteWriter(path) as writer:
        writer.add(RECORDS[0])
        writer.finish().close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE documents SET fields = ?", [fields])
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="damaged"):
        SqliteDocuments(path)[0]


def test_writing_where_nothing_can_be_written(tmp_path):
    with pytest.raises(StorageError, match="Cannot write"):
        SqliteWriter(tmp_path / "missing" / "documents.sqlite")


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM documents; END",
        "CREATE VIEW v AS SELECT zeroblob(1000000000) FROM documents",
        "ALTER TABLE documents ADD COLUMN more TEXT",
        "DROP TABLE field_names",
    ],
)
def test_a_file_with_more_in_it_than_documents(tmp_path, change):
    path = tmp_path / "documents.sqlite"
    with SqliteWriter(path) as writer:
        writer.add(RECORDS[0])
        writer.finish().close()
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="not a store of documents"):
        SqliteDocuments(path)


def _delete_behind_the_index(path, row):
    """Remove a row from the table alone; the index, which SQLite counts, still has it."""
    steps = (
        "CREATE TABLE kept AS SELECT * FROM sqlite_master WHERE type = 'index'",
        "DELETE FROM sqlite_master WHERE type = 'index'",
        f"DELETE FROM documents WHERE row = {row}",
        "INSERT INTO sqlite_master SELECT * FROM kept",
        "DELETE FROM sqlite_master WHERE name = 'kept'",
    )
    for step in steps:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(step)
        connection.close()


def test_rows_that_are_counted_and_not_there(tmp_path):
    path = tmp_path / "documents.sqlite"
    with SqliteWriter(path) as writer:
        for record in RECORDS[:5]:
            writer.add(record)
        writer.finish().close()
    _delete_behind_the_index(path, row=2)
    documents = SqliteDocuments(path)
    for read in (lambda: documents[2], lambda: list(documents)):
        with pytest.raises(StorageError, match="some of its rows cannot be found"):
            read()
    assert documents[3] == expected(3)
