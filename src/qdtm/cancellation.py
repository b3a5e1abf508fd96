"""Work that nobody waits for any more: a test in, an exception out of the work that it ends.

    with cancel_when(lambda: newer_question_came):
        answer = ...  # raises Cancelled soon after

Long loops call `check_cancelled` now and then. The test belongs to the thread or task that set it, and to
those that are started with its context (`asyncio.to_thread`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Cancelled(Exception):  # noqa: N818 - nothing went wrong
    """The work was ended because nobody wants it any more."""


@contextmanager
def cancel_when(test: Callable[[], bool]) -> Iterator[None]:
    """End the work inside as soon as it looks and the test says so."""
    token = _TEST.set(test)
    try:
        yield
    finally:
        _TEST.reset(token)


def check_cancelled() -> None:
    """Raise `Cancelled` if the work around is no longer wanted."""
    test = _TEST.get()
    if test is not None and test():
        raise Cancelled


_TEST: ContextVar[Callable[[], bool] | None] = ContextVar("cancel_when", default=None)
