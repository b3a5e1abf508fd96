"""Options in, a running server out: pages, downloads, the guard around them, and the jobs behind them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from nicegui import app as pages_app
from nicegui import ui

from qdtm.app.bin import empty_bin
from qdtm.app.context import AppContext, Opened, vectors
from qdtm.app.corpora import DEMO, DEMO_NAME
from qdtm.app.downloads import add_routes
from qdtm.app.jobs import JobLimits, Jobs
from qdtm.app.limits import TimedConnection, bound_logs
from qdtm.app.pages import bin, check, codes, compare, corpus, fit, kwic, query, reader, result, upload
from qdtm.app.pages.frame import frame, show_problem
from qdtm.app.requests import IndexRequest
from qdtm.app.security import LOCAL_NAMES, AccessPolicy, Guard, is_local
from qdtm.app.templating import render, style_sheet
from qdtm.app.workspace import Workspace
from qdtm.errors import ParameterError

_log = logging.getLogger("qdtm.app")
_OUR_FAULT = "Something went wrong that should not have; the server's log has more."
_SECONDS = 0.25  # between two looks at the jobs
_LOOKS_BETWEEN_TIDYING = 2_400  # ten minutes
_MOST_CONNECTIONS = 512  # more are told that the server is busy


@dataclass(frozen=True)
class ServerOptions:
    """How to serve.

    Attributes
    ----------
    workspace : Path
    host : str
    port : int
        0 takes any that is free.
    token : str or None
        Needed where `host` can be reached from outside.
    names : tuple of str
        Further names under which the server may be asked for.
    max_upload_mb : int
    open_browser : bool
    """

    workspace: Path
    host: str = "127.0.0.1"
    port: int = 8650
    token: str | None = None
    names: tuple[str, ...] = ()
    max_upload_mb: int = 200
    open_browser: bool = True


def serve(options: ServerOptions, announce: Callable[[str], None]) -> None:
    """Serve the app until it is told to stop; `announce` gets a line that says where it is.

    Raises
    ------
    ParameterError
        If others could reach it and there is no token, or the port is taken.
    """
    policy = access_policy(options)
    workspace = Workspace.open(options.workspace)
    listening = _bind(options)
    port = listening.getsockname()[1]
    context = make_context(workspace, options.max_upload_mb)
    bound_logs()
    address = f"http://{_shown_host(options.host)}:{port}"
    server = uvicorn.Server(
        uvicorn.Config(
            Guard(make_app(context, address, options.open_browser), policy),
            http=TimedConnection,
            log_level="warning",
            lifespan="on",
            timeout_graceful_shutdown=2,
            ws_max_size=4 * 2**20,
            limit_concurrency=_MOST_CONNECTIONS,
            server_header=False,
        )
    )
    announce(f"qdtm app: {address}  (workspace {workspace.root}; Ctrl-C ends it)")
    try:
        server.run(sockets=[listening])
    finally:
        context.jobs.close()


def access_policy(options: ServerOptions) -> AccessPolicy:
    """Return whom to let in.

    Raises
    ------
    ParameterError
        If others could reach the server and there is no token.
    """
    token = options.token or None
    if not is_local(options.host) and token is None:
        raise ParameterError(
            f"With --host {options.host} others can reach this app; give a --token that they must know."
        )
    own = {options.host.lower(), socket.gethostname().lower(), *(name.lower() for name in options.names)}
    names = LOCAL_NAMES | {name.lower() for name in options.names}
    everywhere = options.host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound to
    return AccessPolicy(
        names=names if is_local(options.host) else frozenset(names | own),
        any_address=everywhere,
        token=token,
        max_upload_bytes=options.max_upload_mb * 2**20,
    )


def make_context(workspace: Workspace, max_upload_mb: int) -> AppContext:
    """Return what all pages share."""
    cores = os.cpu_count() or 1
    running = max(1, min(4, cores))
    jobs = Jobs(workspace, JobLimits(running=running))
    opened = Opened(workspace, jobs)
    return AppContext(workspace, jobs, opened, max_upload_mb * 2**20, max(1, cores // running))


def make_app(context: AppContext, address: str, open_browser: bool) -> FastAPI:
    """Return the web app: its pages, its files, and what goes on beside them."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tending = asyncio.create_task(_tend(context))
        if open_browser:
            await asyncio.to_thread(webbrowser.open, address)
        yield
        tending.cancel()

    web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    add_routes(web, context)
    for page in (corpus, upload, bin, query, kwic, fit, result, reader, codes, compare, check):
        page.register(context)
    pages_app.on_page_exception(_failed_page)
    for app in (pages_app, web):
        app.add_exception_handler(404, _not_found)
        app.add_exception_handler(RequestValidationError, _not_found)
        app.add_exception_handler(Exception, _failed)
    ui.run_with(
        web,
        title="qdtm",
        dark=None,
        tailwind=False,
        language="en-US",
        favicon=_ICON,
        reconnect_timeout=10.0,
        show_welcome_message=False,
    )
    return web


async def _tend(context: AppContext) -> None:
    """Keep the jobs going, and have ready what the first visitor will need."""
    _prepare_demo(context)
    context.jobs.warm()
    await asyncio.to_thread(vectors)
    for look in itertools.count():
        try:
            context.jobs.pump()
            context.jobs.warm()
            if look % _LOOKS_BETWEEN_TIDYING == 0:
                context.jobs.tidy()
                await asyncio.to_thread(empty_bin, context.workspace)
        except Exception:
            _log.exception("the jobs could not be tended")
        await asyncio.sleep(_SECONDS)


def _prepare_demo(context: AppContext) -> None:
    """Read the demo articles the first time, so that they are there when somebody wants them."""
    folder = context.workspace.folder("corpora", DEMO)
    if not (folder / "about.json").exists():
        folder.mkdir(exist_ok=True)
        context.jobs.submit(IndexRequest(DEMO, DEMO_NAME, demo=True))


def _failed_page() -> None:
    """Show that a page could not be made; why is in the log alone."""
    with frame("Not there", "Corpus"):
        show_problem(_OUR_FAULT)


async def _not_found(_: Request, __: Exception) -> Response:
    return HTMLResponse(render("bare.html", message="There is no such page.", style=style_sheet()), 404)


async def _failed(_: Request, error: Exception) -> Response:
    _log.error("a request failed", exc_info=error)
    return HTMLResponse(render("bare.html", message=_OUR_FAULT, style=style_sheet()), 500)


def _bind(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if os.name != "nt":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        reason = error.strerror or error
        raise ParameterError(
            f"Cannot serve on {options.host}:{options.port}: {reason}; give another --port or --host."
        ) from error
    return listening


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<circle cx="13" cy="13" r="9" fill="#22577a"/>'
    '<circle cx="24" cy="22" r="6" fill="#b0492a"/><circle cx="9" cy="26" r="4" fill="#38734a"/></svg>'
)
