"""The corpora of a workspace: what they are called, how large they are, what was left out of them.

`corpora/<id>/` holds `upload.json` and the uploaded file until it is read, then `about.json` and the saved
corpus. Results refer to that, so a corpus that the user removes is marked `forgotten`, and its files stay
until no result needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any

from qdtm.app.jobs import Jobs
from qdtm.app.requests import Columns
from qdtm.app.workspace import NotFoundError, Workspace, read_json, write_json
from qdtm.corpus.readers.read import READERS
from qdtm.errors import CorpusError

DEMO = "demo"
DEMO_NAME = "News articles (demo)"
SAVED = "corpus"
"""The saved corpus, inside its folder."""

_ABOUT, _UPLOAD, _FORGOTTEN = "about.json", "upload.json", "forgotten"
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Dropped:
    """Words that did not enter the vocabulary, counted in the first documents.

    Attributes
    ----------
    stop_words, rare_words : tuple of (str, int)
        The most frequent ones, with their occurrences. Stop words, numbers and very short ones are the first;
        the second are too rare, or too many.
    n_stop_words, n_rare_words : int
        How many different ones there are.
    n_documents : int
        How many documents were looked through.
    """

    stop_words: tuple[tuple[str, int], ...]
    rare_words: tuple[tuple[str, int], ...]
    n_stop_words: int
    n_rare_words: int
    n_documents: int


@dataclass(frozen=True)
class AboutCorpus:
    """What the app knows of a corpus without opening it."""

    id: str
    name: str
    created: str
    columns: Columns
    language: str
    fields: tuple[str, ...]
    n_documents: int
    n_empty: int
    n_words: int
    n_tokens: int
    top_words: tuple[tuple[str, int], ...]
    dropped: Dropped


@dataclass(frozen=True)
class Upload:
    """A file that has been uploaded and not yet read."""

    id: str
    name: str
    path: Path
    n_bytes: int


def write_about(workspace: Workspace, about: AboutCorpus) -> None:
    """Write down what is known of a corpus; from now on it is listed."""
    write_json(workspace.existing("corpora", about.id) / _ABOUT, asdict(about))


def read_about(workspace: Workspace, id: str) -> AboutCorpus:
    """Return what is known of a corpus.

    Raises
    ------
    NotFoundError
        If there is none, or no more, or it has not been read yet.
    """
    folder = workspace.existing("corpora", id)
    if (folder / _FORGOTTEN).exists():
        raise NotFoundError("There is no such corpus; it has been removed.")
    values = read_json(folder / _ABOUT)
    if values is None:
        raise NotFoundError("This corpus has not been read yet; choose its columns first.")
    try:
        return _about(values)
    except (KeyError, TypeError, ValueError):
        raise NotFoundError("This corpus is damaged; upload it again.") from None


def list_corpora(workspace: Workspace) -> Iterator[AboutCorpus]:
    """Yield the corpora that have been read, newest first."""
    for id in workspace.ids("corpora"):
        try:
            yield read_about(workspace, id)
        except NotFoundError:
            continue


def forget_corpus(workspace: Workspace, jobs: Jobs, id: str) -> None:
    """Take a corpus off the list, for good; the demo articles stay."""
    if id != DEMO:
        (workspace.existing("corpora", id) / _FORGOTTEN).touch()
        tidy_corpora(workspace, jobs)


def tidy_corpora(workspace: Workspace, jobs: Jobs) -> None:
    """Remove the corpora that were forgotten and that no result, nor a fit under way, refers to."""
    needed = {job.request.corpus for job in jobs.fits() if job.has_result or not job.has_ended}
    for id in workspace.ids("corpora"):
        if id not in needed and (workspace.folder("corpora", id) / _FORGOTTEN).exists():
            workspace.remove("corpora", id)


def new_upload(workspace: Workspace, name: str) -> Upload:
    """Make a place for a file; its name is kept for display, its ending decides how it is read.

    Raises
    ------
    CorpusError
        If there is no reader for such files.
    """
    shown = PurePath(name.replace("\\", "/")).name.strip()[-_LONGEST_NAME:] or "upload"
    suffix = PurePath(shown).suffix.lower()
    if suffix not in READERS:
        raise CorpusError(f"Files like {shown!r} cannot be read. Known: {', '.join(READERS)}.")
    id = workspace.new("corpora")
    return Upload(id, shown, workspace.folder("corpora", id) / f"source{suffix}", 0)


def write_upload(workspace: Workspace, upload: Upload) -> None:
    """Write down that a file has arrived whole."""
    values = {"name": upload.name, "file": upload.path.name, "bytes": upload.path.stat().st_size}
    write_json(workspace.existing("corpora", upload.id) / _UPLOAD, values)


def read_upload(workspace: Workspace, id: str) -> Upload:
    """Return a file that has arrived.

    Raises
    ------
    NotFoundError
        If there is none, or it has been read already.
    """
    folder = workspace.existing("corpora", id)
    values = read_json(folder / _UPLOAD) or {}
    path = folder / PurePath(str(values.get("file", "missing"))).name
    if not path.is_file():
        raise NotFoundError("There is no such upload; it may have been read already.")
    return Upload(id, str(values.get("name", "upload")), path, int(values.get("bytes", 0)))


def _about(values: Mapping[str, Any]) -> AboutCorpus:
    dropped = dict(values["dropped"])
    for name in ("stop_words", "rare_words"):
        dropped[name] = _pairs(dropped[name])
    return AboutCorpus(
        **{
            **values,
            "columns": Columns(**values["columns"]),
            "fields": tuple(map(str, values["fields"])),
            "top_words": _pairs(values["top_words"]),
            "dropped": Dropped(**dropped),
        }
    )


def _pairs(values: Any) -> tuple[tuple[str, int], ...]:
    return tuple((str(word), int(count)) for word, count in values)
