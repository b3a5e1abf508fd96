"""Work that takes its time, each piece in a process and a folder of its own: requests in, states out.

A job's folder says all there is to know about it: `request.json` (what is asked), `started`, `progress.json`,
`outcome.json` (how it ended), `cancel` (somebody wants it to stop) and `lock` (held while its process lives).
So a page can be closed, reloaded or opened twice, and the server started again: the job is found as it is.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from qdtm.app.bin import discard
from qdtm.app.requests import FitRequest, Request, request_from_json, request_to_json
from qdtm.app.workspace import NotFoundError, Workspace, now, read_json, write_json
from qdtm.errors import ParameterError, StorageError
from qdtm.storage.locks import is_held

State = Literal["waiting", "running", "done", "stopped", "interrupted", "failed"]
ENDED: tuple[State, ...] = ("done", "stopped", "interrupted", "failed")

REQUEST, STARTED, PROGRESS, OUTCOME, CANCEL, LOCK = (
    "request.json", "started", "progress.json", "outcome.json", "cancel", "lock",
)  # fmt: skip
RESULT = "result"
"""The saved model of a fit, inside the job's folder."""

_log = logging.getLogger("qdtm.app")


@dataclass(frozen=True)
class Job:
    """A job as it is now.

    Attributes
    ----------
    id : str
    request : Request
    created : str
        ISO, UTC.
    state : {"waiting", "running", "done", "stopped", "interrupted", "failed"}
        "stopped" by the user; "interrupted" because the server went away. Both may have a result.
    message : str
        Why it failed, or what to know about how it ended.
    progress : dict
        The last that its process said.
    outcome : dict
        What it gave back.
    folder : Path
    stopping : bool
        Whether it has been asked to stop and has not ended yet.
    """

    id: str
    request: Request
    created: str
    state: State
    message: str
    progress: dict[str, Any]
    outcome: dict[str, Any]
    folder: Path
    stopping: bool

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ENDED

    @property
    def has_result(self) -> bool:
        """Whether there is a saved model to look at."""
        return self.has_ended and (self.folder / RESULT / "qdtm.json").is_file()


@dataclass(frozen=True)
class JobLimits:
    """How long work on what users upload may take, and how much memory; a fit takes as long as it takes.

    Attributes
    ----------
    preview_seconds, index_seconds : float
    memory_mb : int
        Of the processes that read uploads.
    running : int
        Jobs at the same time; further ones wait, in the order in which they were asked for.
    kept_seconds : float
        How long the jobs that read uploads are kept after their end, for a page that may still show them.
    """

    preview_seconds: float = 60.0
    index_seconds: float = 3_600.0
    memory_mb: int = 4_096
    running: int = 2
    kept_seconds: float = 3_600.0

    def seconds(self, kind: str) -> float | None:
        """Return how long a job of a kind may take."""
        return {"preview": self.preview_seconds, "index": self.index_seconds}.get(kind)


@dataclass
class _Running:
    """A worker process and the job it has."""

    process: subprocess.Popen[bytes]
    folder: Path
    kind: str
    deadline: float | None


@dataclass
class Jobs:
    """Starts jobs, and knows what became of them.

    Parameters
    ----------
    workspace : Workspace
    limits : JobLimits
    """

    workspace: Workspace
    limits: JobLimits = field(default_factory=JobLimits)
    _running: dict[str, _Running] = field(default_factory=dict)
    _spare: subprocess.Popen[bytes] | None = None

    # --- what the pages ask for --------------------------------------------------------------------------

    def submit(self, request: Request) -> str:
        """Put a job into the workspace, start it if there is room, and return its id."""
        id = self.workspace.new("jobs")
        folder = self.workspace.folder("jobs", id)
        write_json(folder / REQUEST, {**request_to_json(request), "created": now()})
        self.pump()
        return id

    def get(self, id: str) -> Job:
        """Return a job as it is now.

        Raises
        ------
        NotFoundError
            If there is none.
        """
        folder = self.workspace.existing("jobs", id)
        asked = read_json(folder / REQUEST)
        if asked is None:
            raise NotFoundError("There is no such result; it may have been removed.")
        outcome = read_json(folder / OUTCOME)
        state = self._state(id, folder, outcome)
        outcome = outcome or {}
        return Job(
            id=id,
            request=request_from_json(asked),
            created=str(asked.get("created", "")),
            state=state,
            message=str(outcome.get("message", "")),
            progress=read_json(folder / PROGRESS) or {},
            outcome=outcome,
            folder=folder,
            stopping=state == "running" and (folder / CANCEL).exists(),
        )

    def state(self, id: str) -> State | None:
        """Return how far a job is, without reading more of it than that; None if it is gone."""
        folder = self.workspace.folder("jobs", id)
        return self._state(id, folder, read_json(folder / OUTCOME)) if folder.is_dir() else None

    def fits(self) -> Iterator[Job]:
        """Yield the fits of the workspace, newest first; damaged ones are passed over."""
        for id in self.workspace.ids("jobs"):
            try:
                job = self.get(id)
            except (NotFoundError, StorageError):
                continue
            if isinstance(job.request, FitRequest):
                yield job

    def cancel(self, id: str) -> None:
        """Ask a job to stop; it ends with what it has. One that waits ends at once."""
        job = self.get(id)
        if job.state == "waiting":
            write_json(job.folder / OUTCOME, {"state": "stopped", "message": "Stopped before it began."})
        elif job.state == "running":
            (job.folder / CANCEL).touch()
            if job.request.kind != "fit":
                self._end(id, "stopped", "Stopped.")

    def remove(self, id: str) -> None:
        """Move a fit that has ended, and its result, to the bin.

        Raises
        ------
        ParameterError
            If it has not ended.
        """
        job = self.get(id)
        if not job.has_ended or not isinstance(job.request, FitRequest):
            raise ParameterError("This fit is under way; stop it first.")
        discard(self.workspace, "jobs", id, job.request.title)

    # --- what the server does now and then ---------------------------------------------------------------

    def pump(self) -> None:
        """Note what has ended, end what took too long, start what waits."""
        for id, running in list(self._running.items()):
            if running.process.poll() is not None:
                self._reap(id)
            elif running.deadline is not None and time.monotonic() > running.deadline:
                seconds = self.limits.seconds(running.kind) or 0
                self._end(id, "failed", f"This took longer than {seconds:,.0f} seconds and was ended.")
        if len(self._running) < self.limits.running:
            waiting = sorted(filter(self._waits, self.workspace.ids("jobs")), key=self._asked_at)
            for id in waiting[: self.limits.running - len(self._running)]:
                self._start(id)

    def tidy(self) -> None:
        """Remove what nobody looks at any more: previews and readings of uploads that ended some time ago."""
        for id in self.workspace.ids("jobs"):
            with suppress(NotFoundError, StorageError, OSError):
                job = self.get(id)
                ended_ago = time.time() - job.folder.stat().st_mtime
                if job.request.kind != "fit" and job.has_ended and ended_ago > self.limits.kept_seconds:
                    self.workspace.remove("jobs", id)

    def warm(self) -> None:
        """Keep a process ready that has loaded everything, so that the next job starts at once."""
        if self._spare is None or self._spare.poll() is not None:
            self._spare = _spawn()

    def close(self) -> None:
        """Let go of all processes: a fit that runs ends with what it has, as interrupted."""
        for process in [*(running.process for running in self._running.values()), self._spare]:
            if process is not None and process.stdin is not None:
                process.stdin.close()

    # --- inside ------------------------------------------------------------------------------------------

    def _state(self, id: str, folder: Path, outcome: dict[str, Any] | None) -> State:
        if outcome is not None:
            state = outcome.get("state")
            return state if state in ENDED else "failed"
        if not (folder / STARTED).exists():
            return "waiting"
        return "running" if id in self._running or is_held(folder / LOCK) else "interrupted"

    def _waits(self, id: str) -> bool:
        folder = self.workspace.folder("jobs", id)
        begun = any((folder / name).exists() for name in (STARTED, OUTCOME))
        return not begun and (folder / REQUEST).is_file()

    def _asked_at(self, id: str) -> tuple[int, str]:
        """Return what jobs are served in the order of: who asked first is first, also within a second."""
        try:
            return (self.workspace.folder("jobs", id) / REQUEST).stat().st_mtime_ns, id
        except FileNotFoundError:  # removed just now
            return 0, id

    def _start(self, id: str) -> None:
        folder = self.workspace.folder("jobs", id)
        kind = str((read_json(folder / REQUEST) or {}).get("kind"))
        self.warm()
        process, self._spare = self._spare, None
        if process is None or process.stdin is None:
            return
        seconds = self.limits.seconds(kind)
        deadline = None if seconds is None else time.monotonic() + seconds
        self._running[id] = _Running(process, folder, kind, deadline)
        (folder / STARTED).write_text(now(), encoding="ascii")
        try:
            order = f"{folder}\n{self.limits.memory_mb if seconds else 0}\n"
            process.stdin.write(order.encode("utf-8", "surrogateescape"))
            process.stdin.flush()
        except OSError:
            self._end(id, "failed", "The worker process could not be started.")

    def _end(self, id: str, state: State, message: str) -> None:
        """End a process of ours for certain, and say why."""
        running = self._running.pop(id, None)
        if running is None:
            return
        running.process.kill()
        running.process.wait()
        _close(running.process)
        if not (running.folder / OUTCOME).exists():
            write_json(running.folder / OUTCOME, {"state": state, "message": message})

    def _reap(self, id: str) -> None:
        """Note that a process has ended; one that left no outcome has failed."""
        running = self._running.pop(id)
        _close(running.process)
        if running.folder.is_dir() and not (running.folder / OUTCOME).exists():
            code = running.process.returncode
            _log.error("job %s ended without an outcome, exit code %s", id, code)
            message = f"The work ended unexpectedly (exit code {code}); it may have run out of memory."
            write_json(running.folder / OUTCOME, {"state": "failed", "message": message})


def _spawn() -> subprocess.Popen[bytes]:
    """Start a worker; it loads everything, then waits for a job on its standard input."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "qdtm.app.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the server; the worker is told by its standard input
    )


def _close(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
