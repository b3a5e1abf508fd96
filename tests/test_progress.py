"""Ctrl-C as a request, and everything as it was afterwards."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from qdtm.progress import defer_interrupts


def handler_of_the_user(_signum: int, _frame: Any) -> None:
    raise RuntimeError("the user's own handler")


HANDLERS = [signal.default_int_handler, signal.SIG_DFL, signal.SIG_IGN, handler_of_the_user]


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Leave the test runner's own handler in place, whatever a test does."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def ctrl_c() -> Callable[[], None]:
    return lambda: signal.raise_signal(signal.SIGINT)


def test_the_first_is_a_request_and_the_second_interrupts(ctrl_c) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with defer_interrupts() as interruption:
        assert not interruption.requested
        ctrl_c()
        assert interruption.requested
        with pytest.raises(KeyboardInterrupt):
            ctrl_c()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_goes_to_the_users_own_handler(ctrl_c) -> None:
    signal.signal(signal.SIGINT, handler_of_the_user)
    with defer_interrupts():
        ctrl_c()
        with pytest.raises(RuntimeError, match="the user's own handler"):
            ctrl_c()


@pytest.mark.parametrize("handler", HANDLERS)
def test_the_handler_is_the_same_afterwards(handler) -> None:
    signal.signal(signal.SIGINT, handler)
    with defer_interrupts():
        pass
    assert signal.getsignal(signal.SIGINT) == handler


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_DFL, handler_of_the_user])
def test_the_handler_is_the_same_after_a_request(handler, ctrl_c) -> None:
    signal.signal(signal.SIGINT, handler)
    with defer_interrupts() as interruption:
        ctrl_c()
    assert interruption.requested
    assert signal.getsignal(signal.SIGINT) == handler


def test_the_handler_is_the_same_after_an_error() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), defer_interrupts():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


def test_where_ctrl_c_is_ignored_it_stays_ignored(ctrl_c) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a process in the background of a shell
    with defer_interrupts() as interruption:
        ctrl_c()
    assert not interruption.requested


def test_other_threads_leave_signals_alone() -> None:
    before, found = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with defer_interrupts() as interruption:
            found.extend([signal.getsignal(signal.SIGINT), interruption.requested])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before, False]
