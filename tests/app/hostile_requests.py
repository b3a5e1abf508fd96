"""Requests that nobody sends by mistake, for every address of a running app.

    python -m tests.app.hostile_requests --cases 20000          in the root folder of the source

Each is a route of the app (also of what NiceGUI serves), filled with valid ids or with anything, under any
method, with any query, headers, cookies and body. Right is an answer below 500 within ten seconds that shows
nothing of the inside, or a closed connection for what is no request; then the server must still live.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import socket
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

from .driving import RunningApp, wait_for

SECONDS = 10.0
METHODS = ("GET",) * 12 + (
    "HEAD", "POST", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get",
    "G\0T", "",
)  # fmt: skip
TEXTS = (
    "", "demo", "0", "-1", "1e309", "nan", "9" * 400, "a" * 5_000, "../../../etc/passwd",
    "..\\..\\windows", "/etc/passwd", "%00", "\0", "\r\nSet-Cookie: a=b", "\ud7ff\U0010ffff", "\u202e",
    "İ", "中文🔥", "<script>alert(1)</script>", "{{7*7}}", "${jndi:ldap://x}", "' OR 1=1 --", "%", "%zz",
    "%c0%ae%c0%ae/", "null", "[]", '{"a":' * 500, ";", "?", "#", "20260101-000000-00000000",
    "20260101-000000-zzzzzzzz", "xlsx", "CON", ".", "..", "~", "*", "\x7f", "=1+1",
)  # fmt: skip
PARAMETERS = (
    "q", "query", "topic", "page", "v", "sid", "EIO", "transport", "t", "client_id", "id", "next",
    "__class__",
)  # fmt: skip
HEADERS = (
    ("Cookie", "qdtm_access=x; id=\x01"), ("Cookie", "=;;=" * 200), ("Cookie", "a" * 9_000),
    ("Range", "bytes=0-0,5-,-9"), ("Range", "bytes=9-1"), ("Range", "bytes=" + ",".join(["0-"] * 1_000)),
    ("If-None-Match", '"' * 99), ("If-Modified-Since", "yesterday"), ("Accept", "x/" * 999),
    ("Accept-Encoding", "gzip;q=nan, br, *"), ("Accept-Language", "zz-" + "Z" * 500),
    ("Content-Type", "multipart/form-data"), ("Content-Type", "\xff/\xfe; charset=zlib"),
    ("Content-Encoding", "gzip"), ("Expect", "100-continue"), ("Expect", "the worst"), ("Upgrade", "h2c"),
    ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Key", "x"),
    ("X-Forwarded-Prefix", "//evil.example"), ("X-Forwarded-Prefix", "<script>"),
    ("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-Proto", "gopher"), ("Host", "evil.example"),
    ("Origin", "http://evil.example"), ("Origin", "http://["), ("Referer", "http://evil.example"),
    ("Transfer-Encoding", "chunked"), ("Content-Length", "-1"), ("Content-Length", "1e9"),
    ("Content-Length", "٣"), ("Content-Length", "9" * 5_000), ("NiceGUI-Client-ID", "x"),
)  # fmt: skip
_INSIDE = re.compile(rb"Traceback \(most recent|site-packages|/qdtm/app/|\.py\", line")
_UPLOAD = re.compile(r"/_nicegui/client/[^\"'\s\\]+?/upload/\d+")
_TEMPLATE = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True)
class Answer:
    """What came back; no status if nothing did.

    Attributes
    ----------
    status : int or None
    content : bytes
        All of it, the headers first.
    """

    status: int | None
    content: bytes


@dataclass(frozen=True)
class HostileRequest:
    """A request as it is sent.

    Attributes
    ----------
    content : bytes
    is_whole : bool
        Whether it is a request at all, so that it must be answered.
    """

    content: bytes
    is_whole: bool


def routes() -> tuple[str, ...]:
    """Return the addresses of the app, with names in braces for what is put in."""
    from nicegui import app as pages

    from qdtm.app.server import make_app, make_context
    from qdtm.app.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        own = make_app(make_context(Workspace.open(folder), 1), "", open_browser=False)
        paths = [getattr(route, "path", "") for app in (own, pages) for route in app.routes]
    sockets = (
        "/_nicegui_ws/socket.io/",
        "/_nicegui_ws/socket.io/?EIO=4&transport=polling",
        "/login",
        "/openapi.json",
    )
    return (*dict.fromkeys(path for path in paths if path), *sockets)


def hostile_request(paths: Sequence[str], ids: Sequence[str], host: str, draw: Random) -> HostileRequest:
    """Return a request to one of the paths."""
    target = _target(draw.choice(paths), ids, draw)
    method = draw.choice(METHODS)
    body = _body(draw) if draw.random() < 0.4 else b""
    headers = [("Host", host), *(draw.choice(HEADERS) for _ in range(draw.choice((0, 0, 1, 1, 2, 4))))]
    names = {name for name, _ in headers}
    if (body or method in ("POST", "PUT", "PATCH", "DELETE")) and "Content-Length" not in names:
        headers.append(("Content-Length", str(len(body))))
    head = f"{method} {target} HTTP/1.1\r\n".encode("utf-8", "surrogatepass")
    lines = b"".join(f"{name}: {value}\r\n".encode() for name, value in headers)
    odd = {"Content-Length", "Transfer-Encoding", "Expect", "Upgrade"} & {name for name, _ in headers[1:]}
    is_plain = not odd or ("Content-Length", str(len(body))) in headers
    is_whole = is_plain and not odd - {"Content-Length"} and method.isalpha() and target.isprintable()
    return HostileRequest(head + lines + b"\r\n" + body, is_whole)


def _target(path: str, ids: Sequence[str], draw: Random) -> str:
    """Fill in a path, with an id that exists half of the time, and put a query behind it."""

    def fill(_: re.Match[str]) -> str:
        return draw.choice(ids) if draw.random() < 0.5 else _text(draw)

    target = _TEMPLATE.sub(fill, path)
    if draw.random() < 0.15:
        target += _text(draw)
    if draw.random() < 0.4:
        n_pairs = draw.choice((1, 1, 2, 5, 200))
        pairs = (f"{draw.choice(PARAMETERS)}={_text(draw)[:200]}" for _ in range(n_pairs))
        target += ("&" if "?" in target else "?") + "&".join(pairs)
    return target


def _text(draw: Random) -> str:
    text = draw.choice(TEXTS)
    return quote(text, safe="") if draw.random() < 0.7 else text


def _body(draw: Random) -> bytes:
    name = draw.choice(TEXTS)
    multipart = (
        f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: text/csv\r\n\r\ntext\n{name}\r\n--x--\r\n"
    )
    choices = (
        json.dumps({name: [None, name]}), "[" * 20_000, "token=" + name, multipart, '42["event",{"id":"x"}]',
        "40", "4" * 70_000, "b" + base64.b64encode(b"\0" * 99).decode(), "\x1e".join(["2probe"] * 500),
    )  # fmt: skip
    return draw.choice(choices).encode("utf-8", "replace")


def send(address: str, request: HostileRequest) -> Answer:
    """Send a request and take what comes, until there is a whole answer or the time is up."""
    parts = urlsplit(address)
    content = b""
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=SECONDS) as connection:
        try:
            connection.sendall(request.content)
            if not request.is_whole:
                connection.shutdown(socket.SHUT_WR)
            while not _is_whole(content, request.content):
                piece = connection.recv(2**16)
                if not piece:
                    break
                content += piece
        except ConnectionError:  # the server had seen enough
            pass
    status = re.match(rb"HTTP/1\.[01] (\d{3})", content)
    return Answer(int(status[1]) if status else None, content)


def _is_whole(content: bytes, asked: bytes) -> bool:
    head, _, body = content.partition(b"\r\n\r\n")
    if not body and b"\r\n\r\n" not in content:
        return False
    if asked.startswith(b"HEAD ") or head[9:12] in (b"304", b"204", b"101"):
        return True
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return len(body) >= int(length[1]) if length else body.endswith(b"0\r\n\r\n")


def problem(request: HostileRequest, answer: Answer) -> str:
    """Return what is wrong with an answer; nothing if it is right."""
    if answer.status is None:
        return "no answer" if request.is_whole else ""
    if answer.status >= 500:
        return f"status {answer.status}"
    if _INSIDE.search(answer.content):
        return "shows its inside"
    head = answer.content.partition(b"\r\n\r\n")[0].lower()
    if any(line.startswith(b"set-cookie: a=b") for line in head.split(b"\r\n")):
        return "a header of the client's"
    return ""


def try_requests(app: RunningApp, ids: Sequence[str], cases: range) -> tuple[Counter[str], list[str]]:
    """Send requests to an app; return the statuses, and what was wrong."""
    host = urlsplit(app.address).netloc
    start = HostileRequest(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(), True)
    page = send(app.address, start).content.decode("utf-8", "replace")
    paths = (*routes(), *_UPLOAD.findall(page)[:1] * 3)
    statuses: Counter[str] = Counter()
    found = []
    for case in cases:
        request = hostile_request(paths, ids, host, Random(f"request:{case}"))
        try:
            answer = send(app.address, request)
            wrong = problem(request, answer)
            statuses[str(answer.status)] += 1
        except TimeoutError:
            wrong = f"no answer in {SECONDS} s"
        if wrong:
            found.append(f"case {case}: {wrong}: {request.content[:300]!r}")
    if send(app.address, start).status != 200:
        found.append("the server does not answer any more")
    return statuses, found


def _with_a_result(app: RunningApp) -> tuple[str, ...]:
    """Let the app fit something, so that there is a result to ask for; return all ids."""
    from qdtm.app.jobs import JobLimits, Jobs
    from qdtm.app.requests import FitRequest
    from qdtm.app.workspace import Workspace
    from qdtm.queries import Query

    jobs = Jobs(Workspace.open(app.workspace), JobLimits(running=0))
    id = jobs.submit(FitRequest("demo", "Demo", (Query("cricket"),)))
    wait_for(lambda: jobs.get(id).has_ended)
    assert jobs.get(id).has_result, jobs.get(id).message
    return ("demo", id, "0", "xlsx", "csv", "report")


def main() -> int:
    """Start an app and send it the requests that the arguments ask for; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        app = RunningApp(Path(folder) / "workspace")
        try:
            cases = range(options.first, options.first + options.cases)
            statuses, found = try_requests(app, _with_a_result(app), cases)
            log: Any = app.errors()
        finally:
            app.stop()
    print(*found, log[-3_000:], json.dumps(dict(statuses.most_common())), f"{len(found)} found", sep="\n")
    return int(bool(found) or "Traceback" in log)


if __name__ == "__main__":
    raise SystemExit(main())
