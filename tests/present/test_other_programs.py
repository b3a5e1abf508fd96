"""Files for other programs: each read back by a program that is not ours, with texts that try to break it."""

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.errors import StorageError
from qdtm.present.codings import Codings
from qdtm.present.export import _WRITERS, export_result
from qdtm.present.formats import FORMATS, NAMES
from qdtm.present.legal_text import DistinctNames, file_name, same_places, xml
from qdtm.present.program import Source, program
from qdtm.present.report import render_report
from qdtm.queries import Query
from qdtm.results.result import Result
from results.synthetic import make_fit

QDE = "{urn:QDA-XML:project:1.0}"
LONG = "An endless title about cricket " * 40
TEXTS = [
    "Cricket <script>alert(1)</script> test match\r\nin Sydney 🏏🏏, the batsman hit a century",
    "=1+1 The bowler took a wicket\x00\x0b in the cricket match ]]> & done\nER  - \nTY  - HACK",
    f"{LONG}\n\nCricket: rain stopped the test match",
    "Fire near Sydney [[link]] **bold** {brace} \\command 100% $x$, firefighters and wind and fire",
    "\ufeffA bushfire burns \ud800, firefighters say the wind is the enemy",
    "Fire crews fight the fire in the wind",
    "",
    "A match of fire and cricket",
]
FIELDS = {
    "authors": ["Fang, Zheng; He, Yulan"] * 4 + ["Ann Lee and Bo Li", "Solo, H.", "", "Ann Lee, Bo Li"],
    "year": [f"{2000 + j}-01-02" for j in range(8)],
    "doi": ["https://doi.org/10.1/a_b"] * 8,
    "venue": ["J. of <b>Fire</b>"] * 8,
    "bad & <name>": ["x\x01y"] * 8,
}


@pytest.fixture(scope="module")
def result():
    ids = ["../../etc/passwd", "con", *(f"doc {j}" for j in range(2, 8))]
    corpus = Corpus.from_texts(TEXTS, ids=ids, fields=FIELDS, pipeline=TextPipeline())
    fit = make_fit(corpus, queries=["cricket", "fire"], n_subtopics=(2, 2))
    return Result(fit, corpus).with_labels({"0.1": "a/b <&> \x02", "0.2": "same", "1.1": "same"})


def export(result, tmp_path, format, **options):
    ending = next(each.ending for each in FORMATS if each.name == format)
    return export_result(result, tmp_path / f"out{ending}", format, all_documents=True, **options)


def test_every_format_has_a_writer_and_a_page():
    assert tuple(_WRITERS) == NAMES
    page = (Path(__file__).parents[2] / "docs" / "exports.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in NAMES)


@pytest.mark.parametrize("format", NAMES)
def test_whole_or_absent_and_the_same_bytes(result, tmp_path, monkeypatch, format):
    first, again = (tmp_path / name for name in ("first", "again"))
    made = export(result, first, format)
    other = export(result, again, format)
    assert contents(made) == contents(other)
    with pytest.raises(StorageError, match="--force"):
        export(result, first, format)
    export(result, first, format, force=True)
    assert contents(made) == contents(other)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    target = "methods_paragraph" if format == "bundle" else "one_line" if format != "codebook" else "xml"
    module = _WRITERS[format].partition(":")[0]
    if format in ("csv", "xlsx", "json", "parquet"):
        monkeypatch.setattr("qdtm.results.tables.score_documents", full)
    else:
        monkeypatch.setattr(f"{module}.{target}", full)
    with pytest.raises(StorageError, match="No space left"):
        export(result, tmp_path / "none", format)
    assert not (tmp_path / "none").exists()


def contents(path):
    if path.is_file():
        return path.read_bytes()
    return {str(f.relative_to(path)): f.read_bytes() for f in sorted(path.rglob("*")) if f.is_file()}


def test_a_folder_keeps_what_is_beside_and_can_be_one_file(result, tmp_path):
    folder = export(result, tmp_path, "notes")
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text("mine")
    export(result, tmp_path, "notes", force=True)
    assert (folder / ".obsidian" / "app.json").read_text() == "mine"
    packed = export_result(result, tmp_path / "out.zip", "csv")
    assert "out/topics.csv" in zipfile.ZipFile(packed).namelist()
    assert (export_result(result, tmp_path / "paper", "bundle") / "README.txt").is_file()


# --- references --------------------------------------------------------------------------------------------


def test_ris_is_read_back_in_order(result, tmp_path):
    rispy = pytest.importorskip("rispy")
    with export(result, tmp_path, "ris").open(encoding="utf-8") as file:
        found = rispy.load(file)
    wanted = list(Codings(result, all_documents=True).documents_by_relevance())
    assert [each["id"] for each in found] == [document.id for document, _ in wanted]
    assert {each["type_of_reference"] for each in found} == {"JOUR"}  # no text became a record
    by_id = {each["id"]: each for each in found}
    assert by_id["con"]["authors"] == ["Fang, Zheng", "He, Yulan"]
    assert by_id["doc 4"]["authors"] == ["Ann Lee", "Bo Li"]
    assert by_id["doc 5"]["authors"] == ["Solo, H."]
    assert by_id["doc 7"]["authors"] == ["Ann Lee", "Bo Li"]
    assert (by_id["con"]["year"], by_id["con"]["doi"]) == ("2001", "10.1/a_b")
    for (_, codings), each in zip(wanted, found, strict=True):
        notes = [json.loads(note.removeprefix("qdtm: ")) for note in each["notes"]]
        assert [(note["query"], note["rank"]) for note in notes] == [(c.query, c.rank) for c in codings]
        assert [note["relevance"] for note in notes] == pytest.approx(
            [c.relevance for c in codings], abs=1e-6
        )
        assert {"cricket", "fire"} <= set(each["keywords"])


def test_bibtex_is_read_back(result, tmp_path):
    bibtexparser = pytest.importorskip("bibtexparser")
    library = bibtexparser.parse_string(export(result, tmp_path, "bibtex").read_text("utf-8"))
    assert not library.failed_blocks
    assert len(library.entries) == len({entry.key for entry in library.entries}) == len(TEXTS)
    entry = next(each for each in library.entries if each["abstract"].startswith("Fire near"))
    assert r"\textbraceleft{}brace\textbraceright{} \textbackslash{}command 100\% \$x\$" in entry["abstract"]
    assert entry["author"] == "Fang, Zheng and He, Yulan"
    assert entry["doi"] == "10.1/a_b"
    assert entry["keywords"].startswith("cricket, ")


# --- qualitative analysis ----------------------------------------------------------------------------------


def test_a_project_keeps_to_the_schema(result, tmp_path):
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    schema = Path(os.environ.get("QDTM_DATA", "")) / "schemas" / "Project-mrt2019.xsd"
    if not schema.is_file():
        pytest.skip("the schema of REFI-QDA is found through QDTM_DATA, which is not set")
    with zipfile.ZipFile(export(result, tmp_path, "refi-qda")) as archive:
        project = etree.fromstring(archive.read("project.qde"))
    etree.XMLSchema(etree.parse(str(schema))).assertValid(project)


def test_the_coded_passages_are_those_of_the_texts(result, tmp_path):
    with zipfile.ZipFile(export(result, tmp_path, "refi-qda")) as archive:
        project = ElementTree.fromstring(archive.read("project.qde"))
        sources = {name: archive.read(name).decode() for name in archive.namelist() if name != "project.qde"}
    codes = {code.get("guid"): code.get("name") for code in project.iter(f"{QDE}Code")}
    assert sorted(codes.values()) == sorted(["cricket", "a/b <&>", "same", "fire", "same (1.1)", *(
        topic.short_name for topic in result.topics[1].subtopics[1:])])  # fmt: skip
    coded = list(Codings(result, all_documents=True).documents())
    found = list(project.iter(f"{QDE}TextSource"))
    assert len(found) == len(coded)
    names = [source.get("name") for source in found]
    assert len({name.casefold() for name in names}) == len(names)
    assert not any(set(name) & set('/\\:*?"<>|') for name in names)
    for (_, codings), source in zip(coded, found, strict=True):
        text = sources["sources/" + source.get("plainTextPath").removeprefix("internal://")]
        selections = source.findall(f"{QDE}PlainTextSelection")
        assert len(selections) == (len(codings) if text else 0)
        for coding, selection in zip(codings, selections, strict=False):
            start, end = int(selection.get("startPosition")), int(selection.get("endPosition"))
            assert text[start:end] == same_places(coding.passage.text)
            guid = selection.find(f"{QDE}Coding/{QDE}CodeRef").get("targetGUID")
            topic = coding.subtopic or result.topics[coding.q]
            assert codes[guid].startswith(topic.short_name.replace(" \x02", ""))
            assert f"relevance {coding.relevance:.3f}" in selection.find(f"{QDE}Description").text


def test_places_count_characters_after_line_ends(tmp_path):
    text = "🏏 one\r\ntwo\r\n\r\n" * 60 + "the cricket match at last, cricket " + "and so on. " * 60
    corpus = Corpus.from_texts([text, "fire", "wind and fire"], pipeline=TextPipeline())
    result = Result(make_fit(corpus, queries=["cricket"], n_subtopics=(0,)), corpus)
    with zipfile.ZipFile(export(result, tmp_path, "refi-qda")) as archive:
        project = ElementTree.fromstring(archive.read("project.qde"))
        source = project.find(f"{QDE}Sources/{QDE}TextSource")
        written = archive.read("sources/" + source.get("plainTextPath")[11:]).decode()
    selection = source.find(f"{QDE}PlainTextSelection")
    part = written[int(selection.get("startPosition")) : int(selection.get("endPosition"))]
    assert "\r" not in written
    assert int(selection.get("startPosition")) > 0
    assert "cricket match at last" in part


def test_a_codebook_has_the_codes_of_the_project(result, tmp_path):
    book = ElementTree.parse(export(result, tmp_path, "codebook")).getroot()
    assert book.tag == "{urn:QDA-XML:codebook:1.0}CodeBook"
    with zipfile.ZipFile(export(result, tmp_path, "refi-qda")) as archive:
        project = ElementTree.fromstring(archive.read("project.qde"))
    there = [(c.get("guid"), c.get("name")) for c in project.iter(f"{QDE}Code")]
    assert [(c.get("guid"), c.get("name")) for c in book.iter() if c.tag.endswith("}Code")] == there


# --- notes, networks, annotation ---------------------------------------------------------------------------


def test_notes_are_linked_and_harmless(result, tmp_path):
    yaml = pytest.importorskip("yaml")
    folder = export(result, tmp_path, "notes")
    notes = sorted(folder.rglob("*.md"))
    assert len(notes) == 3 + 2 * len(TEXTS)
    for path in notes:
        assert path.resolve().is_relative_to(folder.resolve())
        assert len(path.name.encode()) < 200
        text = path.read_text("utf-8")
        body = text.split("---\n", 2)[-1] if text.startswith("---\n") else text
        assert not re.search(r"(?<!\\)<", body)  # no HTML
        if path.parent != folder:
            front = yaml.safe_load(text.split("---\n")[1])
            assert {"id", "title", "query", "relevance", "subtopic", "tags"} <= set(front)
            assert all(re.fullmatch(r"[\w/-]+", tag) for tag in front["tags"])
    links = re.findall(r"\[\[(cricket/[^\]|\\]+)", (folder / "cricket.md").read_text("utf-8"))
    assert len(links) == len(TEXTS)
    assert all((folder / f"{link}.md").is_file() for link in links)


def test_networkx_reads_the_network(result, tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.read_gexf(export(result, tmp_path, "gexf"))
    kinds = [values["kind"] for _, values in graph.nodes(data=True)]
    assert (kinds.count("query"), kinds.count("document")) == (2, len(TEXTS))
    assert kinds.count("subtopic") == sum(len(topic.below()) for topic in result.topics)
    assert graph.edges["d0", "t0"]["weight"] == pytest.approx(result.scores(0).relevance[0], abs=1e-6)
    assert graph.edges["t0.1", "t0"]["kind"] == "part of"


def test_passages_to_judge(result, tmp_path):
    tasks = json.loads(export(result, tmp_path, "label-studio").read_text("utf-8"))
    records = json.loads(export(result, tmp_path, "argilla").read_text("utf-8"))
    assert len(tasks) == len(records) == 2 * len(TEXTS)
    for task, record in zip(tasks, records, strict=True):
        assert task["data"]["text"] == record["fields"]["text"]
        relevance = result.scores(int(task["data"]["query"] == "fire")).relevance[task["data"]["row"]]
        assert task["predictions"][0]["score"] == pytest.approx(relevance, abs=1e-6)
        assert record["suggestions"]["about"]["score"] == task["predictions"][0]["score"]
        assert task["predictions"][0]["result"][0]["value"]["choices"] == [
            record["suggestions"]["about"]["value"]
        ]
    assert [task["data"]["rank"] for task in tasks] == [*range(1, len(TEXTS) + 1)] * 2
    assert len({record["id"] for record in records}) == len(records)


def test_parquet_has_types_and_what_r_reads(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = export(result, tmp_path, "parquet")
    table = parquet.read_table(folder / "documents.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    used = {
        "query": "string",
        "about": "bool",
        "relevance": "double",
        "subtopic_name": "string",
        "text": "string",
    }
    assert used.items() <= types.items()
    assert parquet.read_table(folder / "words.parquet").schema.names == ["topic", "word", "probability"]
    assert parquet.read_table(folder / "topics.parquet")["topic"].to_pylist()[1] == "0.1"


R = re.findall(r"```r\n(.*?)```", (Path(__file__).parents[2] / "docs" / "r.md").read_text("utf-8"), re.DOTALL)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
@pytest.mark.parametrize("lines", R, ids=["tidytext", "quanteda"])
def test_r_reads_the_tables(result, tmp_path, lines):
    packages = re.findall(r"library\((\w+)\)|(\w+)::", lines)
    needs = " & ".join(f"requireNamespace('{a or b}', quietly=TRUE)" for a, b in packages)
    if subprocess.run(["Rscript", "-e", f"quit(status = !({needs}))"], check=False).returncode:
        pytest.skip("R has not all packages")
    export_result(result, tmp_path / "result-csv", "csv", all_documents=True)
    export_result(result, tmp_path / "result-parquet", "parquet", all_documents=True)
    ran = subprocess.run(["Rscript", "-e", lines], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "cricket" in ran.stdout


# --- a bundle ----------------------------------------------------------------------------------------------


def test_a_bundle_is_complete_and_has_no_texts(result, tmp_path):
    folder = export_result(result, tmp_path / "paper", "bundle", all_documents=True)
    sums = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {f.relative_to(folder).as_posix(): f for f in folder.rglob("*") if f.is_file()}
    assert set(sums) == set(files) - {"SHA256SUMS"}
    assert all(
        hashlib.sha256(files[name].read_bytes()).hexdigest() == digest for name, digest in sums.items()
    )
    wanted = {"README.txt", "methods.txt", "settings.json", "references.bib", "make_again.py"}
    assert wanted | {"tables/documents.csv", "figures/0-cricket-words.svg"} <= set(files)
    assert "batsman hit a century" not in files["tables/documents.csv"].read_text("utf-8-sig")
    assert json.loads(files["settings.json"].read_text("utf-8"))["seed"] == result.fit.parameters.get(
        "random_state"
    )
    ast.parse(files["make_again.py"].read_text("utf-8"))
    for name, path in files.items():
        if name.endswith(".svg"):
            assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_program_makes_the_same_queries(result):
    text = program(result, Source("we're.csv", "body", "key"))
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Query"
    ]
    made = [Query(**{k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}) for call in calls]
    assert made == [concept.query for concept in result.fit.concepts]
    assert "text_column='body'" in text
    assert '"we\'re.csv"' in text
    assert result.fit.corpus_fingerprint in text


def test_the_program_knows_the_columns_of_the_texts(tmp_path):
    (tmp_path / "a.csv").write_text("id,title,body\nx,Fires,fire and wind\ny,Rain,rain and fire\n")
    for columns, said in (
        ("body", "text_column='body'"),
        (["title", "body"], "text_column=['title', 'body']"),
    ):
        corpus = Corpus.read(tmp_path / "a.csv", text_column=columns)
        assert said in program(Result(make_fit(corpus, queries=["fire"], n_subtopics=(0,)), corpus))


# --- round trips -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "ending"), [("ris", "ris"), ("bibtex", "bib")])
def test_references_come_back_as_they_went(tmp_path, format, ending):
    abstract = "Wind {brace} ~30 \\alpha & 100% of $x$ ^2 #1_a\nER  - the end"
    (tmp_path / "a.csv").write_text(
        f'id,title,abstract,authors,year\nk1,"Fires, and {{more}}","{abstract}","Lee, Bo; Ono, Aki",2019\n'
        "k2,Rain,rain and fire,,2020\n"
    )
    corpus = Corpus.read(tmp_path / "a.csv", text_column=["title", "abstract"])
    result = Result(make_fit(corpus, queries=["fire"], n_subtopics=(0,)), corpus)
    path = export_result(result, tmp_path / f"out.{ending}", format, all_documents=True)
    found = {document.id: document for document in Corpus.read(path).documents}
    for document in corpus.documents:
        again = found[document.id]
        assert (again.text.split(), again.title) == (document.text.split(), document.title)
        assert again.fields["year"] == document.fields["year"]
        assert again.fields["authors"] == document.fields["authors"]


def test_pages_are_said_everywhere(tmp_path):
    pages = ["Rain came to the town. " * 40, "", "A great fire burned in the hills. " + "It was dry. " * 60]
    corpus = Corpus.from_texts(["\f".join(pages), "rain and rain", "a fire"], pipeline=TextPipeline())
    result = Result(make_fit(corpus, queries=["fire"], n_subtopics=(0,)), corpus)
    coding = Codings(result, all_documents=True).code(corpus.documents[0], 0)
    assert coding.passage.page == 3
    assert coding.passage.line.endswith("(p. 3)")
    notes = export(result, tmp_path, "notes") / "fire"
    assert any("page: 3\n" in path.read_text() for path in notes.iterdir())
    assert '"page": 3' in export(result, tmp_path, "ris").read_text()
    assert '"page": 3' in export(result, tmp_path, "label-studio").read_text()
    with zipfile.ZipFile(export(result, tmp_path, "refi-qda")) as archive:
        assert b"names it, p. 3<" in archive.read("project.qde")
    assert "p.\u00a03</span>" in render_report(result)


# --- names and texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../../x", "con", "CON.txt", ".hidden", "a" * 900, "🏏" * 200, "\u202egpj.exe", ""]
)
def test_file_names_are_safe(name):
    made = file_name(name)
    assert made
    assert not made.startswith(".")
    assert not set(made) & set('/\\:*?"<>|\u202e')
    assert len(made.encode()) <= 140
    assert made.split(".")[0].strip().lower() != "con"


def test_names_differ_also_without_capitals():
    names = DistinctNames()
    made = [names.name(name) for name in ("A", "a", "a 2", "A", "ａ")]
    assert len({name.casefold() for name in made}) == 5


def test_xml_holds_anything():
    text = "".join(map(chr, range(0x20))) + "\ud800\ufffe]]><&\"'"
    root = ElementTree.fromstring(f'<a b="{xml(text)}">{xml(text)}</a>')
    assert root.text == root.get("b") == "\t\n\r]]><&\"'"


# --- the user's own tags and notes -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def coded(result):
    text = result.corpus.documents[0].text
    place = (text.index("the batsman"), text.index("the batsman") + 11)
    tagged = result.tagged(0, "Own <tag> & more", passage=place).tagged(6, "empty text")
    return tagged.tagged(0, "same").noted(0, "A note ]]> & <b>\nwith lines", passage=place).noted(1, "ER  - ")


def test_tags_and_notes_are_codes_and_notes_of_a_project(coded, tmp_path):
    lxml = pytest.importorskip("lxml.etree")
    path = export_result(coded, tmp_path / "own.qdpx", "refi-qda")
    with zipfile.ZipFile(path) as archive:
        content = archive.read("project.qde")
        tree = ElementTree.fromstring(content)
        names = {code.get("guid"): code.get("name") for code in tree.iter(f"{QDE}Code")}
        assert {"Own <tag> & more", "empty text"} <= set(names.values())
        assert len(set(names.values())) == len(names)  # though two subtopics and a tag are called "same"
        chosen = [
            each for each in tree.iter(f"{QDE}PlainTextSelection") if each.find(f"{QDE}NoteRef") is not None
        ]
        assert len(chosen) == 1
        code = chosen[0].find(f"{QDE}Coding/{QDE}CodeRef").get("targetGUID")
        assert names[code] == "Own <tag> & more"
        source = next(each for each in tree.iter(f"{QDE}TextSource") if chosen[0] in list(each))
        text = archive.read(f"sources/{source.get('guid')}.txt").decode()
        start, end = int(chosen[0].get("startPosition")), int(chosen[0].get("endPosition"))
        assert text[start:end] == "the batsman"
        note = chosen[0].find(f"{QDE}NoteRef").get("targetGUID")
        notes = {
            each.get("guid"): each.findtext(f"{QDE}PlainTextContent") for each in tree.iter(f"{QDE}Note")
        }
        assert notes[note] == "A note ]]> & <b>\nwith lines"
        assert chosen[0].findtext(f"{QDE}Description") == notes[note]  # where QualCoder looks for it
        whole = [
            names[each.find(f"{QDE}Coding/{QDE}CodeRef").get("targetGUID")]
            for each in source.findall(f"{QDE}PlainTextSelection")
            if (each.get("startPosition"), each.get("endPosition")) == ("0", str(len(text)))
        ]
        assert any(name.startswith("same (tag") for name in whole)  # of all of the document
        described = {
            each.get("guid"): each.findtext(f"{QDE}Description") for each in tree.iter(f"{QDE}TextSource")
        }
        assert sum(each.endswith("\nER  -") for each in described.values()) == 1  # a note on a document
        empty = next(each for each in tree.iter(f"{QDE}TextSource") if each.find(f"{QDE}Coding") is not None)
        assert archive.read(f"sources/{empty.get('guid')}.txt") == b""
    schema = Path(os.environ.get("QDTM_DATA", "")) / "schemas" / "Project-mrt2019.xsd"
    if schema.is_file():
        lxml.XMLSchema(lxml.parse(str(schema))).assertValid(lxml.fromstring(content))


def test_tags_and_notes_are_in_tables_references_notes_and_tasks(coded, result, tmp_path):
    tables = json.loads(export_result(coded, tmp_path / "own.json", "json").read_text())
    assert [row["tag"] for row in tables["codes"]] == ["same", "Own <tag> & more", None, None, "empty text"]
    by_id = {row["document"]: row for row in tables["documents"]}
    assert by_id["../../etc/passwd"]["tags"] == ["Own <tag> & more", "same"]
    assert by_id["con"]["notes"] == "ER  -"
    plain = json.loads(export_result(result, tmp_path / "plain.json", "json").read_text())
    assert "codes" not in plain
    assert "tags" not in plain["documents"][0]
    ris = export_result(coded, tmp_path / "own.ris", "ris").read_text()
    assert "KW  - Own <tag> & more\n" in ris
    assert "KW  - empty text\n" in ris
    assert "N1  - ER -\n" in ris
    book = (export_result(coded, tmp_path / "notes", "notes") / "Codebook.md").read_text()
    assert "the batsman" in book
    assert "<b>" not in book.replace("\\<b\\>", "")
    tasks = json.loads(export_result(coded, tmp_path / "own.ls.json", "label-studio").read_text())
    assert any(task["data"].get("tags") == "Own <tag> & more; same" for task in tasks)
