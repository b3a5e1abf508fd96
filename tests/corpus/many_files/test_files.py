"""What files a corpus is in, and what is said when one is not there or not like the others."""

import zipfile

import pytest
from click.testing import CliRunner
from tests.corpus.many_files.conftest import assert_same, write_csv

from qdtm.cli.main import cli
from qdtm.corpus import Corpus, CorpusWarning
from qdtm.corpus.readers.documents import DOCUMENTS
from qdtm.corpus.readers.read import READERS, read_records
from qdtm.corpus.readers.sources import as_names, is_pattern, list_files
from qdtm.errors import CorpusError, OutOfMemoryError


def found(source):
    return list_files(as_names(source), READERS, DOCUMENTS)


def names(source):
    return [file.name for file in found(source)]


def told(caught):
    (warning,) = (each for each in caught if issubclass(each.category, CorpusWarning))
    return str(warning.message)


def test_a_pattern_is_taken_in_the_order_of_the_names(folder):
    files = found(str(folder / "part-*.*"))
    assert [file.name[:6] for file in files] == [f"part-{number}" for number in range(5)]
    assert all(file.size > 0 for file in files)


def test_a_list_is_taken_in_its_own_order(folder):
    wanted = [folder / "part-3.csv", str(folder / "part-0*"), folder / "part-3.csv"]
    assert names(wanted) == ["part-3.csv", "part-0.csv"]  # each once


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("{}/none-*.csv", "No file matches '{}/none-*.csv'."),
        ("{}/none.csv", "There is no file '{}/none.csv'."),
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
        found(files)
    assert said.format(folder) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_at_a_url_is_read_like_any_other(folder):
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe_file("/bucket/part-0.csv", (folder / "part-0.csv").read_bytes())
    records = list(read_records("memory://bucket/*.csv"))
    assert [(record.id, record.fields["file"]) for record in records[:2]] == [
        ("part-0.csv:1", "part-0.csv"),
        ("part-0.csv:2", "part-0.csv"),
    ]


class TestWhatCannotBeReadIsNamedAndPassedOver:
    def test_a_table_that_lacks_the_text_column(self, tmp_path):
        write_csv(tmp_path / "a.csv", [["x", "the cat", 1]])
        (tmp_path / "b.csv").write_text("name,body\nx,the dog\n")
        with pytest.warns(CorpusWarning) as caught:
            assert len(Corpus.read(str(tmp_path / "*.csv"), text_column="text")) == 1
        assert told(caught).startswith(
            "1 file of the 2 files passed over: 'b.csv': Column 'text' is not in it."
        )
        assert len(Corpus.read(str(tmp_path / "*.csv"))) == 2  # it has another, which is found

    def test_a_table_that_is_broken_in_the_middle(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"text": "a cat"}\n')
        (tmp_path / "b.jsonl").write_text('{"text": "a dog"}\n' * 60 + '{"text": \n')
        with pytest.warns(CorpusWarning) as caught:
            assert len(list(read_records([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]))) == 61
        assert "'b.jsonl': Line 61 of it is not JSON" in told(caught)
        assert "(its first 60 are in)" in told(caught)

    def test_not_if_it_is_the_only_one(self, tmp_path):
        (tmp_path / "b.jsonl").write_text('{"text": "a dog"}\n{"text": \n')
        for source in (tmp_path / "b.jsonl", [tmp_path / "b.jsonl"], str(tmp_path / "*.jsonl")):
            with pytest.raises(CorpusError, match=r"Line 2 of '.*/b\.jsonl' is not JSON"):
                Corpus.read(source)

    def test_not_if_nothing_is_left(self, tmp_path):
        for name in "abcdefgh":
            (tmp_path / f"{name}.docx").write_bytes(b"nothing")
        with pytest.raises(CorpusError) as error:
            Corpus.read(str(tmp_path / "*.docx"))
        assert str(error.value) == (
            "Nothing in the 8 files can be read: 'a.docx', 'b.docx', 'c.docx' and 5 more: "
            "is not a .docx file, or is damaged."
        )

    def test_a_file_of_another_kind_in_a_pattern(self, tmp_path):
        (tmp_path / "a.txt").write_text("a cat")
        (tmp_path / "b.doc").write_text("a dog")
        with pytest.warns(CorpusWarning, match=r"Of other kinds, and not read, in '.*': 1 \.doc"):
            assert len(Corpus.read(str(tmp_path / "*"))) == 1


class TestAMixture:
    @pytest.fixture
    def mixed(self, tmp_path):
        (tmp_path / "notes" / "old").mkdir(parents=True)
        (tmp_path / "notes" / "a.txt").write_text("one cat\n\ntwo cats")
        (tmp_path / "notes" / "old" / "b.md").write_text("# Dogs\n\nA dog.")
        (tmp_path / "table.csv").write_text("id,body,file\nx1,a horse that runs,mine\nx2,a mouse here,mine\n")
        (tmp_path / "more.csv").write_text("id,body\nx1,a cow that runs\n")
        (tmp_path / "refs.ris").write_text(
            "TY  - JOUR\nTI  - Birds\nER  - \nTY  - JOUR\nTI  - Fish\nER  - \n"
        )
        return tmp_path

    def test_names_are_unique_and_say_where_a_document_is_from(self, mixed):
        sources = [mixed / "notes", mixed / "table.csv", mixed / "more.csv", mixed / "refs.ris"]
        documents = Corpus.read(sources, text_column="body").documents
        assert [document.id for document in documents] == [
            "notes/a.txt", "notes/old/b.md", "x1", "x2", "more.csv:x1", "refs.ris:1", "refs.ris:2",
        ]  # fmt: skip
        assert [document.fields["file"] for document in documents] == [
            "notes/a.txt", "notes/old/b.md", "table.csv", "table.csv", "more.csv", "refs.ris", "refs.ris",
        ]  # fmt: skip
        assert documents[2].fields["file_2"] == "mine"
        assert documents[0].text == "one cat\n\ntwo cats"  # among others, a .txt file is one document
        assert documents[1].title == "Dogs"

    def test_from_the_command_line(self, mixed):
        out = mixed / "index"
        done = CliRunner().invoke(
            cli,
            ["index", *(str(mixed / name) for name in ("notes", "table.csv", "refs.ris")), "-o", str(out)],
        )
        assert done.exit_code == 0, done.output
        assert Corpus.load(out).n_documents == 6
        again = CliRunner().invoke(cli, ["index", str(out), str(mixed / "refs.ris"), "-o", str(mixed / "no")])
        assert (again.exit_code, "is a saved corpus; give it alone" in again.stderr) == (2, True)

    def test_the_columns_of_the_first_table_are_those_of_the_others(self, tmp_path):
        rows = "\n".join(f"a long text about cat {n},b{n}" for n in range(5))
        (tmp_path / "a.csv").write_text(f"said,heard\n{rows}\n")
        (tmp_path / "b.csv").write_text("said,heard\nshort cat,this is by far the longer text of the two\n")
        with pytest.warns(CorpusWarning, match="'said', with the longest texts, was taken"):
            documents = Corpus.read(str(tmp_path / "*.csv")).documents
        assert documents[5].text == "short cat"

    def test_a_zip_of_tables_is_read_in_the_same_way(self, mixed):
        with zipfile.ZipFile(mixed / "all.zip", "w") as archive:
            for name in ("table.csv", "more.csv", "refs.ris"):
                archive.write(mixed / name, name)
            archive.writestr("broken.jsonl", "{")
        with pytest.warns(CorpusWarning, match=r"1 file of 'all\.zip' passed over: 'broken\.jsonl'"):
            records = list(read_records(mixed / "all.zip"))
        assert [record.id for record in records] == ["x1", "refs.ris:1", "refs.ris:2", "table.csv:x1", "x2"]
        zipped = mixed / "twice.zip"
        with zipfile.ZipFile(zipped, "w") as archive:
            archive.write(mixed / "all.zip", "all.zip")
        with pytest.raises(CorpusError, match="packed twice"):
            list(read_records(zipped))

    def test_a_file_whose_name_looks_like_a_pattern(self, tmp_path):
        (tmp_path / "paper[1].md").write_text("a cat")
        (record,) = read_records(str(tmp_path / "paper[1].md"))
        assert record.id == "paper[1]"


class TestOneLineNamesTheFile:
    def test_that_is_empty(self, tmp_path):
        (tmp_path / "a.csv").write_text("")
        with pytest.raises(CorpusError, match=r"a\.csv' is empty"):
            Corpus.read(str(tmp_path / "*.csv"))

    def test_nothing_but_stop_words(self, tmp_path):
        (tmp_path / "a.csv").write_text("text\nthe of and\n")
        with pytest.raises(CorpusError, match="Nothing is left of the 1 documents after cleaning"):
            Corpus.read([tmp_path / "a.csv"])

    def test_no_word_is_frequent_enough(self, tmp_path):
        from qdtm.corpus import TextPipeline, VocabularyLimits

        (tmp_path / "a.csv").write_text("text\ncat dog\nsea sun\n")
        pipeline = TextPipeline(limits=VocabularyLimits(min_df=2))
        with pytest.raises(CorpusError, match="None of the 4 words is left"):
            Corpus.read([tmp_path / "a.csv"], pipeline=pipeline)


def test_the_files_are_one_corpus(files, whole):
    corpus = files
    assert corpus.vocabulary == whole.vocabulary
    assert_same(corpus.tokens, whole.tokens)
    assert_same(corpus.document_lengths, whole.document_lengths)
    assert [document.id for document in corpus.documents] == [f"doc {j}" for j in range(len(whole))]


def test_files_at_a_url_are_one_corpus(folder, texts):
    system = pytest.importorskip("fsspec").filesystem("memory")
    for name in ("part-0.csv", "part-1.jsonl"):
        system.pipe_file(f"/gathered/{name}", (folder / name).read_bytes())
    corpus = Corpus.read("memory://gathered/part-*", text_column="text")
    assert [document.text for document in corpus.documents] == texts[:71]


def test_files_larger_than_memory_are_refused_before_one_is_read(folder, monkeypatch):
    monkeypatch.setattr("qdtm.memory.available_bytes", lambda: 1_000)
    monkeypatch.setattr("qdtm.corpus.readers.read.read_files", lambda *_: pytest.fail("a file was read"))
    with pytest.raises(OutOfMemoryError, match=r"The corpus of 5 files, .* give fewer files") as error:
        Corpus.read(str(folder / "part-*"))
    assert "\n" not in str(error.value)


def test_warnings_come_from_where_a_file_is_read(tmp_path):
    (tmp_path / "a.csv").write_bytes("text\ncafé cat dog\n".encode("latin-1"))
    with pytest.warns(CorpusWarning, match="was read as cp1252"):
        Corpus.read([tmp_path / "a.csv"])


@pytest.mark.parametrize(
    ("name", "expected"), [("a/*.csv", True), ("s3://b/*.csv", True), ("a.csv", False), ("folder", False)]
)
def test_what_stands_for_many_files(name, expected):
    assert is_pattern(name) is expected
