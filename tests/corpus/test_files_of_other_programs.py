"""Files that other programs made, where these are installed: pandoc, LibreOffice, and packages that write."""

import io
import json
import shutil
import subprocess

import pytest
from tests.corpus.test_document_files import ENDNOTE, records, refusal

SOURCE = """---
title: Bushfires & floods
author: Ann Müller
date: 2019-05-06
---

# Introduction

The firefighters *said* that the wind was the enemy.[^1] Then it rained.

[^1]: A note about hydrology.

| place  | fires |
|--------|-------|
| Sydney | 12    |

- naïve café, 中文, العربية

Math: $x^2$ here.
"""
PARTS = ("The firefighters said that the wind was the enemy.", "Then it rained.", "A note about hydrology.",
         "Sydney", "naïve café, 中文, العربية")  # fmt: skip


def check(path, *, title="Bushfires & floods"):
    (record,) = records(path)
    text = " ".join(record.text.split())
    for part in PARTS:
        assert part in text, (path.name, part, record.text)
    assert "<" not in text
    assert record.title == title
    return record


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "source.md"
    path.write_text(SOURCE, "utf-8")
    return path


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="needs pandoc")
@pytest.mark.parametrize("kind", ["docx", "odt", "epub", "html", "rtf"])
def test_pandoc(source, kind):
    if kind == "rtf":
        pytest.importorskip("striprtf")
    made = source.with_suffix(f".{kind}")
    subprocess.run(["pandoc", "-s", "--mathml", source, "-o", made], check=True)
    check(made, title="" if kind == "rtf" else "Bushfires & floods")


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("soffice") and shutil.which("pandoc")), reason="needs LibreOffice")
@pytest.mark.parametrize("kind", ["docx", "odt", "epub", "rtf", "pdf"])
def test_libreoffice(source, tmp_path, kind):
    pytest.importorskip("pypdfium2" if kind == "pdf" else "striprtf")
    subprocess.run(["pandoc", "-s", source, "-o", tmp_path / "in.odt"], check=True)
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    command = [
        "soffice",
        home,
        "--headless",
        "--convert-to",
        kind,
        "--outdir",
        tmp_path / "out",
        tmp_path / "in.odt",
    ]
    subprocess.run(command, check=True, capture_output=True)
    check(tmp_path / "out" / f"in.{kind}")


def test_columns_of_a_page_are_read_one_after_the_other(tmp_path):
    pytest.importorskip("pypdfium2")
    fpdf = pytest.importorskip("fpdf")
    page = fpdf.FPDF()
    page.set_title("Two columns")
    page.add_page()
    page.set_font("Helvetica", size=12)
    with page.text_columns(ncols=2) as columns:
        columns.write("\n".join(f"left {n} of the first column" for n in range(50)))
        columns.new_column()
        columns.write("\n".join(f"right {n} of the second column" for n in range(5)))
    page.output(str(tmp_path / "a.pdf"))
    (record,) = records(tmp_path / "a.pdf")
    assert record.text.index("left 49") < record.text.index("right 0") < record.text.index("right 4")
    assert record.title == "Two columns"
    locked = fpdf.FPDF()
    locked.set_encryption(owner_password="a", user_password="b")
    locked.add_page()
    locked.output(str(tmp_path / "b.pdf"))
    assert refusal(tmp_path / "b.pdf").endswith("is encrypted; save it without a password.")


def test_a_book_without_its_table_of_contents(tmp_path):
    epub = pytest.importorskip("ebooklib.epub")
    book = epub.EpubBook()
    book.set_title("Fire <i>and</i> wind")
    chapter = epub.EpubHtml(title="Contents entry", file_name="a.xhtml")
    chapter.content = "<h1>Chapter</h1><p>Fires &amp; wind.</p>"
    for item in (chapter, epub.EpubNcx(), epub.EpubNav()):
        book.add_item(item)
    book.toc, book.spine = [chapter], ["nav", chapter]
    epub.write_epub(str(tmp_path / "a.epub"), book)
    assert records(tmp_path / "a.epub")[0].text == "Chapter\n\nFires & wind."


def test_references_that_rispy_and_bibtexparser_write(tmp_path):
    rispy = pytest.importorskip("rispy")
    entry = {
        "type_of_reference": "JOUR",
        "title": "Fires",
        "abstract": "Wind.",
        "authors": ["Lee, Bo"],
        "year": "2019",
    }
    with (tmp_path / "a.ris").open("w") as file:
        rispy.dump([entry, entry], file)
    found = records(tmp_path / "a.ris")
    assert [record.text for record in found] == ["Fires\n\nWind."] * 2
    assert found[0].fields["authors"] == "Lee, Bo"
    bibtexparser = pytest.importorskip("bibtexparser")
    library = bibtexparser.parse_string(
        "@article{k, title = {Fires in CO$_2$}, author = {Lee, Bo and Ono, Aki}}"
    )
    made = io.StringIO(bibtexparser.write_string(library))
    (tmp_path / "a.bib").write_text(made.getvalue())
    (record,) = records(tmp_path / "a.bib")
    assert (record.id, record.text, record.fields["authors"]) == ("k", "Fires in CO2", "Lee, Bo; Ono, Aki")


# --- as their pages say ------------------------------------------------------------------------------------


def test_exports_of_databases_that_are_called_txt(tmp_path):
    science = "PT\tAU\tTI\tSO\tAB\tPY\tUT\nJ\tLee, B\tFires\tNature\tWind.\t2019\tWOS:1\n"
    given = {
        "tab.txt": science.encode("utf-8-sig"),
        "tab16.txt": science.encode("utf-16"),
        "plain.txt": b"FN Clarivate\nVR 1.0\nPT J\nAU Lee, B\n   Ono, A\nTI Fires\nAB Wind.\nCR 1\n   2\nER",
        "pubmed.txt": b"\nPMID- 1\nTI  - Fires\nAB  - Wind.\nCO2 - x\n",
        "ris.txt": b"TY  - JOUR\nTI  - Fires\nAB  - Wind.\nER  - \n",
    }
    for name, data in given.items():
        (tmp_path / name).write_bytes(data)
        (record,) = records(tmp_path / name)
        assert record.text == "Fires\n\nWind.", name
        if name == "plain.txt":
            assert (record.fields["authors"], record.fields["cr"]) == ("Lee, B; Ono, A", "1; 2")
    assert [record.title for record in records(tmp_path)] == ["Fires"] * len(given)  # in a folder too


def test_a_line_of_an_abstract_that_looks_like_a_tag(tmp_path):
    (tmp_path / "a.ris").write_text("TY  - JOUR\nTI  - Fires\nAB  - Wind.\nCO2 - emissions.\nER  - \n")
    assert records(tmp_path / "a.ris")[0].text == "Fires\n\nWind. CO2 - emissions."


def test_endnote(tmp_path):
    (tmp_path / "a.enw").write_text(ENDNOTE)
    first, second = records(tmp_path / "a.enw")
    assert (first.text, first.fields["authors"]) == (
        "Fires in Sydney\n\nWind and fire.",
        "Müller, Ann; Lee, Bo",
    )
    assert second.title == "Only a title"


def test_items_of_zotero(tmp_path):
    item = {
        "key": "MK49RMWU", "itemType": "journalArticle", "title": "Fires", "abstractNote": "Wind.",
        "creators": [{"lastName": "Lee", "firstName": "Bo"}, {"name": "The Consortium"}],
        "date": "2019-05-06", "publicationTitle": "Nature", "tags": [{"tag": "a"}, {"tag": "b"}],
    }  # fmt: skip
    given = {"a.json": {"config": {}, "items": [item, item]}, "b.json": [{"key": "x", "data": item}] * 2}
    for name, value in given.items():
        (tmp_path / name).write_text(json.dumps(value))
        first, _ = records(tmp_path / name)
        assert (first.id, first.text) == ("MK49RMWU", "Fires\n\nWind.")
        known = {
            "authors": "Lee, Bo; The Consortium",
            "year": "2019",
            "date": "2019-05-06",
            "journal": "Nature",
        }
        assert known.items() <= first.fields.items()
        assert (first.fields["keywords"], first.fields["type"]) == ("a; b", "journalArticle")


def test_a_table_of_zotero_keeps_the_date(tmp_path):
    (tmp_path / "a.csv").write_text(
        '"Key","Item Type","Publication Year","Author","Title","Abstract Note","Date"\n'
        '"MK49RMWU","journalArticle","2018","Lee, Bo","Fires","Wind.","2018-04-02"\n'
    )
    (record,) = records(tmp_path / "a.csv")
    assert (record.id, record.text) == ("MK49RMWU", "Fires\n\nWind.")
    assert (record.fields["year"], record.fields["date"]) == ("2018", "2018-04-02")


def test_some_entries_of_a_bibliography_may_be_bare(tmp_path):
    (tmp_path / "a.json").write_text(
        '[{"id": "k", "type": "book", "title": "Fires", "issued": {"raw": "2019"}}, {"title": "Wind"}]'
    )
    assert [record.text for record in records(tmp_path / "a.json")] == ["Fires", "Wind"]
