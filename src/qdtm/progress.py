"""What long work tells the world, and how it is asked to stop.

`Progress` goes to the user's callback, or to a bar where somebody looks (`shown_progress`);
`defer_interrupts` turns Ctrl-C into a question that the sampler asks between sweeps, so that it can end with
what it has.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

# --- progress -----------------------------------------------------------------------------------------------

Stage = Literal["encoding", "background", "parents", "subtopics"]


@dataclass(frozen=True)
class Progress:
    """Where a fit is.

    Parameters
    ----------
    stage : {"encoding", "background", "parents", "subtopics"}
        Encoding documents, where an encoder is given; learning what the corpus is about besides the queries;
        fitting parent topics; splitting them.
    query : str or None
        Whose subtopics, in the last stage.
    sweep, max_sweeps : int
        Sweeps done in this stage, and how many it may take; it ends earlier when it has settled. Documents
        done, and all of them, while they are encoded.
    n_topics : int
        Topics in use now.
    log_likelihood : float or None
        Per token, where it was computed after this sweep.
    leading_words : tuple of tuple of int
        The words with most tokens in each parent topic, best first, while these are fitted, and in each
        group of its documents while one is split; where the likelihood was computed, else empty.
    chain, n_chains : int
        Which of the independent chains this is, from 0, and how many there are; several may run at a time.
    """

    stage: Stage
    query: str | None
    sweep: int
    max_sweeps: int
    n_topics: int
    log_likelihood: float | None
    leading_words: tuple[tuple[int, ...], ...] = ()
    chain: int = 0
    n_chains: int = 1

    @property
    def run(self) -> str:
        """Which run it is, "run 2 of 4, ", to be put before the stage; empty if there is only one."""
        return f"run {self.chain + 1} of {self.n_chains}, " if self.n_chains > 1 else ""

    @property
    def note(self) -> str:
        """How far the stage is, for people."""
        if self.stage == "encoding":
            return f"document {self.sweep:,} of {self.max_sweeps:,}"
        return f"sweep {self.sweep:,} of at most {self.max_sweeps:,}, {_counted(self.n_topics, 'topic')}"

    @property
    def outcome(self) -> str:
        """What was done, once the stage is over."""
        if self.stage == "encoding":
            return f"{self.sweep:,} documents"
        return f"{_counted(self.sweep, 'sweep')}, {_counted(self.n_topics, 'topic')}"


def _counted(n: int, what: str) -> str:
    """Return "1 topic", "2 topics"."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


ProgressCallback = Callable[[Progress], object]


@contextmanager
def shown_progress(progress: ProgressCallback | str | None) -> Iterator[ProgressCallback | None]:
    """Give whom to tell how far work is; "auto" is a bar where somebody looks, and gone when it is done."""
    if not isinstance(progress, str):
        yield progress
        return
    if not somebody_looks():
        yield None
        return
    from qdtm.present.notebook import ProgressBar  # slow to load, and further down the house

    bar = ProgressBar()
    try:
        yield bar
    finally:
        bar.close()


def somebody_looks() -> bool:
    """Return whether this is a notebook or a terminal; in other threads and processes nobody does."""
    if threading.current_thread() is not threading.main_thread() or multiprocessing.parent_process():
        return False
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def in_notebook() -> bool:
    """Return whether this process answers a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


class Interruption:
    """Whether the user has asked to stop."""

    def __init__(self) -> None:
        self.requested = False


@contextmanager
def defer_interrupts() -> Iterator[Interruption]:
    """Catch the first Ctrl-C as a request; a second one interrupts as usual.

    Only the main thread receives signals; elsewhere, and where Ctrl-C is ignored or handled by other than
    Python, nothing changes.
    """
    interruption = Interruption()
    in_main_thread = threading.current_thread() is threading.main_thread()
    previous = signal.getsignal(signal.SIGINT)
    if not in_main_thread or previous is None or previous == signal.SIG_IGN:
        yield interruption
        return

    def remember(_signum: int, _frame: Any) -> None:
        interruption.requested = True
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, remember)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, previous)


# --- work that nobody waits for any more --------------------------------------------------------------------
#
# Work that nobody waits for any more: a test in, an exception out of the work that it ends.
#
#     with cancel_when(lambda: newer_question_came):
#         answer = ...  # raises Cancelled soon after
#
# Long loops call `check_cancelled` now and then. The test belongs to the thread or task that set it, and to
# those that are started with its context (`asyncio.to_thread`).


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
