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
from importlib import import_module
from typing import Any

_CLIENT = re.compile(r"'client_id': '([^']+)'")
_FOUND = re.compile(r'<section class="first"[^>]*>\s*<h2>[^<]*</h2>\s*<p class="found">(.*?)</p>', re.DOTALL)
"""An answer to what is asked now; one to what was asked before is "first stale"."""

_KEYS = 0.2
"""Seconds between two keys."""

PATIENCE = 120.0
"""Seconds after which an answer counts as missing."""


class Answers:
    """What all typists were told, and how long it took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.by_query: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.n_missing = 0

    def report(self) -> dict[str, Any]:
        """Say how many answers there were; whoever asks the same at any time must be told the same."""
        several = {query: dict(said) for query, said in self.by_query.items() if len(said) > 1}
        return {
            "answers": len(self.seconds),
            "missing": self.n_missing,
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
        self._answers = answers
        self._field: tuple[int, str] | None = None
        self._asked, self._is_heard, self._said = "", False, ""
        self._changed = threading.Condition()
        with urllib.request.urlopen(address + path, timeout=PATIENCE) as page:  # noqa: S310 - our own server
            found = _CLIENT.search(page.read().decode())
        assert found is not None
        self._id = found[1]
        self._socket = import_module("socketio").Client(reconnection=False)  # comes with NiceGUI
        self._socket.on("update", self._hear)
        self._socket.on("run_javascript", self._hear_address)
        query = f"client_id={self._id}&next_message_id=0&implicit_handshake=true&tab_id=x&document_id=x"
        self._socket.connect(
            f"{address}/?{query}", socketio_path="_nicegui_ws/socket.io", transports=["websocket"]
        )

    def ask(self, query: str) -> None:
        """Type a query, a few letters at a time, and wait for the answer."""
        if not self._wait(lambda: self._field is not None):
            self._answers.n_missing += 1
            return
        self._type("")
        for end in range(1, len(query), 3):
            self._type(query[:end])
            time.sleep(_KEYS)
        with self._changed:
            self._asked, self._is_heard, self._said = query, False, ""
        start = time.monotonic()
        self._type(query)
        if not self._wait(lambda: bool(self._said)):
            self._answers.n_missing += 1
            return
        self._answers.seconds.append(time.monotonic() - start)
        self._answers.by_query[query][self._said] += 1

    def close(self) -> None:
        """Leave the page."""
        self._socket.disconnect()

    def _type(self, text: str) -> None:
        assert self._field is not None
        id, listener = self._field
        event = {"id": id, "client_id": self._id, "listener_id": listener, "args": [json.dumps(text)]}
        self._socket.emit("event", event)

    def _wait(self, holds: Any) -> bool:
        with self._changed:
            return bool(self._changed.wait_for(holds, PATIENCE))

    def _hear_address(self, change: dict[str, Any]) -> None:
        """Notice that the page has begun to look for what was typed last: its address says so."""
        with self._changed:
            self._is_heard |= bool(self._asked) and f"%22text%22%3A%22{self._asked}%22" in change["code"]

    def _hear(self, change: dict[str, Any]) -> None:
        with self._changed:
            for id, element in change.items():
                if not isinstance(element, dict):
                    continue
                props = element.get("props") or {}
                if props.get("label") == "Query":
                    events = (each for each in element["events"] if each["type"] == "update:value")
                    self._field = int(id), next(events)["listener_id"]
                if self._is_heard and (found := _FOUND.search(str(props.get("innerHTML")))):
                    self._said = " ".join(found[1].split())
            self._changed.notify_all()


def keep_typing(address: str, path: str, queries: tuple[str, ...], until: float, answers: Answers) -> None:
    """Be one typist until it is time."""
    typist = Typist(address, path, answers)
    try:
        number = 0
        while time.monotonic() < until:
            typist.ask(queries[number % len(queries)])
            number += 1
    finally:
        typist.close()
