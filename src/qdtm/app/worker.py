"""The process that does a job: told on standard input which folder, it leaves an outcome there.

It is started ahead of time and loads everything before it is needed. The end of its standard input means that
the server is gone: a fit then ends with what it has.
"""

from __future__ import annotations

import os
import tempfile
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

from qdtm.app.jobs import CANCEL, LOCK, OUTCOME, REQUEST
from qdtm.app.requests import request_from_json
from qdtm.app.workspace import read_json, write_json
from qdtm.errors import QdtmError
from qdtm.locks import LivenessLock
from qdtm.memory import limit_memory

_LOG = "log.txt"


class StopRequests:
    """Knows whether the work should end: the user said so, or the server is gone.

    Parameters
    ----------
    folder : Path
        The job's.
    """

    def __init__(self, folder: Path) -> None:
        self._cancel = folder / CANCEL
        self.orphaned = False

    @property
    def cancelled(self) -> bool:
        """Whether the user wants it to stop."""
        return self._cancel.exists()

    def __call__(self) -> bool:
        """Tell whether to end."""
        return self.orphaned or self.cancelled

    def watch_standard_input(self) -> None:
        """Notice, in a thread of its own, when the server goes away."""

        def watch() -> None:
            while os.read(0, 1):
                pass
            self.orphaned = True

        threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Wait for a job, and do it."""
    from qdtm.app import tasks  # loads the model and all it needs

    folder_name, memory_mb = _read_line(), _read_line()
    if not folder_name or not memory_mb:
        return
    folder = Path(os.fsdecode(folder_name))
    stops = StopRequests(folder)
    stops.watch_standard_input()
    if int(memory_mb):
        limit_memory(int(memory_mb))
    tempfile.tempdir = str(folder)  # what a killed worker leaves goes with the job
    with LivenessLock(folder / LOCK):
        write_json(folder / OUTCOME, _outcome(tasks, folder, stops, int(memory_mb)))


def _outcome(tasks: Any, folder: Path, stops: StopRequests, memory_mb: int) -> dict[str, Any]:
    """Do the job; whatever happens becomes an outcome that a page can show."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome: dict[str, Any] = tasks.run(
                request_from_json(read_json(folder / REQUEST) or {}), folder, stops
            )
        except QdtmError as error:
            outcome = {"state": "failed", "message": str(error)}
        except KeyboardInterrupt:
            outcome = _stopped(stops)
        except MemoryError:
            limit = (
                f"more than the {memory_mb:,} MB that it may have"
                if memory_mb
                else "more memory than there is"
            )
            outcome = {"state": "failed", "message": f"This needs {limit}."}
        except Exception:
            (folder / _LOG).write_text(traceback.format_exc(), encoding="utf-8")
            message = "Something went wrong that should not have; the workspace has a log of it."
            outcome = {"state": "failed", "message": message}
    notes = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    return {**outcome, "notes": list(dict.fromkeys(notes))[:20]}


def _stopped(stops: StopRequests) -> dict[str, Any]:
    if stops.cancelled:
        return {"state": "stopped", "message": "Stopped before anything was found."}
    return {"state": "interrupted", "message": "The server went away before anything was found."}


def _read_line() -> bytes:
    """Read a line from standard input a byte at a time, so that nothing is left in a buffer."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


if __name__ == "__main__":
    main()
