"""Ctrl-C as the user presses it, for callbacks on any thread."""

import os
import signal
from threading import Event


def press() -> None:
    """Press Ctrl-C; if a fit takes that as a request, go on when it has heard it.

    Signals are handled by the main thread, which may take its time. Callbacks of a fit wait for each other,
    so no thread is done in the meantime.
    """
    listening, pause = signal.getsignal(signal.SIGINT), Event()
    os.kill(os.getpid(), signal.SIGINT)
    while listening is not signal.default_int_handler and signal.getsignal(signal.SIGINT) is listening:
        pause.wait(0.001)
