"""Headers that come slowly, or without end, are refused; who says what it wants has all the time it needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

uvicorn = pytest.importorskip("uvicorn", reason="needs the extra 'app'")

from uvicorn.server import ServerState  # noqa: E402

from qdtm.app import limits  # noqa: E402
from qdtm.app.limits import TimedConnection  # noqa: E402

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]


async def _app(scope: Any, receive: Any, send: Any) -> None:
    """Answer at once; at "/later" after a while; at "/read" with the number of bytes of the body."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await asyncio.sleep(0.3)
        await send({"type": "websocket.send", "text": "still here"})
        return
    body = b"ok"
    if scope["path"] == "/later":
        await asyncio.sleep(0.3)
    if scope["path"] == "/read":
        n_bytes, message = 0, {"more_body": True}
        while message.get("more_body"):
            message = await receive()
            n_bytes += len(message.get("body", b""))
        body = str(n_bytes).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def talk(monkeypatch: pytest.MonkeyPatch, what: Talk, seconds: float = 0.1) -> Any:
    """Serve the app with little patience, and talk to it."""
    monkeypatch.setattr(limits, "_SECONDS_TO_ASK", seconds)

    async def serve() -> Any:
        config = uvicorn.Config(_app, log_config=None, lifespan="off")
        state, loop = ServerState(), asyncio.get_running_loop()

        def connection() -> TimedConnection:
            return TimedConnection(config=config, server_state=state, app_state={}, _loop=loop)

        server = await loop.create_server(connection, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            return await asyncio.wait_for(what(reader, writer), 20)
        finally:
            writer.close()
            server.close()

    return asyncio.run(serve())


async def _answer(reader: asyncio.StreamReader) -> bytes:
    """Read one answer with a length; return its status line and its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
    return head.split(b"\r\n")[0] + b" " + await reader.readexactly(length)


async def _trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> bytes:
    """Send something, then a byte now and then until the server has had enough; return what it said."""
    said = bytearray()

    async def listen() -> None:
        with suppress(ConnectionError):  # what was said before the line went dead has been heard
            while block := await reader.read(2**16):
                said.extend(block)

    writer.write(data)
    listening = asyncio.create_task(listen())
    while not (await asyncio.wait({listening}, timeout=0.01))[0]:
        writer.write(b"a")
    return bytes(said)


@pytest.mark.parametrize("start", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_headers_that_come_slowly_are_not_waited_for(monkeypatch, start):
    said = talk(monkeypatch, lambda reader, writer: _trickle(reader, writer, start))
    assert said.startswith((b"HTTP/1.1 408 ", b"HTTP/1.1 400 "))  # letters alone are no HTTP


def test_who_says_nothing_is_not_waited_for(monkeypatch):
    assert talk(monkeypatch, lambda reader, _: reader.read()).startswith(b"HTTP/1.1 408 ")


def test_a_later_request_is_timed_as_the_first_was(monkeypatch):
    async def two(reader, writer):
        writer.write(GET)
        first = await _answer(reader)
        return first, await _trickle(reader, writer, b"GET / HTTP/1.1\r\nX-Slow: ")

    assert talk(monkeypatch, two) == (b"HTTP/1.1 200 OK ok", b"")


def test_what_comes_after_an_early_answer_is_timed(monkeypatch):
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
    said = talk(monkeypatch, lambda reader, writer: _trickle(reader, writer, head))  # or it times out
    assert not said or said.startswith(b"HTTP/1.1 200 ")  # the end of the line may swallow the answer


def test_headers_without_end_are_refused(monkeypatch):
    async def endless(reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * (2**16 + 1))
        return await reader.readline()

    assert talk(monkeypatch, endless, 20).startswith(b"HTTP/1.1 431 ")


def test_a_body_may_be_as_long_as_it_says_and_a_request_may_follow_it(monkeypatch):
    async def two(reader, writer):
        writer.write(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n")
        for _ in range(3):
            writer.write(b"a" * 100_000)
            await writer.drain()
        first = await _answer(reader)
        writer.write(GET)
        return first, await _answer(reader)

    assert talk(monkeypatch, two, 20) == (b"HTTP/1.1 200 OK 300000", b"HTTP/1.1 200 OK ok")


def test_an_answer_may_take_its_time(monkeypatch):
    async def wait(reader, writer):
        writer.write(GET.replace(b"/ ", b"/later "))
        return await _answer(reader)

    assert talk(monkeypatch, wait) == b"HTTP/1.1 200 OK ok"


def test_a_websocket_may_be_silent(monkeypatch):
    pytest.importorskip("websockets")

    async def wait(reader, writer):
        writer.write(UPGRADE)
        head = await reader.readuntil(b"\r\n\r\n")
        return head[:12], await reader.readexactly(12)

    assert talk(monkeypatch, wait) == (b"HTTP/1.1 101", b"\x81\x0astill here")
