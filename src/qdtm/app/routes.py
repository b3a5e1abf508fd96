"""Addresses that are no pages: the style sheet, the script, and the files to take away."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.background import BackgroundTask

from qdtm.app.context import AppContext
from qdtm.app.rendering import script, style_sheet
from qdtm.app.requests import FitRequest
from qdtm.app.takeaway import FileKind, kind_of, make_file
from qdtm.app.workspace import NotFoundError
from qdtm.errors import QdtmError

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
