"""What a file may cost: pages on which a program hangs, thousands of pages, files that fit into no memory."""

import json
import os
import signal
import subprocess
import sys
import threading
import tracemalloc
import zipfile

import pytest
from tests.corpus.test_document_files import docx, pdf, records, refusal

from qdtm import Corpus
from qdtm.corpus import CorpusWarning
from qdtm.corpus.readers import pdf_files
from qdtm.corpus.readers.read import read_records
from qdtm.errors import CorpusError


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """A process in the place of PDFium's, which says a page and then nothing more, or takes a gigabyte."""
    fake = tmp_path / "fake"
    fake.mkdir()
    (fake / "pypdfium2.py").write_text(
        "class PdfDocument:\n"
        "    def __init__(self, path): self.hangs, self.swells = 'hangs' in path, 'swells' in path\n"
        "    def __len__(self): return 3\n"
        "    def __getitem__(self, number): self.number = number; return self\n"
        "    def get_textpage(self): return self\n"
        "    def close(self): pass\n"
        "    def get_metadata_dict(self): return {'Title': '', 'CreationDate': '', 'Author': ''}\n"
        "    def get_text_bounded(self, errors):\n"
        "        import threading\n"
        "        if self.hangs and self.number == 1: threading.Event().wait()\n"
        "        if self.swells: bytearray(2**30)\n"
        "        return 'fire'\n"
    )
    process = pdf_files._Process()
    monkeypatch.setattr(pdf_files, "_PROCESS", process)
    monkeypatch.setattr(sys, "path", [str(fake), *sys.path])
    yield process
    process.end()


def test_a_page_on_which_a_program_hangs_costs_that_file_and_no_more(tmp_path, slow, monkeypatch):
    pytest.importorskip("pypdfium2")
    for name in ("a", "hangs"):
        (tmp_path / f"{name}.pdf").write_bytes(b"%PDF")
    assert records(tmp_path / "a.pdf")[0].text == "fire\ffire\ffire"
    with monkeypatch.context() as hurried:
        hurried.setattr(pdf_files, "PAGE_SECONDS", 0.2)
        assert refusal(tmp_path / "hangs.pdf").endswith("takes too long to read: page 2.")
    assert records(tmp_path / "a.pdf")[0].text == "fire\ffire\ffire"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not keep to the limit")
def test_a_page_that_takes_a_gigabyte_costs_that_file_and_no_more(tmp_path, slow):
    pytest.importorskip("pypdfium2")
    for name in ("a", "swells"):
        (tmp_path / f"{name}.pdf").write_bytes(b"%PDF")
    assert refusal(tmp_path / "swells.pdf").endswith("takes too much memory to read.")
    assert records(tmp_path / "a.pdf")[0].text == "fire\ffire\ffire"


def test_ctrl_c_is_heard_while_a_page_is_waited_for(tmp_path, slow, monkeypatch):
    pytest.importorskip("pypdfium2")
    (tmp_path / "hangs.pdf").write_bytes(b"%PDF")
    waits = threading.Event()
    read = pdf_files._read

    def heard(stream):
        answer = read(stream) if not waits.is_set() else None
        if answer is not None:  # the first page is there; the second never comes
            waits.set()
            threading.Timer(0.0, os.kill, (os.getpid(), signal.SIGINT)).start()
            read(stream)
        return answer

    monkeypatch.setattr(pdf_files, "_read", heard)
    with pytest.raises(KeyboardInterrupt):
        records(tmp_path / "hangs.pdf")
    assert slow._process is None


def test_a_process_that_dies_is_started_again(tmp_path):
    pytest.importorskip("pypdfium2")
    path = pdf(tmp_path / "a.pdf", ["Fire near Sydney"])
    for _ in range(2):
        assert records(path)[0].text == "Fire near Sydney"
        process = pdf_files._PROCESS._process
        process.kill()
        process.wait()


def test_the_process_ends_with_ours(tmp_path):
    pytest.importorskip("pypdfium2")
    path = pdf(tmp_path / "a.pdf", ["Fire near Sydney"])
    code = (
        "import sys; from qdtm.corpus.readers import pdf_files as p; from pathlib import Path\n"
        "p.read_pdf(Path(sys.argv[1]), None); print(p._PROCESS._process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_five_thousand_pages(tmp_path):
    pytest.importorskip("pypdfium2")
    path = pdf(tmp_path / "a.pdf", [f"Page {n}" for n in range(5_001)])
    with pytest.warns(CorpusWarning, match="has 5,001 pages; the first 5,000 were read"):
        (record,) = read_records(path)
    pages = record.text.split("\f")
    assert (len(pages), pages[0], pages[-1]) == (5_000, "Page 0", "Page 4999")


@pytest.mark.parametrize("ending", ["json", "bib"])
def test_a_file_of_any_size_takes_the_memory_of_its_largest_entry(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    text, n = "fire and wind " * 700, 1_000  # 10 MB
    with path.open("w") as file:
        if ending == "json":
            file.write('{"meta": {"n": 1}, "short": [{"x": 1}], "found": [\n')
            file.writelines(json.dumps({"title": str(j), "text": text}) + ",\n" for j in range(n))
            file.write('{"title": "last", "text": "end"}]}')
        else:
            file.writelines(
                f"@article{{k{j}, title = {{T{j}}},\n abstract = {{{text}}}}}\n" for j in range(n)
            )
    tracemalloc.start()
    n_read = sum(1 for _ in read_records(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_read == n + (ending == "json")
    assert peak < 5 * 2**20


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('[{"text": "a"}', "it ends too early"),
        ('[{"text": "a"} {"text": "b"}]', "',' is missing"),
        ('[{"text": "a"}] and more', "there is more after its end"),
        ('[{"text": "a}]', "Unterminated string"),
        ('{"results": [{"text": "a"}', "it ends too early"),
        ('{7: "a"}', "a key is no string"),
        ("[" * 100_000, "nested too deeply"),
        ("7", "has no array of objects"),
        ("", "is empty"),
    ],
)
def test_json_that_is_none(tmp_path, source, said):
    (tmp_path / "a.json").write_text(source)
    assert said in refusal(tmp_path / "a.json")


def test_json_in_pieces_is_the_same_as_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("qdtm.corpus.readers.json_files._PIECE", 7)
    objects = [{"text": f'Ünïcode \\ " {j} \U0001f600', "n": [j, -1.5e-3, True, None]} for j in range(20)]
    for value in (objects, {"a": 12345678901234567890, "found": objects}):
        (tmp_path / "a.json").write_text(json.dumps(value, indent=1))
        found = records(tmp_path / "a.json")
        assert [record.text for record in found] == [each["text"] for each in objects]
        assert found[3].fields["n"] == "[3, -0.0015, true, null]"


def test_an_entry_that_is_never_closed_takes_no_other_with_it(tmp_path):
    (tmp_path / "a.bib").write_text(
        "@article{a, title = {Fire\n@article{b, title = {Wind}}\n@article{c, title={CO$_2$}}"
    )
    with pytest.warns(CorpusWarning, match="1 entries"):
        assert [record.text for record in records(tmp_path / "a.bib")] == ["Wind", "CO2"]


def test_macros_are_not_looked_at(tmp_path):
    path = docx(tmp_path / "a.docm")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("word/vbaProject.bin", b"\xd0\xcf\x11\xe0" * 99)
    assert records(path)[0].text == "Fire near Sydney"


def test_a_dataset_with_splits_names_them():
    datasets = pytest.importorskip("datasets")
    one = datasets.Dataset.from_dict({"text": ["a fire", "a flood"]})
    splits = datasets.DatasetDict({"train": one, "test": one})
    with pytest.raises(CorpusError) as error:
        Corpus.of(splits)
    assert (
        str(error.value) == "The dataset has splits ('train', 'test'); choose one, such as dataset['train']."
    )
    assert len(Corpus.of(splits["train"])) == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("package", "make"),
    [
        ("polars", lambda polars, columns: polars.DataFrame(columns)),
        ("polars", lambda polars, columns: polars.LazyFrame(columns)),
        ("pyarrow", lambda pyarrow, columns: pyarrow.table(columns)),
        ("duckdb", lambda duckdb, columns: duckdb.from_arrow(pytest.importorskip("pyarrow").table(columns))),
        ("datasets", lambda datasets, columns: datasets.Dataset.from_dict(columns)),
    ],
)
def test_tables_of_other_packages(package, make):
    columns = {"id": ["x", "y"], "text": ["a fire", None], "year": [2019, 2020]}
    frame = make(pytest.importorskip(package), columns)
    corpus = Corpus.of(frame)
    assert [(each.id, each.text, each.fields["year"]) for each in corpus.documents] == [
        ("x", "a fire", "2019"),
        ("y", "", "2020"),
    ]
    assert Corpus.from_dataframe(frame, "text").fingerprint == corpus.fingerprint
