"""What a typist of the load sees: the messages of a page, in whatever order they are sent and heard."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="needs the extra 'app'")

from tests.app.texts import look_up, rows

from experiments.measurements.app_typing import ShownPage
from qdtm.app.drafts import Draft, LookedUp
from qdtm.app.templating import render
from qdtm.corpus import Corpus

ADDRESS = 'history.replaceState({}, "", "/ask/demo?ask=%5B%7B%22text%22%3A%22school%22%7D%5D");'


@pytest.fixture(scope="module")
def found() -> dict[str, LookedUp]:
    corpus = Corpus.from_texts([row[3] for row in rows()])
    return {text: look_up(corpus, [Draft(text)])[0] for text in ("school", "doctor")}


def panels(asked: LookedUp, answered: LookedUp, *, waits: bool = False) -> dict[str, Any]:
    """Return a change of the page: its check of what is asked, and beside it an answer."""
    shown = {"name": "", "problem": False, "mentions": (), "empty": False, "percent": 100}
    row = {"open_word": "", "sentences": (), "before": None, "several": False}
    check = render("looked_up.html", draft=Draft(), found=asked, stale=waits, **row)
    first = render("first_answer.html", answer=answered.answer, waits_for="answer" if waits else "", **shown)
    return {"7": {"props": {"innerHTML": check}}, "8": {"props": {"innerHTML": first}}}


def heard(*messages: tuple[str, dict[str, Any]]) -> ShownPage:
    page = ShownPage()
    for event, message in messages:
        page.hear(event, message)
    return page


def test_an_answer_counts_that_is_sent_before_the_address(found: dict[str, LookedUp]) -> None:
    """A busy server sends what has changed on the page since it last did, and only then the address."""
    answer = panels(found["school"], found["school"])
    page = heard(("update", {**answer, "_id": 0}), ("run_javascript", {"code": ADDRESS, "_id": 1}))
    assert found["school"].answer is not None
    assert page.answer_to("school") == f"{found['school'].answer.summary}."
    assert page.answer_to("doctor") == ""


def test_messages_are_heeded_in_the_order_they_were_sent(found: dict[str, LookedUp]) -> None:
    """The socket has a thread for each message, and any of them may be the first to run."""
    school, doctor = found["school"], found["doctor"]
    changes = (panels(doctor, doctor), panels(school, doctor, waits=True), panels(school, school))
    sent = [("update", {**change, "_id": i}) for i, change in enumerate(changes)]
    for order in permutations(sent):
        page = heard(*order, sent[0])  # as after a connection that was lost
        assert page.answer_to("doctor") == ""
        assert page.answer_to("school") != ""
        assert page.next_message == 3


def test_an_answer_to_something_else_is_none(found: dict[str, LookedUp]) -> None:
    school, doctor = found["school"], found["doctor"]
    page = heard(("update", {**panels(school, doctor, waits=True), "_id": 0}))
    assert page.answer_to("school") == page.answer_to("doctor") == ""
    page.hear("update", {"8": None, "_id": 1})
    assert page.answer_to("school") == ""
