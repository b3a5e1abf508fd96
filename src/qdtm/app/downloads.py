"""A result in, files to take away out, and the addresses at which they are."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.background import BackgroundTask

from qdtm.app.context import AppContext
from qdtm.app.corpora import DEMO
from qdtm.app.requests import FitRequest
from qdtm.app.templating import script, style_sheet
from qdtm.app.workspace import NotFoundError
from qdtm.errors import QdtmError
from qdtm.present.export import export_result
from qdtm.present.report import write_report
from qdtm.queries.query import Query
from qdtm.results.result import Result

# --- files --------------------------------------------------------------------------------------------------

_ZIP = "application/zip"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class FileKind:
    """A file that can be taken away.

    Attributes
    ----------
    name : str
        In the address.
    file_name : str
        `{}` stands for the query.
    label, about : str
        What it is called, and what is in it.
    media_type : str
    """

    name: str
    file_name: str
    label: str
    about: str
    media_type: str


KINDS = (
    FileKind("report", "{}-report.html", "Report", "one page to read and to hand on", "text/html"),
    FileKind("xlsx", "{}.xlsx", "Excel workbook", "all tables, a sheet each", _XLSX),
    FileKind("csv", "{}-csv.zip", "CSV tables", "the same tables as plain text", _ZIP),
    FileKind("model", "{}-model.zip", "Saved model", "for qdtm show and QueryDrivenTopicModel.load", _ZIP),
    FileKind("python", "{}.py", "Python program", "makes the same result again", "text/x-python"),
)


def file_name(kind: FileKind, result: Result) -> str:
    """Return what the file is called: letters of the first query, nothing that a system could mind."""
    stem = _UNSAFE.sub("-", result.topics[0].name.lower()).strip("-")[:40] or "result"
    return kind.file_name.format(stem)


def make_file(kind: FileKind, result: Result, request: FitRequest, folder: Path) -> Path:
    """Make a file in a folder, and return its path."""
    path = folder / file_name(kind, result)
    makers: Mapping[str, Callable[[], Any]] = {
        "report": lambda: write_report(result, path),
        "xlsx": lambda: export_result(result, path, "xlsx"),
        "csv": lambda: _zip_of(path, lambda inside: export_result(result, inside, "csv")),
        "model": lambda: _zip_of(path, lambda inside: result.save(inside, standalone=True)),
        "python": lambda: path.write_text(program(request, result), encoding="utf-8"),
    }
    makers[kind.name]()
    return path


def kind_of(name: str) -> FileKind | None:
    """Return the kind of file that an address names."""
    return next((kind for kind in KINDS if kind.name == name), None)


def program(request: FitRequest, result: Result) -> str:
    """Return a Python program that makes the result again from the user's own file."""
    subtopics = [] if request.subtopics else ["    subtopics=False,"]
    chains = [] if request.n_chains == 1 else [f"    n_chains={request.n_chains},"]
    lines = [
        *_opening(request),
        "queries = [",
        *(f"    {_call(query)}," for query in request.first_queries),
        "]",
        "model = QueryDrivenTopicModel(",
        "    queries,",
        *subtopics,
        *chains,
        f"    random_state={request.seed},",
        ")",
        "model.fit(corpus)",
        *(f"model.add_query({_call(query)})" for query in request.added_queries),
        *(f'model.drill_down("{split.of}")' for split in result.fit.splits),
        "for topic in model.topics_:",
        "    print(topic.name, topic.top_words(10))",
        "    for subtopic in topic.subtopics:",
        '        print("  ", subtopic.id, subtopic.top_words(10))',
        'model.save("result")',
    ]
    return "\n".join(lines) + "\n"


def _opening(request: FitRequest) -> list[str]:
    """Return the lines that read the corpus."""
    if request.corpus == DEMO:
        names = "from qdtm import Query, QueryDrivenTopicModel"
        return [names, "from qdtm.corpus import load_demo_corpus", "", "corpus = load_demo_corpus()"]
    columns = {
        "text_column": request.columns.text,
        "id_column": request.columns.id,
        "title_column": request.columns.title,
    }
    given = [f"    {name}={value!r}," for name, value in columns.items() if value]
    language = None if request.language == "none" else request.language
    return [
        "from qdtm import Corpus, Query, QueryDrivenTopicModel, TextPipeline",
        "",
        "corpus = Corpus.read(",
        f"    {request.corpus_name!r},  # your file",
        *given,
        f"    pipeline=TextPipeline(language={language!r}),",
        ")",
    ]


def _call(query: Query) -> str:
    """Return the call that makes a query; what is as by default is left out."""
    default = Query("x")
    names = ("name", "rule", "expansion", "keywords", "add", "drop", "exclude", "reading")
    given = [f"text={query.text!r}"] if query.text else []
    for name in names:
        value = getattr(query, name)
        as_by_default = value == (query.text if name == "name" else getattr(default, name))
        if not as_by_default:
            given.append(f"{name}={value!r}")
    return f"Query({', '.join(given)})"


def _zip_of(path: Path, write: Callable[[Path], Any]) -> None:
    """Fill a folder, and put its files into one."""
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        inside = Path(scratch) / path.stem
        write(inside)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            for file in sorted(inside.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(inside.parent).as_posix())


def unavailable(kind: FileKind) -> str:
    """Say why a file cannot be made here; empty if it can."""
    if kind.name != "xlsx":
        return ""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        return "needs the extra 'xlsx': pip install 'qdtm[xlsx]'"
    return ""


# --- addresses ----------------------------------------------------------------------------------------------
#
# Addresses that are no pages: the style sheet, the script, and the files to take away.

_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


def add_routes(web: FastAPI, context: AppContext) -> None:
    """Add the addresses that are no pages."""

    @web.get("/app.css")
    async def css() -> Response:
        return Response(style_sheet(), media_type="text/css", headers=_FOR_EVER)

    @web.get("/app.js")
    async def js() -> Response:
        return Response(script(), media_type="text/javascript", headers=_FOR_EVER)

    @web.get("/download/{job_id}/{kind}")
    async def download(job_id: str, kind: str) -> Response:
        wanted = kind_of(kind)
        if wanted is None:
            return PlainTextResponse("There is no such file.", 404)
        try:
            return await asyncio.to_thread(_make, context, job_id, wanted)
        except NotFoundError as error:
            return PlainTextResponse(str(error), 404)
        except QdtmError as error:
            return PlainTextResponse(str(error), 409)


def _make(context: AppContext, job_id: str, kind: FileKind) -> Response:
    """Make a file in a folder of its own, which goes when the file has been sent."""
    request = context.jobs.get(job_id).request
    result = context.opened.result(job_id).result
    if not isinstance(request, FitRequest):
        raise NotFoundError("There is no such result.")
    folder = Path(tempfile.mkdtemp(prefix="qdtm-"))
    done = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        path = make_file(kind, result, request, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(path, media_type=kind.media_type, filename=path.name, background=done)
