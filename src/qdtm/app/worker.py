"""The process that does a job: told on standard input which folder, it leaves an outcome there.

It is started ahead of time and loads everything before it is needed. The end of its standard input means that
the server is gone: a fit then ends with what it has.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qdtm.app.annotations import carry_answers
from qdtm.app.corpora import SAVED, read_about, read_upload
from qdtm.app.findings import write_findings
from qdtm.app.jobs import CANCEL, LOCK, OUTCOME, PROGRESS, REQUEST, RESULT
from qdtm.app.requests import FitRequest, IndexRequest, PreviewRequest, Request, request_from_json
from qdtm.app.upload import index_corpus, preview_files
from qdtm.app.workspace import Workspace, read_json, write_json
from qdtm.corpus import Corpus
from qdtm.corpus.corpus import ReadingProgress
from qdtm.corpus.readers.sources import SourceFile
from qdtm.errors import PassingQueryError, QdtmError
from qdtm.memory import limit_memory
from qdtm.model import QueryDrivenTopicModel
from qdtm.progress import Progress
from qdtm.results.journal import Journal
from qdtm.results.passages import mentions_of
from qdtm.results.result import Result
from qdtm.storage.locks import LivenessLock

# --- tasks --------------------------------------------------------------------------------------------------
#
# What a worker process does: a request in, an outcome out, with progress on the way.

_SECONDS = 0.2  # between two notes of progress
_MOST_SUBTOPICS = 12  # that are noted while they settle

Outcome = dict[str, Any]
Stops = Callable[[], bool]
NotesOn = Callable[[Corpus], "FitNotes"]


def run(request: Request, folder: Path, stops: Any) -> Outcome:
    """Do what is asked.

    Parameters
    ----------
    request : Request
    folder : Path
        The job's, inside a workspace.
    stops : StopRequests
        Tells whether to end.
    """
    workspace = Workspace(folder.parent.parent)
    if isinstance(request, PreviewRequest):
        return _preview(workspace, request, folder)
    if isinstance(request, IndexRequest):
        return _index(workspace, request, folder)
    return _fit(workspace, request, folder, stops)


def _preview(workspace: Workspace, request: PreviewRequest, folder: Path) -> Outcome:
    files = read_upload(workspace, request.corpus).files
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        preview = preview_files(files, _reading_notes(folder))
    return {"state": "done", "preview": asdict(preview), "notes": _said(caught, files)}


def _index(workspace: Workspace, request: IndexRequest, folder: Path) -> Outcome:
    files = () if request.demo else read_upload(workspace, request.corpus).files
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        index_corpus(workspace, request, _reading_notes(folder), lambda: _said(caught, files))
    return {"state": "done", "notes": _said(caught, files)}


def _reading_notes(folder: Path) -> ReadingProgress:
    """Return what writes down how far the reading is."""
    pace = Pace()

    def note(n_documents: int, share: float) -> None:
        if pace.is_time():
            write_json(folder / PROGRESS, {"n_documents": n_documents, "share": round(share, 4)})

    return note


def _fit(workspace: Workspace, request: FitRequest, folder: Path, stops: Any) -> Outcome:
    make = _fitted if request.base is None else _with_more
    try:
        model = make(workspace, request, lambda corpus: FitNotes(folder / PROGRESS, stops, corpus.vocabulary))
    except PassingQueryError as error:
        mentions = mentions_of(error.check, _corpus(workspace, request))
        return {"state": "failed", "message": str(error), "mentions": [asdict(each) for each in mentions]}
    if model.result_.history.lines:
        Journal(folder).write(model.result_.history)
    model.save(folder / RESULT)
    write_findings(folder, carry_answers(workspace, request, folder, model.result_))
    if not model.fit_.interrupted:
        return {"state": "done"}
    if stops.cancelled:
        return {"state": "stopped", "message": "Stopped by you; this is what was found until then."}
    message = "The server went away during the fit; this is what was found until then."
    return {"state": "interrupted", "message": message}


def _fitted(workspace: Workspace, request: FitRequest, notes_on: NotesOn) -> QueryDrivenTopicModel:
    about = read_about(workspace, request.corpus)
    corpus = _corpus(workspace, request)
    model = QueryDrivenTopicModel(
        list(request.queries),
        random_state=request.seed,
        subtopics=request.subtopics,
        n_chains=request.n_chains,
        n_jobs=request.n_jobs,
        progress=notes_on(corpus),
    )
    model.fit(corpus)
    return model.set_columns(time_column=about.columns.time, group_column=about.columns.group)


def _with_more(workspace: Workspace, request: FitRequest, notes_on: NotesOn) -> QueryDrivenTopicModel:
    """Go on from an earlier result, corrected as it is; that one stays as it is."""
    before = workspace.existing("jobs", str(request.base))
    result = Result.load(before / RESULT).with_history(Journal(before).history)
    model = QueryDrivenTopicModel.of(result)
    model.n_jobs, model.progress = request.n_jobs, notes_on(result.corpus)
    for query in request.queries[result.fit.n_queries :]:
        model.add_query(query)
    return model


def _corpus(workspace: Workspace, request: FitRequest) -> Corpus:
    return Corpus.load(workspace.existing("corpora", request.corpus) / SAVED)


class Pace:
    """Tells when it is time for the next note."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_time(self) -> bool:
        """Tell whether enough time has passed since it last said so."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _SECONDS
        return True


class FitNotes:
    """Writes down how a fit goes on, and asks it to end if somebody wants that.

    Parameters
    ----------
    path : Path
        The file to write to.
    stops : callable
        Tells whether to end.
    vocabulary : sequence of str
        For the words of the topics.
    """

    def __init__(self, path: Path, stops: Stops, vocabulary: Sequence[str]) -> None:
        self._path, self._stops, self._vocabulary = path, stops, vocabulary
        self._pace = Pace()
        self._stages: set[tuple[int, str, str | None]] = set()
        self._curves: dict[str, list[tuple[int, float]]] = {}
        self._words: list[list[str]] = []
        self._subtopics: dict[str, list[list[str]]] = {}  # the words of each, by query
        self._has_asked = False

    def __call__(self, progress: Progress) -> None:
        """Note a sweep."""
        stage = (progress.chain, progress.stage, progress.query)
        if progress.log_likelihood is not None:
            name = progress.run + (f"subtopics of {progress.query}" if progress.query else "parent topics")
            self._curves.setdefault(name, []).append((progress.sweep, round(progress.log_likelihood, 5)))
        if progress.leading_words:
            words = [[self._vocabulary[w] for w in words] for words in progress.leading_words]
            if progress.stage == "parents":
                self._words = words
            else:
                self._subtopics[progress.query or ""] = words[:_MOST_SUBTOPICS]
        if self._pace.is_time() or stage not in self._stages:
            self._stages.add(stage)
            write_json(
                self._path,
                {
                    **asdict(progress),
                    "run": progress.run.rstrip(", "),
                    "leading_words": self._words,
                    "subtopics": self._subtopics,
                    "curves": self._curves,
                },
            )
        if not self._has_asked and self._stops():
            self._has_asked = True  # a second time would end it at once, with nothing
            signal.raise_signal(signal.SIGINT)  # the model ends between two sweeps, with what it has


# --- the process --------------------------------------------------------------------------------------------

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
        write_json(folder / OUTCOME, _outcome(folder, stops, int(memory_mb)))


def _outcome(folder: Path, stops: StopRequests, memory_mb: int) -> dict[str, Any]:
    """Do the job; whatever happens becomes an outcome that a page can show."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome: dict[str, Any] = run(request_from_json(read_json(folder / REQUEST) or {}), folder, stops)
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
    return {"notes": _said(caught), **outcome}


def _said(caught: Sequence[warnings.WarningMessage], files: Sequence[SourceFile] = ()) -> list[str]:
    """Return what was warned of, each once, files by the names that the user knows."""
    notes = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    notes = list(dict.fromkeys(notes))[:20]
    for file in files:
        notes = [note.replace(Path(file.place).name, file.name) for note in notes]
    return notes


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
