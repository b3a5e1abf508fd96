"""A result in, files to take away out, and the addresses at which they are."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.background import BackgroundTask

from qdtm.app.context import AppContext
from qdtm.app.corpora import DEMO
from qdtm.app.findings import TABLES
from qdtm.app.jobs import RESULT
from qdtm.app.requests import FitRequest
from qdtm.app.templating import script, style_sheet
from qdtm.app.workspace import NotFoundError
from qdtm.errors import QdtmError
from qdtm.present.export import export_result
from qdtm.present.formats import FORMATS, ExportFormat
from qdtm.present.program import Source, program
from qdtm.present.report import write_report
from qdtm.results.journal import Journal
from qdtm.results.result import Result
from qdtm.storage.archive import zip_folder

# --- files --------------------------------------------------------------------------------------------------

_ZIP = "application/zip"
_MEDIA_TYPES = {
    ".html": "text/html",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
    ".ris": "application/x-research-info-systems",
    ".bib": "application/x-bibtex",
    ".qdpx": _ZIP,
    ".qdc": "application/xml",
    ".gexf": "application/xml",
    ".zip": _ZIP,
    ".py": "text/x-python",
}
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class FileKind:
    """A file that can be taken away.

    Attributes
    ----------
    name : str
        In the address.
    ending : str
        What its name has after the query.
    label, about : str
        What it is called, and a sentence about what is in it and for whom.
    format : ExportFormat or None
        If it is an export.
    """

    name: str
    ending: str
    label: str
    about: str
    format: ExportFormat | None = None

    @property
    def media_type(self) -> str:
        """What a browser takes it for."""
        return _MEDIA_TYPES[Path(self.ending).suffix or self.ending]


def _kind(format: ExportFormat) -> FileKind:
    """Return an export as a file; a folder comes as a .zip."""
    ending = format.ending.removesuffix(".zip") + ".zip" if format.is_folder else format.ending
    return FileKind(format.name, ending, format.label, format.about, format)


KINDS = (
    FileKind("report", "-report.html", "Report", "One page to read and to hand on."),
    *map(_kind, FORMATS),
    FileKind("model", "-model.zip", "Saved model", "For qdtm show and QueryDrivenTopicModel.load."),
    FileKind("python", ".py", "Python program", "Makes the same result again."),
)


def file_name(kind: FileKind, result: Result) -> str:
    """Return what the file is called: letters of the first query, nothing that a system could mind."""
    stem = _UNSAFE.sub("-", result.topics[0].name.lower()).strip("-")[:40] or "result"
    return stem + kind.ending


def make_file(kind: FileKind, result: Result, request: FitRequest, folder: Path) -> Path:
    """Make a file in a folder, and return its path."""
    path = folder / file_name(kind, result)
    if kind.format is not None:
        return export_result(result, path, kind.format.name)
    makers: Mapping[str, Callable[[], Any]] = {
        "report": lambda: write_report(result, path),
        "model": lambda: _zip_model(result, path),
        "python": lambda: path.write_text(program(result, source_of(request)), encoding="utf-8"),
    }
    makers[kind.name]()
    return path


def kind_of(name: str) -> FileKind | None:
    """Return the kind of file that an address names."""
    return next((kind for kind in KINDS if kind.name == name), None)


def source_of(request: FitRequest) -> Source:
    """Return where the corpus of a fit is from."""
    columns = request.columns
    return Source(
        request.corpus_name, columns.text, columns.id, columns.title, is_demo=request.corpus == DEMO
    )


def _zip_model(result: Result, path: Path) -> None:
    """Save a result with its corpus to one file."""
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        inside = Path(scratch) / path.stem
        result.save(inside, standalone=True)
        zip_folder(inside, path)


def unavailable(kind: FileKind) -> str:
    """Say why a file cannot be made here; empty if it can."""
    if kind.format is None or not kind.format.extra or find_spec(kind.format.module) is not None:
        return ""
    return f"needs the extra '{kind.format.extra}': pip install 'qdtm[{kind.format.extra}]'"


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

    @web.get("/kept/{job_id}/{name}")
    async def kept(job_id: str, name: str) -> Response:
        """Give a table that was saved with a result, whose corpus may be gone."""
        try:
            job = context.jobs.get(job_id)
        except QdtmError as error:
            return PlainTextResponse(str(error), 404)
        path = job.folder / RESULT / name
        if name not in TABLES or not path.is_file():
            return PlainTextResponse("There is no such file.", 404)
        return FileResponse(path, media_type="text/csv", filename=name)

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
    history = Journal(context.jobs.get(job_id).folder).history
    result = context.opened.result(job_id).result.with_history(history)
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
