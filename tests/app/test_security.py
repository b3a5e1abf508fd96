from __future__ import annotations

import asyncio
from typing import Any

import pytest

from qdtm.app import security
from qdtm.app.security import COOKIE, AccessPolicy, Guard, is_local

LOCAL = AccessPolicy(max_upload_bytes=1_000_000)
SECRET = AccessPolicy(names=frozenset({"box"}), any_address=True, token="open sesame")


async def _inner(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


def ask(
    policy: AccessPolicy,
    *,
    method: str = "GET",
    path: str = "/",
    kind: str = "http",
    body: bytes = b"",
    **headers: str,
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Send one request through the guard; return what it sent back, and the headers."""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": method, "path": path, "headers": raw}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Guard(_inner, policy)(scope, receive, send))
    answered = {name.decode(): value.decode() for name, value in sent[0].get("headers", ())}
    return sent, answered


def status(*args: Any, **keywords: Any) -> int:
    return int(ask(*args, **keywords)[0][0]["status"])


@pytest.mark.parametrize("host", ["127.0.0.1:8650", "localhost", "LOCALHOST:1", "[::1]:8650"])
def test_its_own_names_are_let_in_at_any_port(host: str) -> None:
    assert status(LOCAL, host=host) == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "", "192.168.0.7", "localhost.evil", "[::2]", "localhost:x",
     "localhost:80; script-src *", "[::1]x", "localhost:123456"],
)  # fmt: skip
def test_a_foreign_host_is_refused(host: str) -> None:
    assert status(LOCAL, host=host) == 421


def test_a_request_without_a_host_is_refused() -> None:
    assert status(LOCAL) == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:9999", "http://127.0.0.1", "file://", "http://["],
)
def test_a_foreign_origin_is_refused_for_pages_and_sockets(origin: str) -> None:
    assert status(LOCAL, host="127.0.0.1:8650", origin=origin) == 403
    sent, _ = ask(LOCAL, kind="websocket", host="127.0.0.1:8650", origin=origin)
    assert sent[0]["type"] == "websocket.close"


def test_its_own_origin_is_let_in() -> None:
    assert status(LOCAL, host="localhost:8650", origin="http://localhost:8650") == 200
    sent, _ = ask(LOCAL, kind="websocket", host="localhost:8650", origin="http://localhost:8650")
    assert sent[0]["type"] == "websocket.accept"


def test_bodies_are_bounded_and_must_say_how_long_they_are() -> None:
    host = "127.0.0.1"
    assert status(LOCAL, method="POST", host=host) == 411
    assert status(LOCAL, method="POST", host=host, content_length="ten") == 411
    assert status(LOCAL, method="POST", host=host, content_length="9" * 5_000) == 411
    assert status(LOCAL, method="POST", host=host, content_length="900000") == 200
    assert status(LOCAL, method="POST", host=host, content_length="9000000") == 413


def test_posts_from_other_sites_are_refused_even_without_an_origin() -> None:
    headers = {"host": "127.0.0.1", "content_length": "1", "sec_fetch_site": "cross-site"}
    assert status(LOCAL, method="POST", **headers) == 403


def test_every_answer_forbids_to_load_from_elsewhere() -> None:
    _, headers = ask(LOCAL, host="127.0.0.1:8650")
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "ws://127.0.0.1:8650" in policy
    assert not any(part.startswith(("http:", "https:", "*")) for part in policy.split())
    assert headers["x-content-type-options"] == "nosniff"


def test_without_the_token_nothing_is_served() -> None:
    sent, headers = ask(SECRET, host="box:80")
    assert (sent[0]["status"], headers["location"]) == (303, "/login")
    assert status(SECRET, host="box", path="/_nicegui/x.js") == 401
    assert status(SECRET, host="box", method="POST", content_length="1") == 401
    assert ask(SECRET, host="box", kind="websocket")[0][0]["type"] == "websocket.close"
    assert status(SECRET, host="box", cookie=f"{COOKIE}=wrong") == 303
    assert status(SECRET, host="box", cookie=f"{COOKIE}=open sesame") == 303
    assert status(SECRET, host="box", cookie="\x00;;=") == 303


def test_the_token_gives_a_cookie_that_lets_in_and_is_not_the_token() -> None:
    body = b"token=open+sesame"
    sent, headers = ask(
        SECRET, host="box", path="/login", method="POST", body=body, content_length=str(len(body))
    )
    assert sent[0]["status"] == 303
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "sesame" not in cookie
    assert status(SECRET, host="192.168.0.7", cookie=cookie.partition(";")[0]) == 200
    assert (
        ask(SECRET, host="box", kind="websocket", cookie=cookie.partition(";")[0])[0][0]["type"]
        == "websocket.accept"
    )


def test_a_wrong_token_is_answered_slowly_with_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(security.asyncio, "sleep", wait)
    sent, headers = ask(
        SECRET, host="box", path="/login", method="POST", body=b"token=%3Cb%3E", content_length="13"
    )
    assert sent[0]["status"] == 403
    assert "set-cookie" not in headers
    assert b"<b>" not in sent[1]["body"]
    assert waited


def test_the_login_form_is_shown_to_strangers() -> None:
    sent, _ = ask(SECRET, host="box", path="/login")
    assert sent[0]["status"] == 200
    assert b'type="password"' in sent[1]["body"]


def test_what_is_local() -> None:
    assert all(map(is_local, ("127.0.0.1", "localhost", "::1", "127.0.0.2")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.0.7", "box")))


def test_a_body_that_comes_too_slowly_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "_SECONDS_TO_SEND", 0.0)
    monkeypatch.setattr(security, "_SLOWEST_BYTES_A_SECOND", 10**9)
    heard: list[dict[str, Any]] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        heard.append(await receive())
        await _inner(scope, receive, send)

    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        del message

    headers = [(b"host", b"localhost"), (b"content-length", b"100")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    asyncio.run(Guard(inner, LOCAL)(scope, never, send))
    assert heard == [{"type": "http.disconnect"}]


def test_a_body_that_comes_in_time_is_passed_on_and_what_follows_may_take_its_time() -> None:
    messages = [
        {"type": "http.request", "body": b"a", "more_body": True},
        {"type": "http.request", "body": b"b", "more_body": False},
        {"type": "http.disconnect"},
    ]
    expected = list(messages)

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def all_of_it() -> list[Any]:
        receiving = security._in_time(receive, 2)
        return [await receiving() for _ in range(3)]

    assert asyncio.run(all_of_it()) == expected


def test_who_is_gone_before_the_socket_has_begun_is_not_passed_on() -> None:
    """engine.io fails over it otherwise."""
    reached: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        del scope, send
        reached.append((await receive(), await receive()))

    def passed_on(*messages: dict[str, Any]) -> list[Any]:
        said = list(messages)

        async def receive() -> dict[str, Any]:
            return said.pop(0)

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/_nicegui_ws/socket.io/",
            "headers": [(b"host", b"localhost")],
        }
        asyncio.run(Guard(inner, LOCAL)(scope, receive, _inner))
        return reached

    gone, request = {"type": "http.disconnect"}, {"type": "http.request", "body": b"a", "more_body": False}
    assert passed_on(gone) == []
    assert passed_on(request, gone) == [(request, gone)]
