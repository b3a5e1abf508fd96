from __future__ import annotations

import asyncio
import logging
from typing import Any

from qdtm.app import limits
from qdtm.app.limits import BoundedLog, Rate, without_floods


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_rate_counts_what_was_lately() -> None:
    clock = Clock()
    rate = Rate(2, 10.0, clock)
    assert [rate.allows_one_more() for _ in range(3)] == [True, True, False]
    clock.now = 9.9
    assert not rate.allows_one_more()
    clock.now = 10.0
    assert [rate.allows_one_more() for _ in range(3)] == [True, True, False]


def test_a_websocket_that_sends_too_much_is_let_go(monkeypatch: Any) -> None:
    monkeypatch.setattr(limits, "_MOST_MESSAGES", 3)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "text": "2"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def hear() -> list[str]:
        receiving = without_floods(receive, send)
        return [(await receiving())["type"] for _ in range(4)]

    assert asyncio.run(hear()) == ["websocket.receive"] * 3 + ["websocket.disconnect"]
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_a_log_says_once_that_it_leaves_things_out() -> None:
    clock = Clock()
    bounded = BoundedLog(clock)

    def records(n: int) -> list[str]:
        made = [logging.makeLogRecord({"msg": f"record {i}"}) for i in range(n)]
        return [record.getMessage() for record in made if bounded.filter(record)]

    assert records(13) == [*(f"record {i}" for i in range(10)), "more of this kind is left out"]
    assert records(5) == []
    clock.now = 60.0
    assert records(2) == ["record 0", "record 1"]


def test_the_logs_of_the_sockets_are_bounded() -> None:
    logger = logging.getLogger("engineio.server")
    before = list(logger.filters)
    limits.bound_logs()
    try:
        assert any(isinstance(each, BoundedLog) for each in logger.filters)
    finally:
        logger.filters[:] = before
