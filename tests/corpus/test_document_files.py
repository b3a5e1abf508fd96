"""Folders of documents, bibliographies, databases and packed files: what is read, and what is passed over."""

import gzip
import io
import json
import sqlite3
import zipfile
from contextlib import closing

import pytest

from qdtm.corpus import Corpus, CorpusWarning, ReadOptions
from qdtm.corpus.readers import databases, pdf_files
from qdtm.corpus.readers.bibtex import unlatex
from qdtm.corpus.readers.read import read_records
from qdtm.errors import CorpusError

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CORE = (
    '<c:coreProperties xmlns:c="c" xmlns:dc="d" xmlns:t="t"><dc:title>{}</dc:title>'
    "<dc:creator>Ann</dc:creator><t:created>2019-05-06T10:00:00Z</t:created></c:coreProperties>"
)


def records(path, **options):
    return list(read_records(path, ReadOptions(**options)))


def refusal(path, **options):
    with pytest.raises(CorpusError) as caught:
        records(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def docx(path, body="<w:p><w:r><w:t>Fire near Sydney</w:t></w:r></w:p>", title="On fires", before=""):
    document = f'{before}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return zipped(path, {"word/document.xml": document, "docProps/core.xml": CORE.format(title)})


def pdf(path, pages, info=b""):
    """Write a PDF file with these lines of text, one a page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for text in pages:
        content = b"BT /F1 12 Tf 50 700 Td (%s) Tj ET" % text.encode()
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    objects.append(b"<<%s>>" % info)
    file = io.BytesIO(b"%PDF-1.4\n")
    file.seek(0, 2)
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%s\nendobj\n" % (number, each))
    start = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    file.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    file.write(b"trailer<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1, len(objects), start))  # fmt: skip
    path.write_bytes(file.getvalue())
    return path


# --- documents ---------------------------------------------------------------------------------------------


def test_a_docx_has_its_title_and_date(tmp_path):
    body = "<w:p><w:r><w:t>Fire</w:t><w:tab/><w:t>wind</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>no</w:delText></w:r></w:del></w:p>"  # noqa: E501
    (record,) = records(docx(tmp_path / "a.docx", body))
    assert (record.id, record.title, record.text) == ("a", "On fires", "Fire\twind")
    assert record.fields == {"date": "2019-05-06", "author": "Ann"}


def test_a_title_that_a_program_made_up_is_none(tmp_path):
    assert records(docx(tmp_path / "a.docx", title="Microsoft Word - a.doc"))[0].title == ""


def test_html_and_markdown(tmp_path):
    (tmp_path / "a.html").write_text(
        "<html><head><title>Fish &amp; chips</title><meta name='date' content='2020-01-02'><style>p{}</style>"
        "</head><body><script>track()</script><p>Fire</p><p>wind</p></body></html>"
    )
    (tmp_path / "b.md").write_text(
        "---\ntitle: 'Notes'\ndate: 2021-03-04\n---\n\n# Fires\n\nWind and *fire*."
    )
    page, notes = records(tmp_path)
    assert (page.id, page.title, page.text, page.fields) == (
        "a.html",
        "Fish & chips",
        "Fire\n\nwind",
        {"date": "2020-01-02"},
    )
    assert (notes.title, notes.fields["date"]) == ("Notes", "2021-03-04")
    assert notes.text.startswith("# Fires")


def odt(path):
    """Write an OpenDocument text."""
    text = '<o:d xmlns:o="o" xmlns:text="x"><text:h>Fires</text:h><text:p>near<text:s/>Sydney</text:p></o:d>'
    return zipped(path, {"content.xml": text})


def epub(path):
    """Write a book of two chapters, one of which is in it twice."""
    opf = (
        '<package xmlns="p" xmlns:dc="d"><metadata><dc:title>A book</dc:title><dc:date>1999</dc:date></metadata>'  # noqa: E501
        '<manifest><item id="b" href="two%20.xhtml"/><item id="a" href="one.xhtml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/></spine></package>'
    )
    return zipped(path, {
        "META-INF/container.xml": '<container><rootfile full-path="in/x.opf"/></container>',
        "in/x.opf": opf, "in/one.xhtml": "<p>Fire</p>", "in/two .xhtml": "<p>wind</p>",
    })  # fmt: skip


def test_odt_and_epub(tmp_path):
    assert records(odt(tmp_path / "a.odt"))[0].text == "Fires\nnear Sydney"
    (book,) = records(epub(tmp_path / "b.epub"))
    assert (book.title, book.text, book.fields) == ("A book", "Fire\n\nwind", {"date": "1999"})


def test_pages_of_a_pdf(tmp_path, monkeypatch):
    pytest.importorskip("pypdfium2")
    path = pdf(
        tmp_path / "a.pdf", ["Fire near Sydney", "Wind"], b"/Title(On fires)/CreationDate(D:20190506101112Z)"
    )
    (record,) = records(path)
    assert record.text.split("\f") == ["Fire near Sydney", "Wind"]
    assert (record.title, record.fields["date"]) == ("On fires", "2019-05-06")
    monkeypatch.setattr(pdf_files, "MAX_PAGES", 1)
    with pytest.warns(CorpusWarning, match="has 2 pages; the first 1 were read"):
        assert records(path)[0].text == "Fire near Sydney"


def test_rtf(tmp_path):
    pytest.importorskip("striprtf")
    (tmp_path / "a.rtf").write_text(
        r"{\rtf1\ansi{\info{\title On fires}{\creatim\yr2019\mo5\dy6}}Fire\par w\'efnd}"
    )
    (record,) = records(tmp_path / "a.rtf")
    assert (record.text, record.title, record.fields) == ("Fire\nwïnd", "On fires", {"date": "2019-05-06"})


def test_what_cannot_be_read_is_named_and_passed_over(tmp_path):
    pytest.importorskip("pypdfium2")
    (tmp_path / "a.txt").write_text("fire")
    pdf(tmp_path / "scan.pdf", [""])
    for n in range(5):
        (tmp_path / f"broken{n}.docx").write_bytes(b"nothing")
    (tmp_path / "locked.docx").write_bytes(b"\xd0\xcf\x11\xe0 and more")
    (tmp_path / "~$open.docx").write_bytes(b"left by Word")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "old.doc").write_bytes(b"x")
    with pytest.warns(CorpusWarning) as caught:
        assert [record.text for record in records(tmp_path)] == ["fire"]
    passed, others = sorted((str(each.message) for each in caught), key=len, reverse=True)
    assert passed.startswith("8 files of")
    assert "'empty.txt' has no text;" in passed
    assert (
        "'broken0.docx', 'broken1.docx', 'broken2.docx' and 2 more: is not a .docx file, or is damaged"
        in passed
    )
    assert "'scan.pdf' has no text; is it scanned?" in passed
    assert "'locked.docx' is encrypted" in passed
    assert "1 .doc" in others
    (tmp_path / "a.txt").unlink()
    assert refusal(tmp_path).startswith("Nothing in the folder")


# --- hostile documents -------------------------------------------------------------------------------------


def test_entities_are_not_followed(tmp_path):
    bomb = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>'
    body = "<w:p><w:r><w:t>&b;</w:t></w:r></w:p>"
    assert "damaged" in refusal(docx(tmp_path / "a.docx", body, before=bomb))


def test_a_document_that_unpacks_to_very_much(tmp_path):
    path = docx(tmp_path / "a.docx", "<w:p/>" * 8_000_000)
    assert path.stat().st_size < 300_000
    assert "unpacks to more than" in refusal(path)


def test_deep_nesting(tmp_path):
    docx(tmp_path / "a.docx", "<w:p>" * 100_000 + "<w:t>fire</w:t>" + "</w:p>" * 100_000)
    assert records(tmp_path / "a.docx")[0].text == "fire"
    (tmp_path / "b.html").write_text("<div>" * 200_000 + "fire")
    assert "fire" in records(tmp_path / "b.html")[0].text
    (tmp_path / "c.html").write_text("<script>" * 200_000 + "<!--" * 200_000 + "<head>" * 100_000)
    assert refusal(tmp_path / "c.html").endswith("has no text.")


def test_a_chapter_outside_of_the_book(tmp_path):
    zipped(tmp_path / "a.epub", {
        "META-INF/container.xml": '<container><rootfile full-path="x.opf"/></container>',
        "x.opf": '<package><item id="a" href="../../../etc/passwd"/><itemref idref="a"/></package>',
    })  # fmt: skip
    assert refusal(tmp_path / "a.epub").endswith("has no text.")


# --- bibliographies ----------------------------------------------------------------------------------------

RIS = """TY  - JOUR
TI  - Fires in
  Sydney
AU  - Müller, Ann
AU  - Lee, Bo
PY  - 2019/05/06
AB  - Wind & fire.
KW  - fire
KW  - wind
DO  - 10.1/x
ER  -

TY  - BOOK
TI  - Only a title
ER  -
"""
NBIB = """PMID- 123
TI  - Fires in
      Sydney
FAU - Müller, Ann
DP  - 2019 May
AB  - Wind and fire.
MH  - *Fires
MH  - Wind
AID - 10.1/x [doi]

PMID- 124
TI  - Another
"""
ENDNOTE = """%0 Journal Article
%T Fires in Sydney
%A Müller, Ann
%A Lee, Bo
%J Nature
%D 2019
%X Wind and fire.
%R 10.1/x

%0 Book
%T Only a title
"""
SCIENCE = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Muller, A
   Lee, B
TI Fires in
   Sydney
SO NATURE
AB Wind and fire.
PY 2019
DI 10.1/x
UT WOS:1
ER

PT J
TI Another
UT WOS:2
ER

EF
"""


@pytest.mark.parametrize(
    ("name", "data"), [("a.ris", RIS), ("a.nbib", NBIB), ("a.ciw", SCIENCE), ("a.txt", SCIENCE)]
)
def test_tagged_bibliographies(tmp_path, name, data):
    (tmp_path / name).write_text(data, "utf-8")
    first, second = records(tmp_path / name)
    assert first.text.startswith("Fires in Sydney\n\nWind ")
    assert (first.title, first.fields["year"], first.fields["doi"]) == ("Fires in Sydney", "2019", "10.1/x")
    assert first.fields["authors"].startswith("M")
    assert second.text == second.title != ""
    (chosen, _) = records(tmp_path / name, text_column="doi")
    assert chosen.text == "10.1/x"


def test_bibtex(tmp_path):
    (tmp_path / "a.bib").write_text(
        '@string{nat = "Nature"}\n@comment{x}\n@article{k1, title={{Fires} in M{\\"u}nchen}, author = "Lee, B and M, A",'  # noqa: E501
        " journal = nat # { Letters}, year = 2019, abstract = {Wind {and} fire}}\n@book{k2,\n title = {Other},\n}\n"  # noqa: E501
    )
    first, second = records(tmp_path / "a.bib")
    assert (first.id, first.text) == ("k1", "Fires in München\n\nWind and fire")
    assert first.fields["journal"] == "Nature Letters"
    assert first.fields["authors"] == "Lee, B; M, A"
    assert (second.id, second.text) == ("k2", "Other")
    assert unlatex(r"\'{e}\c{c}\v s \o{} 5\% \emph{x}") == "éçš ø 5% x"
    (tmp_path / "b.bib").write_text("@article{k, title={" * 20_000 + "{" * 100_000)
    assert "no entry" in refusal(tmp_path / "b.bib")


def test_bibliographies_as_tables_and_json(tmp_path):
    (tmp_path / "z.csv").write_text(
        "Key,Item Type,Publication Year,Author,Title,Publication Title,Abstract Note\nK1,journalArticle,2019,Lee,Fires,Nature,Wind\n"  # noqa: E501
    )
    (tmp_path / "w.tsv").write_text("PT\tAU\tTI\tSO\tAB\tPY\tUT\nJ\tLee\tFires\tNature\tWind\t2019\tWOS:1\n")
    csl = [{"id": "K1", "type": "article", "title": "Fires", "abstract": "Wind", "container-title": "Nature",
            "author": [{"family": "Lee", "given": "B"}], "issued": {"date-parts": [[2019, 5]]}}]  # fmt: skip
    (tmp_path / "c.json").write_text(json.dumps(csl))
    work = {"id": "K1", "display_name": "Fires", "publication_year": 2019, "abstract_inverted_index": {"Wind": [0]},  # noqa: E501
            "primary_location": {"source": {"display_name": "Nature"}}, "authorships": [{"author": {"display_name": "Lee"}}]}  # fmt: skip  # noqa: E501
    (tmp_path / "o.json").write_text(json.dumps({"meta": {}, "results": [work]}))
    for name in ("z.csv", "w.tsv", "c.json", "o.json"):
        (record,) = records(tmp_path / name)
        assert record.text == "Fires\n\nWind", name
        assert (record.fields["year"], record.fields["journal"]) == ("2019", "Nature")
        assert record.fields["authors"].startswith("Lee")


# --- JSON, databases, packed files -------------------------------------------------------------------------


def test_nested_json(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "body": {"text": "fire", "by": {"name": "Ann"}}}\n')
    (record,) = records(tmp_path / "a.jsonl", text_column="body.text")
    assert (record.text, record.fields) == ("fire", {"body.by.name": "Ann"})
    (tmp_path / "b.json").write_text('[{"text": "fire"}, {"text": "wind"}]')
    assert [each.text for each in records(tmp_path / "b.json")] == ["fire", "wind"]
    (tmp_path / "c.json").write_text('{"text": "fire"}\n{"text": "wind"}\n')
    assert [each.text for each in records(tmp_path / "c.json")] == ["fire", "wind"]
    (tmp_path / "d.json").write_text("[" * 100_000)
    assert "nested too deeply" in refusal(tmp_path / "d.json")


def test_a_table_of_sqlite(tmp_path):
    path = tmp_path / "news.db"
    with sqlite3.connect(path) as database:
        database.execute('CREATE TABLE "art""icles" (id, text, year)')
        database.execute("""INSERT INTO "art""icles" VALUES ('a', 'fire', 2019)""")
    assert records(path)[0].text == "fire"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE other (text)")
        database.execute(
            "CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS text FROM c"  # noqa: E501
        )
    assert records(f'{path}::art"icles')[0].fields == {"year": "2019"}
    with pytest.warns(CorpusWarning, match=r"""several tables; 'art"icles', with the most text, was read"""):
        assert records(path)[0].text == "fire"
    assert """Tables: 'art"icles', 'other'""" in refusal(f"{path}::endless")
    (tmp_path / "x.db").write_bytes(b"nothing")
    assert "not an SQLite database" in refusal(tmp_path / "x.db")


def test_a_table_of_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.execute("CREATE TABLE t AS SELECT 'fire' AS text, 2019 AS year")
    assert records(f"{tmp_path / 'a.duckdb'}::t")[0].fields == {"year": "2019"}
    with closing(databases._duckdb(tmp_path / "a.duckdb")) as database:
        assert database.execute("SELECT current_setting('threads')").fetchone() == (1,)


@pytest.mark.parametrize("name", ["a.arrow", "a.feather"])
def test_arrow(tmp_path, name):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": ["fire", None], "year": [1, 2]})
    with (
        pyarrow.OSFile(str(tmp_path / name), "wb") as file,
        pyarrow.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    assert [each.text for each in records(tmp_path / name)] == ["fire", ""]


def test_packed_files(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"text,year\nfire,2019\n"))
    assert records(tmp_path / "a.csv.gz")[0].fields == {"year": "2019"}
    zipped(tmp_path / "b.zip", {"x/a.csv": "text\nfire\n", "x/b.csv": "text\nwind\n"})
    assert [each.text for each in records(tmp_path / "b.zip")] == ["fire", "wind"]
    zipped(tmp_path / "c.zip", {"a.txt": "fire", "in/b.md": "# Wind", "__MACOSX/._a.txt": "x"})
    assert [each.id for each in records(tmp_path / "c.zip")] == ["a.txt", "in/b.md"]
    assert len(Corpus.read(tmp_path / "c.zip")) == 2


def test_of_a_packed_mixture_the_larger_part_is_read(tmp_path):
    zipped(tmp_path / "a.zip", {"data.csv": "text\n" + "fire\n" * 99, "README.md": "# About", "x.png": "x"})
    with pytest.warns(CorpusWarning, match=r"not read, in 'a.zip': 1 .(md|png), 1 .(md|png)"):
        assert len(records(tmp_path / "a.zip")) == 99
    zipped(tmp_path / "b.zip", {"a.txt": "fire " * 99, "b.txt": "wind", "list.csv": "file\na.txt\n"})
    with pytest.warns(CorpusWarning, match=r"not read, in 'b.zip': 1 .csv. For its tables"):
        assert len(records(tmp_path / "b.zip")) == 2


def test_an_array_far_down_and_a_document_with_arrays(tmp_path):
    entries = [{"webTitle": "Fires", "fields": {"bodyText": f"fire {n}"}} for n in range(3)]
    response = {"response": {"status": "ok", "tags": [{"id": 1}], "page": {"results": entries}}}
    (tmp_path / "a.json").write_text(json.dumps(response))
    found = list(read_records(tmp_path / "a.json", ReadOptions(text_column="fields.bodyText")))
    assert [record.text for record in found] == ["fire 0", "fire 1", "fire 2"]
    article = {"title": "Fires", "text": "fire and wind " * 20, "authors": [{"name": "A"}, {"name": "B"}]}
    (tmp_path / "b.json").write_text(json.dumps(article))
    (record,) = records(tmp_path / "b.json")
    assert (record.title, record.text[:15]) == ("Fires", "Fires\n\nfire and")


def test_hostile_archives(tmp_path):
    (tmp_path / "in").mkdir()
    zipped(tmp_path / "in" / "a.zip",
           {"../../slip.txt": "fire", "/abs/b.txt": "wind", "..\\c.txt": "rain"})  # fmt: skip
    assert len(records(tmp_path / "in" / "a.zip")) == 3
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["a.zip", "in"]
    nameless = zipped(tmp_path / "nameless.zip", {"zzz.csv": "text\nwind\n", "a.csv": "text\nfire\n"})
    nameless.write_bytes(nameless.read_bytes().replace(b"zzz.csv", b"\0zz.csv"))  # nothing before the NUL
    assert len(records(tmp_path / "nameless.zip")) == 1
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"text\n" + b"fire\n" * 20_000_000))
    assert "unpacks to more than" in refusal(tmp_path / "b.csv.gz")
    for name in ("c.zip", "c.csv.gz"):
        (tmp_path / name).write_bytes(b"nothing")
        assert "damaged" in refusal(tmp_path / name)
    (tmp_path / "d.csv.gz.gz").write_bytes(b"nothing")
    assert "packed twice" in refusal(tmp_path / "d.csv.gz.gz")


def test_a_wrong_ending_is_refused_in_one_line(tmp_path):
    pytest.importorskip("pypdfium2")
    for name in (
        "a.pdf",
        "a.docx",
        "a.odt",
        "a.epub",
        "a.rtf",
        "a.ris",
        "a.bib",
        "a.zip",
        "a.arrow",
        "a.json",
        "a.db",
    ):
        for data in (b"", b"\x89PNG\r\n\x1a\n\0\0 and more"):
            (tmp_path / name).write_bytes(data)
            assert str(tmp_path / name) in refusal(tmp_path / name)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.md", "a.html", "a.jsonl", "a.ris", "a.bib", "a.json"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"%PDF-1.7\n1 0 obj", "it is a PDF file."),
        (b"PK\x03\x04 and more", "as .docx, .odt, .epub, .xlsx and .zip are."),
        (b"\xd0\xcf\x11\xe0 and more", "save it as .docx or .xlsx."),
        (bytes(range(256)) * 20, "is no text."),
    ],
)
def test_what_is_no_text_is_not_read_as_one(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    assert refusal(tmp_path / name).endswith(said)


@pytest.mark.parametrize("ending", [".docx", ".odt", ".xlsx"])
def test_what_a_password_keeps_shut(tmp_path, ending):
    (tmp_path / f"a{ending}").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more")
    assert "is encrypted, or of an old kind; save it as a" in refusal(tmp_path / f"a{ending}")


def test_a_pdf_that_cannot_be_read_does_not_start_the_process_again(tmp_path):
    pytest.importorskip("pypdfium2")
    from qdtm.corpus.readers.pdf_files import _PROCESS

    pdf(tmp_path / "a.pdf", ["Fire"])
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    records(tmp_path / "a.pdf")
    process = _PROCESS._process
    assert "damaged" in refusal(tmp_path / "b.pdf")
    assert records(tmp_path / "a.pdf")[0].text == "Fire"
    assert _PROCESS._process is process
