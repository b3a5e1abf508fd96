"""A connection of uvicorn's in, one that does not wait for ever out: slow and endless headers are refused.

uvicorn waits for the headers of a request as long as they take to come, and keeps as many as come. Here a
request has some seconds to say what it wants, in a bounded number of bytes. (Bodies are the guard's business,
see `qdtm.app.security`; what comes after an early answer is timed here again.)
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_SECONDS_TO_ASK = 20.0
_MOST_HEADER_BYTES = 2**16
_MOST_DIGITS = 19
_TOO_SLOW, _TOO_LARGE = "408 Request Timeout", "431 Request Header Fields Too Large"


class TimedConnection(asyncio.Protocol):
    """A connection that ends if a request is too slow, or too long, in saying what it wants.

    Parameters
    ----------
    options
        What uvicorn passes to its own protocol, which does all the rest.
    """

    def __init__(self, **options: Any) -> None:
        self._http: Any = AutoHTTPProtocol(**options)
        self._transport: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._n_bytes = 0  # since the headers of the last request
        self._most_bytes = _MOST_HEADER_BYTES

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request."""
        self._transport = transport
        self._http.connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Pass on what has come; a new request stops the clock, anything else must not go on for ever."""
        request = self._http.cycle
        if request is None or request.response_complete:
            self._start_timer()
        self._n_bytes += len(data)
        self._http.data_received(data)
        if self._http.cycle is not request or self._is_a_websocket():
            self._stop_timer()
            self._n_bytes, self._most_bytes = 0, _MOST_HEADER_BYTES + _length_of_body(self._http.cycle)
        elif self._n_bytes > self._most_bytes:
            self._refuse(_TOO_LARGE)

    def eof_received(self) -> bool | None:
        """Pass it on."""
        found: bool | None = self._http.eof_received()
        return found

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on."""
        self._stop_timer()
        self._http.connection_lost(exc)

    def pause_writing(self) -> None:
        """Pass it on."""
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self._http.resume_writing()

    def _start_timer(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_SECONDS_TO_ASK, self._refuse, _TOO_SLOW)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_a_websocket(self) -> bool:
        """Whether uvicorn has given the connection to its other protocol."""
        return self._transport.get_protocol() is not self

    def _refuse(self, status: str) -> None:
        """End the connection; with a word to a client that has not got an answer yet."""
        if self._transport.is_closing():
            return
        if self._http.cycle is None:
            head = f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            self._transport.write(head.encode("ascii"))
        self._transport.close()


def _length_of_body(request: Any) -> int:
    """Return how many bytes a request says that it has, after its headers."""
    headers = {} if request is None else dict(request.scope["headers"])
    length = headers.get(b"content-length", b"")
    return int(length) if length.isdigit() and len(length) < _MOST_DIGITS else 0
