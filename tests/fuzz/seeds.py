"""Small valid files, from which the broken ones are made. In: a folder to write them to."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import tempfile
import warnings
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus import TextPipeline, VocabularyLimits
from qdtm.progress import Progress
from qdtm.results.hand_check.files import begin_check
from qdtm.results.hand_check.hand_check import HandCheck

TEXTS = (
    "Cricket test match in Sydney, the batsman hit a century",
    "The bowler took a wicket in the cricket match; <b>rain</b> came",
    "Fire near Sydney, firefighters and wind and fire",
    "A bushfire burns, firefighters say the wind is the enemy",
    "", "Élection: the minister of labour lost the election 中文 🔥",
    "The minister answered, the election is in autumn",
)  # fmt: skip
HEADER = ("id", "text", "year", "party")
ROWS = tuple((f"doc-{j}", text, str(2000 + j), "AB"[j % 2]) for j, text in enumerate(TEXTS))
WORDS = ("cricket", "fire", "minister", "wind", "the")


def lines(encoding: str = "utf-8") -> bytes:
    """Return the texts, one a line."""
    return "\n".join(TEXTS).encode(encoding)


def delimited(delimiter: str, encoding: str = "utf-8") -> bytes:
    """Return the rows as a delimited table."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows([HEADER, *ROWS])
    return file.getvalue().encode(encoding, "replace")


def json_lines() -> bytes:
    """Return the rows as JSON lines, some with more in them."""
    objects: list[Any] = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    objects += [{"text": ["fire", "wind"], "more": {"a": [1, 2.5, None]}}, "only a text about fire"]
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in objects).encode()


def workbook() -> bytes:
    """Return the rows as a workbook of openpyxl's, with a number, a date and a formula."""
    import datetime

    from openpyxl import Workbook

    book, file = Workbook(), io.BytesIO()
    sheet = book.active
    sheet.append([*HEADER, "when", "sum"])
    for j, row in enumerate(ROWS):
        sheet.append([*row[:2], 2000 + j, row[3], datetime.date(2001, 1, 1 + j), "=1+1"])
    book.save(file)
    return file.getvalue()


def documents() -> dict[str, tuple[bytes, ...]]:
    """Return the texts as documents and bibliographies, by their ending."""
    from tests.corpus import test_document_files as made

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made.docx(folder / "a.docx", "".join(f"<w:p><w:r><w:t>{j} fire</w:t></w:r></w:p>" for j in range(5)))
        made.pdf(folder / "a.pdf", ["Fire near Sydney", "Wind"], b"/Title(On fires)")
        made.odt(folder / "a.odt")
        made.epub(folder / "a.epub")
        with closing(sqlite3.connect(folder / "a.db")) as database, database:
            database.execute("CREATE TABLE t (id, text)")
            database.executemany("INSERT INTO t VALUES (?, ?)", enumerate(TEXTS))
        packed = {path.suffix: (path.read_bytes(),) for path in folder.iterdir()}
        mixtures = (
            {"a.txt": TEXTS[0], "b.csv": "text\nfire\n"},
            {"a.csv": "text\nfire\n", "b.ris": made.RIS},
        )
        packed[".zip"] = tuple(made.zipped(folder / "a.zip", each).read_bytes() for each in mixtures)
    page = f"<html><head><title>x</title></head><body>{'<p>fire</p>' * 9}<!-- x --></body></html>"
    return packed | {
        ".html": (page.encode(),),
        ".md": (b"---\ntitle: x\n---\n# Fire\n\nwind",),
        ".rtf": (rb"{\rtf1\ansi{\fonttbl{\f0\fcharset0 Arial;}}{\info{\title x}}Fire\par w\'ef\u252?nd}",),
        ".ris": (made.RIS.encode(),),
        ".nbib": (made.NBIB.encode(),),
        ".ciw": (made.SCIENCE.encode(),),
        ".enw": (made.ENDNOTE.encode(),),
        ".bib": (
            b'@string{n = "N"}\n@article{k, title={{F}ire \\"{u}}, journal = n # {x}, year = 2019}\n' * 3,
        ),
        ".json": tuple(json.dumps(value).encode() for value in _json_values()),
        ".gz": (gzip.compress(delimited(","), mtime=0),),
    }


def _json_values() -> tuple[Any, ...]:
    """Return what .json files hold: an array, one far down, one document, entries of Zotero and OpenAlex."""
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    person, when = {"family": "Lee", "given": "Bo"}, {"date-parts": [[2019, 5]]}
    zotero = [{"id": "k", "type": "book", "title": "Fires", "author": [person], "issued": when}] * 3
    work = {
        "id": "W1", "display_name": "Fires", "abstract_inverted_index": {"fire": [0, 2], "and": [1]},
        "authorships": [{"author": {"display_name": "A"}}], "primary_location": {"source": None},
    }  # fmt: skip
    item = {"itemType": "book", "title": "Fires", "creators": [{"lastName": "Lee"}], "tags": [{"tag": "a"}]}
    response = {"meta": {"count": 7}, "response": {"facets": [{"n": 1}], "page": {"results": rows}}}
    one, api = rows[0] | {"authors": [person, person]}, [{"key": "k", "data": item}] * 3
    return rows, response, one, zotero, api, {"meta": {}, "results": [work, work]}


def _table(pyarrow: Any) -> Any:
    return pyarrow.table(
        {name: list(column) for name, column in zip(HEADER, zip(*ROWS, strict=True), strict=True)}
    )


def arrow_files() -> tuple[bytes, ...]:
    """Return the rows as an Arrow file, a stream, and one whose texts are kept once; none without pyarrow."""
    try:
        pyarrow, ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
    except ImportError:
        return ()
    table, made = _table(pyarrow), []
    kept_once = table.set_column(3, "party", table["party"].dictionary_encode())
    for rows, begin in ((table, ipc.new_file), (table, ipc.new_stream), (kept_once, ipc.new_file)):
        file = io.BytesIO()
        with begin(file, rows.schema) as writer:
            writer.write_table(rows)
        made.append(file.getvalue())
    return tuple(made)


def duckdb_file() -> tuple[bytes, ...]:
    """Return the rows as a DuckDB database; none without the package."""
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        return ()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.duckdb"
        with closing(duckdb.connect()) as database:
            database.execute(f"ATTACH '{path}' AS small (BLOCK_SIZE 16384)")  # its smallest: 45 kB of file
            database.execute("USE small")
            database.execute("CREATE TABLE t (id VARCHAR, text VARCHAR, year VARCHAR, party VARCHAR)")
            database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [list(row) for row in ROWS])
        return (path.read_bytes(),)


def parquet_files() -> tuple[bytes, ...]:
    """Return the rows as parquet files, plain and compressed; none without pyarrow."""
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        return ()
    table, made = _table(pyarrow), []
    for options in (
        {"compression": "none"},
        {"compression": "snappy"},
        {"use_dictionary": False, "compression": "none"},
    ):
        file = io.BytesIO()
        parquet.write_table(table, file, **options)
        made.append(file.getvalue())
    return tuple(made)


def vector_files() -> tuple[bytes, ...]:
    """Return word vectors as GloVe text, word2vec text and binary, gzipped text, and two .npz."""
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 4)).astype(np.float32)
    rows = [f"{word} {' '.join(f'{x:.4f}' for x in row)}" for word, row in zip(WORDS, vectors, strict=True)]
    glove = "\n".join(rows).encode() + b"\n"
    head = f"{len(WORDS)} 4\n".encode()
    binary = head + b"".join(
        w.encode() + b" " + row.astype("<f4").tobytes() for w, row in zip(WORDS, vectors, strict=True)
    )
    plain, packed = io.BytesIO(), io.BytesIO()
    np.savez_compressed(plain, words=np.array(WORDS), vectors=vectors)
    np.savez(
        packed,
        words=np.array(WORDS),
        q=(vectors * 30).astype(np.int8),
        scale=np.full(len(WORDS), 1 / 30, np.float16),
    )
    return glove, head + glove, binary, gzip.compress(glove, mtime=0), plain.getvalue(), packed.getvalue()


def corpus() -> Corpus:
    """Return the rows as a corpus."""
    ids, texts, years, parties = zip(*ROWS, strict=True)
    pipeline = TextPipeline(limits=VocabularyLimits(min_df=1))
    return Corpus.from_texts(
        list(texts), ids=ids, fields={"year": years, "party": parties}, pipeline=pipeline
    )


def saved_corpus(folder: Path) -> Path:
    """Save the corpus, with its counts."""
    corpus().save(folder / "corpus")
    return folder / "corpus"


def index_in_parts(folder: Path) -> Path:
    """Index two files in parts, here, and learn what they are about."""
    from qdtm.cluster.indexing import index_in_parts as index
    from qdtm.cluster.tasks import HereTasks
    from qdtm.corpus.building import read_options
    from qdtm.corpus.parts import add_topics
    from qdtm.sampler.background import background_of
    from qdtm.storage.array_store import ArrayStore

    (folder / "a.csv").write_bytes(delimited(","))
    (folder / "b.jsonl").write_bytes(json_lines())
    pipeline, place = TextPipeline(limits=VocabularyLimits(min_df=1)), folder / "parts"
    with warnings.catch_warnings(action="ignore"):  # both have the same names
        index([str(folder / "[ab].*")], read_options(text_column="text"), pipeline, str(place), HereTasks())
        corpus = Corpus.load(place)
        background_of(corpus)
    assert corpus.distinct.learned is not None
    add_topics(ArrayStore(str(place)), corpus.distinct.learned)
    return place


def encoder(folder: Path) -> Path | None:
    """Write a little BERT with its weights, and as a graph; None without the packages to run it."""
    if not all(map(find_spec, ("onnxruntime", "tokenizers"))):
        return None
    from tests.embeddings.tiny_bert import CONFIG, random_weights, write_folder

    from qdtm.embeddings.bert_onnx import BertShape, build_bert

    more = {"sentence_bert_config": {"max_seq_length": 12}, "modules": [{"type": "models.Pooling"}]}
    written = write_folder(folder / "encoder", **more)
    (written / "model.onnx").write_bytes(build_bert(BertShape.of(CONFIG), random_weights()))
    return written


def workspace(folder: Path) -> Path:
    """Write a workspace of the app: a corpus, an upload, a fit and something in the bin."""
    from qdtm.app.bin import discard
    from qdtm.app.corpora import Upload, place_for, write_upload
    from qdtm.app.findings import write_findings
    from qdtm.app.jobs import OUTCOME, PROGRESS, JobLimits, Jobs
    from qdtm.app.requests import Columns, FitRequest, IndexRequest
    from qdtm.app.upload import index_corpus
    from qdtm.app.workspace import Workspace, write_json
    from qdtm.queries import Query

    place = Workspace.open(folder / "workspace")
    for n in range(3):
        upload = Upload(place.new("corpora"))
        file = place_for(place, upload, "texts.csv")
        Path(file.place).write_bytes(delimited(","))
        write_upload(place, Upload(upload.id, (file,), ("a.exe",)))
        if n == 0:
            index_corpus(place, IndexRequest(upload.id, "texts", Columns(text="text")))
            id = Jobs(place, JobLimits(running=0)).submit(FitRequest(upload.id, "texts", (Query("fire"),)))
        elif n == 1:
            discard(place, "corpora", upload.id, "texts")
    job = place.existing("jobs", id)
    write_json(job / OUTCOME, {"state": "done", "message": "", "seconds": 2.5})
    write_json(job / PROGRESS, {"stage": "parents", "share": 0.5})
    write_findings(job, QueryDrivenTopicModel.load(saved_model(folder)).result_)
    return folder / "workspace"


def saved_model(folder: Path) -> Path:
    """Fit a little model and save it."""
    queries = ["cricket match", {"fires": ["fire", "wind"]}]
    model = QueryDrivenTopicModel(queries, max_sweeps=6, min_sweeps=4, n_background_topics=2, n_jobs=1)
    model.fit(corpus())
    model.result_.with_labels({"0": "sport"}).with_columns(time_column="year", group_column="party").save(
        folder / "model"
    )
    return folder / "model"


def unfinished_fit(folder: Path) -> Path:
    """Begin a fit that is written down after every sweep, and leave it in its first phase."""
    from qdtm.sampler import checkpoint

    class LeftError(Exception):
        """Enough."""

    def leave(progress: Progress) -> None:
        if progress.stage == "parents" and progress.sweep == 3:
            raise LeftError

    model = QueryDrivenTopicModel(
        ["cricket match"], max_sweeps=6, min_sweeps=6, n_background_topics=2, n_jobs=1, progress=leave
    )
    before, checkpoint.EVERY = checkpoint.EVERY, 0.0
    try:
        model.fit(corpus(), checkpoint=folder / "unfinished")
    except LeftError:
        return folder / "unfinished"
    finally:
        checkpoint.EVERY = before
    raise AssertionError("the fit was not left")


def hand_check() -> tuple[HandCheck, Corpus]:
    """Return a hand-check with some answers, and the corpus that it is about."""
    texts = list(TEXTS) * 6
    many = Corpus.from_texts(texts, pipeline=TextPipeline(limits=VocabularyLimits(min_df=1)))
    model = QueryDrivenTopicModel("cricket", max_sweeps=6, min_sweeps=4, n_background_topics=2, n_jobs=1)
    check = begin_check(model.fit(many).result_, n=12)
    return check.with_answers({j: j % 3 > 0 for j in check.sample.documents[:10]}), many
