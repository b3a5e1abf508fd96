"""What files a corpus is in, and what is said when one is not there or not like the others."""

import pytest
from tests.corpus.many_files.conftest import assert_same, write_csv

from qdtm.corpus.many_files import FileCorpus, is_pattern, list_files, read_file
from qdtm.corpus.readers.records import ReadOptions
from qdtm.errors import CorpusError, OutOfMemoryError


def names(files):
    return [file.name.rpartition("/")[2] for file in files]


def test_a_pattern_is_taken_in_the_order_of_the_names(folder):
    found = list_files(str(folder / "part-*.*"))
    assert [name[:6] for name in names(found)] == [f"part-{number}" for number in range(5)]
    assert all(file.size > 0 for file in found)


def test_a_list_is_taken_in_its_own_order(folder):
    assert names(list_files([folder / "part-3.csv", str(folder / "part-0*")])) == ["part-3.csv", "part-0.csv"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("{}/none-*.csv", "No file matches '{}/none-*.csv'."),
        ("{}/none.csv", "There is no file '{}/none.csv'."),
        (["{}/part-0.csv", "{}/part-0.*"], "The file '{}/part-0.csv' is there twice"),
        ([], "There is no file in the list"),
        ("{}/notes.doc", "Files like '{}/notes.doc' cannot be read"),
        ("memory://nowhere/*.csv", "No file matches 'memory://nowhere/*.csv'."),
        ("memory://nowhere/a.csv", "There is no file 'memory://nowhere/a.csv'."),
        ("strange://a/b.csv", "Cannot read 'strange://a/b.csv': "),
    ],
)
def test_what_is_not_there_is_named(folder, wanted, said):
    pytest.importorskip("fsspec")
    (folder / "notes.doc").write_text("x")
    files = wanted.format(folder) if isinstance(wanted, str) else [each.format(folder) for each in wanted]
    with pytest.raises(CorpusError) as error:
        list_files(files)
    assert said.format(folder) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_at_a_url_is_read_like_any_other(folder):
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe_file("/bucket/part-0.csv", (folder / "part-0.csv").read_bytes())

    (found,) = list_files("memory://bucket/*.csv")
    records = list(read_file(found.name, ReadOptions("text", "name")))

    assert found.name == "memory:///bucket/part-0.csv" or found.name == "memory://bucket/part-0.csv"
    assert [record.id for record in records[:2]] == ["doc 0", "doc 1"]


class TestOneLineNamesTheFile:
    def test_that_lacks_the_text_column(self, tmp_path):
        write_csv(tmp_path / "a.csv", [["x", "the text", 1]])
        (tmp_path / "b.csv").write_text("name,body\nx,the text\n")
        with pytest.raises(CorpusError) as error:
            FileCorpus(str(tmp_path / "*.csv")).to_corpus()
        assert str(error.value).startswith(f"Column 'text' is not in '{tmp_path}/b.csv'.")
        assert "\n" not in str(error.value)

    def test_that_is_broken(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"text": "a text"}\n')
        (tmp_path / "b.jsonl").write_text('{"text": "a text"}\n{"text": \n')
        with pytest.raises(CorpusError, match=r"Line 2 of '.*/b\.jsonl' is not JSON"):
            FileCorpus(str(tmp_path / "*.jsonl")).to_corpus()

    def test_that_is_empty(self, tmp_path):
        (tmp_path / "a.csv").write_text("")
        with pytest.raises(CorpusError, match=r"a\.csv' is empty"):
            FileCorpus(str(tmp_path / "*.csv")).to_corpus()

    def test_nothing_but_stop_words(self, tmp_path):
        (tmp_path / "a.csv").write_text("text\nthe of and\n")
        with pytest.raises(CorpusError, match="Nothing is left of the 1 documents after cleaning"):
            FileCorpus(str(tmp_path / "a.csv")).to_corpus()

    def test_no_word_is_frequent_enough(self, tmp_path):
        from qdtm.corpus import TextPipeline, VocabularyLimits

        (tmp_path / "a.csv").write_text("text\ncat dog\nsea sun\n")
        pipeline = TextPipeline(limits=VocabularyLimits(min_df=2))
        with pytest.raises(CorpusError, match="None of the 4 words is left"):
            FileCorpus(str(tmp_path / "a.csv"), pipeline=pipeline).to_corpus()


def test_the_files_are_one_corpus(files, whole):
    corpus = files.to_corpus()
    assert corpus.vocabulary == whole.vocabulary
    assert_same(corpus.tokens, whole.tokens)
    assert_same(corpus.document_lengths, whole.document_lengths)
    assert [document.id for document in corpus.documents] == [f"doc {j}" for j in range(len(whole))]


def test_files_at_a_url_are_one_corpus(folder, texts):
    system = pytest.importorskip("fsspec").filesystem("memory")
    for name in ("part-0.csv", "part-1.jsonl"):
        system.pipe_file(f"/gathered/{name}", (folder / name).read_bytes())
    corpus = FileCorpus("memory://gathered/part-*", text_column="text").to_corpus()
    assert [document.text for document in corpus.documents] == texts[:71]


def test_files_larger_than_memory_are_refused_before_one_is_read(files, monkeypatch):
    monkeypatch.setattr("qdtm.memory.available_bytes", lambda: 1_000)
    monkeypatch.setattr("qdtm.corpus.many_files.read_file", lambda *_: pytest.fail("a file was read"))
    with pytest.raises(OutOfMemoryError, match=r"The corpus of 5 files, .* give fewer files") as error:
        files.to_corpus()
    assert "\n" not in str(error.value)


def test_warnings_come_from_where_a_file_is_read(tmp_path):
    from qdtm.corpus import CorpusWarning

    (tmp_path / "a.csv").write_bytes("text\ncafé cat dog\n".encode("latin-1"))
    with pytest.warns(CorpusWarning, match="was read as cp1252"):
        FileCorpus(str(tmp_path / "a.csv")).to_corpus()


@pytest.mark.parametrize(
    ("name", "expected"), [("a/*.csv", True), ("s3://b/a.csv", True), ("a.csv", False), ("folder", False)]
)
def test_what_stands_for_many_files(name, expected):
    assert is_pattern(name) is expected
