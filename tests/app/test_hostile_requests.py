"""A few hostile requests to every address; `python -m tests.app.hostile_requests` sends many more."""

from __future__ import annotations

import pytest

from .driving import RunningApp
from .hostile_requests import Answer, HostileRequest, problem, try_requests

pytestmark = pytest.mark.fuzz

IDS = ("demo", "0", "xlsx", "report")


def test_hostile_requests_are_answered_below_500(app: RunningApp) -> None:
    statuses, found = try_requests(app, IDS, range(120))
    assert found == []
    assert statuses["200"] > 0
    assert "Traceback" not in app.errors()


def test_what_is_wrong_with_an_answer_is_found() -> None:
    whole, part = (HostileRequest(b"GET / HTTP/1.1", is_whole) for is_whole in (True, False))
    assert problem(whole, Answer(200, b"HTTP/1.1 200 OK\r\n\r\nhello")) == ""
    assert problem(whole, Answer(503, b"HTTP/1.1 503 Busy\r\n\r\n")) == "status 503"
    assert problem(whole, Answer(None, b"")) == "no answer"
    assert problem(part, Answer(None, b"")) == ""
    inside = b"HTTP/1.1 404 No\r\n\r\nTraceback (most recent call last)"
    assert problem(whole, Answer(404, inside)) == "shows its inside"
    assert (
        problem(whole, Answer(200, b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n"))
        == "a header of the client's"
    )
