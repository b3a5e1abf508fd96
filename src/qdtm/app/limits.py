"""Too much or too slow in, a bounded amount out: headers, messages of a websocket, lines of the log.

uvicorn waits for the headers of a request as long as they take to come, and keeps as many as come. Here a
request has some seconds to say what it wants, in a bounded number of bytes. (Bodies are the guard's business,
see `qdtm.app.security`; what comes after an early answer is timed here again.)
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from starlette.types import Message, Receive, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

# --- slow connections ---------------------------------------------------------------------------------------

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


# --- floods -------------------------------------------------------------------------------------------------
#
# Too much of something in, a bounded amount out: messages of one websocket, and lines of the log about them.
#
# A page sends a few messages a second. One that sends hundreds is let go; and as engine.io writes a
# traceback about every message that is none of its own, what it says is cut off after some lines a minute.

_MOST_MESSAGES, _WITHIN_SECONDS = 1_000, 10.0
_MOST_RECORDS, _WITHIN_MINUTE = 10, 60.0
_TALKATIVE = ("engineio.server", "socketio.server", "asyncio", "nicegui", "uvicorn.error")


class Rate:
    """Counts events, and knows whether there were too many lately.

    Parameters
    ----------
    most : int
    seconds : float
        How long ago is lately.
    clock : callable
    """

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._times: deque[float] = deque(maxlen=most)

    def allows_one_more(self) -> bool:
        """Count an event, unless there have been as many as there may be."""
        now = self._clock()
        if len(self._times) == self._most and now - self._times[0] < self._seconds:
            return False
        self._times.append(now)
        return True


def without_floods(receive: Receive, send: Send) -> Receive:
    """Pass on the messages of a websocket; treat a sender of too many as gone."""
    rate = Rate(_MOST_MESSAGES, _WITHIN_SECONDS)

    async def receiving() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive" and not rate.allows_one_more():
            await send({"type": "websocket.close", "code": 1008, "reason": "Too many messages."})
            return {"type": "websocket.disconnect", "code": 1008}
        return message

    return receiving


class BoundedLog(logging.Filter):
    """Lets some records a minute through, and says when it begins to leave some out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._rate = Rate(_MOST_RECORDS, _WITHIN_MINUTE, clock)
        self._is_cut = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record may be written."""
        if self._rate.allows_one_more():
            self._is_cut = False
            return True
        if self._is_cut:
            return False
        self._is_cut = True
        record.msg, record.args, record.exc_info = "more of this kind is left out", (), None
        return True


def bound_logs() -> None:
    """Bound what the libraries beneath the pages write about what websockets send them."""
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(BoundedLog())
