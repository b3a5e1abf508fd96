"""People who type queries into the app: an address and a corpus in, how long each answer took out.

A typist opens the page as a browser does, and speaks to it over its websocket: each key is an event, and
what comes back are changes of the page.
"""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import cycle
from typing import Any, TypeVar

T = TypeVar("T")

_CLIENT = re.compile(r"'client_id': '([^']+)'")
_FOUND = re.compile(r'<section class="first"[^>]*>\s*<h2>[^<]*</h2>\s*<p class="found">(.*?)</p>', re.DOTALL)
"""An answer to what is asked now; one to what was asked before is "first stale"."""

_CHECKED = '<ul class="checked">'
_WORD = re.compile(r"<li><bdi>([^<]*)</bdi> <span")
"""A word of the query, below its verdict."""

_KEYS = 0.2
"""Seconds between two keys."""

PATIENCE = 120.0
"""Seconds after which an answer counts as missing."""


class Answers:
    """What all typists were told, and how long it took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.by_query: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.n_missing = self.n_lost = 0

    def report(self) -> dict[str, Any]:
        """Say how many answers there were; whoever asks the same at any time must be told the same."""
        several = {query: dict(said) for query, said in self.by_query.items() if len(said) > 1}
        return {
            "answers": len(self.seconds),
            "missing": self.n_missing,
            "connections lost": self.n_lost,
            "several answers to one query": several,
            "seconds": percentiles(self.seconds),
        }


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return the median and the 95th percentile, and the longest."""
    ranked = sorted(seconds) or [0.0]
    at = {"p50": 0.5, "p95": 0.95, "most": 1.0}
    return {
        name: round(ranked[min(int(share * len(ranked)), len(ranked) - 1)], 3) for name, share in at.items()
    }


class Typist:
    """One page on which queries are typed.

    Parameters
    ----------
    address : str
        Of the app, "http://127.0.0.1:8080".
    path : str
        Of the page, "/ask/demo".
    answers : Answers
        Takes what was said.
    """

    def __init__(self, address: str, path: str, answers: Answers) -> None:
        self._address, self._answers = address, answers
        self._shown = ShownPage()
        self._changed = threading.Condition()
        with urllib.request.urlopen(address + path, timeout=PATIENCE) as page:  # noqa: S310 - our own server
            found = _CLIENT.search(page.read().decode())
        assert found is not None
        self._id = found[1]
        self._socket = import_module("socketio").Client()  # comes with NiceGUI
        self._socket.on("*", self._hear)
        self._socket.on("disconnect", self._lose)
        self._socket.connect(
            self._where,
            socketio_path="_nicegui_ws/socket.io",
            transports=["websocket"],
            wait_timeout=PATIENCE,
            retry=True,
        )

    def ask(self, query: str) -> None:
        """Type a query, another than the last, a few letters at a time, and wait for the answer."""
        if self._wait(lambda: self._shown.field) is None:
            self._answers.n_missing += 1
            return
        self._type("")
        for end in range(1, len(query), 3):
            self._type(query[:end])
            time.sleep(_KEYS)
        start = time.monotonic()
        self._type(query)
        said = self._wait(lambda: self._shown.answer_to(query))
        if not said:
            self._answers.n_missing += 1
            return
        self._answers.seconds.append(time.monotonic() - start)
        self._answers.by_query[query][said] += 1

    def close(self) -> None:
        """Leave the page."""
        self._socket.shutdown()

    def _where(self) -> str:
        """Return where to connect, also again: what was missed meanwhile is sent then."""
        query = f"client_id={self._id}&next_message_id={self._shown.next_message}"
        return f"{self._address}/?{query}&implicit_handshake=true&tab_id=x&document_id=x"

    def _type(self, text: str) -> None:
        assert self._shown.field is not None
        id, listener = self._shown.field
        event = {"id": id, "client_id": self._id, "listener_id": listener, "args": [json.dumps(text)]}
        with suppress(import_module("socketio").exceptions.BadNamespaceError):  # a key that is lost
            self._socket.emit("event", event)

    def _wait(self, look: Callable[[], T]) -> T:
        """Return what is there to be seen as soon as there is something, or after a long time what is not."""
        with self._changed:
            return self._changed.wait_for(look, PATIENCE)

    def _hear(self, event: str, message: dict[str, Any]) -> None:
        with self._changed:
            self._shown.hear(event, message)
            self._changed.notify_all()

    def _lose(self, reason: str) -> None:
        if reason != self._socket.reason.CLIENT_DISCONNECT:
            self._answers.n_lost += 1


class ShownPage:
    """What a browser would show: messages in, what is asked and answered on the page out.

    The socket hands each message to a thread of its own, and the server sends what has changed on the page
    before anything else that happened since it last sent something, such as another address. So messages are
    heeded in the order of their numbers, and to what an answer belongs is read off the page itself: the
    words that it says it has looked for change together with the answer.

    Attributes
    ----------
    next_message : int
        Number of the message that comes next.
    field : tuple of int and str, or None
        The element and the listener of the query's field.
    """

    def __init__(self) -> None:
        self.next_message = 0
        self.field: tuple[int, str] | None = None
        self._waiting: dict[int, tuple[str, dict[str, Any]]] = {}
        self._html: dict[str, str] = {}

    def hear(self, event: str, message: dict[str, Any]) -> None:
        """Take a message, and heed it when it is its turn; what is sent again is heeded once."""
        if message["_id"] >= self.next_message:
            self._waiting[message["_id"]] = event, message
        while self.next_message in self._waiting:
            event, message = self._waiting.pop(self.next_message)
            self.next_message += 1
            if event == "update":
                self._update(message)

    def answer_to(self, query: str) -> str:
        """Return the answer that is shown to a query; "" if there is none, or one to something else."""
        words = [" ".join(_WORD.findall(html)) for html in self._html.values() if _CHECKED in html]
        found = [match[1] for html in self._html.values() if (match := _FOUND.search(html))]
        return " ".join(found[0].split()) if words == [query] and found else ""

    def _update(self, changes: dict[str, Any]) -> None:
        for id, element in changes.items():
            if id == "_id":
                continue
            props = (element or {}).get("props") or {}
            self._html[id] = str(props.get("innerHTML"))
            if props.get("label") == "Query":
                events = (each for each in element["events"] if each["type"] == "update:value")
                self.field = int(id), next(events)["listener_id"]


def keep_typing(address: str, path: str, queries: tuple[str, ...], until: float, answers: Answers) -> None:
    """Be one typist until it is time, for one query at least."""
    try:
        typist = Typist(address, path, answers)
    except Exception:
        answers.n_missing += 1  # who gets no page gets no answer either
        raise
    try:
        for query in cycle(queries):
            typist.ask(query)
            if time.monotonic() >= until:
                break
    finally:
        typist.close()
