"""Who may ask the server for anything: an ASGI app in, the same app behind a guard out.

Requests for a foreign host (a name that somebody points at this machine) or from a foreign page are refused;
where a token is demanded, nothing is served without; bodies are bounded; every answer forbids the browser to
load anything from elsewhere.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import time
from dataclasses import dataclass
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from qdtm.app.limits import without_floods

COOKIE = "qdtm_access"
LOGIN = "/login"
LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

_FORM_BYTES = 4_096
_FORM_OVERHEAD = 2**16  # what surrounds a file in a form
_SECONDS_AFTER_A_WRONG_TOKEN = 1.0
_SECONDS_TO_SEND, _SLOWEST_BYTES_A_SECOND = 30.0, 2**14  # a body that comes more slowly is not waited for
_DAYS = 30
_NOT_KEPT = {"cache-control": "no-store"}
_HOST = re.compile(
    r"[a-z0-9._-]*(:[0-9]{0,5})?|\[[0-9a-f:.]*\](:[0-9]{0,5})?|[0-9a-f:.]*", re.ASCII | re.IGNORECASE
)
_LENGTH = re.compile(r"[0-9]{1,18}")
_SOCKETS = "/_nicegui_ws/"


@dataclass(frozen=True)
class AccessPolicy:
    """What the guard lets in.

    Parameters
    ----------
    names : frozenset of str
        The names (and addresses) under which this server may be asked for.
    any_address : bool
        Whether every numeric address will do; one cannot be pointed elsewhere, as a name can.
    token : str or None
        What a person must know.
    max_upload_bytes : int
        The largest body of a request.
    """

    names: frozenset[str] = LOCAL_NAMES
    any_address: bool = False
    token: str | None = None
    max_upload_bytes: int = 200 * 2**20

    def allows_host(self, host: str) -> bool:
        """Tell whether a `Host` header names this server, whatever the port (it may be forwarded)."""
        name = _name_of(host)
        return _HOST.fullmatch(host) is not None and (
            name in self.names or (self.any_address and _is_address(name))
        )

    def allows_origin(self, origin: str, host: str) -> bool:
        """Tell whether an `Origin` header is a page of this server; `null` never is."""
        try:
            parts = urlsplit(origin)
        except ValueError:  # brackets that do not close
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

    @property
    def pass_value(self) -> str:
        """What the cookie must hold: made from the token, which itself stays out of browsers."""
        return hmac.new((self.token or "").encode(), b"qdtm app access", hashlib.sha256).hexdigest()

    def is_token(self, given: str) -> bool:
        """Compare with the token, in the same time wherever they differ."""
        return self.token is not None and hmac.compare_digest(_digest(given), _digest(self.token))

    def has_pass(self, cookies: str) -> bool:
        """Tell whether a `Cookie` header lets its sender in."""
        if self.token is None:
            return True
        try:
            morsel = SimpleCookie(cookies).get(COOKIE)
        except CookieError:
            return False
        return morsel is not None and hmac.compare_digest(_digest(morsel.value), _digest(self.pass_value))


class Guard:
    """An ASGI app that lets only those requests through that a policy allows."""

    def __init__(self, app: ASGIApp, policy: AccessPolicy) -> None:
        self._app, self._policy = app, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(scope, receive, send, *refusal)
        elif scope["type"] == "http" and scope["path"] == LOGIN and self._policy.token is not None:
            await self._log_in(scope, receive, send, headers["host"])
        elif not self._policy.has_pass(headers.get("cookie", "")):
            await self._ask_for_token(scope, receive, send)
        else:
            length = headers.get("content-length", "")
            heard = _in_time(receive, int(length) if _LENGTH.fullmatch(length) else 0)
            if scope["type"] == "http" and scope["path"].startswith(_SOCKETS):
                first = await heard()
                if first["type"] == "http.disconnect":
                    return  # engine.io takes it for granted that there is somebody
                heard = _again(first, heard)
            elif scope["type"] == "websocket":
                heard = without_floods(receive, send)
            await self._app(scope, heard, _with_headers(send, headers["host"]))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the reason with which a request is refused, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if len(headers.getlist("host")) != 1 or not self._policy.allows_host(host):
            return 421, "This server does not answer to that name."
        if origin and not self._policy.allows_origin(origin, host):
            return 403, "Requests from other pages are refused."
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            return self._refusal_of_body(headers)
        return None

    def _refusal_of_body(self, headers: Headers) -> tuple[int, str] | None:
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return 403, "Requests from other pages are refused."
        length = headers.get("content-length", "")
        if _LENGTH.fullmatch(length) is None:
            return 411, "A request with content must say how long it is."
        if int(length) > self._policy.max_upload_bytes + _FORM_OVERHEAD:
            return (
                413,
                f"This is larger than the {self._policy.max_upload_bytes >> 20:,} MB that are allowed.",
            )
        return None

    async def _ask_for_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and "_nicegui" not in scope["path"]:
            await RedirectResponse(LOGIN, 303, _NOT_KEPT)(scope, receive, send)
        else:
            await _refuse(scope, receive, send, 401, "Give the token first.")

    async def _log_in(self, scope: Scope, receive: Receive, send: Send, host: str) -> None:
        if scope["method"] != "POST":
            await _login_page()(scope, receive, _with_headers(send, host))
            return
        body = await _read_body(_in_time(receive, _FORM_BYTES), _FORM_BYTES)
        given = parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0]
        if not self._policy.is_token(given):
            await asyncio.sleep(_SECONDS_AFTER_A_WRONG_TOKEN)  # guessing is slow
            refused = _login_page("That is not the token.", 403)
            await refused(scope, receive, _with_headers(send, host))
            return
        welcome = RedirectResponse("/", 303, _NOT_KEPT)
        welcome.set_cookie(
            COOKIE, self._policy.pass_value, max_age=_DAYS * 86_400, httponly=True, samesite="strict"
        )
        await welcome(scope, receive, send)


def is_local(host: str) -> bool:
    """Tell whether binding to a host lets nobody in from outside."""
    return _name_of(host) in LOCAL_NAMES or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def security_headers(host: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer: load nothing from elsewhere, be in nobody's frame, tell nobody."""
    sockets = f"ws://{host} wss://{host}" if host else ""
    policy = (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
        f"connect-src 'self' {sockets}; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )
    return [
        (b"content-security-policy", policy.encode("latin-1")),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]


def _in_time(receive: Receive, length: int) -> Receive:
    """Wait for the body of a request as long as a slow line takes, then treat its sender as gone."""
    if not length:
        return receive
    deadline = time.monotonic() + _SECONDS_TO_SEND + length / _SLOWEST_BYTES_A_SECOND
    body_is_whole = False

    async def receiving() -> Message:
        nonlocal body_is_whole
        if body_is_whole:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            return {"type": "http.disconnect"}
        body_is_whole = not message.get("more_body")
        return message

    return receiving


def _again(first: Message, receive: Receive) -> Receive:
    """Say what was heard first once more, then what comes."""
    waiting = [first]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving


def _with_headers(send: Send, host: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *security_headers(host)]
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await WebSocketClose(1008, reason)(scope, receive, send)
    else:
        await PlainTextResponse(reason, status, _NOT_KEPT)(scope, receive, send)


async def _read_body(receive: Receive, limit: int) -> bytes:
    body = b""
    while len(body) <= limit:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body[:limit]


def _login_page(problem: str = "", status: int = 200) -> HTMLResponse:
    from qdtm.present.theme import component_css, page_css, theme_css

    note = f'<p class="note" role="alert">{escape(problem)}</p>' if problem else ""
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>qdtm</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{theme_css()}{component_css()}{page_css()}</style></head><body><main><h1>qdtm</h1>"
        f'<p>This app asks for a token; whoever started it knows it.</p>{note}<form method="post" '
        f'action="{LOGIN}"><p><label for="token">Token</label><br><input id="token" name="token" '
        'type="password" autocomplete="current-password" autofocus required></p>'
        "<p><button>Open the app</button></p></form></main></body></html>"
    )
    return HTMLResponse(page, status, _NOT_KEPT)


def _name_of(host: str) -> str:
    """Return a host without its port and brackets, in lower case."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
