"""Too much of something in, a bounded amount out: messages of one websocket, and lines of the log about them.

A page sends a few messages a second. One that sends hundreds is let go; and as engine.io writes a traceback
about every message that is none of its own, what it says is cut off after some lines a minute.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable

from starlette.types import Message, Receive, Send

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
